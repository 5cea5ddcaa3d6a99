"""What a solver is asked, and the parts of an answer that do not depend on the solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator

from minerva_select.errors import brief
from minerva_select.mi.training import TrainingContext
from minerva_select.results import Estimate, FeatureResult, Provenance, Selection, TrainingRecord, versions
from minerva_select.runtime.deadline import Deadline
from minerva_select.runtime.distributed import SINGLE_PROCESS, ProcessGroup
from minerva_select.schema import Column, Note, Table
from minerva_select.selectors.out_of_core import Stream
from minerva_select.selectors.row_metadata import Origins
from minerva_select.selectors.run_directory import Workplace
from minerva_select.selectors.usable_columns import DROPPED_ON_REQUEST, Participants

KEPT_ON_REQUEST = "kept on request"
FEW_ROWS = 100
"""With fewer, only what is told by nearly every row stands out from chance."""


@dataclass(frozen=True)
class Request:
    """Everything a run needs to know."""

    table: Table  # all columns, in the user's order
    target: Table
    target_kind: str
    participants: Participants
    order: tuple[str, ...]  # participants in canonical order
    weights: NDArray[np.float64]
    origins: Origins
    n_wanted: int | None
    keep_redundant: bool
    rng: np.random.Generator
    device: torch.device
    deadline: Deadline
    on_record: Callable[[TrainingRecord], None]
    stream: Stream | None = None  # all rows, where ``table`` is a sample of them
    drawn_from: int | None = None  # rows of the table that these were drawn from, where the time is too short for all
    workplace: Workplace = field(default_factory=Workplace)
    ranks: ProcessGroup = SINGLE_PROCESS
    settings: Mapping[str, Any] = field(default_factory=dict)
    provenance: Provenance | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows, of which the table may be a sample."""
        return self.target.n_rows

    def run(self, generator: Generator, on_record: Callable[[TrainingRecord], None]) -> TrainingContext:
        """What all trainings share; opens the checkpoint."""
        checkpoint = self.workplace.checkpoint(generator, self.device, self.ranks)
        return TrainingContext(generator, self.deadline, checkpoint, on_record, self.ranks)

    @property
    def target_name(self) -> str:
        """How the target is called in sentences."""
        return ", ".join(self.target.names)

    @property
    def units(self) -> list[list[int]]:
        """Places, in canonical order, of the columns that come and go together."""
        place = {name: k for k, name in enumerate(self.order)}
        return sorted(sorted(place[name] for name in members) for members in self.participants.units)

    @property
    def kept_units(self) -> list[int]:
        """Units that are kept on request, all of a group for the sake of one member."""
        kept = self.participants.kept
        return [unit for unit, places in enumerate(self.units) if any(self.order[place] in kept for place in places)]

    def why_kept(self, name: str) -> str | None:
        """Why a fitted column is kept whatever it carries: it is named, or in a group with one that is; or None."""
        if name in self.participants.kept:
            return KEPT_ON_REQUEST
        return f"{KEPT_ON_REQUEST} with {self._kept_with[name]}" if name in self._kept_with else None

    @cached_property
    def _kept_with(self) -> dict[str, str]:
        """Of every column in a group with one that is kept, the first such one."""
        kept = self.participants.kept
        found: dict[str, str] = {}
        for members in self.participants.units:
            named = [name for name in members if name in kept]
            found.update(dict.fromkeys(members, named[0]) if named else {})
        return found

    def set_aside(self, name: str) -> FeatureResult | None:
        """The result of a column that takes no part in the fit, but for copies; None if it does take part."""
        reason = self.participants.reasons.get(name)
        if reason is None or name in self.participants.originals:
            return None
        if name in self.participants.kept:
            return FeatureResult(name, True, f"{KEPT_ON_REQUEST} ({reason})")
        return FeatureResult(name, False, reason)

    def with_notes(self, results: tuple[FeatureResult, ...]) -> tuple[FeatureResult, ...]:
        """Results that say how their columns were read, where that is not as the user's cells are."""
        notes = {column.name: column.note for column in self.table.columns if column.note is not None}
        return tuple(replace(one, note=notes[one.feature]) if one.feature in notes else one for one in results)

    def warnings(self, n_rows: int, *, converged: bool, still_rising: bool = False) -> tuple[str, ...]:
        """Plain sentences about what a user should know before trusting an answer that so many rows gave."""
        found = self.warnings_of_columns()
        if n_rows < FEW_ROWS:
            found.append(f"{n_rows} rows are few: they show strong relations only, and weaker ones need more rows.")
        if self.drawn_from is not None:
            found.append(
                f"The time limit of {self.deadline.seconds:g} s is too short for all {self.drawn_from:,} rows: "
                f"{self.n_rows:,} were drawn at random, with all that have a rare value of the target."
            )
        n_left_out = self.n_rows - n_rows
        if n_left_out:
            found.append(
                f"{n_left_out:,} of {self.n_rows:,} rows were left out: they are later rows of groups that "
                "earlier parts of the split have already."
            )
        if not converged:
            found.append(f"The run did not converge: {self._why_ended()}; the selection is the best so far.")
        elif still_rising:
            found.append("The bound was still rising when training ended: these features may carry more than is said.")
        if self.n_wanted is not None and self.n_wanted > len(self.participants.units):
            found.append(f"Only {len(self.participants.units)} columns can be used, fewer than were asked for.")
        return tuple(found)

    def _why_ended(self) -> str:
        """Why a run ended before it had converged."""
        if self.deadline.stop():
            return "it was asked to stop"
        limit = self.deadline.seconds
        return "training ran out of steps" if limit is None else f"the time limit of {limit:g} s ended it"

    def warnings_of_columns(self) -> list[str]:
        """A sentence for every way in which fitted columns look like identifiers, and one for numbers that are text."""
        alike: dict[str, list[str]] = {}
        for name, reason in self.participants.suspects.items():
            alike.setdefault(reason, []).append(name)
        sentences = [_suspicion(names, reason) for reason, names in alike.items()]
        dropped = {name for name, reason in self.participants.reasons.items() if reason == DROPPED_ON_REQUEST}
        columns = (*self.table.columns, *self.target.columns)
        texts = [one for one in columns if one.note == Note.NOTATION and one.name not in dropped]
        return [*sentences, _notation(texts)] if texts else sentences


def _suspicion(names: list[str], reason: str) -> str:
    remedy, reason = "drop {} unless the values mean something for other rows too", reason.removeprefix("identifier: ")
    if len(names) == 1:
        return f"Column {names[0]!r} looks like an identifier ({reason}); {remedy.format('it')}."
    listed = ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5:,} others" if len(names) > 5 else "")
    return f"Columns {listed} look like identifiers ({reason}); {remedy.format('them')}."


def _notation(columns: Sequence[Column]) -> str:
    names = [column.name for column in columns]
    listed = ", ".join(map(repr, names[:3])) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
    levels = columns[0].levels
    example = "" if levels is None else f" such as {brief(levels[len(levels) // 2])}"
    subject, them = (f"Column {listed} is", "it") if len(names) == 1 else (f"Columns {listed} are", "them")
    return f"{subject} read as text without order, though values{example} look like numbers or dates; convert {them}."


def plain(value: Any) -> Any:
    """Parameters as plain JSON values, so that a selection is the same after saving and loading."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def empty_selection(request: Request) -> Selection:
    """The answer when no column can be used: nothing is fitted."""
    results = (request.set_aside(name) for name in request.table.names)
    nothing = Estimate(0.0, 0.0, 0.0, request.n_rows)
    return Selection(
        target=request.target_name,
        features=tuple(result for result in results if result is not None),
        mutual_information=nothing,
        total_information=nothing,
        n_rows=request.n_rows,
        warnings=(
            "No column can be used: all are constant, empty, identifiers or dropped.",
            *request.warnings_of_columns(),
        ),
        settings=request.settings,
        versions=versions(),
    )
