"""Records of a running fit: progress for callbacks, training history, weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class TrainingRecord:
    """One entry of a training history: the three terms of the loss and the held-out bound, all in nats."""

    stage: str
    step: int
    bound: float
    held_out_bound: float | None = None
    sparsity_term: float = 0.0
    drift_term: float = 0.0
    n_features: int = 0


@dataclass(frozen=True)
class WeightRecord:
    """Weights of the features at one step of the sparsification.

    Algorithm 1 records its weights p per step. The vetting solver records per round the permutation importance of each
    feature, divided by the largest one.
    """

    step: int
    weights: Mapping[str, float]


@dataclass(frozen=True)
class Progress:
    """Progress of a running fit, as callbacks receive it."""

    stage: str
    fraction: float
    bound: float | None = None
    n_features: int | None = None
    record: TrainingRecord | None = None  # the newest one, during training
