"""A selection on the screen: functions that return what rich prints."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions
from rich.text import Text

from minerva_select import text
from minerva_select.cli.feature_table import feature_lines
from minerva_select.cli.glyphs import Script
from minerva_select.results import FeatureResult, Selection
from minerva_select.text import feature_order, formatting
from minerva_select.text.metadata import conversions, describe_estimate_note

MANY = 30  # rows of a table that are read at a glance
MOST_SELECTED = 200
FEWEST_DROPPED = 5
WIDTH_OF_FILES = 160
WIDEST_TEXT = 100  # columns of a line that is still read with ease


def wide_console(*, quiet: bool = False) -> Console:
    """The screen; a file or a pipe has no width of its own, and is given one in which nothing is cut."""
    console = Console(highlight=False, markup=False, quiet=quiet)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = WIDTH_OF_FILES
    return console


@dataclass(frozen=True)
class SelectionView:
    """What rich prints of a selection; made when it is printed, in the characters that the screen has."""

    selection: Selection
    width: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Yield the lines, top to bottom."""
        selection, script = self.selection, Script(options.encoding)

        def lines(paragraph: str, style: str = "", sign: str = "") -> Iterator[Text]:
            """Wrap a paragraph, set in by the width of the sign before its first line."""
            body = Text(script.write(paragraph)).wrap(console, min(self.width, WIDEST_TEXT) - len(sign))
            for place, line in enumerate(body):
                line.rstrip()
                yield Text(script.write(sign) if place == 0 else " " * len(sign), style=style).append_text(line)

        shown, hidden = rows_to_show(selection)
        if shown:
            yield from feature_lines(selection, shown, self.width, script)
        for remark in (*([f"... and {hidden}"] if hidden else []), *conversions(selection)):
            yield from lines(remark, "dim")
        answer, *reasons = text.explanation(selection)
        yield Text()
        yield from lines(answer.text, "bold")
        yield from lines(evidence(selection), "dim")
        yield from [Text()] if reasons else []
        for part in reasons:
            yield from lines(part.text, "yellow" if part.kind == "suspect" else "", sign="• ")
        notices = text.notices(selection)
        yield from [Text()] if notices else []
        for notice in notices:
            yield from lines(formatting.printable(notice), "yellow", sign="Note: ")


def selection_view(selection: Selection, width: int = 100) -> SelectionView:
    """Everything that a screen shows of a selection: table, what was left out of it, the answer, why, warnings.

    Parameters
    ----------
    selection : Selection
        What a fit handed back.
    width : int
        Columns of the terminal.

    Returns
    -------
    SelectionView
        What rich prints.
    """
    return SelectionView(selection, width)


def evidence(selection: Selection) -> str:
    """Say how sure the answer is, and what it rests on.

    Examples
    --------
    >>> from minerva_select.results import Estimate, Reason, ReasonCode
    >>> half = Estimate(0.5, 0.48, 0.52, n_rows=1000)
    >>> one = FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES))
    >>> evidence(Selection("y", (one,), half, half, n_rows=1000, seconds=4.2))
    '95% interval 0.480 to 0.520 nats; 1,000 rows in 4.2 s.'
    """
    found, digits = selection.mutual_information, feature_order.digits_for(selection)
    sure = formatting.interval(found.low, found.high, digits) if found is not None and found.nats > 0 else ""
    time = f" in {formatting.duration(selection.seconds)}" if selection.seconds > 0 else ""
    first = f"95% interval {sure} nats; " if sure else ""
    note = "" if found is None else describe_estimate_note(found)
    return f"{first}{selection.n_rows:,} rows{time}{f'; {note}' if note else ''}."


def rows_to_show(selection: Selection) -> tuple[list[FeatureResult], str]:
    """Pick the features that the table shows, and say in words how many it leaves out.

    Examples
    --------
    >>> from minerva_select.results import Estimate, Reason, ReasonCode
    >>> nothing = Estimate(0.0, 0.0, 0.0, n_rows=10)
    >>> many = tuple(FeatureResult(f"f{i}", False, Reason(ReasonCode.ZERO_WEIGHT)) for i in range(214))
    >>> rows, hidden = rows_to_show(Selection("y", many, nothing, nothing, n_rows=10))
    >>> len(rows), hidden
    (30, '184 more dropped')
    """
    ordered = feature_order.ranked(selection.features)
    if len(ordered) <= MANY:
        return ordered, ""
    selected = [result for result in ordered if result.selected]
    dropped = [result for result in ordered if not result.selected]
    room = max(FEWEST_DROPPED, MANY - len(selected))
    shown = selected[:MOST_SELECTED] + dropped[:room]
    counts = {"selected": len(selected) - MOST_SELECTED, "dropped": len(dropped) - room}
    return shown, " and ".join(f"{count:,} more {what}" for what, count in counts.items() if count > 0)
