"""A table and a target on which methods are compared, with the splits that all of them share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import Conversion
from minerva_select.config import COMPARISON
from minerva_select.data.frames import as_table, as_target
from minerva_select.data.splits import split_rows
from minerva_select.errors import InputError
from minerva_select.evaluation.backends import n_bytes
from minerva_select.evaluation.downstream import choose_metric
from minerva_select.preprocessing.column_names import resolve_categorical
from minerva_select.preprocessing.column_types import CategoricalFeatures, infer_column_types, infer_target_types
from minerva_select.schema import Column, ColumnType, Table

MIN_ROWS = 6  # of each part: methods split it again
_ARROW_TYPES = {Conversion.DATE: "timestamp", Conversion.TIME: "time64", Conversion.DURATION: "duration"}
_MICROSECONDS, _MAX_TICKS = 1e6, 2.0**63


@dataclass(frozen=True, eq=False)
class Split:
    """Rows on which methods select and models are trained, and rows on which both are evaluated."""

    index: int
    held_out_share: float
    train: NDArray[np.int64]
    held_out: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Dataset:
    """What all methods have in common.

    Attributes
    ----------
    table, target : Table, Column
        All rows.
    is_discrete : bool
        Whether the target has classes.
    categorical : tuple of str
        Categorical columns, determined on all rows, so that every part is read the same way.
    given_categorical : frozenset of str
        Those that the user named.
    metric : str
        Metric of the models.
    splits : tuple of Split
        Divisions into training and held-out rows.
    fingerprint : str
        Digest of every name and value.
    """

    table: Table
    target: Column
    is_discrete: bool
    categorical: tuple[str, ...]
    given_categorical: frozenset[str]
    metric: str
    splits: tuple[Split, ...]
    fingerprint: str

    @property
    def target_type(self) -> str:
        """The ``target_type`` of selectors."""
        return "discrete" if self.is_discrete else "continuous"

    def __sizeof__(self) -> int:
        return n_bytes((*self.table.columns, self.target))


def read_dataset(
    X: Any,
    y: Any,
    *,
    categorical_features: CategoricalFeatures,
    target_type: str,
    n_splits: int,
    held_out: float,
    seed: int,
) -> Dataset:
    """Read a table and a target, and split the rows, stratified by the target."""
    import joblib  # noqa: PLC0415 - takes 0.1 s

    table = as_table(X)
    y_table = as_target(y, table.n_rows)
    if len(y_table.columns) > 1:
        raise InputError(
            f"The target has {len(y_table.columns)} columns ({', '.join(y_table.names[:3])}), but methods are compared "
            "on one; choose one of them."
        )
    target = y_table.columns[0]
    is_discrete = infer_target_types(y_table, target_type).is_discrete
    given = resolve_categorical(categorical_features, table.names)
    column_types = infer_column_types(table, given)
    strata = stratify(target, is_discrete)
    return Dataset(
        table=table,
        target=target,
        is_discrete=is_discrete,
        categorical=tuple(name for name, kind in column_types.items() if kind == ColumnType.CATEGORICAL),
        given_categorical=_named_categorical(given),
        metric=choose_metric(target, is_discrete),
        splits=tuple(_split(index, target, strata, held_out, seed) for index in range(n_splits)),
        fingerprint=joblib.hash([_identity(column) for column in (*table.columns, target)]),
    )


def _named_categorical(given: CategoricalFeatures) -> frozenset[str]:
    """The columns that a user named as categorical."""
    if isinstance(given, str):
        return frozenset()
    return frozenset(name for name in given if not isinstance(given, Mapping) or given[name])


def stratify(target: Column, is_discrete: bool) -> NDArray[np.int64]:
    """Return the stratum of every row: its class, or the decile of a numeric target."""
    if is_discrete:
        return np.unique(target.values, return_inverse=True)[1]
    order = np.argsort(np.argsort(target.values, kind="stable"), kind="stable")
    return order * COMPARISON.n_strata // len(order)


def _identity(column: Column) -> tuple[Any, ...]:
    return column.name, column.values, None if column.levels is None else column.levels.tolist(), column.conversion


def write_arrow(dataset: Dataset, rows: NDArray[np.int64], folder: Path) -> tuple[Path, Path]:
    """Write features and target of some rows as Arrow files, which another process maps into memory."""
    from pyarrow import feather  # noqa: PLC0415 - takes 0.1 s, only needed when methods run

    folder.mkdir()
    paths = folder / "features.arrow", folder / "target.arrow"
    for path, columns in zip(paths, (dataset.table.columns, (dataset.target,)), strict=True):
        # not atomic: a temporary file for another process
        feather.write_feather(as_arrow([column.take(rows) for column in columns]), path, compression="uncompressed")
    return paths


def read_arrow(path: Path) -> Any:
    """Read a file of :func:`write_arrow` without copying it."""
    from pyarrow import feather  # noqa: PLC0415

    return feather.read_table(path, memory_map=True)


def as_arrow(columns: Sequence[Column]) -> Any:
    """Convert columns to an Arrow table that reads as the same columns: text as dictionaries, times as times."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.table([_as_array(column) for column in columns], names=[column.name for column in columns])


def _as_array(column: Column) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    if column.levels is not None:
        codes = pa.array(column.values, type=pa.int32(), mask=column.missing)
        return pa.DictionaryArray.from_arrays(codes, pa.array(column.levels.tolist(), type=pa.string()))
    kind = None if column.conversion is None else _ARROW_TYPES.get(column.conversion)
    if kind is None:
        return pa.array(column.values)
    ticks = np.rint(column.values * _MICROSECONDS)
    is_exact = np.array_equal(ticks / _MICROSECONDS, column.values, equal_nan=True)
    if not is_exact or (np.abs(ticks) >= _MAX_TICKS).any():
        return pa.array(column.values)  # seconds, as a number
    ticks = np.where(column.missing, 0, ticks).astype(np.int64)
    return pa.array(ticks, mask=column.missing).cast(getattr(pa, kind)("us"))


def _split(index: int, target: Column, strata: NDArray[np.int64], held_out: float, seed: int) -> Split:
    n_rows = len(target.values)
    train, test = split_rows(n_rows, [1 - held_out, held_out], strata, np.random.default_rng([seed, index]))
    for rows, part in ((train, "training"), (test, "held-out")):
        if len(rows) < MIN_ROWS:
            raise InputError(
                f"With held_out={held_out:g}, n_samples={n_rows} leaves {len(rows)} {part} rows, but each part needs "
                f"{MIN_ROWS}; pass more rows or another share."
            )
        if (target.values[rows] == target.values[rows[0]]).all():
            raise InputError(
                f"The target {target.name!r} has only one value in the {part} rows; "
                "pass more rows of the rarer values, or another share to hold out."
            )
    return Split(index, held_out, train, test)
