"""Run the tasks of a comparison, each once: fits of methods, then measurements of what they kept."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

from minerva_select.codes import FailureCode
from minerva_select.evaluation.backends import run_on_backend, user_backend
from minerva_select.evaluation.dataset import Dataset, Split, write_arrow
from minerva_select.evaluation.downstream import Score
from minerva_select.evaluation.failures import Failure, attempt
from minerva_select.evaluation.methods import Method
from minerva_select.evaluation.records import Record, Records
from minerva_select.results import Estimate, SelectionWarning
from minerva_select.results.parsing import parse_as
from minerva_select.results.provenance import versions

Result = Record | Failure
Report = Callable[[str], None]  # of the label of a task
Files = Callable[[int], tuple[Path, Path]]  # features and target of a split, written at the first call


@dataclass(frozen=True)
class SplitResult:
    """What a method kept in one split, if anything, and how good that is."""

    kept: tuple[str, ...] | None
    failures: tuple[Failure, ...] = ()
    warnings: tuple[SelectionWarning, ...] = ()
    marginal_nats: Mapping[str, float] = field(default_factory=dict)
    seconds: float | None = None
    peak_bytes: int | None = None
    information: Estimate | None = None
    score: Score | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """Something to compute: the key of its record, and how to compute it."""

    label: str
    key: Record
    compute: Callable[[Dataset], Result]
    in_process: Callable[[], Result] | None = None  # used instead, if the user chose no backend

    @cached_property
    def name(self) -> str:
        """The key as text; equal tasks have equal names."""
        return json.dumps(self.key, sort_keys=True)


@dataclass(frozen=True, eq=False)
class Runner:
    """Settings that all methods share, and the records of finished tasks."""

    dataset: Dataset
    records: Records
    n_features: int | None
    time_limit: float | None
    device: str
    seed: int
    only_recorded: bool = False  # run nothing; what is not finished fails

    @cached_property
    def settings(self) -> Record:
        """Arguments of :func:`~minerva_select.evaluation.methods.build` for every method."""
        return {
            "n_features": self.n_features,
            "categorical_features": list(self.dataset.categorical),
            "target_type": self.dataset.target_type,
            "device": self.device,
            "seed": self.seed,
        }

    def select(self, entries: Sequence[tuple[Method, Split]], report: Report) -> list[SplitResult]:
        """Fit methods on the training rows of splits: in a fresh process each, or on the user's backend."""
        from minerva_select.evaluation.tasks import fit_on_worker  # noqa: PLC0415 - loads torch

        arguments = {**self.settings, "time_limit": self.time_limit}
        with tempfile.TemporaryDirectory() as folder:
            files = cache(partial(_write_split, self.dataset, Path(folder)))
            tasks = []
            for method, split in entries:
                own = {"method": method.name, "selector": method.selector, "own_settings": dict(method.settings)}
                compute = partial(fit_on_worker, split=split.index, method=method, arguments=arguments)
                in_process = partial(_fit_in_process, files, split.index, method, arguments)
                key = self.settings | own
                tasks.append(Task(*self._identify("selection", method.label, split, key), compute, in_process))
            return [_as_result(result) for result in self._run(tasks, report)]

    def evaluate(
        self, entries: Sequence[tuple[Method, Split]], results: Sequence[SplitResult], report: Report
    ) -> list[SplitResult]:
        """Add to each result the information and the score of the kept features, on the held-out rows."""
        evaluated, tasks, owners = list(results), [], []
        for index, ((method, split), result) in enumerate(zip(entries, results, strict=True)):
            if result.kept == ():
                evaluated[index] = dataclasses.replace(result, information=Estimate(0.0, 0.0, 0.0, len(split.held_out)))
            steps = () if result.kept is None else ("information", "score") if result.kept else ("score",)
            tasks += [self._measurement(step, result.kept or (), method, split) for step in steps]
            owners += [index] * len(steps)
        for index, task, measured in zip(owners, tasks, self._run(tasks, report), strict=True):
            evaluated[index] = _with_measurement(evaluated[index], task.key["step"], measured)
        return evaluated

    def _measurement(self, step: str, kept: tuple[str, ...], method: Method, split: Split) -> Task:
        from minerva_select.evaluation import tasks  # noqa: PLC0415 - loads torch

        shared: dict[str, Any] = {"split": split.index, "kept": kept, "seed": self.seed}
        if step == "information":
            own = {"device": self.device, "categorical_features": self.settings["categorical_features"]}
            compute = partial(tasks.measure_information, device=self.device, **shared)
        else:
            own = {"given_categorical": sorted(self.dataset.given_categorical)}
            compute = partial(tasks.measure_score, **shared)
        return Task(*self._identify(step, f"{step}, {method.label}", split, own | {"kept": list(kept)}), compute)

    def _identify(self, step: str, label: str, split: Split, own: Record) -> tuple[str, Record]:
        """Label and key of a task."""
        n_splits = len(self.dataset.splits)
        key = {
            "step": step,
            "minerva": versions()["minerva"],  # another version may give another result
            "data": self.dataset.fingerprint,
            "target_type": self.dataset.target_type,
            "held_out": split.held_out_share,
            "seed": self.seed,
            "split": split.index,
        }
        return label + (f", split {split.index + 1} of {n_splits}" if n_splits > 1 else ""), key | own

    def _run(self, tasks: Sequence[Task], report: Report) -> list[Result]:
        """Run tasks that are not on record; equal ones, as when two methods keep the same, run once."""
        on_backend = user_backend() is not None and not self.only_recorded
        results = self._run_on_backend(tasks, report) if on_backend else {}
        for task in tasks:
            if task.name not in results:
                report(task.label)
                found = self._find(task)
                if found is None and self.only_recorded:
                    found = Failure(FailureCode.UNFINISHED)
                results[task.name] = found or self._save(task, self._compute(task))
        return [results[task.name] for task in tasks]

    def _run_on_backend(self, tasks: Sequence[Task], report: Report) -> dict[str, Result]:
        missing: dict[str, Task] = {}
        for task in tasks:
            if self._find(task) is None:
                missing.setdefault(task.name, task)
        pending, results = list(missing.values()), {}
        for index, result in run_on_backend([task.compute for task in pending], self.dataset):
            report(pending[index].label)
            results[pending[index].name] = self._save(pending[index], result)
        return results

    def _compute(self, task: Task) -> Result:
        return attempt(task.compute, self.dataset) if task.in_process is None else task.in_process()

    def _find(self, task: Task) -> Result | None:
        record = self.records.find(task.key)
        if record is None or not _is_valid(record, self.time_limit):
            return None
        return parse_as(Failure, record["failure"]) if "failure" in record else record

    def _save(self, task: Task, result: Result) -> Result:
        """Record a result or a timeout; other failures may be repaired by the next call."""
        own = {**task.key, "time_limit": self.time_limit}
        if not isinstance(result, Failure):
            return self.records.append(own | result)
        if result.code is FailureCode.OUT_OF_TIME:
            self.records.append(own | {"failure": dataclasses.asdict(result)})
        return result


def _write_split(dataset: Dataset, folder: Path, split: int) -> tuple[Path, Path]:
    return write_arrow(dataset, dataset.splits[split].train, folder / str(split))


def _fit_in_process(files: Files, split: int, method: Method, arguments: Record) -> Result:
    from minerva_select.evaluation import tasks  # noqa: PLC0415 - loads torch

    return tasks.fit_in_process(tasks.Fit(method, *files(split), arguments))


def _as_result(result: Result) -> SplitResult:
    if isinstance(result, Failure):
        return SplitResult(None, failures=(result,))
    return SplitResult(
        kept=tuple(result["selected"]),
        warnings=tuple(parse_as(SelectionWarning, warning) for warning in result["warnings"]),
        marginal_nats=result["marginal_nats"],
        seconds=result["seconds"],
        peak_bytes=result["peak_bytes"],
    )


def _with_measurement(result: SplitResult, step: str, measured: Result) -> SplitResult:
    if isinstance(measured, Failure):
        if measured.code is FailureCode.UNFINISHED:
            return result
        return dataclasses.replace(result, failures=(*result.failures, dataclasses.replace(measured, step=step)))
    value: Any = parse_as(Estimate if step == "information" else Score, measured["result"])
    return dataclasses.replace(result, **{step: value})


def _is_valid(record: Record, time_limit: float | None) -> bool:
    """Whether a recorded task would end the same way with this time limit; only fits have one."""
    if record["step"] != "selection":
        return True
    if "failure" in record or not record["converged"]:
        return bool(record["time_limit"] == time_limit)
    return time_limit is None or record["seconds"] <= time_limit
