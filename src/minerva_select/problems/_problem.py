"""A table whose answer is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from minerva_select.errors import InputError, unknown_name


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, a target, and the truth about them.

    Attributes
    ----------
    name : str
        What kind of problem it is.
    X : pandas.DataFrame
        The features.
    y : pandas.Series or pandas.DataFrame
        The target, a Series named ``y``; a DataFrame where the target has several columns.
    relevant : tuple of str
        The columns a perfect selection keeps, in column order: the Markov blanket of the target.
    mutual_information : float or None
        Nats that X carries about y, or None where that has no closed form.
    stand_ins : mapping of str to tuple of str
        For a relevant column, the columns made from it, the most faithful first. Empty where there are none.

    Examples
    --------
    >>> X = pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]})
    >>> Problem("copy", X, X["a"].rename("y"), relevant=("a",), mutual_information=0.6931)
    Problem(name='copy', relevant=('a',), mutual_information=0.6931, stand_ins={})
    """

    name: str
    X: pd.DataFrame = field(repr=False)
    y: pd.Series | pd.DataFrame = field(repr=False)
    relevant: tuple[str, ...]
    mutual_information: float | None = None
    stand_ins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.X) != len(self.y):
            raise InputError(f"X and y must have as many rows; X has {len(self.X)} and y has {len(self.y)}.")
        made = [name for names in self.stand_ins.values() for name in names]
        for name in (*self.relevant, *self.stand_ins, *made):
            if name not in self.X.columns:
                raise unknown_name("column", name, self.X.columns)
