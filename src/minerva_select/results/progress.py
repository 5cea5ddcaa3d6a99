"""What a fit tells while it runs, and what stays of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class TrainingRecord:
    """One line of a training history: the loss's three terms and the held-out bound, all in nats."""

    stage: str
    step: int
    bound: float
    held_out_bound: float | None = None
    sparsity_term: float = 0.0
    drift_term: float = 0.0
    n_features: int = 0


@dataclass(frozen=True)
class WeightRecord:
    """Weights of features at one moment of sparsifying.

    With ``solver="paper"`` these are the weights p after so many steps, else how much each feature of the set is missed
    when it is shuffled, as a share of the one that is missed most, after so many rounds.
    """

    step: int
    weights: Mapping[str, float]


@dataclass(frozen=True)
class Progress:
    """What a running fit tells its callbacks: where it is, and what it has found so far."""

    stage: str
    fraction: float
    bound: float | None = None
    n_features: int | None = None
    record: TrainingRecord | None = None  # of the training under way, where this is about one
