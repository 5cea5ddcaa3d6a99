"""Print a comparison of methods, or convert it to Markdown: methods, features, notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from rich.console import Console, OverflowMethod
from rich.table import Table
from rich.text import Text

from minerva_select.cli.tables import encodable, first_that_fits, new_table
from minerva_select.evaluation.leaderboard import Comparison, FeatureVotes, MethodResult
from minerva_select.text.comparison import describe_notes, explain_columns, find_reference, measured
from minerva_select.text.feature_order import digits_of
from minerva_select.text.formatting import NOT_MEASURED, number, printable

MAX_FEATURES = 30
MAX_NAME = 40  # characters of a feature's name


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print the table of methods, the table of features that some method keeps, and the notes."""
    columns = method_columns(comparison)
    rows = [*comparison.results, comparison.all_features]
    hidden: list[set[str]] = [set(), {"peak MB"}, {"peak MB", "seconds"}, {"peak MB", "seconds", "agree"}]
    tables = (
        _table(
            console, {header: [cell(row) for row in rows] for header, cell in columns.items() if header not in names}
        )
        for names in hidden
    )
    console.print(first_that_fits(console, tables))
    for line in explain_columns(comparison, find_reference(comparison)):
        console.print(Text(encodable(line, console), "dim"))
    kept = [row for row in comparison.votes() if any(one.share_of_splits(row.feature) for one in comparison.results)]
    if kept:
        console.print()
        shown = kept[:MAX_FEATURES]
        features = {
            header.replace("-", "-\n"): [cell(row) for row in shown]
            for header, cell in feature_columns(comparison, name_of=lambda row: row.method).items()
        }
        console.print(_table(console, features))
    if len(kept) > MAX_FEATURES:
        console.print(Text(f"... and {len(kept) - MAX_FEATURES:,} more features that some method keeps", "dim"))
    notes = describe_notes(comparison)
    if notes:
        console.print()
    for note in notes:
        console.print(Text(encodable(note, console), "yellow"))


def to_markdown(comparison: Comparison) -> str:
    """Convert the comparison to Markdown: methods, notes, all features, agreement of all pairs."""
    finished, methods = _finished(comparison), method_columns(comparison)
    features = feature_columns(comparison, name_of=lambda row: row.label)
    rows = [[cell(row) for cell in methods.values()] for row in (*comparison.results, comparison.all_features)]
    votes = [[cell(vote) for cell in features.values()] for vote in comparison.votes()]
    pairs = [
        [row.label, *(number(comparison.agreement(row.method, other.method), 2) for other in finished)]
        for row in finished
    ]
    parts = [
        _escape(f"# Features about {printable(comparison.target)}: comparison of methods"),
        _markdown_table([*methods], rows),
        *map(_escape, (*explain_columns(comparison, find_reference(comparison)), *describe_notes(comparison))),
        "## Features\n\n`alone`: information of the single feature in nats, on the rows of the selection.",
        _markdown_table([*features], votes),
        "## Agreement\n\nShared features divided by all features of both methods, mean over splits.",
        _markdown_table(["", *(row.label for row in finished)], pairs),
    ]
    return "\n\n".join(parts) + "\n"


def method_columns(comparison: Comparison) -> dict[str, Callable[[MethodResult], str]]:
    """Cells of the table of methods, by header."""
    information = comparison.all_features.information
    digits, reference = digits_of(information.nats if information else 0.0), find_reference(comparison)

    def agreement(row: MethodResult) -> str:
        if reference is None or row is comparison.all_features:
            return NOT_MEASURED
        shared = comparison.agreement(row.method, reference.method)
        return NOT_MEASURED if shared is None else f"{shared:.0%}"

    return {
        "method": lambda row: row.label,
        "kept": lambda row: NOT_MEASURED if row.n_kept is None else f"{round(row.n_kept, 1):g}",
        "agree": agreement,
        "information, nats": lambda row: measured(row.information, digits),
        comparison.metric: lambda row: measured(row.score, 3),
        "seconds": lambda row: number(row.seconds, 1),
        "peak MB": lambda row: NOT_MEASURED if row.peak_bytes is None else f"{row.peak_bytes / 1e6:,.0f}",
    }


def feature_columns(
    comparison: Comparison, name_of: Callable[[MethodResult], str]
) -> dict[str, Callable[[FeatureVotes], str]]:
    """Cells of the table of features, by header: one column per method."""
    digits = digits_of(max(comparison.marginal_nats.values(), default=0.0))
    columns: dict[str, Callable[[FeatureVotes], str]] = {"feature": lambda vote: vote.feature}
    for row in _finished(comparison):
        columns[name_of(row)] = partial(_mark, row)
    columns["alone"] = lambda vote: number(vote.marginal_nats, digits)
    return columns


def _table(console: Console, columns: dict[str, list[str]]) -> Table:
    """Table of these columns; if it does not fit, the widest ones shrink."""
    table = new_table(console)
    overflow: OverflowMethod = "crop" if console.options.ascii_only else "ellipsis"

    def text(content: str) -> Text:
        return Text(encodable(content, console), no_wrap=True, overflow=overflow)

    for place, header in enumerate(columns):
        table.add_column(text(header), justify="right" if place else "left")
    for row in zip(*columns.values(), strict=True):
        table.add_row(*(text(printable(cell, limit=MAX_NAME)) for cell in row))
    return table


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    cells = [[_escape(printable(cell)).replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _escape(line: str) -> str:
    """Escape HTML, links and images in a line of Markdown."""
    return line.replace("<", "&lt;").replace("[", "\\[")


def _mark(row: MethodResult, vote: FeatureVotes) -> str:
    """Check mark if a method keeps a feature; with several splits, in how many."""
    n_kept, n_splits = sum(vote.feature in names for names in row.answers), len(row.answers)
    if n_kept == 0:
        return ""
    return "✓" if n_splits == 1 else f"{n_kept}/{n_splits}"


def _finished(comparison: Comparison) -> list[MethodResult]:
    return [row for row in comparison.results if row.n_kept is not None]
