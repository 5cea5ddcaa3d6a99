"""Compare methods on one table: each selects from the same rows and is evaluated on the same held-out rows."""

from __future__ import annotations

import dataclasses
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

from minerva_select.checks import as_path, check_callable, check_integer, is_finite
from minerva_select.codes import FailureCode
from minerva_select.errors import InputError, brief
from minerva_select.evaluation.backends import user_backend
from minerva_select.evaluation.dataset import read_dataset
from minerva_select.evaluation.downstream import Score
from minerva_select.evaluation.failures import Failure
from minerva_select.evaluation.leaderboard import Comparison, MethodResult, SplitValues
from minerva_select.evaluation.methods import INSTALL, Method, find_methods, is_installed
from minerva_select.evaluation.records import PACKAGES, Records
from minerva_select.evaluation.runner import Runner, SplitResult
from minerva_select.preprocessing.column_types import CategoricalFeatures
from minerva_select.results import Estimate, Progress
from minerva_select.results.provenance import versions

CACHE = "cache.jsonl"
ALL_FEATURES = Method("all", "all features", selector="")
MEASURE_MARGINALS = ("minerva", "ksg")  # methods that measure the information of each feature alone


def compare(
    X: Any,
    y: Any,
    methods: Sequence[str | Method] | None = None,
    *,
    n_splits: int = 1,
    held_out: float = 0.33,
    n_features: int | None = None,
    time_limit: float | None = None,
    categorical_features: CategoricalFeatures = "auto",
    target_type: str = "auto",
    device: str = "auto",
    random_state: int = 0,
    cache_dir: str | os.PathLike[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
    on_interrupt: Callable[[Comparison], None] | None = None,
) -> Comparison:
    """Select features with several methods, and evaluate the selections on held-out rows.

    Each method runs in its own process, one after the other. Within ``joblib.parallel_config(backend=...)`` all fits
    run on that backend, for example Dask or Ray.

    Parameters
    ----------
    X : table
        numpy, pandas, polars or Arrow.
    y : column
        Classes or numbers, without missing values.
    methods : list of str, optional
        Names from ``evaluation.METHODS``, or methods of your own; None takes all but ``"minerva-paper"``. A method
        whose package is not installed has a row with that failure.
    n_splits : int
        Number of random splits of the rows; several show how stable a selection is.
    held_out : float
        Share of the rows that are held out.
    n_features : int, optional
        Number of features that each method keeps; None lets each method decide.
    time_limit : float, optional
        Seconds for each fit. A method that takes longer is killed and has a row with that failure; MINERVA ends by
        itself with its best answer so far. Workers of a joblib backend are not killed: there a method that took longer
        is reported as out of time when it ends.
    categorical_features : "auto" or list of str
        Numeric columns to read as categorical.
    target_type : {"auto", "discrete", "continuous"}
        How to read the target.
    device : str
        Device on which MINERVA computes.
    random_state : int
        Seed of the splits, the methods and the estimates.
    cache_dir : path, optional
        Folder for finished tasks, which do not run again when an interrupted comparison is repeated.
    progress : callable, optional
        Called with a :class:`minerva_select.results.Progress` before each task.
    on_interrupt : callable, optional
        Called on Ctrl-C with a comparison of what is finished, before the KeyboardInterrupt is raised again.

    Returns
    -------
    Comparison
        One result per method, and one for all features.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).standard_normal((60, 2))
    >>> comparison = compare(x, x[:, 0] > 0, ["forest"])
    >>> comparison.results[0].kept, comparison.metric
    ((('x0',),), 'ROC-AUC')
    """
    start = time.monotonic()
    chosen = find_methods(methods)
    if not any(map(is_installed, chosen)):
        names = ", ".join(method.name for method in chosen)
        raise InputError(f"None of the methods {names} is installed; choose others, or run: {INSTALL}")
    check_callable(progress)
    check_callable(on_interrupt, "on_interrupt")
    n_splits = check_integer("n_splits", n_splits, 1, 10_000)
    random_state = check_integer("random_state", random_state, 0)
    if not is_finite(held_out) or not 0 < held_out < 1:
        raise InputError(f"held_out must be a share between 0 and 1, got {brief(held_out)}.")
    if time_limit is not None and (not is_finite(time_limit) or time_limit <= 0):
        raise InputError(f"time_limit must be a number of seconds above 0, got {brief(time_limit)}.")
    dataset = read_dataset(
        X,
        y,
        categorical_features=categorical_features,
        target_type=target_type,
        n_splits=n_splits,
        held_out=float(held_out),
        seed=random_state,
    )
    if n_features is not None:
        n_features = check_integer("n_features", n_features, 1, len(dataset.table.columns))
    if user_backend() is None:  # workers of a backend may have other devices
        from minerva_select.runtime.device import find_device  # noqa: PLC0415 - loads torch

        find_device(str(device))
    with _open_cache(cache_dir) as records:
        limit = None if time_limit is None else float(time_limit)
        runner = Runner(dataset, records, n_features, limit, str(device), random_state)
        try:
            return _compare(runner, chosen, progress, start)
        except KeyboardInterrupt:
            if on_interrupt is not None:
                on_interrupt(_compare(dataclasses.replace(runner, only_recorded=True), chosen, None, start))
            raise


def _compare(
    runner: Runner, methods: Sequence[Method], progress: Callable[[Progress], None] | None, start: float
) -> Comparison:
    dataset, n_splits = runner.dataset, len(runner.dataset.splits)
    found = _run(runner, [method for method in methods if is_installed(method)], progress)
    not_installed = SplitResult(None, failures=(Failure(FailureCode.NOT_INSTALLED, INSTALL),))
    arguments = {"n_splits": n_splits, "held_out": dataset.splits[0].held_out_share, "time_limit": runner.time_limit}
    return Comparison(
        target=dataset.target.name,
        features=dataset.table.names,
        n_rows=dataset.table.n_rows,
        n_held_out=len(dataset.splits[0].held_out),
        metric=dataset.metric,
        results=tuple(_summarize(method, found.get(method.name, [not_installed] * n_splits)) for method in methods),
        all_features=_summarize(ALL_FEATURES, found[ALL_FEATURES.name]),
        marginal_nats=_mean_marginals(found),
        settings=arguments | runner.settings,
        versions=versions(PACKAGES),
        seconds=time.monotonic() - start,
    )


def _run(
    runner: Runner, methods: Sequence[Method], progress: Callable[[Progress], None] | None
) -> dict[str, list[SplitResult]]:
    """Results of every method and of all features, one per split: first all methods select, then all are evaluated."""
    splits, everything = runner.dataset.splits, SplitResult(runner.dataset.table.names)
    results: dict[str, list[SplitResult]] = {method.name: [] for method in (*methods, ALL_FEATURES)}
    n_steps, n_done = len(splits) * (3 * len(methods) + 2), 0

    def report(label: str) -> None:
        nonlocal n_done
        if progress is not None:
            progress(Progress(label, n_done / n_steps))
        n_done += 1

    # A backend gets all splits at once, so that its workers do not wait for the end of each
    for batch in [splits] if user_backend() is not None else [(split,) for split in splits]:
        entries = [(method, split) for split in batch for method in methods]
        selected = runner.select(entries, report) + [everything] * len(batch)
        entries += [(ALL_FEATURES, split) for split in batch]
        for (method, _), result in zip(entries, runner.evaluate(entries, selected, report), strict=True):
            results[method.name].append(result)
    return results


def _summarize(method: Method, results: Sequence[SplitResult]) -> MethodResult:
    """Combine the results of all splits."""
    warnings = [warning for result in results for warning in result.warnings]
    seconds = [result.seconds for result in results if result.seconds is not None]
    return MethodResult(
        method=method.name,
        label=method.label,
        kept=tuple(result.kept for result in results),
        information=_mean_estimate([result.information for result in results if result.information is not None]),
        score=_mean_score([result.score for result in results if result.score is not None]),
        seconds=fmean(seconds) if seconds else None,
        peak_bytes=max((result.peak_bytes for result in results if result.peak_bytes is not None), default=None),
        failures=tuple(dict.fromkeys(failure for result in results for failure in result.failures)),
        warnings=tuple(warning for index, warning in enumerate(warnings) if warning not in warnings[:index]),
        by_split=tuple(map(_split_values, results)),
    )


def _split_values(result: SplitResult) -> SplitValues:
    nats = None if result.information is None else result.information.nats
    return SplitValues(nats, None if result.score is None else result.score.value)


def _mean_estimate(found: Sequence[Estimate]) -> Estimate | None:
    """Mean estimate with the mean of the intervals: splits share rows, so their mean is hardly more precise."""
    if not found:
        return None
    nats, low, high = (fmean(getattr(one, name) for one in found) for name in ("nats", "low", "high"))
    noted = next((one for one in found if one.note is not None), found[0])
    doubt = next((one.doubt for one in found if one.doubt is not None), None)
    return Estimate(nats, low, high, found[0].n_rows, noted.note, noted.entropy, doubt)


def _mean_score(found: Sequence[Score]) -> Score | None:
    if not found:
        return None
    return Score(found[0].metric, *(fmean(getattr(one, name) for one in found) for name in ("value", "low", "high")))


def _mean_marginals(results: dict[str, list[SplitResult]]) -> dict[str, float]:
    """Mean information of each feature alone, from the first method that measured it."""
    means: dict[str, float] = {}
    for method in MEASURE_MARGINALS:
        found: dict[str, list[float]] = {}
        for result in results.get(method, ()):
            for feature, nats in result.marginal_nats.items():
                found.setdefault(feature, []).append(nats)
        means = {feature: max(0.0, fmean(values)) for feature, values in found.items()} | means
    return means


@contextmanager
def _open_cache(cache_dir: str | os.PathLike[str] | None) -> Iterator[Records]:
    """Open the records of finished tasks, in a temporary folder if none is given."""
    if cache_dir is None:
        with tempfile.TemporaryDirectory() as temporary:
            yield Records(Path(temporary) / CACHE)
        return
    folder = as_path("cache_dir", cache_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        records = Records(folder / CACHE)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"cache_dir={brief(str(cache_dir))} cannot be used: {reason}; choose another folder."
        ) from None
    yield records
