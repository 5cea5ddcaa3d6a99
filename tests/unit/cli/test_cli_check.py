"""Claim: `minerva check` finds what is wrong before a fit, and its options, pasted, put it right."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "preflight"))

from faulty_tables import faulty

from full_selection import full_selection
from minerva_select.cli.check import without_repetitions
from minerva_select.codes import FindingCode, WarningCode
from minerva_select.results import Finding, SelectionWarning

CHECK = ["check", "orders.csv", "--target", "was_late", "--time-column", "opened"]


@pytest.fixture(scope="module")
def orders(tmp_path_factory):
    """Folder with a table that has every fault, as CSV."""
    folder = tmp_path_factory.mktemp("orders")
    X, y, times = faulty()
    X.assign(was_late=y, opened=times).to_csv(folder / "orders.csv", index=False)
    return folder


@pytest.fixture
def in_orders(orders, monkeypatch):
    monkeypatch.chdir(orders)


def found(result):
    return json.loads(result.stdout)["findings"]


@pytest.mark.usefixtures("in_orders")
def test_every_fault_is_found_in_a_csv_file_and_pasting_the_options_leaves_none_that_an_option_changes(run):
    result = run(*CHECK, "--json")
    assert result.exit_code == 1
    codes = {one["code"] for one in found(result)}
    assert codes == {*FindingCode} - {FindingCode.MANY_CLASSES}
    pasted = [argument for one in found(result) for argument in one["options"]]
    again = run(*CHECK, *keep_first_use(pasted), "--json")
    assert [one for one in found(again) if one["options"]] == []


def keep_first_use(pasted):
    """Options as a user would paste them: a column that is dropped is not also converted."""
    pairs = [arguments.split("\0") for arguments in "\0".join(pasted).replace("\0--", "\n--").split("\n")]
    dropped = {pair[1] for pair in pairs if pair[0] == "--drop"}
    left = [pair for pair in pairs if pair[0] == "--drop" or pair[-1].partition("=")[0] not in dropped]
    return [argument for pair in left for argument in pair]


@pytest.mark.usefixtures("in_orders")
def test_the_page_names_each_column_and_the_option_to_paste(run):
    lines = run(*CHECK).stdout.splitlines()
    assert "    --drop-missing-target" in lines
    assert "    --drop customer" in lines
    assert "    --categorical 'postal code'" in lines
    assert lines[-1].startswith("A fit takes about ")


def test_a_clean_table_exits_with_0(folder, run):
    rows = "\n".join(f"{(i * 37) % 101 / 7},{'ab'[i * i % 3 % 2]},{(i * 53) % 97 % 2}" for i in range(200))
    (folder / "clean.csv").write_text(f"amount,kind,y\n{rows}\n")
    result = run("check", "clean.csv", "--target", "y")
    assert result.exit_code == 0
    assert "Nothing to report." in result.stdout


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["data.csv", "--target", "fraud"], "is_fraud"),
        (["data.csv", "--target", "is_fraud", "--where", "amount > 1e9"], "No row is left"),
        (["data.csv", "--target", "is_fraud", "--where", "is_fraud = 1"], "only one value"),
        (["data.csv", "--target", "is_fraud", "--drop", "is_fraud"], "--drop"),
        (["data.csv", "--target", "is_fraud", "--date", "country=%Y"], "country"),
        (["nowhere.csv", "--target", "is_fraud"], "nowhere.csv"),
    ],
)
def test_bad_input_exits_with_2_and_one_sentence(run, assert_refused, arguments, message):
    assert_refused(run("check", *arguments), message)


def test_select_prints_findings_as_notes_before_the_fit(folder, selector, run):
    result = run("select", "data.csv", "--target", "is_fraud")
    notes = [line for line in result.stderr.splitlines() if line.startswith("Note: ")]
    assert any("'id'" in note and note.endswith("--drop id") for note in notes)
    assert "A fit takes about" in result.stderr
    assert "Note: 'id'" not in result.stdout


@pytest.mark.parametrize("option", [["--drop", "id,late"], ["--ignore", "id,late"]])
def test_select_prints_no_notes_about_columns_that_are_left_out(folder, selector, run, option):
    result = run("select", "data.csv", "--target", "is_fraud", *option)
    assert result.exit_code == 0
    assert "A fit takes about" in result.stderr
    assert "Note" not in result.stderr


def test_a_warning_that_was_printed_as_a_note_is_not_repeated():
    warnings = (
        SelectionWarning(WarningCode.IDENTIFIER, ("id",)),
        SelectionWarning(WarningCode.IDENTIFIER, ("number",)),
        SelectionWarning(WarningCode.UNPARSED_NUMBERS, ("day", "price")),
        SelectionWarning(WarningCode.FEW_ROWS, values={"n_rows": 20}),
    )
    noted = [
        Finding(FindingCode.IDENTIFIER, ("id",)),
        Finding(FindingCode.DATES_AS_TEXT, ("day",)),
        Finding(FindingCode.NUMBERS_AS_TEXT, ("price",)),
    ]
    selection = dataclasses.replace(full_selection(), warnings=warnings)
    assert without_repetitions(selection, noted).warnings == (warnings[1], warnings[3])
    assert without_repetitions(selection, noted[:2]).warnings == warnings[1:]
    assert without_repetitions(selection, ()).warnings == warnings


@pytest.mark.parametrize("command", ["select", "compare"])
def test_a_missing_target_is_refused_with_the_option_that_leaves_it_out(folder, run, assert_refused, command):
    table = (folder / "data.csv").read_text().replace(",1,1\n", ",,1\n")
    (folder / "gaps.csv").write_text(table)
    assert_refused(run(command, "gaps.csv", "--target", "is_fraud"), "--drop-missing-target")
