"""What the features that a method kept are worth: tasks on a study, for this process or another."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

from minerva_select.evaluation.dataset import Study, as_arrow
from minerva_select.evaluation.downstream import Score, boosting_score
from minerva_select.evaluation.records import Record, provenance
from minerva_select.results import Estimate


def timed(measure: Callable[[Study], Estimate | Score], study: Study) -> Record:
    """Measure, and say how long that took and with what it was done."""
    start = time.perf_counter()
    result = dataclasses.asdict(measure(study))
    return {"result": result, "seconds": time.perf_counter() - start} | provenance()


def measure_information(study: Study, split: int, kept: tuple[str, ...], device: str, seed: int) -> Estimate:
    """The nats that the kept features carry in the held-out rows."""
    from minerva_select.selectors import mutual_information  # noqa: PLC0415 - loads torch

    rows = study.splits[split].held_out
    return mutual_information(
        as_arrow(study.table.select(kept).take(rows).columns),
        as_arrow([study.target.take(rows)]),
        target_type=study.target_type,
        categorical_features=[name for name in study.categorical if name in kept],
        device=device,
        random_state=seed,
    )


def measure_score(study: Study, split: int, kept: tuple[str, ...], seed: int) -> Score:
    """What boosting, trained on the selection's rows, makes of the kept features in the held-out rows."""
    table, target, division = study.table.select(kept), study.target, study.splits[split]
    train, test = ((table.take(rows), target.take(rows)) for rows in (division.selection, division.held_out))
    return boosting_score(train, test, study.metric, seed=seed, names=study.named)
