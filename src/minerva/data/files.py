"""Tables in files: CSV, Parquet, Feather and Arrow, one file or many."""

from __future__ import annotations

import codecs
import csv
import difflib
import glob
import gzip
import os
import zlib
from pathlib import Path
from typing import Any

from minerva.errors import InputError

CSV_SUFFIXES = (".csv", ".tsv", ".txt")
PARQUET_SUFFIXES = (".parquet", ".pq")
ARROW_SUFFIXES = (".feather", ".arrow", ".ipc")

_SEPARATORS = ",;\t|"
_SNIFF_BYTES = 1 << 16
_SNIFF_LINES = 20


def read_table(path: str | os.PathLike[str]) -> Any:
    r"""Read a table from a file, a folder of Parquet files, or a pattern such as ``"sales-*.parquet"``.

    CSV may be compressed (``.csv.gz``); its separator (comma, semicolon, tab or bar) is found by itself, and empty
    fields are missing values.

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
    path = Path(path)
    if path.is_dir():
        files = sorted(file for suffix in PARQUET_SUFFIXES for file in path.rglob(f"[!._]*{suffix}"))
        if not files:
            raise InputError(f"The folder {str(path)!r} holds no Parquet files; name a file, or a folder with some.")
        return _read_parquet(files, base=path)
    if path.exists():
        return _read_file(path)
    if glob.has_magic(str(path)):
        return _read_pattern(path)
    raise _no_such_file(path)


def _read_pattern(pattern: Path) -> Any:
    files = sorted(Path(name) for name in glob.glob(str(pattern), recursive=True))  # noqa: PTH207 - may be absolute
    if not files:
        raise InputError(f"No file matches {str(pattern)!r}; check the folder and the pattern.")
    if len(files) == 1:
        return read_table(files[0])
    for file in files:
        if file.suffix.lower() not in PARQUET_SUFFIXES:
            raise InputError(f"{str(pattern)!r} matches {str(file)!r}; several files at once must all be Parquet.")
    return _read_parquet(files)


def _read_file(path: Path) -> Any:
    packed = path.suffix.lower() == ".gz"
    suffix = (Path(path.stem) if packed else path).suffix.lower()
    if suffix not in (CSV_SUFFIXES if packed else CSV_SUFFIXES + PARQUET_SUFFIXES + ARROW_SUFFIXES):
        known = ", ".join([*CSV_SUFFIXES, ".csv.gz", *PARQUET_SUFFIXES, *ARROW_SUFFIXES])
        raise InputError(f"{str(path)!r} is of an unknown type; the name must end in one of {known}.")
    if path.stat().st_size == 0:
        raise InputError(f"{str(path)!r} is empty; name a file with a table in it.")
    if suffix in PARQUET_SUFFIXES:
        return _read_parquet([path])
    return _read_csv(path, packed, suffix) if suffix in CSV_SUFFIXES else _read_arrow(path)


def _read_parquet(files: list[Path], base: Path | None = None) -> Any:
    """Read Parquet files as one table; columns that some lack are missing there."""
    import pyarrow as pa  # noqa: PLC0415 - 0.1 s, only when a file is read
    from pyarrow import dataset  # noqa: PLC0415

    names = [str(file) for file in files]
    try:
        # Folders like year=2024 are columns, as the tools that write them mean it.
        folders = {} if base is None else {"partitioning": "hive", "partition_base_dir": str(base)}
        whole = dataset.dataset(names, format="parquet", **folders)
        schemas = [fragment.physical_schema for fragment in whole.get_fragments()]
        schema = pa.unify_schemas([whole.schema, *schemas], promote_options="permissive")
        return dataset.dataset(names, schema, format="parquet", **folders).to_table()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _unreadable(base or files[0], "Parquet", error) from None


def _read_arrow(path: Path) -> Any:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import feather  # noqa: PLC0415

    try:
        try:
            return feather.read_table(str(path))
        except pa.ArrowInvalid:
            with pa.OSFile(str(path)) as source, pa.ipc.open_stream(source) as stream:  # the kind without a footer
                return stream.read_all()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _unreadable(path, "Feather or Arrow", error) from None


def _read_csv(path: Path, packed: bool, suffix: str) -> Any:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import csv as arrow_csv  # noqa: PLC0415

    separator = "\t" if suffix == ".tsv" else _find_separator(_first_text(path, packed))
    convert = arrow_csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False)
    parse = arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True)

    try:
        with pa.input_stream(str(path), compression="gzip" if packed else None) as stream:
            table = arrow_csv.read_csv(stream, parse_options=parse, convert_options=convert)
    except (pa.ArrowException, OSError, EOFError, ValueError) as error:
        raise _unreadable(path, "CSV", error) from None
    for field in table.schema:
        if pa.types.is_binary(field.type):
            raise InputError(f"Column {field.name!r} of {str(path)!r} is not UTF-8 text; save the file as UTF-8.")
    return table


def _first_text(path: Path, packed: bool) -> str:
    """First lines of a text file, or an error if it is none."""
    try:
        with gzip.open(path) if packed else path.open("rb") as file:
            head = file.read(_SNIFF_BYTES)
        # Incremental, since the last character may be cut in two.
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError:
        text = "\0"
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, "CSV", error) from None
    if "\0" in text:
        raise InputError(f"{str(path)!r} is not a table: it holds binary data or is not UTF-8; save it as UTF-8 text.")
    return text


def _find_separator(text: str) -> str:
    """Separator that cuts the first lines into the most fields, as many as the header has; a comma if none does."""
    lines = text.splitlines(keepends=True)[:_SNIFF_LINES]
    best, most = ",", 1
    for separator in _SEPARATORS:
        widths = [len(row) for row in csv.reader(lines, delimiter=separator) if row]
        # Half of them, since the last line may be cut short, and a broken one is for the reader to report.
        if widths and widths[0] > most and 2 * widths.count(widths[0]) >= len(widths):
            best, most = separator, widths[0]
    return best


def _unreadable(path: Path, what: str, error: Exception) -> InputError:
    lines = str(error).splitlines() or [type(error).__name__]
    reason = lines[0].split(": ./")[0][:200].rstrip(". ")
    return InputError(f"{str(path)!r} cannot be read as {what}: {reason}.")


def _no_such_file(path: Path) -> InputError:
    folder = path.parent
    if not folder.is_dir():
        return InputError(f"There is no folder {str(folder)!r}; check the path.")
    close = difflib.get_close_matches(path.name, [file.name for file in folder.iterdir()], n=1, cutoff=0.5)
    hint = f"did you mean {str(folder / close[0])!r}?" if close else "check the name."
    return InputError(f"There is no file {str(path)!r}; {hint}")
