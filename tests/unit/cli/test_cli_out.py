"""Claims about an ``--out`` that cannot be written: every command finds that before its work."""

from __future__ import annotations

from pathlib import Path

import pytest

LONG = "x" * 300  # a name may have 255 bytes on any file system in use
PLACES = {
    "a file in the way": "data.csv/below",
    "no permission": "/proc/minerva",  # nobody may write there, not even root
    "a parent that cannot be made": "/proc/minerva/deep/down",
    "a name that is too long": LONG,
    "a parent whose name is too long": f"{LONG}/below",
}
COMMANDS = {
    "select": ["select", "data.csv", "--target", "is_fraud"],
    "select --cache": ["select", "data.csv", "--target", "is_fraud"],
    "compare": ["compare", "data.csv", "--target", "is_fraud"],
    "demo": ["demo"],
    "reproduce": ["reproduce", "a", "--quick"],
    "report": ["report", "selection.json"],
}


@pytest.fixture
def no_work(folder, answer, monkeypatch):
    """Any work ends the test."""
    answer.save(folder / "selection.json")

    def fail(*_, **__):
        pytest.fail("the work has begun")

    for name in (
        "minerva_select.selectors.MinervaSelector",
        "minerva_select.evaluation.compare",
        "minerva_select.evaluation.paper.reproduce",
        "minerva_select.problems.equality",
        "minerva_select.report.render",
    ):
        monkeypatch.setattr(name, fail)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that root cannot write to")
@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_found_before_the_work_and_told_in_one_sentence(command, place, run, assert_refused):
    option = "--cache" if command.endswith("--cache") else "--out"
    assert_refused(run(*COMMANDS[command], option, place), option)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("select", ".minerva"),
        ("demo", "selection.json"),
        ("demo", "report.html"),
        ("reproduce", "a-quick.jsonl"),
        ("reproduce", "a-quick.md"),
        ("compare", "comparison.json"),
    ],
)
def test_what_stands_in_the_place_of_a_result_is_found_before_the_work(command, name, folder, run, assert_refused):
    (folder / "results").mkdir()
    if name == ".minerva":
        (folder / "results" / name).touch()
    else:
        (folder / "results" / name).mkdir()
    assert_refused(run(*COMMANDS[command], "--out", "results"), f"{name}' is a f")


def test_a_name_that_only_just_fits_is_written(folder, answer, run):
    answer.save("selection.json")
    page = "x" * 235 + ".html"  # with what a file under way is called by, below 255
    assert run("report", "selection.json", "--out", page).exit_code == 0
    assert (folder / page).exists()


def test_a_page_whose_name_leaves_no_room_for_a_file_under_way_is_refused(folder, answer, run, assert_refused):
    answer.save("selection.json")
    assert_refused(run("report", "selection.json", "--out", "x" * 250 + ".html"), "File name too long")
