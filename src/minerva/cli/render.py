"""A selection on the screen: functions that return what rich prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from minerva.report import ranking, text
from minerva.report.page import notices
from minerva.results import FeatureResult, Selection

MANY = 30  # rows of a table that are read at a glance
MOST_SELECTED = 200
FEWEST_DROPPED = 5
WIDE, NARROW = 90, 70  # widths of a terminal that have room for the bar, and for more than the main number
_BLOCKS = " ▏▎▍▌▋▊▉█"
_Column = tuple[str, Literal["left", "right"], Callable[[FeatureResult], str]]


def selection_view(selection: Selection, width: int = 100) -> Group:
    """Everything that a screen shows of a selection: table, what was left out of it, the answer, warnings.

    Parameters
    ----------
    selection : Selection
        What a fit handed back.
    width : int
        Columns of the terminal.

    Returns
    -------
    rich.console.Group
        What rich prints.
    """
    shown, hidden = rows_to_show(selection)
    parts: list[RenderableType] = [selection_table(selection, shown, width)]
    if hidden:
        parts.append(Text(f"... and {hidden}", style="dim"))
    parts += [Text(line, style="dim") for line in ways_of_reading(selection)]
    parts += [Text(), Text(text.printable(selection.headline), style="bold")]
    parts += [Text(f"Note: {text.printable(notice)}", style="yellow") for notice in notices(selection)]
    return Group(*parts)


def rows_to_show(selection: Selection) -> tuple[list[FeatureResult], str]:
    """Pick the features that the table shows, and say in words how many it leaves out.

    Examples
    --------
    >>> from minerva.results import Estimate
    >>> nothing = Estimate(0.0, 0.0, 0.0, n_rows=10)
    >>> many = tuple(FeatureResult(f"f{i}", False, "weight fell to zero") for i in range(214))
    >>> rows, hidden = rows_to_show(Selection("y", many, nothing, nothing, n_rows=10))
    >>> len(rows), hidden
    (30, '184 more dropped')
    """
    ordered = ranking.ranked(selection.features)
    if len(ordered) <= MANY:
        return ordered, ""
    selected = [result for result in ordered if result.selected]
    dropped = [result for result in ordered if not result.selected]
    room = max(FEWEST_DROPPED, MANY - len(selected))
    shown = selected[:MOST_SELECTED] + dropped[:room]
    counts = {"selected": len(selected) - MOST_SELECTED, "dropped": len(dropped) - room}
    return shown, " and ".join(f"{count:,} more {what}" for what, count in counts.items() if count > 0)


def ways_of_reading(selection: Selection) -> list[str]:
    """List the features that were not read as they are, a line for each way.

    Examples
    --------
    >>> dates = [FeatureResult(name, False, "constant", note="date read as seconds") for name in ("opened", "closed")]
    >>> ways_of_reading(Selection("y", tuple(dates), None, None, n_rows=10))
    ['date read as seconds: opened, closed']
    """
    names: dict[str, list[str]] = {}
    for result in selection.features:
        if result.note is not None:
            names.setdefault(result.note, []).append(result.feature)
    return [f"{text.printable(note)}: {text.listing(tuple(of_note))}" for note, of_note in names.items()]


def selection_table(selection: Selection, results: list[FeatureResult], width: int = 100) -> Table:
    """Make the table of some of a selection's features, with the columns that were measured and that fit."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    columns = _columns(selection, width)
    for header, justify, _ in columns:
        text_column = justify == "left" and header
        table.add_column(
            header,
            justify=justify,
            no_wrap=not text_column,
            overflow="fold" if text_column else "ellipsis",
            max_width=width // 3 if header in {"feature", "with"} else None,
        )
    for result in results:
        cells = (Text(show(result)) for _, _, show in columns)
        table.add_row(*cells, style="green" if result.selected else "dim")
    return table


def _columns(selection: Selection, width: int) -> list[_Column]:
    """Give header, alignment and content of the columns: what was not measured or finds no room is left out."""
    features, digits, shares = selection.features, ranking.digits_for(selection), ranking.shares(selection.features)
    vetted = any(result.contribution_nats is not None for result in features)
    weighted = not vetted and any(result.weight for result in features)
    columns: list[_Column] = [
        ("feature", "left", lambda result: text.printable(result.feature, limit=60)),
        ("", "left", lambda result: "✓" if result.selected else ""),
    ]
    if vetted and width >= NARROW:
        columns.append(("adds, nats (95%)", "right", lambda result: _contribution(result, digits)))
    elif vetted:
        columns.append(("adds, nats", "right", lambda result: text.amount(result.contribution_nats, digits)))
    if weighted:
        columns.append(("weight", "right", lambda result: text.amount(result.weight)))
    if (vetted or weighted) and width >= WIDE:
        columns.append(("", "left", lambda result: bar(shares[result.feature])))
    if any(result.marginal_nats is not None for result in features) and width >= NARROW:
        columns.append(("alone", "right", lambda result: text.amount(result.marginal_nats, digits)))
    if any(result.partners for result in features) and width >= NARROW:
        columns.append(("with", "left", lambda result: text.listing(result.partners, most=3)))
    return [*columns, ("why", "left", lambda result: text.printable(result.reason))]


def bar(share: float, width: int = 8) -> str:
    """Draw a share as a bar of blocks.

    Examples
    --------
    >>> bar(0.5), bar(0.3), bar(0.0)
    ('████', '██▍', '')
    """
    eighths = round(min(1.0, max(0.0, share)) * width * 8)
    return ("█" * (eighths // 8) + _BLOCKS[eighths % 8]).rstrip()


def _contribution(result: FeatureResult, digits: int) -> str:
    ends = text.interval(result.contribution_low, result.contribution_high, digits)
    value = text.amount(result.contribution_nats, digits)
    return f"{value} ({ends})" if ends else value
