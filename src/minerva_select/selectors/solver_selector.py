"""What MinervaSelector and PaperSelector share: reading the input, running a solver, keeping the result."""

from __future__ import annotations

import dataclasses
import os
import time
import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray

from minerva_select.checks import as_path, check_feature_count
from minerva_select.codes import WarningCode
from minerva_select.data.frames import as_target
from minerva_select.data.memory_budget import MemoryBudget, rows_within_time_limit
from minerva_select.data.splits import check_rows
from minerva_select.errors import InputError, MinervaWarning
from minerva_select.preprocessing.column_types import CategoricalFeatures, TargetTypes, infer_target_types
from minerva_select.results import FeatureResult, Progress, Provenance, Selection, TrainingRecord
from minerva_select.runtime import distributed
from minerva_select.runtime.deadline import Deadline
from minerva_select.runtime.device import find_device, limit_threads
from minerva_select.schema import Table
from minerva_select.selectors.base import TableSelector
from minerva_select.selectors.device_fallback import compute_or_fall_back
from minerva_select.selectors.fit_context import FitContext, plain
from minerva_select.selectors.fold_splits import find_strata
from minerva_select.selectors.out_of_core import Stream, open_stream
from minerva_select.selectors.parameters import (
    as_generator,
    check_count,
    check_minimum,
    check_parameters,
    check_sample_weight,
    check_still_varies,
)
from minerva_select.selectors.progress import VETTING_STAGES, ProgressReporter, Stage
from minerva_select.selectors.row_metadata import read_row_metadata
from minerva_select.selectors.row_sample import RowSample, sample_rows
from minerva_select.selectors.run_directory import RunDirectory, run_key, table_fingerprint
from minerva_select.selectors.usable_columns import (
    FeatureGroups,
    UsableColumns,
    canonical_order,
    find_copied_rows,
    find_usable_columns,
    merge_equivalents,
)

_GRACE = 5.0  # seconds to test what was found after a fit is asked to stop
# Also raised as Python warnings
_WARNED = (
    WarningCode.LEAK,
    WarningCode.NEAR_COPY,
    WarningCode.NOT_CONVERGED,
    WarningCode.DEVICE_FAILED,
    WarningCode.RAISED_TO_MINIMUM,
)


@dataclasses.dataclass(frozen=True, eq=False)
class _OpenedInput:
    table: Table  # a sample of the rows if there is a stream
    table_rows: RowSample | None  # which rows are in ``table``; None: all
    target: Table
    target_types: TargetTypes
    weights: NDArray[np.float64]
    stream: Stream | None
    drawn: RowSample | None  # rows to use if the time limit is too short for all


class SolverSelector(TableSelector):
    """Base of selectors that estimate information with critics.

    A subclass implements :meth:`_solve`, which turns a :class:`FitContext` into a :class:`Selection`.
    """

    _stages: ClassVar[tuple[Stage, ...]] = VETTING_STAGES  # for the estimate of progress
    _streams: ClassVar[bool] = True  # whether the solver can read rows from files
    _merges: ClassVar[bool] = True  # whether equivalent columns compete as one

    weights_: NDArray[np.float64]
    scores_: NDArray[np.float64]
    history_: tuple[TrainingRecord, ...]

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        categorical_features: CategoricalFeatures = "auto",
        target_type: str = "auto",
        keep: Sequence[str] = (),
        drop: Sequence[str] = (),
        feature_groups: FeatureGroups = None,
        redundant: str = "drop",
        proven_only: bool = False,
        min_features_to_select: int = 0,
        reuse_fit: bool = False,
        device: str = "auto",
        time_limit: float | None = None,
        max_memory: int | str | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        resume: bool = False,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        callbacks: Sequence[Callable[[Progress], object]] = (),
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.categorical_features = categorical_features
        self.target_type = target_type
        self.keep = keep
        self.drop = drop
        self.feature_groups = feature_groups
        self.redundant = redundant
        self.proven_only = proven_only
        self.min_features_to_select = min_features_to_select
        self.reuse_fit = reuse_fit
        self.device = device
        self.time_limit = time_limit
        self.max_memory = max_memory
        self.cache_dir = cache_dir
        self.resume = resume
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks

    @abstractmethod
    def _solve(self, context: FitContext) -> Selection:
        """Select features."""

    def _score(self, result: FeatureResult) -> float:
        """Score of a feature for ``scores_``; NaN if it was not measured."""
        return np.nan if result.contribution_nats is None else result.contribution_nats

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, times: Any = None) -> Self:
        """Find the features of X that carry information about y.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            NumPy array, pandas, polars or Arrow table; missing values and text are allowed. Tables larger than memory
            can be lazy frames, Arrow datasets, iterables of record batches, or any file opened with
            :func:`minerva_select.open_source`.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Classes of any type, or numbers; no missing values.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row; rows of weight 0 are left out.
        groups : array-like of shape (n_samples,), optional
            Group label of each row, such as a customer. Rows of a group are never split between training and held-out
            rows, and count as one observation in tests and intervals.
        times : array-like of shape (n_samples,), optional
            Time of each row, as numbers or dates. The earliest rows train, and the latest are held out. If ``groups``
            is given too, later rows of a group that an earlier split contains are left out.

        Returns
        -------
        self
            The fitted selector.
        """
        start = time.monotonic()
        with limit_threads(), ProgressReporter(self.callbacks, self.verbose, self.time_limit, self._stages) as reporter:
            context = self._make_context(X, y, sample_weight, groups, times, reporter, start)
            selection = self._solve_on_device(context)
            selection = dataclasses.replace(
                selection,
                features=context.with_conversions(selection.features),
                seconds=time.monotonic() - start,
            )
            self._finish(selection)
            reporter.end(selection)
        for warning in selection.warnings:
            if warning.code in _WARNED:
                warnings.warn(str(warning), MinervaWarning, stacklevel=2)
        return self

    def _finish(self, selection: Selection) -> None:
        super()._finish(selection)
        self.weights_ = np.array([result.weight for result in selection.features])
        self.scores_ = np.array([self._score(result) for result in selection.features])
        self.history_ = selection.history

    def _solve_on_device(self, context: FitContext) -> Selection:
        """Solve on the device of the fit or, if that fails, on the CPU, as a fit on the CPU would."""
        rng_state = context.rng.bit_generator.state

        def solve(device: torch.device) -> Selection:
            context.rng.bit_generator.state = rng_state
            return dataclasses.replace(self._solve(context.on(device)), provenance=context.on(device).provenance)

        selection, warning = compute_or_fall_back(solve, context.device, allowed=context.ranks.size == 1)
        return selection if warning is None else dataclasses.replace(selection, warnings=(warning, *selection.warnings))

    def _make_context(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, times: Any, reporter: ProgressReporter, start: float
    ) -> FitContext:
        """Check the input once and collect everything the solver needs."""
        ranks = distributed.current()
        opened = self._open(X, y, sample_weight, reporter)
        table, target, weights, stream, drawn = opened.table, opened.target, opened.weights, opened.stream, opened.drawn
        n_rows = target.n_rows
        row_metadata = read_row_metadata(groups, times, n_rows)
        device = find_device(str(self.device)) if ranks.size == 1 else ranks.device
        fingerprint = table_fingerprint(table) if stream is None else stream.source.fingerprint
        if drawn is not None:
            table = table.take(drawn.rows) if stream is None else table
            target, weights = target.take(drawn.rows), weights[drawn.rows] / drawn.shares
            row_metadata, stream = row_metadata.take(drawn.rows), None
            check_still_varies(target)
        if (weights == 0).any() and stream is None:  # streamed rows of weight 0 stay and count for nothing
            counted = np.flatnonzero(weights)
            table, target, weights = table.take(counted), target.take(counted), weights[counted]
            row_metadata = row_metadata.take(counted)
            check_still_varies(target)
        check_rows(target.n_rows)
        rng = ranks.broadcast(as_generator(self.random_state))
        settings = self._settings()
        run_directory = RunDirectory()
        if self.cache_dir is not None or stream is not None:
            run_directory = RunDirectory(
                self._cache_path, self.resume, run_key(fingerprint, target, weights, rng, settings)
            )
        table_rows = None if stream is None else opened.table_rows
        columns, copies = self._find_columns(
            table, target if table_rows is None else target.take(table_rows.rows), opened.target_types
        )
        if stream is None:  # otherwise copies are found among all rows, once they are encoded
            row_metadata = row_metadata.group_copies(copies)
        reporter.begin(settings)
        return FitContext(
            table=table,
            target=target,
            target_types=opened.target_types,
            columns=columns,
            order=tuple(canonical_order(table.select(columns.names))),
            weights=weights,
            row_metadata=row_metadata,
            n_features=_n_fitted(self.n_features_to_select, columns, len(table.columns)),
            keep_redundant=self.redundant == "keep" and self.n_features_to_select is None,
            min_features=max(0, int(self.min_features_to_select) - columns.n_kept_unused),
            proven_only=bool(self.proven_only),
            rng=rng,
            device=device,
            deadline=Deadline(
                None if self.time_limit is None else float(self.time_limit),
                ranks.broadcast,
                lambda: reporter.stop_requested,
                start,
                grace=_GRACE,
            ),
            on_record=reporter.on_record,
            stream=stream,
            table_rows=table_rows,
            sampled_from=None if drawn is None else n_rows,
            ranks=ranks,
            run_directory=run_directory,
            settings=settings,
            provenance=Provenance(
                created=datetime.now(UTC).isoformat(timespec="seconds"),
                fingerprint=fingerprint,
                n_columns=len(table.columns) + len(target.columns),
                device=str(device),
            ),
        )

    def _find_columns(
        self, table: Table, target: Table, target_types: TargetTypes
    ) -> tuple[UsableColumns, NDArray[np.int64] | None]:
        """Find the columns to use and the copies of rows: identifiers of copied rows occur as often as the rows."""
        options = (self.categorical_features, self.keep, self.drop, self.feature_groups)
        columns = find_usable_columns(table, *options)
        copies = find_copied_rows(table, columns, target)
        if copies is not None:
            columns = find_usable_columns(table, *options, copies)
        if self._merges:
            drop_determined = self.redundant == "drop"
            columns = merge_equivalents(table, columns, target, target_types, drop_determined=drop_determined)
        return columns, copies

    def _settings(self) -> dict[str, Any]:
        """Parameters that a saved selection keeps."""
        parameters = self.get_params(deep=False)
        settings = {name: value for name, value in parameters.items() if name not in ("callbacks", "verbose")}
        return {"method": type(self).__name__, **plain(settings)}

    def _open(self, X: Any, y: Any, sample_weight: Any, reporter: ProgressReporter) -> _OpenedInput:
        """Read the table and the target.

        A table that exceeds the memory budget is returned as a sample, with the stream of all rows. If the time limit
        is too short for all rows, the rows to use are returned too.
        """
        check_parameters(self.get_params(deep=False))
        if self.resume and self.cache_dir is None:
            raise InputError("resume=True needs the folder of the earlier run; give its cache_dir too.")
        stream, X = open_stream(
            X,
            MemoryBudget.from_max_memory(self.max_memory),
            self._cache_path,
            reporter.on_rows_encoded,
            distributed.current(),
        )
        if stream is None:
            table = self._read(X)
            self._check_counts(len(table.columns))
            target = as_target(y, table.n_rows)
            weights = check_sample_weight(sample_weight, table.n_rows)
            counted = target.take(np.flatnonzero(weights)) if (weights == 0).any() else target
            target_types = infer_target_types(counted, self.target_type)
            at_most = rows_within_time_limit(table.n_rows, len(table.columns), self.time_limit)
            drawn = sample_rows(find_strata(target, target_types), at_most) if at_most < table.n_rows else None
            return _OpenedInput(table, None, target, target_types, weights, None, drawn)
        n_rows, n_columns = stream.source.n_rows, len(stream.source.names)
        self._check_counts(n_columns)
        if not self._streams:
            raise InputError(
                f"{type(self).__name__} needs the whole table in memory, but its {stream.source.nbytes:,} bytes do not "
                "fit; increase max_memory, give fewer rows, or use MinervaSelector."
            )
        target = as_target(y, n_rows)
        at_most = rows_within_time_limit(n_rows, n_columns, self.time_limit)
        weights = check_sample_weight(sample_weight, n_rows)
        target_types = infer_target_types(target, self.target_type)
        drawn = stream.sample_rows(find_strata(target, target_types), at_most)
        table = stream.take(drawn.rows)
        self._remember(X, table.names)
        return _OpenedInput(
            table,
            drawn,
            target,
            target_types,
            weights,
            stream,
            drawn if at_most < n_rows else None,
        )

    def _check_counts(self, n_columns: int) -> None:
        check_count(self.n_features_to_select, n_columns)
        check_minimum(self.min_features_to_select, self.n_features_to_select, n_columns)

    @property
    def _cache_path(self) -> Path | None:
        return None if self.cache_dir is None else as_path("cache_dir", self.cache_dir)


def _n_fitted(n_features: int | None, columns: UsableColumns, n_columns: int) -> int | None:
    """How many of the used units to select."""
    if n_features is None:
        return None
    check_feature_count("n_features_to_select", n_features, n_columns, columns.n_kept)
    return n_features - columns.n_kept_unused
