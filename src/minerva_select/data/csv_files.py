"""CSV files: their rows, and the types of their columns."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa
from pyarrow import csv as arrow_csv

from minerva_select.data.csv_text import bad_byte, find_separator, first_text, ragged_line
from minerva_select.data.file_discovery import StoredFile
from minerva_select.errors import InputError

_BLOCK_BYTES = 1 << 22
_Written = TypeVar("_Written")
_READ_ERRORS = (pa.ArrowException, OSError, EOFError, ValueError, zlib.error)

# The types that a column is tried as, one after another, until one fits all its values: Arrow's own order.
_TRIALS: tuple[Any, ...] = (
    pa.null(),
    pa.int64(),
    pa.bool_(),
    pa.date32(),
    pa.time32("s"),
    pa.timestamp("s"),
    pa.timestamp("ns"),
    pa.timestamp("s", "UTC"),
    pa.timestamp("ns", "UTC"),
    pa.float64(),
    pa.string(),
)
# Types that may hold whatever another was found for; text always does. An integer may be a Boolean, if it is 0 or 1.
_HOLDS = {
    pa.int64(): {pa.bool_(), pa.float64()},
    pa.date32(): {pa.timestamp("s"), pa.timestamp("ns")},
    pa.timestamp("s"): {pa.timestamp("ns")},
    pa.timestamp("s", "UTC"): {pa.timestamp("ns", "UTC")},
}


class _UnfitTypeError(Exception):
    """A value does not fit the type of its column."""

    def __init__(self, column: int | None) -> None:
        super().__init__(column)
        self.column = column


@dataclass(frozen=True)
class CsvFile:
    r"""One CSV file and its separator.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from minerva_select.data.file_discovery import find
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "people.csv"
    ...     _ = path.write_text("name;height\nAnn;1.62\nBob;\n")
    ...     CsvFile.open(find(path).files[0]).read().to_pylist()
    [{'name': 'Ann', 'height': 1.62}, {'name': 'Bob', 'height': None}]
    """

    file: StoredFile
    separator: str

    @classmethod
    def open(cls, file: StoredFile) -> CsvFile:
        """Look at the first lines."""
        text = first_text(file)
        return cls(file, "\t" if file.suffix == ".tsv" else find_separator(text))

    def read(self) -> Any:
        """Read all rows into memory."""
        try:
            with self.file.open_stream() as stream:
                table = arrow_csv.read_csv(stream, **self._options())
        except _READ_ERRORS as error:
            raise self._unreadable(error) from None
        self._check_text(table.schema)
        self.file.check()
        return table

    def batches(self, types: dict[str, Any] | None = None) -> Iterator[Any]:
        """Give the rows as tables, a few MB of text each; types are those of the first unless they are given.

        Raises :exc:`_UnfitTypeError` when a later value does not fit.
        """
        n_rows = 0
        try:
            with self.file.open_stream() as stream, arrow_csv.open_csv(stream, **self._options(types)) as rows:
                self._check_text(rows.schema)
                yield rows.schema.empty_table()
                for batch in rows:
                    n_rows += batch.num_rows
                    yield pa.Table.from_batches([batch])
        except InputError:
            raise
        except _READ_ERRORS as error:
            column = re.match(r"In CSV column #(\d+): .*conversion error to (?!string)", str(error))
            if column:
                raise _UnfitTypeError(int(column[1])) from None
            raise self._unreadable(error, n_rows) from None
        self.file.check()

    def stage(self, write: Callable[[Iterator[Any]], _Written]) -> _Written:
        """Hand all rows to ``write``, again from the start with wider types where a late value asks for it.

        The types are those that :meth:`read` finds.
        """
        try:
            return write(self.batches())
        except _UnfitTypeError:
            types = self._survey()
        names = list(types)
        for _ in names:
            try:
                return write(self.batches(types))
            except _UnfitTypeError as unfit:
                types[names[unfit.column or 0]] = pa.string()
        return write(self.batches(types))

    def _survey(self) -> dict[str, Any]:
        """Find the type of every column over the whole file."""
        names = next(self.batches()).column_names
        found: dict[str, Any] = dict.fromkeys(names, pa.null())
        for table in self.batches(dict.fromkeys(names, pa.string())):
            open_names = [name for name in names if found[name] != pa.string()]
            if not open_names:
                break
            # Arrow infers types from text alone, so the text is written down again.
            text = io.BytesIO()
            arrow_csv.write_csv(table.select(open_names), text)
            text.seek(0)
            here = arrow_csv.read_csv(text, **self._options(separator=",")).schema
            for name in open_names:
                found[name] = _joined_type(found[name], here.field(name).type)
        return found

    def _options(self, types: Any = None, separator: str | None = None) -> dict[str, Any]:
        return {
            "read_options": arrow_csv.ReadOptions(block_size=_BLOCK_BYTES),
            "parse_options": arrow_csv.ParseOptions(delimiter=separator or self.separator, newlines_in_values=True),
            "convert_options": arrow_csv.ConvertOptions(
                strings_can_be_null=True, quoted_strings_can_be_null=False, column_types=types
            ),
        }

    def _check_text(self, schema: Any) -> None:
        for field in schema:
            if pa.types.is_binary(field.type):
                raise InputError(
                    f"Column {field.name!r} of {self.file.name!r} is not UTF-8 text{bad_byte(self.file)}; "
                    "save the file as UTF-8."
                )

    def _unreadable(self, error: Exception, n_rows: int = 0) -> InputError:
        # Arrow also offers to hand over such rows, but writes to the screen when one is no UTF-8
        if ragged := re.match(r"CSV parse error: (?:Row #\d+: )?Expected (\d+) columns, got (\d+)", str(error)):
            line = ragged_line(self.file, self.separator, int(ragged[1]))
            return InputError(
                f"{self.file.name!r} cannot be read as CSV: {line}Expected {ragged[1]} columns, got {ragged[2]}; "
                "give every row as many fields as the header."
            )
        after = f"after row {n_rows:,}" if n_rows else ""
        if "straddl" in str(error):
            reason = ValueError(f"a row is longer than {_BLOCK_BYTES >> 20} MB, often for a quote that is not closed")
            return self.file.unreadable("CSV", reason, after)
        place = bad_byte(self.file) if "UTF8" in str(error) else ""
        if place:
            return InputError(f"{self.file.name!r} is not UTF-8 text{place}; save the file as UTF-8.")
        return self.file.unreadable("CSV", error, after)


def _joined_type(one: Any, other: Any) -> Any:
    """First type, in the order of trials, that may hold what both were found for."""
    for kind in _TRIALS[max(_TRIALS.index(one), _TRIALS.index(other)) :]:
        if all(kind in {had, *_HOLDS.get(had, ())} or pa.types.is_null(had) for had in (one, other)):
            return kind
    return pa.string()
