"""Table of features, one line per feature."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.bar import Bar
from rich.console import Console, OverflowMethod, RenderableType
from rich.table import Table
from rich.text import Text

from minerva_select.cli.tables import encodable, first_that_fits, new_table
from minerva_select.codes import Role
from minerva_select.results import FeatureResult, Selection
from minerva_select.text import feature_order, formatting
from minerva_select.text.captions import has_weights
from minerva_select.text.effects import summarize_effect
from minerva_select.text.proof import describe_proof, has_proof, is_supporting
from minerva_select.text.roles import describe_role_or_reason

LONGEST_NAME = 60


def feature_table(selection: Selection, results: Sequence[FeatureResult], console: Console) -> Table:
    """Table of some features of a selection, with the columns that were measured and fit the console."""
    hidden: tuple[str, ...] = ()
    tables = [_build(selection, results, console, hidden, brief=False)]
    for column in ("", "alone", "interval", "proof", "sparkline", "effect", "chosen"):
        hidden = (*hidden, column)
        tables.append(_build(selection, results, console, hidden, brief=True))
    return first_that_fits(console, tables)


def _build(
    selection: Selection, results: Sequence[FeatureResult], console: Console, hidden: Sequence[str], *, brief: bool
) -> Table:
    table, name_width = new_table(console), min(LONGEST_NAME, console.width // 3)
    overflow: OverflowMethod = "crop" if console.options.ascii_only else "ellipsis"

    def cell(content: str | Bar, style: str = "") -> RenderableType:
        if isinstance(content, Bar):
            return content
        return Text(encodable(content, console), style, no_wrap=True, overflow=overflow)

    table.add_column("  feature", no_wrap=True, max_width=name_width + 2)
    columns = _columns(selection, console, hidden)
    for header in columns:
        table.add_column(header.strip(), no_wrap=True)
    table.add_column("reason")
    equivalents = selection.equivalents
    for result in results:
        name = f"{_mark(result)} {formatting.join_names([result.feature], limit=name_width)}"
        table.add_row(
            cell(name, _color(result)),
            *(cell(content(result)) for content in columns.values()),
            cell(
                describe_role_or_reason(
                    result, equivalents.get(result.feature, ()), brief=brief, with_proof="proof" in columns
                )
            ),
            style="" if result.selected else "dim",
        )
    return table


def _columns(
    selection: Selection, console: Console, hidden: Sequence[str]
) -> dict[str, Callable[[FeatureResult], str | Bar]]:
    """Contents of the columns between name and reason, by header."""
    features, digits = selection.features, feature_order.digits_for(selection)
    lengths = feature_order.bar_lengths(features)

    def bar(result: FeatureResult) -> str | Bar:
        length, width = lengths[result.feature], 8 if console.width >= 60 else 4
        return (
            "#" * round(length * width)
            if console.options.ascii_only
            else Bar(1, 0, length, width=width, color=_color(result))
        )

    def contribution(result: FeatureResult) -> str:
        nats = formatting.number(result.contribution_nats, digits)
        ends = formatting.interval(result.contribution_low, result.contribution_high, digits)
        return f"{nats} ({ends})" if ends and "interval" not in hidden else nats

    columns: dict[str, Callable[[FeatureResult], str | Bar]] = {}
    if any(result.contribution_nats is not None for result in features):
        has_intervals = "interval" not in hidden and any(result.contribution_low is not None for result in features)
        columns |= {"": bar, "contribution (nats, 95%)" if has_intervals else "nats": contribution}
    elif has_weights(selection):
        columns |= {"": bar, "weight": lambda result: formatting.number(result.weight)}
    if "alone" not in hidden and any(result.marginal_nats is not None for result in features):
        columns["alone"] = lambda result: formatting.number(result.marginal_nats, digits)
    if "effect" not in hidden and selection.effects is not None:
        words = console.options.ascii_only or "sparkline" in hidden
        columns["effect"] = lambda result: summarize_effect(
            selection.effects, result.feature, with_sparkline=not words
        ).rstrip()
    if "proof" not in hidden and has_proof(selection):
        columns["proof"] = describe_proof
    if "chosen" not in hidden and any(result.frequency is not None for result in features):
        columns["chosen"] = lambda result: _frequency(result, selection)
    return columns


def _mark(result: FeatureResult) -> str:
    """Mark proven and other kept features with a check mark, supporting ones with a plus."""
    return "+" if is_supporting(result) else "✓" if result.selected else " "


def _color(result: FeatureResult) -> str:
    if not result.selected:
        return "default"
    return "magenta" if result.role is Role.TOGETHER else "green"


def _frequency(result: FeatureResult, selection: Selection) -> str:
    """How many of the repeated fits selected a feature."""
    if result.frequency is None:
        return formatting.NOT_MEASURED
    if selection.repeats is None:
        return formatting.percent(result.frequency)
    return f"{round(result.frequency * selection.repeats.n_fits):,}/{selection.repeats.n_fits:,}"
