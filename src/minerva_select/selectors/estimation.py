"""Estimate mutual information on held-out rows."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from minerva_select.checks import check_choice
from minerva_select.codes import EstimateDoubt, EstimateNote, Estimator
from minerva_select.config import DENSITY_RATIO, ESTIMATION, JUDGE, FitConfig
from minerva_select.data.frames import as_table, as_target
from minerva_select.data.splits import check_rows
from minerva_select.errors import InputError, MinervaWarning
from minerva_select.mi.arrays import shared_tuning_rows
from minerva_select.mi.critic_training import fit_critics
from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics
from minerva_select.mi.families import ArrayCritics
from minerva_select.mi.fold import Fold, held_out_clusters
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.mi.stacking import FoldInformation, stack
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.preprocessing.column_names import resolve_categorical
from minerva_select.preprocessing.column_types import (
    CategoricalFeatures,
    TargetTypes,
    infer_column_types,
    infer_target_types,
)
from minerva_select.preprocessing.duplicated_rows import TableRows, find_copies
from minerva_select.preprocessing.duplicates import find_unusable
from minerva_select.preprocessing.identifiers import find_identifiers
from minerva_select.results import Estimate
from minerva_select.runtime.allocator import reuse_freed_memory
from minerva_select.runtime.device import MAX_THREADS, find_device, limit_threads
from minerva_select.runtime.rng import seeded_rng
from minerva_select.schema import Column, ColumnType, Table
from minerva_select.selectors.baseline_estimates import check_only_numeric, estimate_by_baseline, read_numeric_sides
from minerva_select.selectors.class_limits import allow_for_merged_classes, allow_for_unseen
from minerva_select.selectors.continuous_estimate import (
    configure_folds,
    estimate_continuous,
    read_question,
    sample_rows,
)
from minerva_select.selectors.device_fallback import compute_or_fall_back
from minerva_select.selectors.fold_splits import encode, make_folds, split_into_folds
from minerva_select.selectors.parameters import as_generator
from minerva_select.selectors.row_metadata import RowMetadata, read_row_metadata
from minerva_select.solvers.candidate_search import SearchContext, search_candidates
from minerva_select.solvers.screen import screen_fold


@limit_threads()
@reuse_freed_memory()
def mutual_information(
    X: Any,
    y: Any,
    given: Any = None,
    *,
    estimator: str = "auto",
    target_type: str = "auto",
    categorical_features: CategoricalFeatures = "auto",
    device: str = "auto",
    random_state: int | np.random.RandomState | None = None,
    groups: Any = None,
    times: Any = None,
) -> Estimate:
    """Estimate the mutual information of X and y, in nats, with a 95% interval.

    Models are fitted to part of the rows and judged on the others; every row is judged once (with ``times``, only the
    latest rows).

    For a discrete y, critics, boosted trees and an additive model estimate the probability of each class. The estimate
    is a lower bound in expectation: it lacks what they have not learned. For a continuous y, copulas, critics and trees
    estimate the density ratio of X and y from the ranks of their columns, without discretizing them. The estimate is
    corrected for what fitting costs, and the interval includes what may not have been learned. No increasing or
    decreasing map of a numeric column changes it.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        NumPy array, pandas, polars or Arrow table.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Classes, or one or several columns of which at least one is continuous.
    given : table of shape (n_samples, n_conditions), optional
        Estimate the conditional mutual information I(X; y | given).
    estimator : {"auto", "ksg", "cca", "infonce", "mine"}
        "auto" is the method described above. The others are published baselines for comparison, for numeric columns
        without missing values: nearest neighbors (KSG), canonical correlations (CCA, exact for normal columns), and
        critics that maximize the bounds InfoNCE or MINE.
    target_type : {"auto", "discrete", "continuous"}
        How to read y.
    categorical_features : "auto", list of str, or mapping of str to bool
        Columns of X and ``given`` to read as categorical, as in :class:`MinervaSelector`.
    device : str
        "auto", "cpu", "cuda", "mps", ...; a continuous y is always estimated on the CPU.
    random_state : int, RandomState or None
        Seed of all random draws.
    groups, times : array-like of shape (n_samples,), optional
        Group and time of each row, as in :meth:`MinervaSelector.fit`.

    Returns
    -------
    Estimate
        The estimate, with attributes ``nats``, ``low``, ``high``, ``bits``, ``reliable`` and ``doubt``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.integers(0, 2, size=(400, 1))
    >>> estimate = mutual_information(x, x[:, 0], random_state=0)
    >>> bool(estimate.low <= np.log(2) + 0.01 and abs(estimate.nats - np.log(2)) < 0.05)
    True
    """
    check_choice("estimator", estimator, tuple(Estimator))
    table = as_table(X)
    y_table = as_target(y, table.n_rows)
    check_rows(table.n_rows)
    row_metadata = read_row_metadata(groups, times, table.n_rows)
    torch_device = find_device(str(device))
    rng = as_generator(random_state)
    condition = None if given is None else as_table(given, "given")
    if condition is not None and condition.n_rows != table.n_rows:
        raise InputError(f"X has {table.n_rows} rows and given has {condition.n_rows}; give the same rows.")
    if estimator != Estimator.AUTO:
        check_only_numeric(estimator, categorical_features, target_type)
        sides = read_numeric_sides(estimator, table, y_table, condition)
        evidence = estimate_by_baseline(Estimator(estimator), sides, row_metadata, rng, torch_device)
        return as_estimate(evidence, math.inf, 0.0, table.n_rows)
    if condition is not None:
        table = _join(table, condition)
    n_given = 0 if condition is None else len(condition.columns)
    names = (*table.names[n_given:], *table.names[:n_given])  # X first: positions count its columns
    column_types = infer_column_types(table, resolve_categorical(categorical_features, names))
    empty = find_unusable(table)
    n_given = sum(name not in empty for name in table.names[:n_given])
    table = table.select([name for name in table.names if name not in empty])
    if len(table.columns) == n_given:  # all of X is constant or empty
        return Estimate(0.0, 0.0, 0.0, table.n_rows)
    identifiers = find_identifiers(table, column_types)
    without = table.select([name for name in table.names if name not in identifiers])
    row_metadata = row_metadata.group_copies(find_copies(TableRows(without, column_types), y_table))
    target_types = infer_target_types(y_table, target_type)
    if not target_types.is_discrete and n_given == 0 and _is_class(table, column_types):
        # Information is symmetric, and the probability of a class is estimated more precisely
        table, y_table = y_table, table
        column_types, target_types = dict(target_types.column_types), TargetTypes(column_types)
    if not target_types.is_discrete:
        rows = sample_rows(table.n_rows, rng)
        row_metadata = row_metadata if rows is None else row_metadata.take(rows)
        question = read_question(table, n_given, column_types, y_table, target_types, rows)
        config = row_metadata.adapt(configure_folds(row_metadata.n_rows, MAX_THREADS))
        with limit_threads(config.max_threads), seeded_rng(int(rng.integers(2**31)), torch.device("cpu")) as generator:
            return estimate_continuous(question, row_metadata, config, rng, generator)
    rng_state = rng.bit_generator.state

    def estimate_on(device: torch.device) -> Estimate:
        rng.bit_generator.state = rng_state
        return _estimate_discrete(table, n_given, column_types, y_table, target_types, row_metadata, rng, device)

    estimate, warning = compute_or_fall_back(estimate_on, torch_device)
    if warning is not None:
        warnings.warn(str(warning), MinervaWarning, stacklevel=2)
    return estimate


def _estimate_discrete(
    table: Table,
    n_given: int,
    column_types: Mapping[str, ColumnType],
    y_table: Table,
    target_types: TargetTypes,
    row_metadata: RowMetadata,
    rng: np.random.Generator,
    device: torch.device,
) -> Estimate:
    """Estimate by the families of the judge; the first ``n_given`` columns are known."""
    weights = np.ones(table.n_rows)
    config = row_metadata.adapt(_configure(table.n_rows))
    splits = split_into_folds(y_table, target_types, config, rng, row_metadata)
    x = encode(table, column_types, splits, device)
    folds = make_folds(x, y_table, target_types, weights, row_metadata.groups, splits, device)
    with limit_threads(config.max_threads), seeded_rng(int(rng.integers(2**31)), device) as generator:
        everything = list(range(len(table.columns)))
        critics, optimism = _fit_critics(folds, everything, config, generator)
        known, known_optimism = _fit_critics(folds, everything[:n_given], config, generator)
        # What is known without X is known with it, so its critics are in both mixtures
        information = _stack(folds, [*critics, *known]) - _stack(folds, known)
        optimism -= known_optimism
    evidence = estimate_mean(information, torch.ones_like(information), held_out_clusters(folds))
    estimate = as_estimate(allow_for_unseen(evidence, table.n_rows), folds[0].target.entropy, optimism, table.n_rows)
    estimate = allow_for_merged_classes(estimate, y_table, folds[0].target.entropy)
    has_few_rows = table.n_rows < DENSITY_RATIO.few_rows
    return dataclasses.replace(estimate, doubt=EstimateDoubt.FEW_ROWS) if has_few_rows else estimate


def as_estimate(evidence: MeanEstimate, entropy: float, optimism: float, n_rows: int) -> Estimate:
    """An estimate between zero and the entropy of the target, with a note if it reaches the entropy.

    ``optimism`` is how much better the critic does on its own training rows. The truth lies about halfway between the
    two, so the upper end of the interval is raised by half of it. It may exceed the entropy of the target, which is
    itself an estimate from these rows.
    """
    low, high = evidence.interval
    high += max(0.0, optimism) / 2
    nats = min(max(0.0, evidence.mean), entropy)
    note = None
    if evidence.mean > entropy:
        note = EstimateNote.CAPPED
    elif high > entropy:
        note = EstimateNote.EXCEEDS
    return Estimate(
        nats, min(max(0.0, low), nats), max(high, nats), n_rows, note, entropy=None if note is None else entropy
    )


def _configure(n_rows: int) -> FitConfig:
    """As for a selection, but with every row scored once and a lower final learning rate."""
    config = FitConfig.for_rows(n_rows)
    schedule = dataclasses.replace(
        config.schedule,
        max_steps=ESTIMATION.steps_factor * config.schedule.max_steps,
        n_decays=ESTIMATION.n_decays,
        weight_decay=min(ESTIMATION.max_weight_decay, config.schedule.weight_decay),
    )
    return FitConfig(
        n_folds=max(ESTIMATION.min_folds, config.n_folds),
        n_members=ESTIMATION.n_members,
        n_tune_parts=max(2, min(ESTIMATION.max_tune_parts, n_rows // 6)),
        width=config.width,
        dropout=0.0,
        schedule=schedule,
        max_threads=config.max_threads,
    )


def _fit_critics(
    folds: list[Fold], features: list[int], config: FitConfig, generator: torch.Generator
) -> tuple[list[list[FoldInformation]], float]:
    """Critics of all families, as in a selection, and how much more the neural ones find on training rows."""
    if not features:
        return [], 0.0
    worth = _worth_learning(folds, features, generator)
    jobs = [CriticTask(fold, own) for fold, own in zip(folds, worth, strict=True)]
    critics = CrossFitCritics(jobs, config.dropout, config.width)
    fit_critics(critics, config.schedule, TrainingContext(generator), stage="estimate")
    held_out = critics.held_out_information()
    trained = critics.information([fold.train[0][: len(fold.held_out)] for fold in folds])
    optimism = [float(seen.mean() - unseen.mean()) for seen, unseen in zip(trained, held_out, strict=True)]
    neural = [
        FoldInformation.of_values(tuning[: len(shared_tuning_rows(fold))], unseen)
        for fold, tuning, unseen in zip(folds, critics.tuning_information(), held_out, strict=True)
    ]
    arrays = ArrayCritics(folds, generator)
    others = [arrays.fit(family, features) for family in arrays.families]
    return [neural, *others], sum(optimism) / len(optimism)


def _stack(folds: list[Fold], critics: list[list[FoldInformation]]) -> torch.Tensor:
    """Information of every held-out row, fold after fold, by a mixture of critics; 0 without critics."""
    n_held_out = [len(fold.held_out) for fold in folds]
    if not critics:
        return torch.zeros(sum(n_held_out))
    weights = [fold.row_weights[shared_tuning_rows(fold)] for fold in folds]
    return stack(critics, weights, n_held_out).held_out.cpu()


def _worth_learning(folds: list[Fold], features: list[int], generator: torch.Generator) -> list[list[int]]:
    """Informative features by training and tuning rows: learning all columns at once would overfit."""
    if len(features) <= ESTIMATION.few_columns:
        return [features] * len(folds)
    units = [[feature] for feature in features]
    n_rows = len(folds[0].row_weights) // len(folds)  # every fold has a stretch of its own
    workshop = SearchContext(units, [], FitConfig.for_rows(n_rows), TrainingContext(generator))
    screens = [screen_fold(fold) for fold in folds]
    return [workshop.features_of(proposal.units) for proposal in search_candidates(folds, screens, workshop)]


def _is_class(table: Table, column_types: Mapping[str, ColumnType]) -> bool:
    """Whether a table is a single categorical column with few levels, present in every row."""
    column = table.columns[0]
    if len(table.columns) > 1 or column_types[column.name] != ColumnType.CATEGORICAL or column.missing.any():
        return False
    return len(np.unique(column.values)) <= JUDGE.max_classes


def _join(table: Table, condition: Table) -> Table:
    """Join the columns of both tables, the condition first, under distinct names."""
    columns: list[Column] = []
    taken = set(table.names)
    for column in condition.columns:
        name = column.name
        while name in taken:
            name = f"given {name}"
        taken.add(name)
        columns.append(dataclasses.replace(column, name=name))
    return Table((*columns, *table.columns), table.n_rows)
