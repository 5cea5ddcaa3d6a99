"""Amounts of information, and how sure an answer is."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """An amount of information in nats with its 95% interval.

    Examples
    --------
    >>> estimate = Estimate(nats=0.6931, low=0.68, high=0.70, n_rows=1000)
    >>> round(estimate.bits, 3)
    1.0
    >>> print(estimate)
    0.693 nats (95% interval 0.680 to 0.700)
    """

    nats: float
    low: float
    high: float
    n_rows: int
    note: str = ""

    @property
    def bits(self) -> float:
        """The same amount in bits."""
        return self.nats / math.log(2.0)

    def __str__(self) -> str:
        text = f"{self.nats:.3f} nats (95% interval {self.low:.3f} to {self.high:.3f})"
        return f"{text}; {self.note}" if self.note else text


@dataclass(frozen=True)
class PathPoint:
    """Information that a set of features carries, as the set shrinks."""

    n_features: int
    features: tuple[str, ...]
    nats: float
    low: float
    high: float


@dataclass(frozen=True)
class Repeats:
    """How the answer held when the fit was repeated; how often each feature was selected is with the feature."""

    n_fits: int
    subsample: float | None  # share of the rows of each fit; None: all rows, another seed
    agreement: float  # mean share of common features (Jaccard) between two fits
