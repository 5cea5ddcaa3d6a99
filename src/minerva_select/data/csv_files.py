"""Read CSV files, and infer the types of their columns."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyarrow import csv as arrow_csv

from minerva_select.data.csv_text import detect_separator, first_lines, locate_bad_byte, locate_ragged_row
from minerva_select.data.file_discovery import StoredFile
from minerva_select.errors import InputError

_BLOCK_BYTES = 1 << 22
_READ_ERRORS = (pa.ArrowException, OSError, EOFError, ValueError, zlib.error)

# Types in the order in which Arrow tries them until one fits all values of a column
_CANDIDATE_TYPES: tuple[Any, ...] = (
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
# Types that may also fit values for which another type was inferred; an integer 0 or 1 may be a boolean
_WIDER_TYPES = {
    pa.int64(): {pa.bool_(), pa.float64()},
    pa.date32(): {pa.timestamp("s"), pa.timestamp("ns")},
    pa.timestamp("s"): {pa.timestamp("ns")},
    pa.timestamp("s", "UTC"): {pa.timestamp("ns", "UTC")},
}


class _TypeMismatchError(Exception):
    """A value does not fit the type inferred for its column."""

    def __init__(self, column: int) -> None:
        super().__init__(column)
        self.column = column


@dataclass(frozen=True)
class CsvFile:
    """A CSV file and its separator."""

    file: StoredFile
    separator: str

    @classmethod
    def open(cls, file: StoredFile) -> CsvFile:
        """Detect the separator from the first lines."""
        text = first_lines(file)
        return cls(file, "\t" if file.suffix == ".tsv" else detect_separator(text))

    def read(self) -> Any:
        """Read all rows into an Arrow table."""
        try:
            with self.file.open_stream() as stream:
                table = arrow_csv.read_csv(stream, **self._options())
        except _READ_ERRORS as error:
            raise self._unreadable(error) from None
        self._check_text(table.schema)
        self.file.check_unchanged()
        return table

    def batches(self, types: dict[str, Any] | None = None) -> Iterator[Any]:
        """Yield the rows as tables of a few MB, with the given types or those of the first table.

        Raises :exc:`_TypeMismatchError` if a later value does not fit.
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
                raise _TypeMismatchError(int(column[1])) from None
            raise self._unreadable(error, n_rows) from None
        self.file.check_unchanged()

    def stream_to(self, write: Callable[[Iterator[Any]], None]) -> None:
        """Pass all rows to ``write``, again from the start if a later value needs a wider type.

        The types are those that :meth:`read` infers.
        """
        try:
            write(self.batches())
            return
        except _TypeMismatchError:
            types = self._infer_types()
        for _ in range(len(types)):
            try:
                write(self.batches(types))
                return
            except _TypeMismatchError as mismatch:
                types[[*types][mismatch.column]] = pa.string()
        write(self.batches(types))

    def _infer_types(self) -> dict[str, Any]:
        """Infer the type of every column from the whole file."""
        names = next(self.batches()).column_names
        found: dict[str, Any] = dict.fromkeys(names, pa.null())
        for table in self.batches(dict.fromkeys(names, pa.string())):
            undecided = [name for name in names if found[name] != pa.string()]
            if not undecided:
                break
            # Arrow infers types only from CSV text, so the values are written as CSV again
            text = io.BytesIO()
            # not atomic: writes to memory
            arrow_csv.write_csv(table.select(undecided), text)
            text.seek(0)
            here = arrow_csv.read_csv(text, **self._options(separator=",")).schema
            for name in undecided:
                found[name] = _common_type(found[name], here.field(name).type)
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
                    f"Column {field.name!r} of {self.file.name!r} is not UTF-8 text{locate_bad_byte(self.file)}; "
                    "save the file as UTF-8."
                )

    def _unreadable(self, error: Exception, n_rows: int = 0) -> InputError:
        # Arrow's own handler for such rows prints to the screen if one is not UTF-8
        if ragged := re.match(r"CSV parse error: (?:Row #\d+: )?Expected (\d+) columns, got (\d+)", str(error)):
            line = locate_ragged_row(self.file, self.separator, int(ragged[1]))
            return InputError(
                f"{self.file.name!r} cannot be read as CSV: {line}Expected {ragged[1]} columns, got {ragged[2]}; "
                "give every row as many fields as the header."
            )
        after = f"after row {n_rows:,}" if n_rows else ""
        if "straddl" in str(error):
            reason = ValueError(f"a row is longer than {_BLOCK_BYTES >> 20} MB, often because of an unclosed quote")
            return self.file.unreadable("CSV", reason, after)
        place = locate_bad_byte(self.file) if "UTF8" in str(error) else ""
        if place:
            return InputError(f"{self.file.name!r} is not UTF-8 text{place}; save the file as UTF-8.")
        return self.file.unreadable("CSV", error, after)


def _common_type(one: Any, other: Any) -> Any:
    """Return the first candidate type that fits the values for which both types were inferred."""
    for kind in _CANDIDATE_TYPES[max(map(_CANDIDATE_TYPES.index, (one, other))) :]:
        if all(kind in {known, *_WIDER_TYPES.get(known, ())} or pa.types.is_null(known) for known in (one, other)):
            return kind
    return pa.string()
