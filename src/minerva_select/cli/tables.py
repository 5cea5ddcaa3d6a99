"""Console and tables of the commands, for terminals of any width and encoding."""

from __future__ import annotations

import os
from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table

FILE_WIDTH = 160  # a file or a pipe has no width of its own; nothing is cut at this one
_ASCII = str.maketrans({"✓": "*", "…": "...", "–": "-", "•": "-", "↗": "", "↘": ""})


def output_console(*, quiet: bool = False) -> Console:
    """Console of standard output."""
    console = Console(highlight=False, markup=False, quiet=quiet)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = FILE_WIDTH
    return console


def new_table(console: Console) -> Table:
    """Table without borders, with a line below the header if the console can draw one."""
    header_line = None if console.options.ascii_only else box.SIMPLE_HEAD
    return Table(box=header_line, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")


def first_that_fits(console: Console, tables: Iterable[Table]) -> Table:
    """Return the first table that the console can show without cutting cells, or the last one."""
    for table in tables:
        if console.measure(table, options=console.options.update_width(10_000)).maximum <= console.width:
            break
    return table


def encodable(text: str, console: Console) -> str:
    """Replace characters that the encoding of a console does not have."""
    if not console.options.ascii_only:
        return text
    return text.translate(_ASCII).encode(console.encoding, "backslashreplace").decode(console.encoding)
