"""A table and a target as methods are compared on them: read once, and divided the same way for all."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import Conversion
from minerva_select.data.frames import as_table, as_target
from minerva_select.data.splits import split_rows
from minerva_select.errors import InputError
from minerva_select.evaluation.backends import n_bytes
from minerva_select.evaluation.downstream import choose_metric
from minerva_select.preprocessing.column_types import infer_column_types, infer_target_types
from minerva_select.schema import Column, ColumnType, Table

MIN_ROWS = 6  # of each part, for methods that divide it again
N_STRATA = 10  # of an amount
_TIMES: dict[str, str] = {
    Conversion.DATE: "timestamp",
    Conversion.TIME: "time64",
    Conversion.DURATION: "duration",
}  # as Arrow calls them
_TICKS, _MAX_TICKS = 1e6, 2.0**63  # in a second, and as many as Arrow counts


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to select and to train on, and rows to judge by."""

    number: int
    share: float  # held out
    selection: NDArray[np.int64]
    held_out: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Study:
    """What is the same for all methods.

    Attributes
    ----------
    table, target : Table, Column
        All rows.
    is_discrete : bool
        Whether the target is classes.
    categorical : tuple of str
        Columns that are names rather than amounts; found on all rows, so that every part is read the same way.
    named : frozenset of str
        Those of them that the user has named.
    metric : str
        What models are scored by.
    splits : tuple of Split
        The divisions.
    fingerprint : str
        Changes with any value of the table or the target.
    """

    table: Table
    target: Column
    is_discrete: bool
    categorical: tuple[str, ...]
    named: frozenset[str]
    metric: str
    splits: tuple[Split, ...]
    fingerprint: str

    @property
    def target_type(self) -> str:
        """How the target is read, as selectors are told."""
        return "discrete" if self.is_discrete else "continuous"

    def __sizeof__(self) -> int:
        return n_bytes((*self.table.columns, self.target))


def read_study(
    X: Any,
    y: Any,
    *,
    categorical_features: str | Sequence[Any],
    target_type: str,
    n_splits: int,
    held_out: float,
    seed: int,
) -> Study:
    """Read table and target, and divide the rows by the target's classes or tenths.

    Raises
    ------
    InputError
        Table or target cannot be used, or a part would be too small or hold one value of the target only.
    """
    from minerva_select.selectors.parameters import as_names  # noqa: PLC0415 - loads torch

    table = as_table(X)
    y_table = as_target(y, table.n_rows)
    if len(y_table.columns) > 1:
        raise InputError(
            f"The target has {len(y_table.columns)} columns ({', '.join(y_table.names[:3])}); methods are compared "
            "on one, so choose one of them."
        )
    answer = y_table.columns[0]
    is_discrete = infer_target_types(y_table, target_type).is_discrete
    named = (
        categorical_features
        if isinstance(categorical_features, str)
        else as_names(categorical_features, table.names, "categorical_features")
    )
    column_types = infer_column_types(table, named)
    strata = stratify(answer, is_discrete)
    return Study(
        table=table,
        target=answer,
        is_discrete=is_discrete,
        categorical=tuple(name for name, kind in column_types.items() if kind == ColumnType.CATEGORICAL),
        named=frozenset() if isinstance(named, str) else frozenset(named),
        metric=choose_metric(answer, is_discrete),
        splits=tuple(_split(number, answer, strata, held_out, seed) for number in range(n_splits)),
        fingerprint=fingerprint(table, answer),
    )


def stratify(target: Column, is_discrete: bool) -> NDArray[np.int64]:
    """A number for every row, by which rows are divided alike: its class, or its tenth of an amount.

    Examples
    --------
    >>> stratify(Column("y", np.array([5.0, 2.0, 5.0])), is_discrete=True).tolist()
    [1, 0, 1]
    """
    if is_discrete:
        return np.unique(target.values, return_inverse=True)[1]
    ranks = np.argsort(np.argsort(target.values, kind="stable"), kind="stable")
    return ranks * N_STRATA // len(ranks)


def fingerprint(table: Table, target: Column) -> str:
    """Digest of every name and value.

    Examples
    --------
    >>> x, y = Column("x", np.array([1.0, 2.0])), Column("y", np.array([0.0, 1.0]))
    >>> fingerprint(Table((x,), 2), y) == fingerprint(Table((y,), 2), x)
    False
    """
    hasher = hashlib.blake2b(digest_size=16)
    for column in (*table.columns, target):
        values = np.ascontiguousarray(column.values, dtype=np.float64 if column.is_numeric else np.int64)
        levels = [] if column.levels is None else column.levels.tolist()
        hasher.update(repr((column.name, column.is_numeric, column.conversion, levels, len(values))).encode())
        hasher.update(values.data)
    return hasher.hexdigest()


def write_rows(study: Study, rows: NDArray[np.int64], folder: Path) -> tuple[Path, Path]:
    """Write these rows' features and target as Arrow files, which another process reads without a copy."""
    import pyarrow as pa  # noqa: PLC0415 - 0.1 s, only when methods run

    paths = folder / "features.arrow", folder / "target.arrow"
    for path, columns in zip(paths, (study.table.columns, (study.target,)), strict=True):
        table = as_arrow([column.take(rows) for column in columns])
        # not atomic: a temporary file for a worker
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    return paths


def read_rows(path: Path) -> Any:
    """Read what :func:`write_rows` wrote, as an Arrow table on the file itself."""
    import pyarrow as pa  # noqa: PLC0415

    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


def as_arrow(columns: Sequence[Column]) -> Any:
    """Columns as an Arrow table, which reads as the same columns: text and the like as dictionaries, times as times."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.table([_as_array(column) for column in columns], names=[column.name for column in columns])


def _as_array(column: Column) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    if column.levels is None:
        kind = _TIMES.get(column.conversion or "")
        return pa.array(column.values) if kind is None else _as_times(column, getattr(pa, kind)("us"))
    codes = pa.array(column.values, type=pa.int32(), mask=column.missing)
    return pa.DictionaryArray.from_arrays(codes, pa.array(column.levels.tolist(), type=pa.string()))


def _as_times(column: Column, kind: Any) -> Any:
    """Dates, times of day or durations in microseconds; the plain seconds where these would not give them back."""
    import pyarrow as pa  # noqa: PLC0415

    missing, ticks = column.missing, np.rint(column.values * _TICKS)
    if not np.array_equal(ticks / _TICKS, column.values, equal_nan=True) or (np.abs(ticks) >= _MAX_TICKS).any():
        return pa.array(column.values)
    return pa.array(np.where(missing, 0, ticks).astype(np.int64), mask=missing).cast(kind)


def _split(number: int, target: Column, strata: NDArray[np.int64], held_out: float, seed: int) -> Split:
    n_rows = len(target.values)
    rng = np.random.default_rng([seed, number])
    selection, rest = split_rows(n_rows, [1 - held_out, held_out], strata, rng)
    for rows, what in ((selection, "selection"), (rest, "held-out")):
        if len(rows) < MIN_ROWS:
            raise InputError(
                f"n_samples={n_rows} rows leave {len(rows)} {what} ones when {held_out:.0%} are held out; "
                f"each part needs {MIN_ROWS}, so give more rows or another share."
            )
        if (target.values[rows] == target.values[rows[0]]).all():
            raise InputError(
                f"The target {target.name!r} has only one value in the {what} rows; "
                "give more rows of the rarer values, or another share to hold out."
            )
    return Split(number, held_out, selection, rest)
