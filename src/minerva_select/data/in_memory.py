"""Chunks of tables that are in memory, cut into pieces without copying the whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from minerva_select.data.columns import check_unique_names
from minerva_select.errors import InputError


class ArrowTableChunk:
    """An Arrow table."""

    version = ""

    def __init__(self, table: Any) -> None:
        check_unique_names(table.column_names)
        self._table = table
        self.schema = table.schema.remove_metadata()
        self.ends = (table.num_rows,)

    def read(self, schema: Any, start: int, stop: int, n_rows: int) -> Iterator[Any]:
        """Yield rows ``start`` to ``stop`` as tables of at most ``n_rows`` rows."""
        for row in range(start, stop, n_rows):
            yield self._slice(schema, row, min(stop, row + n_rows))

    def _slice(self, schema: Any, start: int, stop: int) -> Any:
        rows = self._table.select(schema.names).slice(start, stop - start)
        return pa.Table.from_arrays(rows.columns, schema=schema)  # cast() would refuse nulls in non-nullable columns


class PolarsChunk(ArrowTableChunk):
    """A polars data frame."""

    def __init__(self, frame: Any) -> None:
        self._table = frame
        self.schema = frame.head(0).to_arrow().schema.remove_metadata()
        self.ends = (frame.height,)

    def _slice(self, schema: Any, start: int, stop: int) -> Any:
        return self._table.select(schema.names).slice(start, stop - start).to_arrow().cast(schema)


class PandasChunk(ArrowTableChunk):
    """A pandas data frame without its index; a column of objects of several types is read as text."""

    def __init__(self, frame: Any) -> None:
        names = [str(name) for name in frame.columns]
        check_unique_names(names)
        self._table = frame
        self._positions = {name: i for i, name in enumerate(names)}
        self._mixed: set[str] = set()
        self.schema = pa.schema([(name, self._type(name, frame.iloc[:, i])) for name, i in self._positions.items()])
        self.ends = (len(frame),)

    def _type(self, name: str, series: Any) -> Any:
        try:
            # All objects are needed: the first ones may be missing, or of another type than the last
            head = series if series.dtype == object else series.iloc[:0]
            return pa.array(head, from_pandas=True).type
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            self._mixed.add(name)
            return pa.string()
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            raise _unreadable(name, series) from None

    def _slice(self, schema: Any, start: int, stop: int) -> Any:
        arrays = []
        for field in schema:
            series = self._table.iloc[start:stop, self._positions[field.name]]
            if field.name in self._mixed:
                series = series.astype(object).map(str, na_action="ignore")
            try:
                arrays.append(pa.array(series, type=field.type, from_pandas=True))
            except (pa.ArrowException, OverflowError):
                raise _unreadable(field.name, series) from None
        return pa.Table.from_arrays(arrays, schema=schema)


def _unreadable(name: str, series: Any) -> InputError:
    return InputError(f"Column {name!r} has type {series.dtype}, which cannot be read; convert it.")
