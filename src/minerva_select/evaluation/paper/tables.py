"""Tables as plain text cells: drawn on a screen or written as Markdown, with the same figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minerva_select.evaluation.records import Record

NOT_KNOWN = "-"


@dataclass(frozen=True)
class FigureTable:
    """A table of figures, theirs beside ours.

    Examples
    --------
    >>> table = FigureTable("Table 1", ("method", "kept"), (("KSG", "30"),), ("One note.",))
    >>> print(table.to_markdown())
    **Table 1**
    <BLANKLINE>
    | method | kept |
    |---|---|
    | KSG | 30 |
    <BLANKLINE>
    One note.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def to_markdown(self) -> str:
        """The table as Markdown."""
        lines = [f"**{self.title}**", "", _line(self.header), "|" + "---|" * len(self.header)]
        lines += [_line(row) for row in self.rows]
        for note in self.notes:
            lines += ["", note]
        return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def numbers(names: Sequence[str], n_features: int) -> str:
    """Columns f0, f1, ... by their numbers, as the paper lists them.

    Examples
    --------
    >>> numbers(["f3", "f8"], 30), numbers([f"f{i}" for i in range(30)], 30), numbers([], 30)
    ('3, 8', 'all 30', 'none')
    """
    if len(names) == n_features:
        return f"all {n_features}"
    return ", ".join(name.removeprefix("f") for name in names) or "none"


def figure(value: float | None, digits: int = 3) -> str:
    """A number with so many digits, or a dash."""
    return NOT_KNOWN if value is None else f"{value:.{digits}f}"


def seconds(record: Record) -> str:
    """Time of the selection, with one digit where it is short."""
    taken = record.get("seconds")
    return NOT_KNOWN if taken is None else f"{taken:.1f}" if taken < 10 else f"{taken:.0f}"


def megabytes(record: Record) -> str:
    """Peak memory of the selection's process."""
    peak = record.get("peak_bytes")
    return NOT_KNOWN if peak is None else f"{peak / 1e6:,.0f}"
