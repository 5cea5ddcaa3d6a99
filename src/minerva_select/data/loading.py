"""Tables in files, read into memory as a whole."""

from __future__ import annotations

import os
from typing import Any

from minerva_select.data.memory_budget import MemoryBudget, available_memory, format_bytes
from minerva_select.data.paths import check_exists
from minerva_select.errors import InputError

_TEXT_BYTES = 7  # that a fit takes for a byte of CSV, at six of them a cell
_PACKED = 8  # times a file may grow when it is unpacked
_CELL_BYTES = 4  # of a column, at least


def read_table(path: str | os.PathLike[str]) -> Any:
    r"""Read a table from a file, a folder of Parquet files, or a pattern such as ``"sales-*.parquet"``.

    CSV may be compressed (``.csv.gz``); its separator (comma, semicolon, tab or bar) is found by itself, and empty
    fields are missing values. A table that does not fit in memory is read by :func:`open_source`.

    Returns
    -------
    pyarrow.Table
        Ready for :func:`as_table`.

    Raises
    ------
    InputError
        There is no such file, or it holds no table.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "people.csv"
    ...     _ = path.write_text("name;height\nAnn;1.62\nBob;\n")
    ...     read_table(path).to_pylist()
    [{'name': 'Ann', 'height': 1.62}, {'name': 'Bob', 'height': None}]
    """
    check_exists(path)
    import pyarrow as pa  # noqa: PLC0415 - half a second, only when a file is read

    from minerva_select.data.arrow_files import open_arrow, read_stream  # noqa: PLC0415
    from minerva_select.data.chunked import ChunkedSource  # noqa: PLC0415
    from minerva_select.data.csv_files import CsvFile  # noqa: PLC0415
    from minerva_select.data.csv_text import text_bytes  # noqa: PLC0415
    from minerva_select.data.file_discovery import find  # noqa: PLC0415
    from minerva_select.data.in_memory import ArrowTableChunk  # noqa: PLC0415
    from minerva_select.data.parquet_files import open_parquet  # noqa: PLC0415

    place = find(path)
    if place.kind == "csv":
        _check_room(place.name, text_bytes(place.files[0], available_memory()))
        return CsvFile.open(place.files[0]).read()
    found = open_arrow(place.files[0]) if place.kind == "arrow" else None
    if found is not None:
        source = ChunkedSource.whole(place.name, found[0], [found[1]])
    elif place.kind == "parquet":
        source = ChunkedSource.whole(place.name, *open_parquet(place))
    else:
        table = pa.concat_tables(read_stream(place.files[0]))
        source = ChunkedSource.whole(place.name, table.schema, [ArrowTableChunk(table)])
    _check_room(place.name, _CELL_BYTES * source.n_rows * len(source.names))
    _check_room(place.name, source.nbytes)  # a text that is stored once may stand in every row
    return source.read()


def read_within(
    path: str | os.PathLike[str], budget: MemoryBudget, folder: str | os.PathLike[str] | None = None
) -> Any:
    """Read a table whole where a fit of it keeps within the memory; else open it, to be read in blocks.

    Parameters
    ----------
    path : path or address
        As in :func:`read_table`.
    budget : MemoryBudget
        Memory that a fit may take.
    folder : path, optional
        Where what can be read only once is copied to; as in :func:`open_source`.

    Returns
    -------
    pyarrow.Table or Source
    """
    check_exists(path)
    from minerva_select.data.file_discovery import find  # noqa: PLC0415 - Arrow takes half a second to load

    place = find(path)
    if place.kind == "csv":  # to know how many cells it has is to read it
        file = place.files[0]
        if _TEXT_BYTES * file.size * (_PACKED if file.is_packed else 1) <= budget.n_bytes:
            return read_table(path)
    from minerva_select.data.open_table import open_source  # noqa: PLC0415

    source = open_source(path, folder)
    return source.read() if budget.fits(source.n_rows, len(source.names), source.nbytes) else source


def _check_room(name: str, n_bytes: int) -> None:
    """Refuse what memory cannot hold: a file of a few bytes may unpack to, or claim, any number of rows."""
    free = available_memory()
    if n_bytes > free:
        raise InputError(
            f"{name!r} takes at least {format_bytes(n_bytes)} in memory, and {format_bytes(free)} are free; "
            "give fewer rows or columns, or read it in blocks with minerva_select.open_source."
        )
