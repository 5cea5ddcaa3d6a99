"""Everything a solver needs to know about one fit, and the parts of a result that do not depend on the solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator

from minerva_select.codes import Conversion, ReasonCode, StopCause, WarningCode
from minerva_select.config import DIAGNOSTICS
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.preprocessing.column_types import TargetTypes
from minerva_select.preprocessing.identifiers import Identifier
from minerva_select.results import (
    Estimate,
    FeatureRanking,
    FeatureResult,
    Provenance,
    Reason,
    Selection,
    SelectionWarning,
    TrainingRecord,
)
from minerva_select.results.provenance import versions
from minerva_select.runtime.deadline import Deadline
from minerva_select.runtime.distributed import SINGLE_PROCESS, ProcessGroup
from minerva_select.schema import Table
from minerva_select.selectors.out_of_core import Stream
from minerva_select.selectors.row_metadata import RowMetadata
from minerva_select.selectors.row_sample import RowSample
from minerva_select.selectors.run_directory import RunDirectory
from minerva_select.selectors.usable_columns import UsableColumns, identifier_reason


@dataclass(frozen=True)
class FitContext:
    """Everything a solver needs to know about one fit."""

    table: Table  # all columns, in the user's order
    target: Table
    target_types: TargetTypes
    columns: UsableColumns
    order: tuple[str, ...]  # usable columns in canonical order
    weights: NDArray[np.float64]
    row_metadata: RowMetadata
    n_features: int | None  # units to select; None: the solver decides
    keep_redundant: bool
    proven_only: bool  # before units are added to reach a number
    rng: np.random.Generator
    device: torch.device
    deadline: Deadline
    on_record: Callable[[TrainingRecord], None]
    min_features: int = 0  # units to select at least
    stream: Stream | None = None  # all rows, if ``table`` is a sample of them
    table_rows: RowSample | None = None  # which rows are in ``table``; None: all
    sampled_from: int | None = None  # number of all rows, if the time limit allows only a sample
    run_directory: RunDirectory = field(default_factory=RunDirectory)
    ranks: ProcessGroup = SINGLE_PROCESS
    settings: Mapping[str, Any] = field(default_factory=dict)
    provenance: Provenance | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows of the fit, of which ``table`` may be a sample."""
        return self.target.n_rows

    def on(self, device: torch.device) -> FitContext:
        """The same fit on a device; what another one has saved cannot be continued."""
        if device == self.device:
            return self
        provenance = self.provenance and replace(self.provenance, device=str(device))
        directory = replace(self.run_directory, resume=False)
        return replace(self, device=device, provenance=provenance, run_directory=directory)

    def run(self, generator: Generator, on_record: Callable[[TrainingRecord], None]) -> TrainingContext:
        """What all trainings share; opens the checkpoint."""
        checkpoint = self.run_directory.checkpoint(generator, self.device, self.ranks)
        return TrainingContext(generator, self.deadline, checkpoint, on_record, self.ranks)

    @property
    def target_name(self) -> str:
        """Name of the target in sentences."""
        return ", ".join(self.target.names)

    @cached_property
    def units(self) -> list[list[int]]:
        """Positions, in canonical order, of the columns that are selected or dropped together."""
        position = {name: k for k, name in enumerate(self.order)}
        return sorted(sorted(position[name] for name in members) for members in self.columns.units)

    @property
    def kept_units(self) -> list[int]:
        """Units that are kept on request: those with at least one kept member."""
        kept = self.columns.kept
        return [
            unit
            for unit, positions in enumerate(self.units)
            if any(self.order[position] in kept for position in positions)
        ]

    def request_reason(self, name: str) -> Reason | None:
        """The reason of a used column that is kept on request, itself or with its group; None if it is not."""
        if name in self.columns.kept:
            return Reason(ReasonCode.ON_REQUEST)
        return Reason(ReasonCode.ON_REQUEST, (self._kept_with[name],)) if name in self._kept_with else None

    @cached_property
    def _kept_with(self) -> dict[str, str]:
        """The first kept member of every group that has one, by member."""
        kept = self.columns.kept
        found: dict[str, str] = {}
        for members in self.columns.units:
            named = [name for name in members if name in kept]
            found.update(dict.fromkeys(members, named[0]) if named else {})
        return found

    def unused_result(self, name: str) -> FeatureResult | None:
        """The result of an unused column other than a copy; None if the column is used."""
        reason = self.columns.reasons.get(name)
        if reason is None or name in self.columns.originals:
            return None
        if name in self.columns.kept:
            return FeatureResult(name, True, Reason(ReasonCode.ON_REQUEST, values={"otherwise": str(reason.code)}))
        return FeatureResult(name, False, reason)

    def with_conversions(self, results: tuple[FeatureResult, ...]) -> tuple[FeatureResult, ...]:
        """Add to the results how their columns were converted."""
        found = {column.name: column.conversion for column in self.table.columns if column.conversion is not None}
        return tuple(replace(one, conversion=found[one.feature]) if one.feature in found else one for one in results)

    def warnings(self, n_rows: int, *, converged: bool, still_rising: bool = False) -> tuple[SelectionWarning, ...]:
        """Warnings about columns, rows and training that do not depend on the solver."""
        found = self.column_warnings()
        if n_rows < DIAGNOSTICS.few_rows:
            found.append(SelectionWarning(WarningCode.FEW_ROWS, values={"n_rows": n_rows}))
        if self.row_metadata.n_duplicated:
            counts = {"n_duplicated": self.row_metadata.n_duplicated, "n_total": self.n_rows}
            found.append(SelectionWarning(WarningCode.DUPLICATED_ROWS, values=counts))
        if self.sampled_from is not None:
            values = {"seconds": self.deadline.seconds, "n_total": self.sampled_from, "n_rows": self.n_rows}
            found.append(SelectionWarning(WarningCode.ROWS_SAMPLED, values=values))
        if n_rows < self.n_rows:
            values = {"n_left_out": self.n_rows - n_rows, "n_total": self.n_rows}
            found.append(SelectionWarning(WarningCode.ROWS_LEFT_OUT, values=values))
        if not converged:
            cause = {"cause": str(self._stop_cause()), "seconds": self.deadline.seconds}
            found.append(SelectionWarning(WarningCode.NOT_CONVERGED, values=cause))
        elif still_rising:
            found.append(SelectionWarning(WarningCode.STILL_RISING))
        n_usable = len(self.columns.units)
        if self.n_features is not None and self.n_features > n_usable:
            found.append(SelectionWarning(WarningCode.FEWER_COLUMNS_THAN_REQUESTED, values={"n_usable": n_usable}))
        return tuple(found)

    def _stop_cause(self) -> StopCause:
        if self.deadline.stop():
            return StopCause.ASKED
        return StopCause.STEP_LIMIT if self.deadline.seconds is None else StopCause.TIME_LIMIT

    def column_warnings(self) -> list[SelectionWarning]:
        """Warnings about used columns that look like identifiers, and about text that looks like numbers."""
        alike: list[tuple[Identifier, list[str]]] = []
        for name, found in self.columns.identifiers.items():
            if name in self.columns.reasons:
                continue
            same = next((names for other, names in alike if other == found), None)
            if same is None:
                alike.append((found, [name]))
            else:
                same.append(name)
        warnings = [
            SelectionWarning(WarningCode.IDENTIFIER, tuple(names), identifier_reason(found).values)
            for found, names in alike
        ]
        dropped = {
            name for name, reason in self.columns.reasons.items() if reason.code is ReasonCode.DROPPED_ON_REQUEST
        }
        texts = [
            column
            for column in (*self.table.columns, *self.target.columns)
            if column.conversion is Conversion.UNPARSED and column.name not in dropped
        ]
        if texts:
            levels = texts[0].levels
            values = {} if levels is None else {"example": str(levels[len(levels) // 2])}
            names = tuple(column.name for column in texts)
            warnings.append(SelectionWarning(WarningCode.UNPARSED_NUMBERS, names, values))
        return warnings


def plain(value: Any) -> Any:
    """Parameters as JSON values, so that a selection is equal after saving and loading."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def empty_selection(context: FitContext) -> Selection:
    """The result if no column can be used: nothing is fitted."""
    results = (context.unused_result(name) for name in context.table.names)
    nothing, kept = (
        Estimate(0.0, 0.0, 0.0, context.n_rows),
        [name for name in context.table.names if name in context.columns.kept],
    )
    return Selection(
        target=context.target_name,
        features=tuple(result for result in results if result is not None),
        mutual_information=nothing,
        total_information=nothing,
        n_rows=context.n_rows,
        warnings=(SelectionWarning(WarningCode.NO_USABLE_COLUMN), *context.column_warnings()),
        settings=context.settings,
        versions=versions(),
        ranking=FeatureRanking(tuple((name,) for name in kept), len(kept)),
    )
