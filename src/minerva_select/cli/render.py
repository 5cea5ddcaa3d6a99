"""Print a selection: table of features, headline, explanation, warnings."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from minerva_select import text
from minerva_select.cli.feature_table import feature_table
from minerva_select.cli.tables import encodable
from minerva_select.results import FeatureResult, Selection
from minerva_select.text import feature_order, formatting
from minerva_select.text.cost import describe_cost, describe_cost_rows
from minerva_select.text.effects import describe_effect_column
from minerva_select.text.headline import describe_evidence
from minerva_select.text.metadata import conversions

MAX_ROWS = 30  # of the table, unless more features are selected
MAX_SELECTED = 200
MIN_DROPPED = 5
MAX_TEXT_WIDTH = 100  # longer lines are hard to read


def print_selection(selection: Selection, console: Console) -> None:
    """Print everything a reader needs to know about a selection."""
    width = min(console.width, MAX_TEXT_WIDTH)

    def write(paragraph: str, style: str) -> None:
        console.print(Text(encodable(paragraph, console), style), width=width)

    def write_item(mark: str, paragraph: str, style: str = "") -> None:
        grid = Table.grid()
        grid.add_row(Text(encodable(mark, console), style), Text(encodable(paragraph, console)))
        console.print(grid, width=width)

    rows, omitted = rows_to_show(selection)
    remarks = [f"... and {omitted}"] if omitted else []
    if rows:
        table = feature_table(selection, rows, console)
        console.print(table)
        if any(column.header == "effect" for column in table.columns):  # a narrow console has no room for it
            remarks.append(describe_effect_column(selection))
    for remark in filter(None, [*remarks, *conversions(selection)]):
        write(remark, "dim")
    answer, *reasons = text.explain(selection)
    console.print()
    write(answer.text, "bold")
    write(describe_evidence(selection), "dim")
    if selection.cost is not None:
        write(f"{describe_cost(selection.cost)}; {describe_cost_rows(selection.cost)}.", "")
    if reasons:
        console.print()
    for part in reasons:
        write_item("• ", part.text)
    notices = text.describe_warnings(selection)
    if notices:
        console.print()
    for notice in notices:
        write_item("Note: ", formatting.printable(notice), "yellow")


def rows_to_show(selection: Selection) -> tuple[list[FeatureResult], str]:
    """Features for the table, and a description of how many it omits."""
    ordered = feature_order.sort_features(selection.features)
    if len(ordered) <= MAX_ROWS:
        return ordered, ""
    selected = [result for result in ordered if result.selected]
    dropped = [result for result in ordered if not result.selected]
    room = max(MIN_DROPPED, MAX_ROWS - len(selected))
    shown = selected[:MAX_SELECTED] + dropped[:room]
    counts = {"selected": len(selected) - MAX_SELECTED, "dropped": len(dropped) - room}
    return shown, " and ".join(f"{count:,} more {what}" for what, count in counts.items() if count > 0)
