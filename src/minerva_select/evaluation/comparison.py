"""Methods side by side on one table, judged on the same held-out rows."""

from __future__ import annotations

import dataclasses
import numbers
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

from minerva_select.checks import as_path, check_callable, check_integer, is_finite
from minerva_select.errors import InputError, brief
from minerva_select.evaluation.backends import user_backend
from minerva_select.evaluation.dataset import read_study
from minerva_select.evaluation.downstream import Score
from minerva_select.evaluation.leaderboard import Comparison, Standing
from minerva_select.evaluation.methods import INSTALL, Method, find_methods, why_unavailable
from minerva_select.evaluation.records import PACKAGES, Records
from minerva_select.evaluation.runner import Attempt, Contest
from minerva_select.results import Estimate, Progress
from minerva_select.results.provenance import versions

CELLS = "cells.jsonl"
ALL_FEATURES = Method("all", "all features", selector="")
MEASURES_ALONE = ("minerva", "ksg")  # methods that say what a feature tells with no other beside it


def compare(
    X: Any,
    y: Any,
    methods: Sequence[str | Method] | None = None,
    *,
    n_splits: int = 1,
    held_out: float = 0.33,
    n_features: int | None = None,
    time_limit: float | None = None,
    categorical_features: str | Sequence[str] = "auto",
    target_type: str = "auto",
    device: str = "auto",
    random_state: int = 0,
    cache_dir: str | os.PathLike[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
    on_interrupt: Callable[[Comparison], None] | None = None,
) -> Comparison:
    """Let several methods select from the same rows, and judge their selections on rows that none of them saw.

    Each method runs in a process of its own, one after the other. Within ``joblib.parallel_config(backend=...)`` that
    backend, Dask's or Ray's for example, runs all fits, as many at a time as it has workers.

    Parameters
    ----------
    X : table
        numpy, pandas, polars or Arrow.
    y : column
        Classes or amounts, without missing values.
    methods : list of str, optional
        Short names, see ``evaluation.METHODS``; None takes all but ``"minerva-paper"``. One whose package is
        not installed is a row that says so.
    n_splits : int
        How often the rows are divided anew; more tell how stable a selection is.
    held_out : float
        Share of the rows to judge by.
    n_features : int, optional
        How many features each method keeps; None leaves it to the methods.
    time_limit : float, optional
        Seconds for each fit. A method that is not done by then is killed and is a row that says so; MINERVA ends by
        itself with its best answer so far. A backend of the user's kills nothing: there a method that took longer is
        told as out of time when it is done.
    categorical_features : "auto" or list of str
        Columns of numbers that are names rather than amounts.
    target_type : {"auto", "discrete", "continuous"}
        How to read the target.
    device : str
        Where MINERVA computes.
    random_state : int
        Seed of the splits, the methods and the estimates.
    cache_dir : path, optional
        A folder for finished cells. What is there is not run again, so that an interrupted comparison goes on.
    progress : callable, optional
        Called with a :class:`minerva_select.results.Progress` before each step.
    on_interrupt : callable, optional
        Called on Ctrl-C with a comparison of what is finished, before the interrupt goes on.

    Returns
    -------
    Comparison
        One row a method, and one for all features.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).standard_normal((60, 2))
    >>> comparison = compare(x, x[:, 0] > 0, ["forest"])
    >>> comparison.standings[0].kept, comparison.metric
    ((('x0',),), 'ROC-AUC')
    """
    start = time.monotonic()
    chosen = find_methods(methods)
    if len(_missing(chosen)) == len(chosen):
        names = ", ".join(method.name for method in chosen)
        raise InputError(f"None of the methods {names} is installed; name others, or {INSTALL}.")
    check_callable(progress)
    check_callable(on_interrupt, "on_interrupt")
    n_splits = check_integer("n_splits", n_splits, 1, 10_000)  # and all numbers as JSON writes them
    random_state = check_integer("random_state", random_state, 0)
    held_out, time_limit = _check_share(held_out), _check_seconds(time_limit)
    study = read_study(
        X,
        y,
        categorical_features=categorical_features,
        target_type=target_type,
        n_splits=n_splits,
        held_out=held_out,
        seed=random_state,
    )
    n_features, device = _as_count(n_features, len(study.table.columns)), str(device)
    if user_backend() is None:  # whose machines may have what this one has not
        _check_device(device)
    with _open_cells(cache_dir) as cells:
        contest = Contest(study, cells, n_features, time_limit, device, random_state)
        try:
            return _hold(contest, chosen, progress, start)
        except KeyboardInterrupt:
            if on_interrupt is not None:
                on_interrupt(_hold(dataclasses.replace(contest, only_recorded=True), chosen, None, start))
            raise


def _hold(
    contest: Contest, methods: Sequence[Method], progress: Callable[[Progress], None] | None, start: float
) -> Comparison:
    """Let all methods that can run compete, and tell of all."""
    study, n_splits = contest.study, len(contest.study.splits)
    missing = _missing(methods)
    attempts = _run(contest, [method for method in methods if method.name not in missing], progress)
    rows = [
        Standing(method.name, method.label, (None,) * n_splits, status=missing[method.name])
        if method.name in missing
        else _standing(method, attempts[method.name])
        for method in methods
    ]
    asked = {"n_splits": n_splits, "held_out": study.splits[0].share, "time_limit": contest.time_limit}
    return Comparison(
        target=study.target.name,
        features=study.table.names,
        n_rows=study.table.n_rows,
        n_held_out=len(study.splits[0].held_out),
        metric=study.metric,
        standings=tuple(rows),
        reference=_standing(ALL_FEATURES, attempts[ALL_FEATURES.name]),
        alone=_alone(attempts),
        settings=asked | contest.settings,
        versions=versions(PACKAGES),
        seconds=time.monotonic() - start,
    )


def _missing(methods: Sequence[Method]) -> dict[str, str]:
    """Of every method that cannot run here, why."""
    return {method.name: reason for method in methods if (reason := why_unavailable(method))}


def _run(
    contest: Contest, methods: Sequence[Method], progress: Callable[[Progress], None] | None
) -> dict[str, list[Attempt]]:
    """The attempts of every method and of all features, one a split: first all select, then all are judged."""
    splits, everything = contest.study.splits, Attempt(contest.study.table.names)
    attempts: dict[str, list[Attempt]] = {method.name: [] for method in (*methods, ALL_FEATURES)}
    n_steps, n_done = len(splits) * (3 * len(methods) + 2), 0

    def tell(what: str) -> None:
        nonlocal n_done
        if progress is not None:
            progress(Progress(what, n_done / n_steps))
        n_done += 1

    # A backend is given all splits at once, so that none of its workers waits for the end of each
    for together in [splits] if user_backend() is not None else [(split,) for split in splits]:
        entries = [(method, split) for split in together for method in methods]
        selected = contest.select(entries, tell)
        entries += [(ALL_FEATURES, split) for split in together]
        for (method, _), attempt in zip(
            entries, contest.judge(entries, selected + [everything] * len(together), tell), strict=True
        ):
            attempts[method.name].append(attempt)
    return attempts


def _standing(method: Method, attempts: Sequence[Attempt]) -> Standing:
    """One row of what a method did in all splits."""
    failures = [attempt.status for attempt in attempts if attempt.kept is None]
    status = failures[0] if failures else ""
    if failures and len(failures) < len(attempts):
        status = f"in {len(failures)} of {len(attempts)} splits {status}"
    peaks = [attempt.peak_bytes for attempt in attempts if attempt.peak_bytes is not None]
    times = [attempt.seconds for attempt in attempts if attempt.seconds is not None]
    return Standing(
        method=method.name,
        label=method.label,
        kept=tuple(attempt.kept for attempt in attempts),
        information=_mean_estimate([attempt.information for attempt in attempts if attempt.information is not None]),
        score=_mean_score([attempt.score for attempt in attempts if attempt.score is not None]),
        seconds=fmean(times) if times else None,
        peak_bytes=max(peaks, default=None),
        status=status,
        notes=tuple(dict.fromkeys(note for attempt in attempts for note in attempt.notes)),
    )


def _mean_estimate(found: Sequence[Estimate]) -> Estimate | None:
    """The mean of each figure: splits share rows, so that their mean is hardly surer than one of them."""
    if not found:
        return None
    nats, low, high = (fmean(getattr(one, name) for one in found) for name in ("nats", "low", "high"))
    noted = next((one for one in found if one.note is not None), found[0])
    return Estimate(nats, low, high, found[0].n_rows, noted.note, noted.entropy)


def _mean_score(found: Sequence[Score]) -> Score | None:
    if not found:
        return None
    return Score(found[0].metric, *(fmean(getattr(one, name) for one in found) for name in ("value", "low", "high")))


def _alone(attempts: dict[str, list[Attempt]]) -> dict[str, float]:
    """What each feature tells alone, a mean over the splits, from the first method that measured it."""
    found: dict[str, float] = {}
    for method in MEASURES_ALONE:
        amounts: dict[str, list[float]] = {}
        for attempt in attempts.get(method, ()):
            for feature, nats in attempt.alone.items():
                amounts.setdefault(feature, []).append(nats)
        found = {feature: max(0.0, fmean(values)) for feature, values in amounts.items()} | found
    return found


def _check_share(held_out: float) -> float:
    if not is_finite(held_out) or not 0 < held_out < 1:
        raise InputError(f"held_out must be a share between 0 and 1, got {brief(held_out)}.")
    return float(held_out)


def _check_seconds(time_limit: float | None) -> float | None:
    if time_limit is None:
        return None
    if not is_finite(time_limit) or time_limit <= 0:
        raise InputError(f"time_limit must be a number of seconds above 0, got {brief(time_limit)}.")
    return float(time_limit)


def _as_count(n_features: int | None, n_columns: int) -> int | None:
    if n_features is None:
        return None
    if not isinstance(n_features, numbers.Integral) or not 1 <= n_features <= n_columns:
        raise InputError(f"n_features is {brief(n_features)}, and X has {n_columns} columns; ask for 1 to {n_columns}.")
    return int(n_features)


def _check_device(device: str) -> None:
    from minerva_select.runtime.device import find_device  # noqa: PLC0415 - loads torch

    find_device(device)


@contextmanager
def _open_cells(cache_dir: str | os.PathLike[str] | None) -> Iterator[Records]:
    """The store of finished cells: in the folder given, else in one that is gone afterwards."""
    if cache_dir is None:
        with tempfile.TemporaryDirectory() as temporary:
            yield Records(Path(temporary) / CELLS)
        return
    folder = as_path("cache_dir", cache_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        cells = Records(folder / CELLS)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"{brief(str(cache_dir))} cannot hold the finished cells: {reason}; choose another cache_dir."
        ) from None
    yield cells
