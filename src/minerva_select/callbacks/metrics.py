"""What trackers are told: numbers under valid names, over the steps of all trainings of a fit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from minerva_select.results import Selection, TrainingRecord

_NAME_LENGTH = 200  # of the 250 characters that MLflow allows, prefix included


class RunningStep:
    """Steps of all trainings of a fit together; each of them counts its own from zero.

    Examples
    --------
    >>> step = RunningStep()
    >>> [step.of(TrainingRecord(stage, own, 0.1)) for stage, own in [("learn", 25), ("learn", 50), ("vet", 25)]]
    [25, 50, 75]
    """

    def __init__(self) -> None:
        self._before = 0
        self._last = TrainingRecord("", 0, 0.0)

    def of(self, record: TrainingRecord) -> int:
        """The number of the step that this is about."""
        if record.stage != self._last.stage or record.step <= self._last.step:
            self._before += self._last.step
        self._last = record
        return self._before + record.step

    @property
    def last(self) -> int:
        """The latest of them."""
        return self._before + self._last.step


def record_amounts(record: TrainingRecord) -> dict[str, float]:
    """Amounts of a line of a training history by name, ``bound/learn`` and the like; those of no meaning left out.

    Examples
    --------
    >>> record_amounts(TrainingRecord("learn", 25, bound=0.5, held_out_bound=0.4, n_features=30))
    {'bound/learn': 0.5, 'held_out_bound/learn': 0.4, 'features/learn': 30}
    """
    amounts = {"bound": record.bound, "held_out_bound": record.held_out_bound, "features": record.n_features}
    penalties = {"sparsity_term": record.sparsity_term, "drift_term": record.drift_term}
    amounts |= {name: value for name, value in penalties.items() if value}
    return {f"{name}/{record.stage}": value for name, value in amounts.items() if value is not None}


def selection_amounts(selection: Selection) -> dict[str, float]:
    """Amounts of an answer by name, with what each selected feature contributes."""
    information = selection.mutual_information
    amounts = {"selected": float(len(selection.selected)), "seconds": selection.seconds}
    if information is not None and selection.information_kept is not None:
        amounts |= {"information": information.nats, "information_low": information.low}
        amounts |= {"information_high": information.high, "information_kept": selection.information_kept}
    selected = [result for result in selection.features if result.selected]
    for name, result in zip(valid_names([result.feature for result in selected]), selected, strict=True):
        if result.contribution_nats is not None:
            amounts[f"contribution/{name}"] = result.contribution_nats
    return amounts


def valid_names(names: Sequence[str]) -> list[str]:
    """Names that trackers accept, as alike to these as can be, and all distinct; a valid name stays as it is.

    Letters and digits of any script, ``_``, ``-`` and dots are valid; other characters become ``_``.

    Examples
    --------
    >>> valid_names(["amount (USD)", "amount [USD]", "amount__USD_", ".."])
    ['amount__USD_-2', 'amount__USD_-3', 'amount__USD_', '__']
    """
    cleaned = [_clean(name) for name in names]
    taken = {name for name, clean in zip(names, cleaned, strict=True) if name == clean}
    found = []
    for name, clean in zip(names, cleaned, strict=True):
        free, n_tries = clean, 1
        while name != clean and free in taken:
            n_tries += 1
            free = f"{clean}-{n_tries}"
        taken.add(free)
        found.append(free)
    return found


def _clean(name: str) -> str:
    clean = re.sub(r"[^\w.-]", "_", name)[:_NAME_LENGTH] or "_"
    return clean.replace(".", "_") if not clean.strip(".") else clean  # "." and ".." mean folders
