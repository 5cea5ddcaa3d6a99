"""Read the files of a table into memory if it fits, otherwise open them for reading in blocks."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pyarrow as pa

from minerva_select.data.arrow_files import read_stream
from minerva_select.data.csv_files import CsvFile
from minerva_select.data.csv_text import decompressed_size
from minerva_select.data.file_discovery import TableFiles, find_files
from minerva_select.data.in_memory import ArrowTableChunk
from minerva_select.data.memory_budget import MemoryBudget, available_memory, format_bytes
from minerva_select.data.open_table import open_chunks, open_files
from minerva_select.data.source import Source
from minerva_select.errors import InputError

_FIT_BYTES_PER_CSV_BYTE = 7  # at six characters per cell
_GZIP_RATIO = 8  # typical for CSV
_MIN_CELL_BYTES = 4


def read_table(path: str | os.PathLike[str]) -> Any:
    """Read a file, a folder of Parquet files, or a pattern such as ``"sales-*.parquet"`` into a pyarrow Table.

    CSV may be compressed (``.csv.gz``). Its separator (comma, semicolon, tab or bar) is detected, and empty fields are
    missing values.
    """
    return _read_files(find_files(path))


def open_within(files: TableFiles, budget: MemoryBudget, folder: str | os.PathLike[str] | None = None) -> Source:
    """Open files and decide whether a fit can hold the table in memory; if so, read it.

    The decision is ``fits_in_memory`` of the source; :func:`.load_or_stream` follows it.
    """
    if _is_small_csv(files, budget):  # counting the cells of a CSV file would take as long as reading it
        table = _read_files(files)
    else:
        source = open_files(files, folder)
        if not budget.fits_source(source):
            return replace(source, fits_in_memory=False)
        table = source.read()
    source = Source.from_chunks(repr(files.name), table.schema, [ArrowTableChunk(table)])
    return replace(source, fits_in_memory=True)


def _is_small_csv(files: TableFiles, budget: MemoryBudget) -> bool:
    file = files.files[0]
    n_bytes = file.size * (_GZIP_RATIO if file.is_gzipped else 1)
    return files.format == "csv" and _FIT_BYTES_PER_CSV_BYTE * n_bytes <= budget.n_bytes


def _read_files(files: TableFiles) -> Any:
    file = files.files[0]
    if files.format == "csv":
        _check_memory(files.name, decompressed_size(file, available_memory()))
        return CsvFile.open(file).read()
    found = open_chunks(files)
    if found is None:
        table = pa.concat_tables(read_stream(file))
        found = table.schema, [ArrowTableChunk(table)]
    source = Source.from_chunks(files.name, *found)
    _check_memory(files.name, _MIN_CELL_BYTES * source.n_rows * len(source.names))
    _check_memory(files.name, source.nbytes)  # a text that a file stores once may occur in every row
    return source.read()


def _check_memory(name: str, n_bytes: int) -> None:
    """Raise if a table does not fit in memory: a tiny file may decompress to, or claim, any number of rows."""
    free = available_memory()
    if n_bytes > free:
        raise InputError(
            f"{name!r} takes at least {format_bytes(n_bytes)} in memory, and {format_bytes(free)} are free; "
            "give fewer rows or columns, or read it in blocks with minerva_select.open_source."
        )
