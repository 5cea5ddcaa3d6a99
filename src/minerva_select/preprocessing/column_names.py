"""Columns that parameters name, by name or by position."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from minerva_select.errors import InputError, brief, unknown_name
from minerva_select.preprocessing.column_types import CategoricalFeatures

_CATEGORICAL = "categorical_features"


def check_categorical(categorical: Any) -> None:
    """Raise for a string other than "auto"; column names are checked when the table is read."""
    if isinstance(categorical, str) and categorical != "auto":
        raise InputError(f"categorical_features must be 'auto' or a list of column names, got {brief(categorical)}.")
    if isinstance(categorical, Mapping):
        for name, value in categorical.items():
            if not isinstance(value, bool | np.bool_):
                raise InputError(
                    f"categorical_features must map names to True (categorical) or False (numeric), got {brief(value)} "
                    f"for {brief(name)}."
                )


def resolve_categorical(categorical: CategoricalFeatures, names: Sequence[str]) -> CategoricalFeatures:
    """Resolve the columns of ``categorical_features``, which may be given by position."""
    check_categorical(categorical)
    if isinstance(categorical, str):
        return categorical
    resolved = as_names(list(categorical) if isinstance(categorical, Mapping) else categorical, names, _CATEGORICAL)
    return dict(zip(resolved, categorical.values(), strict=True)) if isinstance(categorical, Mapping) else resolved


def as_names(columns: Any, names: Sequence[str], parameter: str, known: frozenset[str] | None = None) -> list[str]:
    """Resolve columns given by name, or by position if the table has no names; ``known`` is the set of names."""
    listed = [columns] if isinstance(columns, str | numbers.Integral) else columns
    if (
        not isinstance(listed, Iterable) or getattr(listed, "ndim", 1) == 0
    ):  # a zero-dimensional array cannot be iterated
        raise InputError(f"{parameter} must be a list of column names, got {brief(columns)}.")
    known = frozenset(names) if known is None else known
    return [_as_name(column, names, known, parameter) for column in listed]


def _as_name(column: Any, names: Sequence[str], known: frozenset[str], parameter: str) -> str:
    name = str(column)
    if name not in known and isinstance(column, numbers.Integral) and 0 <= int(column) < len(names):
        return names[int(column)]
    if name not in known:
        raise unknown_name(f"column (in {parameter})", name, names)
    return name
