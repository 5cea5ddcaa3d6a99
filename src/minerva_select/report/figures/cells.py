"""Small multiples: the places of many small charts in one figure, for pages of any width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

CELL_WIDTH = 270  # pixels, at least; the script of the page chooses the number of columns by it
PRINTED_WIDTH = 210  # three columns, so that more rows fit on a page
TITLE_HEIGHT = 30  # above the axes of a cell
FOOT_HEIGHT = 44  # below them: labels of the axis, and the distance to the next row
_BOTTOM = 6
_TOPS = {1: 104, 2: 66}  # of the figure, for the legend, whose entries are below each other on a phone
_WIDE_TOP = 48
DEFAULT_COLUMNS = 3
MOST_COLUMNS = 4


@dataclass(frozen=True)
class Cell:
    """Space for labels at the left and right of the axes of a cell, as shares of its width."""

    left: float
    right: float

    @property
    def title_position(self) -> float:
        """Where a title that starts at the edge of the cell goes, in widths of its axes."""
        return -self.left / (1 - self.left - self.right)


def arrange(cells: Sequence[Cell], height: int, foot: int, n_columns: int) -> dict[str, Any]:
    """Layout of cells in rows of ``n_columns``; ``height`` is that of the axes, in pixels."""
    n_rows = max(1, -(-len(cells) // n_columns))
    row_height = TITLE_HEIGHT + height + FOOT_HEIGHT
    total = n_rows * row_height
    top = _TOPS.get(n_columns, _WIDE_TOP)
    layout: dict[str, Any] = {"height": top + total + _BOTTOM + foot, "margin": {"t": top, "b": _BOTTOM + foot}}
    for k, cell in enumerate(cells):
        row, column = divmod(k, n_columns)
        left, right = (column + cell.left) / n_columns, (column + 1 - cell.right) / n_columns
        above = 1 - (row * row_height + TITLE_HEIGHT) / total
        layout[f"xaxis{axis_number(k)}"] = {"domain": [round(left, 4), round(right, 4)]}
        layout[f"yaxis{axis_number(k)}"] = {"domain": [round(max(0.0, above - height / total), 4), round(above, 4)]}
    return layout


def arrangements(cells: Sequence[Cell], height: int, foot: int, title_width: int) -> dict[str, Any]:
    """Layouts by number of columns, and the least width of a cell on a screen and in print, for the script."""
    most = max(1, min(MOST_COLUMNS, len(cells)))
    layouts = {str(n): arrange(cells, height, foot, n) for n in range(1, most + 1)}
    widths = {"cell_width": max(CELL_WIDTH, title_width), "printed_width": max(PRINTED_WIDTH, title_width)}
    return {**widths, "columns": layouts}


def axis_number(cell: int) -> str:
    """The end of the names of the axes of a cell."""
    return "" if cell == 0 else str(cell + 1)
