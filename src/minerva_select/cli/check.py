"""``minerva check``: find what is wrong with a table before a fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from minerva_select.cli import options
from minerva_select.cli.opened_table import OpenedTable
from minerva_select.cli.preparation import ReadingOptions
from minerva_select.codes import FindingCode, WarningCode

if TYPE_CHECKING:
    from minerva_select.results import Finding, Selection, TableCheck

FOUND = 1  # exit code if there are findings
_MOST_NOTES = 6  # before a fit
_SAME = {  # warnings of a fit that say the same as a finding
    FindingCode.IDENTIFIER: WarningCode.IDENTIFIER,
    FindingCode.DATES_AS_TEXT: WarningCode.UNPARSED_NUMBERS,
    FindingCode.NUMBERS_AS_TEXT: WarningCode.UNPARSED_NUMBERS,
    FindingCode.DUPLICATED_ROWS: WarningCode.DUPLICATED_ROWS,
}
_REFUSED = (FindingCode.MISSING_TARGET, FindingCode.INFINITE_VALUES)  # by a fit


def check_command(
    data: options.Data,
    *,
    target: options.Targets,
    ignore: options.Ignore = None,
    drop: options.Drop = None,
    date: options.Date = None,
    numeric: options.Numeric = None,
    categorical: options.Categorical = None,
    where: options.Where = None,
    drop_missing_target: options.DropMissingTarget = False,
    sample: options.Sample = None,
    time_column: options.TimeColumn = None,
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Find what is wrong with a table before a fit, how long the fit will take, and which options help.

    Takes the options of select that name columns and rows. Exits with 0 if nothing is found and with 1 otherwise.
    """
    from minerva_select.data.file_discovery import find_files

    files = find_files(data)
    from minerva_select.data.memory_budget import MemoryBudget

    typed = {"--target": target, "--ignore": ignore, "--drop": drop, "--keep": None}
    reading = ReadingOptions(date, numeric, categorical, where, drop_missing_target, sample, seed)
    budget = MemoryBudget.from_max_memory(None)
    table = OpenedTable.open(files, typed, {"--time-column": time_column}, reading, budget)
    X, y = table.split()
    check = check_opened(table, X, y.read())
    if as_json:
        typer.echo(check.to_json())
    else:
        _print(check)
    if check.findings:
        raise typer.Exit(FOUND)


def check_opened(table: OpenedTable, X: Any, y: Any) -> TableCheck:
    """Check the features and the target of an opened table."""
    from minerva_select.preflight import check_table

    times = table.row_values("--time-column")
    types = table.type_parameters(X.names)
    return check_table(X, y, times=times, drop=table.named["--drop"], **types)


def print_notes(check: TableCheck, time_limit: float | None) -> tuple[Finding, ...]:
    """Print the findings to standard error before a fit, one line each, and how long the fit will take.

    Returns the findings that are printed; of many, only the first ones are.
    """
    from minerva_select.text.findings import describe_fit_time, describe_with_options

    if any(finding.code in _REFUSED for finding in check.findings):
        return ()  # the fit says so
    shown = check.findings[:_MOST_NOTES]
    for finding in shown:
        typer.echo(f"Note: {describe_with_options(finding)}", err=True)
    if len(check.findings) > len(shown):
        typer.echo(f"Note: {len(check.findings) - len(shown)} more; `minerva check` lists all.", err=True)
    if time_limit is None or check.fit_seconds < time_limit:
        typer.echo(describe_fit_time(check), err=True)
    return shown


def without_repetitions(selection: Selection, printed: Sequence[Finding]) -> Selection:
    """The selection without warnings that were printed as notes before the fit."""
    columns: dict[WarningCode, set[str]] = {}
    for finding in printed:
        if finding.code in _SAME:
            columns.setdefault(_SAME[finding.code], set()).update(finding.columns)
    left = (one for one in selection.warnings if one.code not in columns or not {*one.columns} <= columns[one.code])
    return dataclasses.replace(selection, warnings=tuple(left))


def _print(check: TableCheck) -> None:
    from rich.table import Table
    from rich.text import Text

    from minerva_select.cli.tables import encodable, output_console
    from minerva_select.text import findings

    console = output_console()

    def text(content: str, style: str = "") -> Text:
        return Text(encodable(content, console), style)

    console.print(text(findings.describe_size(check)))
    for finding in check.findings:
        grid = Table.grid()
        grid.add_row(text("• ", "yellow"), text(findings.describe_finding(finding)))
        console.print(grid)
        option = findings.describe_options(finding)
        if option:  # not wrapped, so that it can be pasted
            console.print(text(f"    {option}", "bold"), soft_wrap=True)
    if not check.findings:
        console.print(text("Nothing to report.", "green"))
    console.print(text(findings.describe_fit_time(check)))
