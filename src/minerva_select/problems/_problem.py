"""The table, target and known answer of a problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from minerva_select.errors import InputError, unknown_name


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, a target, and the known answer.

    Attributes
    ----------
    name : str
        Name of the problem.
    X : pandas.DataFrame
        The features.
    y : pandas.Series or pandas.DataFrame
        The target: a Series named ``y``, or a DataFrame if there are several target columns.
    relevant : tuple of str
        The Markov blanket of the target, in column order: the columns that a perfect selection keeps.
    mutual_information : float or None
        Mutual information of X and y in nats; None if it has no closed form.
    proxies : mapping of str to tuple of str
        For a relevant column, the columns derived from it, the most accurate first. Empty if there are none.

    Examples
    --------
    >>> X = pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]})
    >>> Problem("copy", X, X["a"].rename("y"), relevant=("a",), mutual_information=0.6931)
    Problem(name='copy', relevant=('a',), mutual_information=0.6931, proxies={})
    """

    name: str
    X: pd.DataFrame = field(repr=False)
    y: pd.Series | pd.DataFrame = field(repr=False)
    relevant: tuple[str, ...]
    mutual_information: float | None = None
    proxies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.X) != len(self.y):
            raise InputError(f"X and y must have the same number of rows; X has {len(self.X)}, y has {len(self.y)}.")
        derived = [name for names in self.proxies.values() for name in names]
        for name in (*self.relevant, *self.proxies, *derived):
            if name not in self.X.columns:
                raise unknown_name("column", name, self.X.columns)
