"""The cells of a comparison: a method on a split, and what its selection is worth; each is run once and recorded."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

from minerva_select.evaluation.backends import Outcome, perform_all, user_backend
from minerva_select.evaluation.dataset import Split, Study, write_rows
from minerva_select.evaluation.downstream import Score
from minerva_select.evaluation.methods import Method
from minerva_select.evaluation.records import Record, Records, provenance
from minerva_select.evaluation.scoring import measure_information, measure_score, timed
from minerva_select.evaluation.worker import WorkerError, attempt
from minerva_select.results import Estimate
from minerva_select.results.provenance import versions

UNFINISHED = "no answer yet"

Entry = tuple[Method, Split]
Tell = Callable[[str], None]
Files = Callable[[int], tuple[Path, Path]]  # features and target of a split, written when first called


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
class Cell:
    """One thing to compute: what it is known by, and how it is done on the user's backend and without one."""

    label: str
    key: Record
    task: Callable[[Study], Record]
    here: Callable[[], Outcome[Record]]

    @cached_property
    def name(self) -> str:
        """The same for cells that are the same."""
        return json.dumps(self.key, sort_keys=True)


@dataclass(frozen=True, eq=False)
class Contest:
    """One study, what every method is told about it, and the records of what is finished."""

    study: Study
    cells: Records
    n_features: int | None
    time_limit: float | None
    device: str
    seed: int
    only_recorded: bool = False  # what is not finished yet is left so

    @cached_property
    def settings(self) -> Record:
        """What every method is told."""
        return {
            "n_features": self.n_features,
            "categorical_features": list(self.study.categorical),
            "target_type": self.study.target_type,
            "device": self.device,
            "seed": self.seed,
        }

    def select(self, entries: Sequence[Entry], tell: Tell) -> list[Attempt]:
        """Run methods, each on the rows of its split: in a process of its own, unless the user has chosen a backend."""
        from minerva_select.evaluation.fitting import fit_within  # noqa: PLC0415 - loads torch

        arguments = {**self.settings, "time_limit": self.time_limit}
        cells = []
        with tempfile.TemporaryDirectory() as folder:
            files = cache(partial(_write_split, self.study, folder))
            for method, split in entries:
                told = {"method": method.name, "selector": method.selector, "own_settings": dict(method.settings)}
                cells.append(
                    Cell(
                        self._label(method.label, split),
                        self._key("selection", split) | self.settings | told,
                        partial(fit_within, split=split.number, method=method, arguments=arguments),
                        partial(_fit_apart, files, split.number, method, arguments),
                    )
                )
            return [_as_attempt(outcome) for outcome in self._run(cells, tell)]

    def judge(self, entries: Sequence[Entry], attempts: Sequence[Attempt], tell: Tell) -> list[Attempt]:
        """Add to each attempt what its features tell in the held-out rows: in nats, and by boosting."""
        judged, cells, owners = list(attempts), [], []
        for place, ((method, split), tried) in enumerate(zip(entries, attempts, strict=True)):
            if tried.kept == ():
                judged[place] = dataclasses.replace(tried, information=Estimate(0.0, 0.0, 0.0, len(split.held_out)))
            if tried.kept:
                cells.append(self._information(tried.kept, method, split))
                owners.append((place, "information"))
            if tried.kept is not None:
                cells.append(self._score(tried.kept, method, split))
                owners.append((place, "score"))
        for (place, figure), outcome in zip(owners, self._run(cells, tell), strict=True):
            judged[place] = _with_figure(judged[place], figure, outcome)
        return judged

    def _information(self, kept: tuple[str, ...], method: Method, split: Split) -> Cell:
        told = {"device": self.device, "categorical_features": self.settings["categorical_features"]}
        task = partial(measure_information, split=split.number, kept=kept, device=self.device, seed=self.seed)
        return self._measure("information", method, split, told | {"kept": list(kept)}, task)

    def _score(self, kept: tuple[str, ...], method: Method, split: Split) -> Cell:
        told = {"named": sorted(self.study.named), "kept": list(kept)}
        task = partial(measure_score, split=split.number, kept=kept, seed=self.seed)
        return self._measure("score", method, split, told, task)

    def _measure(
        self, figure: str, method: Method, split: Split, told: Record, task: Callable[[Study], Estimate | Score]
    ) -> Cell:
        work = partial(timed, task)
        label = self._label(f"{figure}, {method.label}", split)
        return Cell(label, self._key(figure, split) | told, work, here=partial(attempt, work, self.study))

    def _run(self, cells: Sequence[Cell], tell: Tell) -> list[Outcome[Record]]:
        """What each cell came to. Cells that are the same, as when two methods keep the same, are computed once."""
        spread = user_backend() is not None and not self.only_recorded
        done = self._run_on_backend(cells, tell) if spread else {}
        outcomes = []
        for cell in cells:
            if cell.name not in done:
                tell(cell.label)
            outcomes.append(done.get(cell.name) or self._once(cell))
        return outcomes

    def _run_on_backend(self, cells: Sequence[Cell], tell: Tell) -> dict[str, Outcome[Record]]:
        """Compute all that is not on record, many at a time; each is recorded as soon as it is there."""
        missing = {cell.name: cell for cell in reversed(cells) if self._find(cell) is None}  # of equals the first
        todo = list(missing.values())[::-1]
        done = {}
        for place, outcome in perform_all([cell.task for cell in todo], self.study):
            tell(todo[place].label)
            done[todo[place].name] = self._keep(todo[place], outcome)
        return done

    def _once(self, cell: Cell) -> Outcome[Record]:
        found = self._find(cell)
        if found is not None:
            return found, None
        return (None, UNFINISHED) if self.only_recorded else self._keep(cell, cell.here())

    def _find(self, cell: Cell) -> Record | None:
        found = self.cells.find(cell.key)
        return found if found is not None and _still_holds(found, self.time_limit) else None

    def _keep(self, cell: Cell, outcome: Outcome[Record]) -> Outcome[Record]:
        """Record what there is; not what failed, which may be repaired by the next call."""
        found, fault = outcome
        return (None, fault) if found is None else (self.cells.append(cell.key | found), None)

    def _label(self, what: str, split: Split) -> str:
        n_splits = len(self.study.splits)
        return f"{what}, split {split.number + 1} of {n_splits}" if n_splits > 1 else what

    def _key(self, cell: str, split: Split) -> Record:
        """What all cells of a split are known by; the version too, since a newer one may answer otherwise."""
        return {
            "cell": cell,
            "minerva": versions()["minerva"],
            "data": self.study.fingerprint,
            "target_type": self.study.target_type,
            "held_out": split.share,
            "seed": self.seed,
            "split": split.number,
        }


def _as_attempt(outcome: Outcome[Record]) -> Attempt:
    found, fault = outcome
    if found is None or found["selected"] is None:
        return Attempt(None, status=str(fault) if found is None else found["notes"][0])
    return Attempt(
        kept=tuple(found["selected"]),
        notes=tuple(found["notes"]),
        alone=found["alone"],
        seconds=found["seconds"],
        peak_bytes=found["peak_bytes"],
    )


def _with_figure(tried: Attempt, figure: str, outcome: Outcome[Record]) -> Attempt:
    found, fault = outcome
    if fault == UNFINISHED:
        return tried
    if found is None:  # one figure less is no reason to lose the others
        return dataclasses.replace(tried, notes=(*tried.notes, f"The {figure} was not measured: {fault}"))
    value: Any = (Estimate if figure == "information" else Score)(**found["result"])
    return dataclasses.replace(tried, **{figure: value})


def _write_split(study: Study, folder: str, split: int) -> tuple[Path, Path]:
    place = Path(folder) / str(split)
    place.mkdir()
    return write_rows(study, study.splits[split].selection, place)


def _fit_apart(files: Files, split: int, method: Method, arguments: dict[str, Any]) -> Outcome[Record]:
    from minerva_select.evaluation.fitting import Fit, fit_apart  # noqa: PLC0415 - loads torch

    limit = arguments["time_limit"]
    fit = Fit(method, *files(split), arguments)
    try:
        return {"time_limit": limit} | fit_apart(fit, limit) | provenance(), None
    except WorkerError as error:
        return None, str(error)


def _still_holds(record: Record, time_limit: float | None) -> bool:
    """Whether a recorded fit would end the same way under this limit; figures have none."""
    if record["cell"] != "selection":
        return True
    if record["cut_short"]:
        return bool(record["time_limit"] == time_limit)
    return time_limit is None or record["seconds"] <= time_limit
