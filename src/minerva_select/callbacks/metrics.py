"""Metrics of a fit for TensorBoard and MLflow."""

from __future__ import annotations

import re
from collections.abc import Sequence

from minerva_select.results import Selection, TrainingRecord

_NAME_LENGTH = 200  # MLflow allows 250 characters, including our prefix


class StepCounter:
    """Count the steps of all trainings of a fit; each training counts its own from zero.

    Examples
    --------
    >>> steps = StepCounter()
    >>> [steps.update(TrainingRecord(stage, own, 0.1)) for stage, own in [("learn", 25), ("learn", 50), ("vet", 25)]]
    [25, 50, 75]
    """

    def __init__(self) -> None:
        self._before = 0
        self._last = TrainingRecord("", 0, 0.0)

    def update(self, record: TrainingRecord) -> int:
        """Add the steps up to this record and return the total."""
        if record.stage != self._last.stage or record.step <= self._last.step:
            self._before += self._last.step
        self._last = record
        return self.total

    @property
    def total(self) -> int:
        """Steps so far."""
        return self._before + self._last.step


def record_metrics(record: TrainingRecord) -> dict[str, float]:
    """Metrics of one line of the training history, such as ``bound/learn``, without those that were not measured.

    Examples
    --------
    >>> record_metrics(TrainingRecord("learn", 25, bound=0.5, held_out_bound=0.4, n_features=30))
    {'bound/learn': 0.5, 'held_out_bound/learn': 0.4, 'features/learn': 30}
    """
    metrics = {"bound": record.bound, "held_out_bound": record.held_out_bound, "features": record.n_features}
    penalties = {"sparsity_term": record.sparsity_term, "drift_term": record.drift_term}
    metrics |= {name: value for name, value in penalties.items() if value}
    return {f"{name}/{record.stage}": value for name, value in metrics.items() if value is not None}


def selection_metrics(selection: Selection) -> dict[str, float]:
    """Metrics of a selection, with the contribution of each selected feature."""
    information = selection.mutual_information
    metrics = {"selected": float(len(selection.selected)), "seconds": selection.seconds}
    if information is not None and selection.information_kept is not None:
        metrics |= {"information": information.nats, "information_low": information.low}
        metrics |= {"information_high": information.high, "information_kept": selection.information_kept}
    selected = [result for result in selection.features if result.selected]
    for name, result in zip(metric_names([result.feature for result in selected]), selected, strict=True):
        if result.contribution_nats is not None:
            metrics[f"contribution/{name}"] = result.contribution_nats
    return metrics


def metric_names(names: Sequence[str]) -> list[str]:
    """Turn column names into distinct names that TensorBoard and MLflow accept; valid names stay unchanged.

    Letters and digits of any script, ``_``, ``-`` and dots are valid. Other characters become ``_``.

    Examples
    --------
    >>> metric_names(["amount (USD)", "amount [USD]", "amount__USD_", ".."])
    ['amount__USD_-2', 'amount__USD_-3', 'amount__USD_', '__']
    """
    cleaned = [_clean(name) for name in names]
    taken = {name for name, clean in zip(names, cleaned, strict=True) if name == clean}
    found = []
    for name, clean in zip(names, cleaned, strict=True):
        unique, number = clean, 1
        while name != clean and unique in taken:
            number += 1
            unique = f"{clean}-{number}"
        taken.add(unique)
        found.append(unique)
    return found


def _clean(name: str) -> str:
    clean = re.sub(r"[^\w.-]", "_", name)[:_NAME_LENGTH] or "_"
    return clean.replace(".", "_") if not clean.strip(".") else clean  # "." and ".." are folders
