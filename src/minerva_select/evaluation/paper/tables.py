"""Tables of text, for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minerva_select.evaluation.failures import Failure
from minerva_select.evaluation.records import Record
from minerva_select.results.parsing import parse_as
from minerva_select.text.formatting import NOT_MEASURED


@dataclass(frozen=True)
class ResultTable:
    """A table with a title and notes."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        lines = [f"**{self.title}**", "", _line(self.header), "|" + "---|" * len(self.header)]
        lines += [_line(row) for row in self.rows]
        for note in self.notes:
            lines += ["", note]
        return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def column_numbers(names: Sequence[str], n_features: int | None = None) -> str:
    """List columns f0, f1, ... by their numbers, as the paper does."""
    return f"all {n_features}" if len(names) == n_features else ", ".join(name[1:] for name in names) or "none"


def failure_text(record: Record) -> str:
    """Say why a record has no result; empty if it has one."""
    return "" if record["failure"] is None else str(parse_as(Failure, record["failure"]))


def seconds(record: Record) -> str:
    """Time of the selection."""
    taken = record.get("seconds")
    return NOT_MEASURED if taken is None else f"{taken:.1f}" if taken < 10 else f"{taken:.0f}"


def megabytes(record: Record) -> str:
    """Peak memory of the process that selected."""
    peak = record.get("peak_bytes")
    return NOT_MEASURED if peak is None else f"{peak / 1e6:,.0f}"
