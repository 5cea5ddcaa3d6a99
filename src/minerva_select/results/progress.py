"""Records of a running fit: progress for callbacks, training history, weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class TrainingRecord:
    """One entry of a training history: the three terms of the loss and the held-out bound, all in nats.

    Attributes
    ----------
    stage : str
        Name of the stage.
    step : int
        Number of training steps.
    bound : float
        Bound on the training batch.
    held_out_bound : float, optional
        Bound on rows that are not trained on; None between evaluations.
    sparsity_term, drift_term : float
        The two penalties of Algorithm 1; 0 for other methods.
    n_features : int
        Number of features of the critics.

    Examples
    --------
    >>> TrainingRecord("learn", 100, bound=0.41, held_out_bound=0.38).held_out_bound
    0.38
    """

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

    Attributes
    ----------
    step : int
        Step or round.
    weights : mapping of str to float
        Weight of each feature.

    Examples
    --------
    >>> WeightRecord(step=2, weights={"a": 1.0, "b": 0.0}).weights["a"]
    1.0
    """

    step: int
    weights: Mapping[str, float]


@dataclass(frozen=True)
class Progress:
    """Progress of a running fit, as callbacks receive it.

    Attributes
    ----------
    stage : str
        Name of the stage.
    fraction : float
        Estimated share of the fit that is done; never decreases.
    bound : float, optional
        Bound on held-out rows, in nats.
    n_features : int, optional
        Number of features of the critics of this stage.
    record : TrainingRecord, optional
        The newest record, during training.

    Examples
    --------
    >>> progress = Progress("learn", fraction=0.4, bound=0.38)
    >>> f"{progress.fraction:.0%} {progress.stage}"
    '40% learn'
    """

    stage: str
    fraction: float
    bound: float | None = None
    n_features: int | None = None
    record: TrainingRecord | None = None  # the newest one, during training
