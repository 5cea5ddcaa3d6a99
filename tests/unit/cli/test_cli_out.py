"""Every command checks before its work whether ``--out`` can be written."""

from __future__ import annotations

from pathlib import Path

import pytest

LONG = "x" * 300  # file systems allow 255 bytes
PLACES = {
    "a file in the way": "data.csv/below",
    "no permission": "/proc/minerva",  # not even root can write there
    "a parent that cannot be created": "/proc/minerva/deep/down",
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
    """Fail if any work starts."""
    answer.save(folder / "selection.json")

    def fail(*_, **__):
        pytest.fail("the work has started")

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
def test_a_path_that_cannot_be_written_is_refused_before_the_work(command, place, run, assert_refused):
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
def test_a_result_that_cannot_be_replaced_is_refused_before_the_work(command, name, folder, run, assert_refused):
    (folder / "results").mkdir()
    if name == ".minerva":
        (folder / "results" / name).touch()
    else:
        (folder / "results" / name).mkdir()
    assert_refused(run(*COMMANDS[command], "--out", "results"), f"{name}' is a f")


def test_the_longest_possible_name_is_written(folder, answer, run):
    answer.save("selection.json")
    page = "x" * 235 + ".html"  # shorter than 255 with the suffix of a temporary file
    assert run("report", "selection.json", "--out", page).exit_code == 0
    assert (folder / page).exists()


def test_a_name_without_room_for_a_temporary_suffix_is_refused(folder, answer, run, assert_refused):
    answer.save("selection.json")
    assert_refused(run("report", "selection.json", "--out", "x" * 250 + ".html"), "File name too long")
