"""Algorithm 1 of the paper as a scikit-learn selector."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import ReasonCode, WarningCode
from minerva_select.config import SPLITS, TARGET_BINS, PaperSettings
from minerva_select.mi.inference import MeanEstimate
from minerva_select.preprocessing.column_types import CategoricalFeatures
from minerva_select.preprocessing.table_encoder import TableEncoder
from minerva_select.preprocessing.target_bins import fit_target_bins
from minerva_select.results import FeatureResult, Progress, Reason, Selection, SelectionWarning, WeightRecord
from minerva_select.results.provenance import versions
from minerva_select.runtime.allocator import reuse_freed_memory
from minerva_select.runtime.rng import seeded_rng
from minerva_select.selectors.estimation import as_estimate
from minerva_select.selectors.fit_context import FitContext, empty_selection
from minerva_select.selectors.fold_splits import as_rows, check_parts
from minerva_select.selectors.progress import PAPER_STAGES, Stage
from minerva_select.selectors.solver_selector import SolverSelector
from minerva_select.selectors.usable_columns import FeatureGroups
from minerva_select.solvers.paper import PaperSolution, solve_paper

_UNUSED = (ReasonCode.CONSTANT, ReasonCode.ALL_MISSING, ReasonCode.IDENTIFIER, ReasonCode.DROPPED_ON_REQUEST)
MAX_WEIGHTS = 24  # features whose weights are recorded during training


class PaperSelector(SolverSelector):
    """Select features with Algorithm 1 of the paper.

    A critic is trained on all features, then the critic and one weight per feature descend on the loss of eq. 9; the
    features whose weight stays above the threshold are selected. :class:`MinervaSelector` is the better default.

    Parameters
    ----------
    n_features_to_select : int or None
        Number of features to keep, those of the largest weights; None keeps all weights above ``threshold``.
    sparsity, norm_drift, target_norm : float
        The paper's c1, c2 and a: coefficients of the sparsity ratio and of the drift of the norm of the weights, and
        the norm that they keep.
    learning_rate : float
        The paper's r, of the critic.
    threshold : float
        The paper's epsilon: weights up to it count as zero.
    categorical_features, target_type, keep, drop, feature_groups, redundant
        As in :class:`MinervaSelector`.
    device, time_limit, max_memory, cache_dir, resume, random_state, verbose, callbacks
        As in :class:`MinervaSelector`; the table must fit in memory.

    Attributes
    ----------
    selection_, support_, weights_, history_
        As in :class:`MinervaSelector`; ``weights_`` are the weights p.
    scores_ : ndarray of float of shape (n_features,)
        The weights p; NaN for columns that were not fitted.

    Examples
    --------
    >>> from minerva_select.problems import equality
    >>> from minerva_select.selectors import PaperSelector
    >>> problem = equality(n_samples=2_000, n_features=4, n_levels=2, relevant=(0, 2), random_state=0)
    >>> selector = PaperSelector(2, time_limit=1, random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().shape
    (2,)
    """

    _stages: ClassVar[tuple[Stage, ...]] = PAPER_STAGES
    _streams: ClassVar[bool] = False
    _merges: ClassVar[bool] = False

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        sparsity: float = PaperSettings.sparsity,
        norm_drift: float = PaperSettings.norm_drift,
        target_norm: float = PaperSettings.target_norm,
        learning_rate: float = PaperSettings.learning_rate,
        threshold: float = PaperSettings.threshold,
        categorical_features: CategoricalFeatures = "auto",
        target_type: str = "auto",
        keep: Sequence[str] = (),
        drop: Sequence[str] = (),
        feature_groups: FeatureGroups = None,
        redundant: str = "drop",
        device: str = "auto",
        time_limit: float | None = None,
        max_memory: int | str | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        resume: bool = False,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        callbacks: Sequence[Callable[[Progress], object]] = (),
    ) -> None:
        super().__init__(
            n_features_to_select,
            categorical_features=categorical_features,
            target_type=target_type,
            keep=keep,
            drop=drop,
            feature_groups=feature_groups,
            redundant=redundant,
            device=device,
            time_limit=time_limit,
            max_memory=max_memory,
            cache_dir=cache_dir,
            resume=resume,
            random_state=random_state,
            verbose=verbose,
            callbacks=callbacks,
        )
        self.sparsity = sparsity
        self.norm_drift = norm_drift
        self.target_norm = target_norm
        self.learning_rate = learning_rate
        self.threshold = threshold

    def _solve(self, context: FitContext) -> Selection:
        settings = replace(
            PaperSettings(),
            sparsity=float(self.sparsity),
            norm_drift=float(self.norm_drift),
            target_norm=float(self.target_norm),
            learning_rate=float(self.learning_rate),
            threshold=float(self.threshold),
        )
        return select_by_weights(context, settings)

    def _score(self, result: FeatureResult) -> float:
        return np.nan if result.reason.code in _UNUSED else result.weight


def select_by_weights(context: FitContext, settings: PaperSettings) -> Selection:
    """Run Algorithm 1 on a table and build the selection."""
    if not context.order:
        return empty_selection(context)
    share = max(SPLITS.paper_held_out_share, 2 / context.table.n_rows)  # one row has no variance
    parts = context.row_metadata.split([1 - share, share], None, context.rng)
    check_parts(context.target, parts, context.row_metadata)
    n_rows = sum(map(len, parts))
    train, held_out = (_draw(rows, context.weights, context.rng) for rows in parts)
    table = context.table.select(context.order)
    x_encoder = TableEncoder(context.columns.column_types).fit(table.take(train))
    y_encoder = TableEncoder(context.target_types.column_types).fit(context.target.take(train))
    bins = fit_target_bins(y_encoder.transform(context.target.take(train)), TARGET_BINS.max_bins, random_state=0)
    entropy = bins.entropy if bins.is_discrete else math.inf
    x, x_held_out, y, y_held_out = (
        as_rows(encoder.transform(source.take(rows)), context.device)
        for encoder, source in ((x_encoder, table), (y_encoder, context.target))
        for rows in (train, held_out)
    )
    unit_of = {feature: unit for unit, features in enumerate(context.units) for feature in features}
    with reuse_freed_memory(), seeded_rng(int(context.rng.integers(2**31)), context.device) as generator:
        solution = solve_paper(
            x,
            y,
            (x_held_out, y_held_out),
            [unit_of[feature] for feature in range(len(context.order))],
            settings,
            context.run(generator, context.on_record),
        )
    weights = dict(zip(context.order, solution.weights.tolist(), strict=True))
    copies: dict[str, list[str]] = {}
    for copy, original in context.columns.originals.items():
        copies.setdefault(original, []).append(copy)
    chosen = _chosen(weights, context)
    return Selection(
        target=context.target_name,
        features=tuple(_result(name, weights, chosen, copies, context) for name in context.table.names),
        mutual_information=as_estimate(solution.kept, entropy, 0.0, n_rows),
        total_information=as_estimate(max(solution.kept, solution.total, key=_mean), entropy, 0.0, n_rows),
        n_rows=n_rows,
        target_entropy=bins.entropy if bins.is_discrete else None,
        history=solution.records,
        converged=solution.converged,
        warnings=(*context.warnings(n_rows, converged=solution.converged), *_training_warnings(solution, context)),
        settings=context.settings,
        versions=versions(),
        weight_history=_weight_history(solution, context),
    )


def _training_warnings(solution: PaperSolution, context: FitContext) -> tuple[SelectionWarning, ...]:
    """A warning if the network had time to learn and learned nothing."""
    has_learned = max(solution.total.interval[0], solution.kept.interval[0]) > 0
    if has_learned or context.deadline.remaining < 0:
        return ()
    return (SelectionWarning(WarningCode.NOTHING_LEARNED),)


def _weight_history(solution: PaperSolution, context: FitContext) -> tuple[WeightRecord, ...]:
    """Weights during the second stage, for the features whose weights ended or ever were the largest."""
    path = solution.weight_path
    if not len(path):
        return ()
    order = (solution.weights + path.amax(0) / (1 + path.max())).argsort(descending=True, stable=True)
    shown = order[:MAX_WEIGHTS].sort().values.tolist()
    steps = [record.step for record in solution.records if record.stage == "sparsify"]
    return tuple(
        WeightRecord(step, {context.order[feature]: weights[feature] for feature in shown})
        for step, weights in zip(steps, path.tolist(), strict=True)
    )


def _draw(rows: NDArray[np.int64], weights: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Resample rows in proportion to their weights, since Algorithm 1 has none; unchanged if all are equal."""
    share = weights[rows] / weights[rows].sum()
    return rows if np.ptp(share) == 0 else rng.choice(rows, size=len(rows), p=share)


def _mean(evidence: MeanEstimate) -> float:
    return evidence.mean


def _chosen(weights: dict[str, float], context: FitContext) -> set[str]:
    """Columns with positive weights, or the requested number of largest weights, and those kept on request."""
    units = [[context.order[position] for position in positions] for positions in context.units]
    kept = frozenset(context.kept_units)
    by_weight = sorted(
        (unit for unit in range(len(units)) if unit not in kept), key=lambda unit: -weights[units[unit][0]]
    )
    if context.n_features is None:
        free = [unit for unit in by_weight if weights[units[unit][0]] > 0]
    else:
        free = by_weight[: max(0, context.n_features - len(kept))]
    return {name for unit in (*kept, *free) for name in units[unit]}


def _result(
    name: str, weights: dict[str, float], chosen: set[str], copies: dict[str, list[str]], context: FitContext
) -> FeatureResult:
    unused = context.unused_result(name)
    if unused is not None:
        return unused
    original = context.columns.originals.get(name)
    if original is not None:
        selected = context.keep_redundant and original in chosen
        reason = Reason(ReasonCode.EQUIVALENT, (original,))
        return FeatureResult(name, selected, reason, weights[original] if selected else 0.0)
    weight = weights[name]
    if name not in chosen:
        reason = (
            Reason(ReasonCode.ZERO_WEIGHT)
            if weight == 0
            else Reason(ReasonCode.BEYOND_COUNT, values={"weight": weight})
        )
        return FeatureResult(name, False, reason)
    by_weight = (
        Reason(ReasonCode.POSITIVE_WEIGHT, values={"weight": weight})
        if weight > 0
        else Reason(ReasonCode.TO_REACH_COUNT)
    )
    substitutes = tuple(copies.get(name, ()))
    return FeatureResult(name, True, context.request_reason(name) or by_weight, weight, substitutes=substitutes)
