"""A table with its known answer: which columns carry the information, and which of them are equivalent."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Unit:
    """A relevant piece of information: the columns that carry all of it, and coarser versions that carry a part."""

    columns: tuple[str, ...]
    coarse: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Table:
    """Features, target and relevant units. If ``any_of``, a selection may keep any of the relevant columns."""

    X: pd.DataFrame = field(repr=False)
    y: pd.Series = field(repr=False)
    relevant: tuple[Unit, ...] = ()
    any_of: bool = False


def single_columns(names: tuple[str, ...]) -> tuple[Unit, ...]:
    """Return one unit per column."""
    return tuple(Unit((name,)) for name in names)


def shuffle_columns(X: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return the columns in random order, so that no method profits from the order."""
    return X[[X.columns[k] for k in rng.permutation(X.shape[1])]]
