"""Fit a selector many times, with other seeds or on other rows, to see how stable a selection is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.checks import check_callable, check_integer, is_finite
from minerva_select.data.frames import as_table, as_target
from minerva_select.data.splits import split_rows
from minerva_select.errors import InputError, InputTypeError, brief
from minerva_select.evaluation.backends import limit_threads, n_bytes, user_backend
from minerva_select.evaluation.dataset import as_arrow, stratify
from minerva_select.evaluation.leaderboard import jaccard
from minerva_select.preprocessing.column_types import infer_target_types
from minerva_select.results import Progress, Repeats, Selection
from minerva_select.schema import Table


@dataclass(frozen=True, eq=False)
class _Data:
    """What all fits read."""

    table: Table
    target: Table
    strata: NDArray[np.int64] | None

    def __sizeof__(self) -> int:
        return n_bytes((*self.table.columns, *self.target.columns))


def repeat_fits(
    selector: Any,
    X: Any,
    y: Any,
    *,
    n_repeats: int,
    subsample: float | None = None,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> list[Selection]:
    """Fit a selector many times: on all rows with another seed each time, or on random subsamples.

    The fits run through joblib, so within ``joblib.parallel_config(backend="dask")`` they run on a Dask cluster. Each
    fit is limited to its share of the cores.

    Parameters
    ----------
    selector : selector
        What to fit; it is cloned and not changed.
    X, y : table and target
        As in its ``fit``.
    n_repeats : int
        Number of fits.
    subsample : float, optional
        Share of the rows, drawn without replacement and stratified by the target; None takes all rows.
    random_state : int, RandomState or None
        Seed of all seeds. The first fits do not depend on ``n_repeats``, ``n_jobs`` and the backend: they are equal bit
        for bit if a fit uses one thread, as MINERVA does below 20,000 rows.
    n_jobs : int, optional
        Fits at a time, as in joblib; None is one, or the number of workers of the backend.
    progress : callable, optional
        Called with a :class:`.Progress` after each fit, in order. Backends that return all fits together, such as
        multiprocessing, call it at the end.

    Returns
    -------
    list of Selection
        One per fit, with its seed in ``settings["random_state"]``.

    Examples
    --------
    How often is each column among the best five, when half of the rows are left out?

    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import MRMRSelector
    >>> problem = additive(n_samples=2_000, n_features=8, random_state=0)
    >>> selector = MRMRSelector(n_features_to_select=5)
    >>> found = repeat_fits(selector, problem.X, problem.y, n_repeats=4, subsample=0.5, random_state=0)
    >>> [sum(name in selection.selected for selection in found) for name in problem.X.columns]
    [4, 4, 4, 4, 4, 0, 0, 0]
    """
    from joblib import Parallel, delayed, effective_n_jobs  # noqa: PLC0415 - takes 0.1 s

    from minerva_select.selectors.parameters import as_generator, check_jobs  # noqa: PLC0415 - loads torch

    n_repeats = check_integer("n_repeats", n_repeats, 1, 1_000_000)
    _check_share(subsample)
    check_jobs(n_jobs)
    check_callable(progress)
    if not hasattr(selector, "get_params") or isinstance(selector, type):
        raise InputTypeError(f"selector must be a selector, such as MinervaSelector(), got {brief(selector)}.")
    data = _read(X, y, getattr(selector, "target_type", "auto"), is_stratified=subsample is not None)
    root = np.random.SeedSequence(int(as_generator(random_state).integers(2**63)))
    n_parallel = min(n_repeats, effective_n_jobs(n_jobs))
    backend = user_backend()
    streams = backend is None or getattr(backend, "supports_return_generator", False)
    fits = Parallel(n_jobs=n_jobs, return_as="generator" if streams else "list")(
        delayed(_fit)(selector, data, subsample, seed, n_parallel) for seed in root.spawn(n_repeats)
    )
    found: list[Selection] = []
    for selection in fits:
        found.append(selection)
        if progress is not None:
            progress(Progress(f"fit {len(found)} of {n_repeats}", len(found) / n_repeats))
    return found


def with_frequencies(selection: Selection, repeats: Sequence[Selection], subsample: float | None = None) -> Selection:
    """Add to a selection how often repeated fits selected each feature, and how much the fits agree.

    Parameters
    ----------
    selection : Selection
        The answer.
    repeats : list of Selection
        Fits on the same columns, from :func:`repeat_fits`.
    subsample : float, optional
        Share of the rows in each of them; None: all.

    Returns
    -------
    Selection
        The same answer with the ``frequency`` of every feature and with ``repeats``. The agreement is the mean Jaccard
        similarity of all pairs of fits; 1 if there is only one fit.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import MRMRSelector
    >>> problem, selector = additive(2_000, n_features=8, random_state=0), MRMRSelector(n_features_to_select=5)
    >>> found = repeat_fits(selector, problem.X, problem.y, n_repeats=4, subsample=0.5, random_state=0)
    >>> with_frequencies(selector.fit(problem.X, problem.y).selection_, found, subsample=0.5).repeats
    Repeats(n_fits=4, subsample=0.5, agreement=1.0)
    """
    _check_share(subsample)
    if not isinstance(repeats, Sequence) or not repeats:
        raise InputError(f"repeats must be a list of selections, got {brief(repeats)}; repeat_fits makes them.")
    for one in (selection, *repeats):
        if not isinstance(one, Selection):
            raise InputTypeError(f"A selection and its repeats must be of type Selection, got {brief(one)}.")
    names = {result.feature for result in selection.features}
    for repeat in repeats:
        if unshared := names ^ {result.feature for result in repeat.features}:
            raise InputError(
                f"All repeats must have the columns of the selection, but {min(unshared)!r} is not in all of them."
            )
    found = [frozenset(repeat.selected) for repeat in repeats]
    shares = [jaccard(one, two) for one, two in combinations(found, 2)]
    features = [
        replace(result, frequency=fmean(result.feature in chosen for chosen in found)) for result in selection.features
    ]
    agreement = fmean(shares) if shares else 1.0
    return replace(selection, features=tuple(features), repeats=Repeats(len(found), subsample, agreement))


def _fit(
    selector: Any, data: _Data, subsample: float | None, seed: np.random.SeedSequence, n_parallel: int
) -> Selection:
    from joblib import parallel_config  # noqa: PLC0415
    from sklearn.base import clone  # noqa: PLC0415

    rng = np.random.default_rng(seed)
    fresh = clone(selector)
    if "random_state" in fresh.get_params():
        fresh.set_params(random_state=int(rng.integers(2**31)))  # drawn first, so that it does not depend on subsample
    table, target = data.table, data.target
    if subsample is not None:
        chosen = split_rows(table.n_rows, [subsample, 1 - subsample], data.strata, rng)[0]
        table, target = table.take(chosen), target.take(chosen)
    # Nested parallelism by threads: a cluster would get the trees of a forest one by one
    with limit_threads(n_parallel), parallel_config(backend="threading"):
        selection: Selection = fresh.fit(as_arrow(table.columns), as_arrow(target.columns)).selection_
    return selection


def _read(X: Any, y: Any, target_type: str, *, is_stratified: bool) -> _Data:
    table = as_table(X)
    target = as_target(y, table.n_rows)
    strata = None
    if is_stratified and len(target.columns) == 1:
        strata = stratify(target.columns[0], infer_target_types(target, target_type).is_discrete)
    return _Data(table, target, strata)


def _check_share(subsample: float | None) -> None:
    if subsample is not None and not (is_finite(subsample) and 0 < subsample < 1):
        raise InputError(f"subsample must be a share between 0 and 1, or None for all rows, got {brief(subsample)}.")
