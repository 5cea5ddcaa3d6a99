"""Features as a table that fits the screen: one line each, whatever their names and reasons are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from minerva_select.cli.glyphs import BAR, Script
from minerva_select.codes import ReasonCode, Role
from minerva_select.results import FeatureResult, Selection
from minerva_select.text import feature_order, formatting
from minerva_select.text.reasons import shorten_reason
from minerva_select.text.roles import describe_role

LONGEST_NAME = 60
NARROW = 60  # columns of a screen on which bars are half as long
_COLOURS: dict[Role | None, str] = {Role.TOGETHER: "magenta"}  # of selected features; else green


@dataclass(frozen=True)
class Column:
    """One column: its content, its claim to room, and how it is set."""

    header: str
    cells: Sequence[str]
    claim: int  # the lower, the earlier it is given room
    least: int | None = None  # cells it can do with; None: all that its content has
    fair: int | None = None  # cells it may take before other columns have all they need
    gap: int = 2  # cells before it
    right: bool = False
    cut_inside: bool = False  # where its content is cut: at the end, or in the middle
    coloured: bool = False

    @property
    def natural(self) -> int:
        """Cells with nothing cut."""
        return max(map(cell_len, (self.header, *self.cells)))

    @property
    def narrowest(self) -> int:
        """Cells below which the column is of no use."""
        return self.natural if self.least is None else min(self.natural, self.least)


def fit(columns: Sequence[Column], width: int) -> list[int]:
    """Share out the cells of a line; a column that finds no room has 0.

    Examples
    --------
    >>> name, more = Column("name", ["amount"], claim=0, gap=0), Column("more", ["0.123"], claim=2)
    >>> why = Column("why", ["a long reason"], claim=1, least=5)
    >>> fit([name, more, why], 24), fit([name, more, why], 18)
    ([6, 5, 9], [6, 0, 10])
    """
    sizes, left = [0] * len(columns), width
    by_claim = sorted(enumerate(columns), key=lambda placed: placed[1].claim)
    for place, column in by_claim:
        if column.natural and column.gap + column.narrowest <= left:
            sizes[place] = column.narrowest
            left -= column.gap + column.narrowest
    for is_fair in (True, False):
        for place, column in by_claim:
            wish = min(column.fair, column.natural) if is_fair and column.fair is not None else column.natural
            grown = min(left, max(0, wish - sizes[place])) if sizes[place] else 0
            sizes[place] += grown
            left -= grown
    return sizes


def feature_lines(
    selection: Selection, results: Sequence[FeatureResult], width: int = 100, script: Script | None = None
) -> list[Text]:
    """Some of a selection's features as lines: a header, a rule, and a line each with what was measured and fits.

    Examples
    --------
    >>> from minerva_select.results import Reason
    >>> one = FeatureResult(
    ...     "amount", True, Reason(ReasonCode.CONTRIBUTES), contribution_nats=0.4, marginal_nats=0.3, role=Role.ALONE
    ... )
    >>> for line in feature_lines(Selection("y", (one,), None, None, n_rows=10), [one]):
    ...     print(line.plain)
      feature             adds  alone  why
    ────────────────────────────────────────────────
    ✓ amount   ████████  0.400  0.300  matters alone
    """
    script = Script() if script is None else script
    columns = feature_columns(selection, results, width, script)
    if fit(columns, width)[-1] < columns[-1].natural:
        columns = feature_columns(selection, results, width, script, in_brief=True)
    shown = [(column, size) for column, size in zip(columns, fit(columns, width), strict=True) if size]
    header = Text(style="bold").join(Text(_set(column, column.header, size, script)) for column, size in shown)
    rule = Text(script.write("─") * sum(column.gap + size for column, size in shown), style="dim")
    lines = [header, rule]
    for place, result in enumerate(results):
        colour = _COLOURS.get(result.role, "green")
        line = Text(style="" if result.selected else "dim")
        for column, size in shown:
            cell = _set(column, column.cells[place], size, script)
            line.append(cell, style=colour if column.coloured and result.selected else "")
        lines.append(line)
    for line in lines:
        line.rstrip()
    return lines


def feature_columns(
    selection: Selection, results: Sequence[FeatureResult], width: int, script: Script, *, in_brief: bool = False
) -> list[Column]:
    """The columns of a table of features, left to right, the reasons last; what was not measured has none."""
    features, digits, shares = (
        selection.features,
        feature_order.digits_for(selection),
        feature_order.bar_lengths(selection.features),
    )
    vetted = any(result.contribution_nats is not None for result in features)
    weighted = not vetted and any(result.weight for result in features)

    def cells(show: Callable[[FeatureResult], str]) -> tuple[str, ...]:
        return tuple(script.write(show(result)) for result in results)

    names, least = cells(lambda one: formatting.join_names([one.feature], limit=LONGEST_NAME)), max(10, width // 5)
    columns = [
        Column("", cells(lambda one: "✓" if one.selected else " "), claim=0, gap=0, coloured=True),
        Column("feature", names, claim=1, gap=1, least=least, fair=width // 4, cut_inside=True, coloured=True),
    ]
    if vetted or weighted:
        size = BAR if width >= NARROW else BAR // 2
        columns.append(Column("", cells(lambda one: script.bar(shares[one.feature], size)), claim=4, coloured=True))
    if vetted:
        adds = cells(lambda one: formatting.number(one.contribution_nats, digits))
        columns.append(Column("adds", adds, claim=2, right=True))
        intervals = cells(lambda one: _interval(one, digits))
        columns.append(Column("(nats, 95%)" if any(intervals) else "", intervals, claim=5, gap=1))
    elif weighted:
        columns.append(Column("weight", cells(lambda one: formatting.number(one.weight)), claim=2, right=True))
    if any(result.marginal_nats is not None for result in features):
        alone = cells(lambda one: formatting.number(one.marginal_nats, digits))
        columns.append(Column("alone", alone, claim=7, right=True))
    if any(result.frequency is not None for result in features):
        columns.append(Column("chosen", cells(lambda one: _chosen(one, selection)), claim=6, right=True))
    reasons = cells(lambda one: _why(one, in_brief=in_brief))
    return [*columns, Column("why", reasons, claim=3, least=min(24, max(10, width // 5)))]


def _set(column: Column, words: str, size: int, script: Script) -> str:
    words = script.cut(words, size, inside=column.cut_inside)
    space = " " * (size - cell_len(words))
    return " " * column.gap + (space + words if column.right else words + space)


def _interval(result: FeatureResult, digits: int) -> str:
    ends = formatting.interval(result.contribution_low, result.contribution_high, digits)
    return f"({ends})" if ends else ""


def _chosen(result: FeatureResult, selection: Selection) -> str:
    """How many of the repeats selected a feature."""
    if result.frequency is None:
        return formatting.NOT_MEASURED
    if selection.repeats is None:
        return formatting.percent(result.frequency)
    return f"{round(result.frequency * selection.repeats.n_fits):,}/{selection.repeats.n_fits:,}"


def _why(result: FeatureResult, *, in_brief: bool) -> str:
    """The reason, or the role if the reason only repeats a number of the same line."""
    most, limit = (2, 16) if in_brief else (3, formatting.LONGEST_NAME)
    if result.selected and result.role is not None and result.reason.code is ReasonCode.CONTRIBUTES:
        partners = formatting.join_names(result.partners, most, limit)
        if result.role is Role.TOGETHER:
            return f"{'' if in_brief else 'matters '}only with {partners or 'others'}"
        role = describe_role(result.role)
        return f"{role}, more with {partners}" if partners else role
    return shorten_reason(result.reason) if in_brief else str(result.reason)
