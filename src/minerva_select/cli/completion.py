"""What a shell completes: columns from the header of the table, and names that options know."""

from __future__ import annotations

import csv
import glob
import os
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import typer

# Shells evaluate what they are offered: a name that needs quotes, or is a command to one of them, is typed by hand.
_PLAIN = re.compile(r"[\w@%+./-]+")


def columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Columns of the DATA that the command line names so far, for options that take several with commas between."""
    return pieces(incomplete, column_names(_data(ctx)))


def one_column(ctx: typer.Context, incomplete: str) -> list[str]:
    """Columns of DATA, for options that take one."""
    return beginning(incomplete, column_names(_data(ctx)))


def one_of(*choices: str) -> Callable[[str], list[str]]:
    """Complete one of some names."""

    def complete(incomplete: str) -> list[str]:
        return beginning(incomplete, choices)

    return complete


def several_of(*choices: str) -> Callable[[str], list[str]]:
    """Complete several of some names, with commas between them."""

    def complete(incomplete: str) -> list[str]:
        return pieces(incomplete, choices)

    return complete


def beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    """Names that begin so, and that a shell takes for nothing but a name.

    Examples
    --------
    >>> beginning("a", ["amount", "age", "a name", "$(reboot)", "b"])
    ['amount', 'age']
    """
    return [name for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name)]


def pieces(incomplete: str, names: Iterable[str]) -> list[str]:
    """Complete the last of several names; those before it are not offered again.

    Examples
    --------
    >>> pieces("age,co", ["amount", "age", "country"])
    ['age,country']
    >>> pieces("age,", ["amount", "age"])
    ['age,amount']
    """
    before, comma, last = incomplete.rpartition(",")
    taken = before.split(",") if comma else []
    return [f"{before}{comma}{name}" for name in beginning(last, names) if name not in taken]


def column_names(data: str | None) -> Sequence[str]:
    """Columns of a table in a local file, from its header alone; none where that is not to be had at once."""
    if data is None or "://" in data:  # an address would take a request at every key
        return ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _header(_one_file(os.path.expanduser(data)))  # noqa: PTH111 - a glob is no path
        except Exception:  # a shell that completes has no place for words about why it does not
            return ()


def _data(ctx: typer.Context) -> str | None:
    # Parsing ends at the option that has no value yet, before arguments get their names
    return ctx.params.get("data") or next(iter(ctx.args), None)


def _one_file(data: str) -> str:
    if Path(data).is_dir():
        return str(next(Path(data).rglob("*.parquet")))
    return data if Path(data).exists() else min(glob.iglob(data, recursive=True))  # noqa: PTH207 - may be absolute


def _header(path: str) -> Sequence[str]:
    from minerva_select.data.file_discovery import find_files

    table = find_files(path)
    if table.format == "csv":
        from minerva_select.data.csv_text import detect_separator, first_lines

        text = first_lines(table.files[0])
        separator = "\t" if table.files[0].suffix == ".tsv" else detect_separator(text)
        names = next(csv.reader(text.splitlines(keepends=True), delimiter=separator))
        return names if "\n" in text or "\r" in text else names[:-1]  # the last one may be cut
    from pyarrow import ipc, parquet

    with table.files[0].open_file() as file:
        schema = parquet.read_schema(file) if table.format == "parquet" else ipc.open_file(file).schema
        return list(schema.names)
