"""MINERVA as a scikit-learn selector."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Self

import torch
from sklearn.utils.validation import check_is_fitted

from minerva_select.codes import WarningCode
from minerva_select.config import FitConfig
from minerva_select.data.encoded_hashes import EncodedHashes
from minerva_select.data.encoded_rows import PackedRows, Rows
from minerva_select.mi.fold import Target
from minerva_select.preprocessing.duplicated_rows import find_copies
from minerva_select.results import Selection, SelectionWarning, TrainingRecord
from minerva_select.results.provenance import versions
from minerva_select.results.resize import resize
from minerva_select.runtime.allocator import reuse_freed_memory
from minerva_select.runtime.device import limit_threads
from minerva_select.runtime.rng import seeded_rng
from minerva_select.selectors.effects import measure_effects
from minerva_select.selectors.estimation import as_estimate
from minerva_select.selectors.fit_context import FitContext, empty_selection
from minerva_select.selectors.fit_reuse import SHARED_FITS, FittedAttributes, fit_key
from minerva_select.selectors.fold_splits import RowSplit, encode_shard, informative_rows, make_folds, split_into_folds
from minerva_select.selectors.model_cost import measure_cost
from minerva_select.selectors.numeric_target import SetEstimates, raise_contributions, refine_columns, refine_sets
from minerva_select.selectors.parameters import check_count, check_minimum, check_parameters
from minerva_select.selectors.result_builder import ResultBuilder
from minerva_select.selectors.solver_selector import SolverSelector
from minerva_select.selectors.suspicious_columns import find_suspects, suspect_warnings
from minerva_select.solvers.vetting import VettingSolution, solve_vetting


class MinervaSelector(SolverSelector):
    """Select the features that carry information about a target, together.

    Finds features that matter alone and features that matter only jointly, drops redundant ones, and reports how much
    each kept feature contributes on held-out rows.

    Parameters
    ----------
    n_features_to_select : int or None
        Number of features to keep (a group counts as one); None lets the tests decide.
    categorical_features : "auto", list of str, or mapping of str to bool
        Columns to read as categorical. "auto": text, booleans, categories, and integers with few distinct values. A
        list: exactly these, and all that are not numbers. A mapping such as ``{"zip": True, "rating": False}``: these
        are categorical or numeric, and all others as with "auto".
    target_type : {"auto", "discrete", "continuous"}
        How to read the target.
    keep, drop : sequence of str
        Columns to keep or drop, whatever they carry.
    feature_groups : mapping of str to list of str, or list of lists, optional
        Columns that are selected or dropped together.
    redundant : {"drop", "keep"}
        Whether to drop features whose information others carry. Ignored if ``n_features_to_select`` is a number.
    proven_only : bool
        Whether to keep only features whose own contribution is proven on held-out rows. By default supporting features
        are kept too: those that add information together, though none of them is proven alone.
    min_features_to_select : int
        Smallest number of features (a group counts as one), for pipelines that cannot work with none. If the tests
        find fewer, the best others by their ranking are kept too, with the reason ``to_reach_minimum`` and a warning.
    reuse_fit : bool
        Whether fits of the same data that differ only in ``n_features_to_select`` share one fit, as a grid search over
        it needs. The selections are then those of :meth:`with_n_features`. Needs an integer ``random_state``.
    device : str
        "auto", "cpu", "cuda", "mps", ...
    time_limit : float, optional
        Seconds after which the fit ends with the best selection so far. If the limit is too short to encode all rows,
        the fit uses a random sample with all rows of rare target values, and warns.
    max_memory : int or str, optional
        Memory that a fit may use, in bytes or such as ``"4GB"``; half of the free memory by default. Larger tables are
        encoded into files in blocks and read from there.
    cache_dir : path, optional
        Folder for encoded rows and checkpoints, so that a killed fit can be resumed. By default encoded rows go to a
        temporary folder and no checkpoints are written.
    resume : bool
        Continue the fit of the same data, parameters and seed whose checkpoints are in ``cache_dir``.
    random_state : int, RandomState or None
        The same seed gives the same result, bit for bit on the CPU, whatever the order of the columns.
    verbose : int
        Whether to print the progress; it is logged instead where a log shows messages of level INFO.
    callbacks : sequence of callables
        Each is called with a :class:`minerva_select.results.Progress` during the fit; if one returns True, the fit ends
        soon with the best selection so far. :mod:`minerva_select.callbacks` has a few.

    Attributes
    ----------
    selection_ : Selection
        Kept and dropped features with reasons, contributions and intervals.
    support_ : ndarray of bool of shape (n_features,)
        Mask of the selected features.
    scores_ : ndarray of float of shape (n_features,)
        Contribution of each feature in nats, given the selected ones; NaN if it was not measured.
    weights_ : ndarray of float of shape (n_features,)
        Contribution of each selected feature relative to the largest one; 0 for dropped features.
    history_ : tuple of TrainingRecord
        Training loss and held-out bound of all stages.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    The target is whether two columns are equal: neither carries information alone.

    >>> from minerva_select import MinervaSelector
    >>> from minerva_select.problems import equality
    >>> problem = equality(n_samples=20_000, n_features=6, relevant=(1, 4), random_state=0)
    >>> selector = MinervaSelector(random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f1', 'f4']
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, times: Any = None) -> Self:
        """Find the features of X that carry information about y; see :meth:`SolverSelector.fit`."""
        if not self.reuse_fit:
            return super().fit(X, y, sample_weight, groups=groups, times=times)
        check_parameters(self.get_params(deep=False))
        n_features = self.n_features_to_select
        n_columns = X.shape[1] if len(getattr(X, "shape", ())) == 2 else math.inf
        check_count(n_features, n_columns)
        check_minimum(self.min_features_to_select, n_features, n_columns)

        def fit_all() -> FittedAttributes:
            other = copy.copy(self)
            other.n_features_to_select, other.reuse_fit = None, False
            other.fit(X, y, sample_weight, groups=groups, times=times)
            return _fitted_attributes(other)

        key = fit_key(self.get_params(deep=False), (X, y, sample_weight, groups, times))
        attributes = SHARED_FITS.get_or_fit(key, fit_all)
        self.__dict__.update({name: copy.copy(value) for name, value in attributes.items()})  # arrays can be changed
        if n_features is not None:
            self._finish(resize(self.selection_, n_features, "n_features_to_select"))
        return self

    def with_n_features(self, n_features: int) -> Self:
        """Return a fitted selector that keeps the best ``n_features`` features, without another fit.

        A fit with ``n_features_to_select=n_features`` selects the same features; see
        :meth:`minerva_select.Selection.with_n_features` for what its selection has.

        Parameters
        ----------
        n_features : int
            Number of features to keep (a group counts as one), at least as many as ``keep`` names.

        Returns
        -------
        MinervaSelector
            A fitted copy.

        Examples
        --------
        >>> from minerva_select import MinervaSelector
        >>> from minerva_select.problems import redundant
        >>> problem = redundant(n_samples=300, random_state=0)
        >>> selector = MinervaSelector(random_state=0).fit(problem.X, problem.y)  # doctest: +SKIP
        >>> selector.with_n_features(5).transform(problem.X).shape  # doctest: +SKIP
        (300, 5)
        """
        check_is_fitted(self)
        selection, other = resize(self.selection_, n_features), copy.copy(self)
        other.n_features_to_select = n_features
        other.min_features_to_select = min(self.min_features_to_select, n_features)
        other._finish(selection)
        return other

    def _solve(self, context: FitContext) -> Selection:
        return select_by_vetting(context)


def _fitted_attributes(selector: MinervaSelector) -> FittedAttributes:
    return {name: value for name, value in vars(selector).items() if name.endswith("_") and not name.startswith("_")}


@dataclasses.dataclass(frozen=True)
class _Solved:
    """What the solver found, and the rows that it used."""

    solution: VettingSolution
    context: FitContext
    target: Target
    splits: Sequence[RowSplit]
    records: list[TrainingRecord]
    streamed: bool  # whether batches were sent to the device one by one


def select_by_vetting(context: FitContext) -> Selection:
    """Screen, learn, sparsify, vet, and describe what was found."""
    return _describe(_solve_folds(context)) if context.order else empty_selection(context)


def _solve_folds(context: FitContext) -> _Solved:
    """Encode the rows, split them into folds and solve; if the device is too small for all rows, with batches."""
    table, column_types = context.table.select(context.order), context.columns.column_types
    x: Rows
    if context.stream is not None:
        packed, sharding = context.stream.encode(table, column_types, context.run_directory.key, context.device)
        context, x = _group_copies(context, packed), packed
    row_metadata = context.row_metadata
    n_informative = min(informative_rows(context.target, context.target_types), row_metadata.n_independent)
    plan = row_metadata.adapt(FitConfig.for_rows(context.n_rows, n_informative))
    splits = split_into_folds(context.target, context.target_types, plan, context.rng, row_metadata)
    records: list[TrainingRecord] = []

    def on_record(record: TrainingRecord) -> None:
        records.append(record)
        context.on_record(record)

    if context.stream is None:
        x, sharding = encode_shard(table, column_types, splits, context.device, context.ranks)
    seed, device = int(context.rng.integers(2**31)), context.device

    def solve(x: Rows) -> tuple[Target, VettingSolution]:
        records.clear()
        groups, weights = row_metadata.groups, context.weights
        folds = make_folds(x, context.target, context.target_types, weights, groups, splits, device, sharding)
        with (
            limit_threads(plan.max_threads),
            reuse_freed_memory(enabled=context.stream is None),
            seeded_rng(seed, device) as generator,
        ):
            return folds[0].target, solve_vetting(
                folds,
                context.units,
                context.kept_units,
                plan,
                context.run(generator, on_record),
                n_to_select=context.n_features,
                min_to_select=context.min_features,
                proven_only=context.proven_only,
            )

    try:
        target, solution = solve(x)
    except torch.OutOfMemoryError:  # keep the rows in main memory and send batches to the device
        x = x.pack().to(torch.device("cpu")).streamed_to(context.device)
        target, solution = solve(x)
    streamed = isinstance(x, PackedRows) and x.batch_device is not None
    return _Solved(refine_columns(solution, context), context, target, splits, records, streamed)


def _describe(solved: _Solved) -> Selection:
    """Name the features that were found, and add what is measured after the fit."""
    solution, context, splits = solved.solution, solved.context, solved.splits
    builder = ResultBuilder(solution, context.units, context)
    entropy, n_rows = solved.target.entropy, splits[0].n_rows
    information, total = (
        as_estimate(evidence, entropy, 0.0, n_rows) for evidence in (solution.information, solution.total)
    )
    left = solution.left_behind
    features, suspects = builder.results(), find_suspects(solution, context)
    kept = [context.order[feature] for unit in solution.selected for feature in context.units[unit]]
    sets = refine_sets(SetEstimates(information, total), kept, context)
    features = raise_contributions(features, max(0.0, sets.kept.high - information.high))
    pairs = builder.pairs()
    cost = measure_cost(context, splits, features)
    warnings = (
        *context.warnings(n_rows, converged=solution.converged, still_rising=solution.still_rising),
        *suspect_warnings(suspects, context.target_name, {one.feature for one in features if one.selected}),
        *builder.training_warnings(),
        *builder.minimum_warnings(),
        *([SelectionWarning(WarningCode.STREAMED_TO_DEVICE)] if solved.streamed else []),
    )
    return Selection(
        target=context.target_name,
        features=features,
        mutual_information=sets.kept,
        total_information=sets.total,
        n_rows=n_rows,
        target_entropy=entropy if solved.target.is_discrete else None,
        path=builder.path(sets.kept, sets.kept.nats / information.nats if information.nats > 0 else 1.0),
        history=tuple(solved.records),
        converged=solution.converged,
        warnings=warnings,
        settings=context.settings,
        versions=versions(),
        pairs=pairs,
        suspects=suspects,
        weight_history=builder.weight_history(),
        left_behind=None if left is None else as_estimate(left, entropy, 0.0, n_rows),
        effects=measure_effects(context, splits, features, pairs),
        ranking=builder.ranking(),
        cost=cost,
    )


def _group_copies(context: FitContext, x: PackedRows) -> FitContext:
    """Find copies of rows in a stream by their encodings: values that are encoded alike count as equal."""
    identifiers = context.columns.identifiers
    features = [position for position, name in enumerate(context.order) if name not in identifiers]
    copies = find_copies(EncodedHashes(x, features, context.ranks), context.target)
    return dataclasses.replace(context, row_metadata=context.row_metadata.group_copies(copies))
