"""Prepare a table before anything is learned from it: parse text, leave out rows; in memory or streamed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute

from minerva_select.data.date_text import FORMATS, choose_format, guess_format, is_date, parse_dates
from minerva_select.data.in_memory import ArrowTableChunk
from minerva_select.data.memory_budget import MemoryBudget
from minerva_select.data.number_text import NumberFormat, is_text, parse_numbers
from minerva_select.data.open_table import open_staged
from minerva_select.data.row_filter import Comparison
from minerva_select.data.source import Source
from minerva_select.data.staging import StagingDirectory, without_views, write_parquet
from minerva_select.data.text_values import distinct_texts
from minerva_select.errors import InputError
from minerva_select.io.atomic import is_regular_file


@dataclass(frozen=True)
class Preparation:
    """What is done to a table, in this order.

    Attributes
    ----------
    dates : mapping
        Columns of text or integers to read as dates, with their formats; None: recognized from the values.
    numbers : tuple of str
        Columns of text to read as numbers.
    where : tuple of Comparison
        Conditions of the rows to use.
    present : tuple of str
        Columns in which every used row has a value.
    n_rows : int or None
        Number of rows to draw at random from those; None: all.
    seed : int
        Seed of that sample.
    """

    dates: Mapping[str, str | None] = field(default_factory=dict)
    numbers: tuple[str, ...] = ()
    where: tuple[Comparison, ...] = ()
    present: tuple[str, ...] = ()
    n_rows: int | None = None
    seed: int = 0

    @property
    def converts(self) -> bool:
        """Whether columns are converted."""
        return bool(self.dates or self.numbers)

    @property
    def filters(self) -> bool:
        """Whether rows are left out."""
        return bool(self.where or self.present or self.n_rows is not None)


def prepare_table(table: Any, preparation: Preparation) -> Any:
    """Prepare an Arrow table."""
    table = _Conversion.of(preparation, lambda names: iter([table.select(names)])).apply(table)
    if not preparation.filters:
        return table
    return _choose(table, _sample(_kept(table, preparation), preparation))


def prepare_source(
    source: Source, preparation: Preparation, budget: MemoryBudget, folder: str | os.PathLike[str] | None = None
) -> Source:
    """Prepare a source; one that does not fit in memory is copied to a Parquet file, unless the copy fits."""
    if not preparation.converts and not preparation.filters:
        return source
    if source.fits_in_memory:
        return _in_memory(source.name, prepare_table(source.read(), preparation))
    block_rows = budget.block_rows(len(source.names))
    conversion = _Conversion.of(preparation, lambda names: source.select(names).blocks(block_rows))
    rows = _kept_rows(source, preparation, conversion, block_rows) if preparation.filters else None
    blocks = _prepared_blocks(source, conversion, rows, block_rows)
    n_rows = source.n_rows if rows is None else int(rows.sum())
    if budget.fits(n_rows, len(source.names), source.nbytes * n_rows // source.n_rows):
        return _in_memory(source.name, pa.concat_tables(blocks).unify_dictionaries())
    staging = StagingDirectory(folder)
    key = hashlib.sha256(f"{source.fingerprint} {preparation}".encode()).hexdigest()[:16]
    if not is_regular_file(staging.path(key)):
        staging.write(key, lambda path: write_parquet(blocks, path, source.name))
    return replace(open_staged(staging, key, source.name, key), fits_in_memory=False)


@dataclass(frozen=True)
class _Conversion:
    """Formats of the columns to convert, found from all rows."""

    dates: Mapping[str, str]
    numbers: Mapping[str, NumberFormat]

    @classmethod
    def of(cls, preparation: Preparation, read: Any) -> _Conversion:
        """Find the formats that are not given; ``read`` gives tables of some columns."""
        unknown = [name for name, given in preparation.dates.items() if given is None]
        dates: dict[str, Sequence[str]] = dict.fromkeys(unknown, FORMATS)
        decimals = dict.fromkeys(preparation.numbers, ".")
        for table in read([*dict.fromkeys([*unknown, *preparation.numbers])]) if unknown or decimals else ():
            for name in unknown:
                if not is_date(table.schema.field(name).type):
                    dates[name] = guess_format(name, table.column(name), dates[name])
            for name in preparation.numbers:
                if decimals[name] == "." and is_text(table.schema.field(name).type):
                    decimals[name] = NumberFormat.of(distinct_texts(table.column(name))).decimal
        found = {name: choose_format(name, fitting) for name, fitting in dates.items()}
        given = {name: one for name, one in preparation.dates.items() if one is not None}
        return cls({**given, **found}, {name: NumberFormat(decimal) for name, decimal in decimals.items()})

    def apply(self, table: Any) -> Any:
        """Convert the columns of a table that are in it."""
        for place, name in enumerate(table.column_names):
            column = table.column(place)
            if name in self.dates:
                table = table.set_column(place, name, parse_dates(name, column, self.dates[name]))
            elif name in self.numbers:
                table = table.set_column(place, name, parse_numbers(name, column, self.numbers[name]))
        return table


def _in_memory(name: str, table: Any) -> Source:
    return replace(Source.from_chunks(name, table.schema, [ArrowTableChunk(table)]), fits_in_memory=True)


def _prepared_blocks(
    source: Source, conversion: _Conversion, rows: NDArray[np.bool_] | None, block_rows: int
) -> Iterator[Any]:
    start = 0
    for block in source.blocks(block_rows):
        stop = start + block.num_rows
        if rows is None:
            yield conversion.apply(block)
        elif rows[start:stop].any() or start == 0:  # at least one table, for its schema
            yield _choose(conversion.apply(block), rows[start:stop])
        start = stop


def _kept_rows(source: Source, preparation: Preparation, conversion: _Conversion, block_rows: int) -> NDArray[np.bool_]:
    """Rows to use; only the columns of the conditions are read."""
    names = [*dict.fromkeys([*(one.column for one in preparation.where), *preparation.present])]
    if not names:
        return _sample(np.ones(source.n_rows, dtype=bool), preparation)
    blocks = source.select(names).blocks(block_rows)
    return _sample(np.concatenate([_kept(conversion.apply(block), preparation) for block in blocks]), preparation)


def _kept(table: Any, preparation: Preparation) -> NDArray[np.bool_]:
    """Rows of a table that fulfill the conditions."""
    kept = np.ones(table.num_rows, dtype=bool)
    for comparison in preparation.where:
        kept &= comparison.mask(table).to_numpy(zero_copy_only=False)
    for name in preparation.present:
        kept &= ~compute.is_null(table.column(name), nan_is_null=True).to_numpy()
    return kept


def _choose(table: Any, rows: NDArray[np.bool_]) -> Any:
    return without_views(table).filter(pa.array(rows))


def _sample(kept: NDArray[np.bool_], preparation: Preparation) -> NDArray[np.bool_]:
    """Draw the requested number of rows from those that are kept."""
    if not kept.any():
        raise InputError("No row is left; loosen the conditions that rows must fulfill.")
    rows = np.flatnonzero(kept)
    if preparation.n_rows is None or preparation.n_rows >= len(rows):
        return kept
    drawn = np.zeros(len(kept), dtype=bool)
    drawn[np.random.default_rng(preparation.seed).choice(rows, preparation.n_rows, replace=False)] = True
    return drawn
