"""Shell completion of column names and of the values of options."""

from __future__ import annotations

import csv
import glob
import os
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import typer

# Shells evaluate completions: names that would need quotes, or run as a command, are not offered
_SAFE = re.compile(r"[\w@%+./-]+")


def columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete comma-separated columns of the DATA that is already on the command line."""
    return _complete_list(incomplete, column_names(_data(ctx)))


def one_column(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete one column of DATA."""
    return _complete(incomplete, column_names(_data(ctx)))


def one_of(*choices: str) -> Callable[[str], list[str]]:
    """Complete one of these choices."""

    def complete(incomplete: str) -> list[str]:
        return _complete(incomplete, choices)

    return complete


def several_of(*choices: str) -> Callable[[str], list[str]]:
    """Complete a comma-separated list of these choices."""

    def complete(incomplete: str) -> list[str]:
        return _complete_list(incomplete, choices)

    return complete


def _complete(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete) and _SAFE.fullmatch(name)]


def _complete_list(incomplete: str, names: Iterable[str]) -> list[str]:
    """Complete the last name of the list; names that are already in it are not offered."""
    before, comma, last = incomplete.rpartition(",")
    taken = before.split(",") if comma else []
    return [f"{before}{comma}{name}" for name in _complete(last, names) if name not in taken]


def column_names(data: str | None) -> Sequence[str]:
    """Column names in the header of a local file; none if they cannot be read quickly."""
    if data is None or "://" in data:  # a URL would take a request per key press
        return ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _header(_one_file(os.path.expanduser(data)))  # noqa: PTH111 - a glob is not a path
        except Exception:  # there is no place for error messages during completion
            return ()


def _data(ctx: typer.Context) -> str | None:
    # Parsing ends at the incomplete option, before arguments get their names
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
        return names if "\n" in text or "\r" in text else names[:-1]  # the last one may be incomplete
    from pyarrow import ipc, parquet

    with table.files[0].open_file() as file:
        schema = parquet.read_schema(file) if table.format == "parquet" else ipc.open_file(file).schema
        return list(schema.names)
