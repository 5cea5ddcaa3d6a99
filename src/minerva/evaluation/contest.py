"""The cells of a comparison: a method on a split, and what its selection is worth; each is run once and recorded."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from minerva.evaluation.downstream import Score, boosting_score
from minerva.evaluation.methods import Method
from minerva.evaluation.records import Record, Records, provenance
from minerva.evaluation.study import Split, Study, as_arrow, write_rows
from minerva.evaluation.worker import WorkerError, describe
from minerva.results import Estimate, versions

Files = Callable[[], tuple[Path, Path]]  # features and target of the selection's rows, written when first called


@dataclass(frozen=True)
class Attempt:
    """A method on a split: what it kept, or why nothing; then what that is worth."""

    kept: tuple[str, ...] | None
    status: str = ""
    notes: tuple[str, ...] = ()
    alone: Mapping[str, float] = field(default_factory=dict)
    seconds: float | None = None
    peak_bytes: int | None = None
    information: Estimate | None = None
    score: Score | None = None


@dataclass(frozen=True, eq=False)
class Contest:
    """One study, what every method is told about it, and the records of what is finished."""

    study: Study
    cells: Records
    n_features: int | None
    time_limit: float | None
    device: str
    seed: int

    @cached_property
    def settings(self) -> Record:
        """What every method is told."""
        return {
            "n_features": self.n_features,
            "categorical": list(self.study.categorical),
            "target": self.study.target_kind,
            "device": self.device,
            "seed": self.seed,
        }

    @contextmanager
    def rows_at_hand(self, split: Split) -> Iterator[Files]:
        """The rows that methods select on, as files for as long as this is entered."""
        with tempfile.TemporaryDirectory() as folder:
            yield cache(lambda: write_rows(self.study, split.selection, Path(folder)))

    def select(self, method: Method, split: Split, files: Files) -> Attempt:
        """Run a method on the rows of the selection, in a process of its own."""
        from minerva.evaluation.fitting import Fit, fit_apart  # noqa: PLC0415 - loads torch

        told = {"method": method.name, "selector": method.selector, "own_settings": dict(method.settings)}
        key = self._key("selection", split) | self.settings | told
        found = self.cells.find(key)
        if found is None or not _still_holds(found, self.time_limit):
            arguments = {**self.settings, "time_limit": self.time_limit}
            try:
                found = fit_apart(Fit(method, *files(), arguments), self.time_limit)
            except WorkerError as error:  # not recorded: what failed may be repaired by the next call
                return Attempt(None, status=str(error))
            found = self.cells.append(key | {"time_limit": self.time_limit} | found | provenance())
        if found["selected"] is None:
            return Attempt(None, status=found["notes"][0])
        return Attempt(
            kept=tuple(found["selected"]),
            notes=tuple(found["notes"]),
            alone=found["alone"],
            seconds=found["seconds"],
            peak_bytes=found["peak_bytes"],
        )

    def measure_information(self, attempt: Attempt, split: Split) -> Attempt:
        """Add the nats that the kept features carry in the held-out rows."""
        if attempt.kept is None:
            return attempt
        if not attempt.kept:
            return dataclasses.replace(attempt, information=Estimate(0.0, 0.0, 0.0, len(split.held_out)))
        told = {"device": self.device, "categorical": self.settings["categorical"]}
        try:
            found = self._once("information", split, attempt.kept, told, self._information)
        except Exception as error:  # one figure less is no reason to lose the others
            return _with_note(attempt, "information", error)
        return dataclasses.replace(attempt, information=Estimate(**found))

    def measure_score(self, attempt: Attempt, split: Split) -> Attempt:
        """Add what boosting, trained on the selection's rows, makes of the kept features in the held-out rows."""
        if attempt.kept is None:
            return attempt
        try:
            found = self._once("score", split, attempt.kept, {"named": sorted(self.study.named)}, self._score)
        except Exception as error:
            return _with_note(attempt, "score", error)
        return dataclasses.replace(attempt, score=Score(**found))

    def _information(self, kept: tuple[str, ...], split: Split) -> Estimate:
        from minerva.selectors import mutual_information  # noqa: PLC0415 - loads torch

        held_out = self.study.table.select(kept).take(split.held_out)
        return mutual_information(
            as_arrow(held_out.columns),
            as_arrow([self.study.target.take(split.held_out)]),
            target=self.study.target_kind,
            categorical=[name for name in self.study.categorical if name in kept],
            device=self.device,
            random_state=self.seed,
        )

    def _score(self, kept: tuple[str, ...], split: Split) -> Score:
        table, target = self.study.table.select(kept), self.study.target
        train, test = ((table.take(rows), target.take(rows)) for rows in (split.selection, split.held_out))
        return boosting_score(train, test, self.study.metric, seed=self.seed, names=self.study.named)

    def _once(
        self, cell: str, split: Split, kept: tuple[str, ...], told: Record,
        measure: Callable[[tuple[str, ...], Split], Estimate | Score],
    ) -> Record:  # fmt: skip
        """Measure a set of features, unless that is recorded: methods that keep the same share it."""
        key = self._key(cell, split) | told | {"kept": list(kept)}
        found = self.cells.find(key)
        if found is None:
            start = time.perf_counter()
            result = dataclasses.asdict(measure(kept, split))
            taken = time.perf_counter() - start
            found = self.cells.append(key | {"result": result, "seconds": taken} | provenance())
        return dict(found["result"])

    def _key(self, cell: str, split: Split) -> Record:
        """What all cells of a split are known by; the version too, since a newer one may answer otherwise."""
        return {
            "cell": cell,
            "minerva": versions()["minerva"],
            "data": self.study.fingerprint,
            "target": self.study.target_kind,
            "held_out": split.share,
            "seed": self.seed,
            "split": split.number,
        }


def _with_note(attempt: Attempt, what: str, error: Exception) -> Attempt:
    return dataclasses.replace(attempt, notes=(*attempt.notes, f"The {what} was not measured: {describe(error)}"))


def _still_holds(record: Record, time_limit: float | None) -> bool:
    """Whether a recorded fit would end the same way under this limit."""
    if record["cut_short"]:
        return bool(record["time_limit"] == time_limit)
    return time_limit is None or record["seconds"] <= time_limit
