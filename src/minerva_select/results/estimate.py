"""Estimates of information with their intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

from minerva_select.codes import EstimateDoubt, EstimateNote
from minerva_select.text.metadata import describe_estimate_doubt, describe_estimate_note


@dataclass(frozen=True)
class Estimate:
    """An estimate of information in nats with its 95% interval.

    ``doubt`` says why the estimate is not reliable; None if it passed all checks.

    Attributes
    ----------
    nats : float
        The estimate.
    low, high : float
        Ends of the 95% interval.
    n_rows : int
        Number of rows that it is based on.
    note : EstimateNote, optional
        A remark on the relation to the entropy of the target: ``capped`` or ``exceeds``.
    entropy : float, optional
        Entropy of the target in nats, if there is a note.
    doubt : EstimateDoubt, optional
        Why the estimate is not reliable; None if it passed all checks.

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
    note: EstimateNote | None = None
    entropy: float | None = None  # of the target, in nats; with a note
    doubt: EstimateDoubt | None = None

    @property
    def bits(self) -> float:
        """The estimate in bits."""
        return self.nats / math.log(2.0)

    @property
    def reliable(self) -> bool:
        """Whether the estimate passed all checks; see ``doubt``."""
        return self.doubt is None

    def __str__(self) -> str:
        remarks = (describe_estimate_note(self), describe_estimate_doubt(self))
        nats = f"{self.nats:.3f} nats (95% interval {self.low:.3f} to {self.high:.3f})"
        return "; ".join([nats, *(remark for remark in remarks if remark)])


@dataclass(frozen=True)
class PathPoint:
    """Information of one set of features on the path from all candidates down to one.

    Attributes
    ----------
    n_features : int
        Number of features; a group counts as one.
    features : tuple of str
        Names of the best set of this size.
    nats : float
        Its information about the target.
    low, high : float
        Ends of the 95% interval.

    Examples
    --------
    >>> PathPoint(1, ("amount",), nats=0.12, low=0.10, high=0.14).features
    ('amount',)
    """

    n_features: int
    features: tuple[str, ...]
    nats: float
    low: float
    high: float


@dataclass(frozen=True)
class Repeats:
    """Agreement of repeated fits; each feature has its own selection frequency.

    Attributes
    ----------
    n_fits : int
        Number of fits.
    subsample : float, optional
        Share of the rows in each fit; None: all rows with other seeds.
    agreement : float
        Mean Jaccard similarity of the features of two fits.

    Examples
    --------
    >>> Repeats(n_fits=10, subsample=0.8, agreement=0.93).agreement
    0.93
    """

    n_fits: int
    subsample: float | None  # share of rows per fit; None: all rows with other seeds
    agreement: float  # mean Jaccard similarity of the features of two fits
