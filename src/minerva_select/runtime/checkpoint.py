"""Checkpoint of a run: the states and results of its trainings, so that a killed run can be resumed."""

from __future__ import annotations

import contextlib
import json
import logging
import re
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import torch
from torch import Generator, Tensor

from minerva_select.errors import InputError
from minerva_select.io.atomic import atomic_write, is_regular_file, make_private_directory, remove_abandoned
from minerva_select.runtime.checkpoint_files import State, fingerprint, read_state, write_state
from minerva_select.runtime.rng import get_rng_state, is_rng_state, set_rng_state

logger = logging.getLogger("minerva_select")

FORMAT = 1
MAX_SAVING_SHARE = 0.02  # of the time, however slow the disk
_FINISHED = sys.maxsize  # sorts after every step
_HEADER = "checkpoint.json"
_FILE_NAME = re.compile(r"(\d+)\.(?:step-(\d+)|finished)\.safetensors")


class Checkpoint:
    """Trainings of a run in the order in which they occur, each with its last states or its result.

    A run with the same data, settings and seed repeats the same steps. A resumed run therefore executes the whole
    program again, and reads each training that the checkpoint has instead of repeating it. An entry counts only if the
    training starts from exactly the same state as before; a training whose entry is damaged or belongs to another run
    is repeated. If the disk is full, the run continues without saving.
    """

    def __init__(
        self,
        folder: Path | None = None,
        key: str = "",
        generator: Generator | None = None,
        *,
        device: torch.device = torch.device("cpu"),  # noqa: B008 - a constant
        interval: float = 20.0,
        min_over_ranks: Callable[[int], int] = lambda number: number,
    ) -> None:
        self.folder = folder
        self.key = key
        self.generator = generator
        self.device = device
        self.interval = interval
        self.min_over_ranks = min_over_ranks
        self.next_save = time.monotonic() + interval
        self._n_entries = 0
        self._has_warned = False

    def open(self, *, resume: bool) -> Self:
        """Start an empty checkpoint, or resume the one in the folder. With no checkpoint, resuming starts a new run."""
        if self.folder is None:
            return self
        header = {"format": FORMAT, "key": self.key}
        with _raise_disk_errors(self.folder):
            make_private_directory(self.folder)
            known = _read_header(self.folder)
            if resume and known not in (None, header):
                raise InputError(
                    f"The checkpoint in {str(self.folder)!r} belongs to another run (its data, settings, seed or "
                    "version differ); repeat that run's input and settings, or start without resuming."
                )
            remove_abandoned(self.folder)
            if not resume or known is None:
                _remove(path for _, _, path in _list_files(self.folder))
                atomic_write(self.folder / _HEADER, json.dumps(header).encode(), private=True)
        return self

    def entry(
        self,
        name: str,
        start: Mapping[str, Tensor] | None = None,
        is_usable: Callable[[State], bool] = lambda state: True,
    ) -> Entry:
        """Return the entry of the run's next training, which depends on these tensors and on the random numbers.

        ``is_usable`` says whether the training can continue from a state, because a file may contain anything.
        """
        if self.folder is None:
            return Entry(self)
        self._n_entries += 1
        rng_state = get_rng_state(self.generator, self.device)
        text = f"{FORMAT} {self.key} {self._n_entries} {name}"
        start_id = fingerprint(text, _merge(start=start or {}, rng=rng_state))
        return Entry(self, self._n_entries, start_id, is_usable)

    @contextlib.contextmanager
    def tolerate_disk_errors(self) -> Iterator[None]:
        """Warn once if the disk fails, and continue: the answer matters more than resuming."""
        try:
            yield
        except OSError as error:
            if not self._has_warned:
                logger.warning(
                    "The checkpoint cannot be saved in %r (%s): the run continues, but work will be repeated if it is "
                    "stopped and resumed.",
                    str(self.folder),
                    error.strerror or error,
                )
            self._has_warned = True


NO_CHECKPOINT = Checkpoint()


class Entry:
    """One training of a run: the last saved state that all ranks have, and methods to save later ones."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        number: int = 0,
        start_id: str = "",
        is_usable: Callable[[State], bool] = lambda state: True,
    ) -> None:
        self._checkpoint = checkpoint
        self._number = number
        self._start_id = start_id
        self._is_usable = is_usable
        self.saved: State | None = None
        self.is_finished = False
        if checkpoint.folder is not None:
            self._load(checkpoint.folder)

    def _load(self, folder: Path) -> None:
        files: dict[int, Path] = {}
        with self._checkpoint.tolerate_disk_errors():
            files = {step: path for number, step, path in _list_files(folder) if number == self._number}
        states, rng_states, checkpoint = {}, {}, self._checkpoint
        for step, path in files.items():
            read = read_state(path, self._start_id)
            if read is None:
                continue
            state, rng_state = State(_part("state", read.tensors), read.metadata), _part("rng", read.tensors)
            if is_rng_state(rng_state, checkpoint.generator, checkpoint.device) and self._is_usable(state):
                states[step], rng_states[step] = state, rng_state
        step = self._last_common(states)
        _remove(path for other, path in files.items() if other > step or other not in states)
        if step:
            set_rng_state(rng_states[step], checkpoint.generator, checkpoint.device)
            self.saved = states[step]
            self.is_finished = step == _FINISHED

    def _last_common(self, steps: Collection[int]) -> int:
        """Last step that every rank has saved; 0, the start, if they have none in common."""
        min_over_ranks = self._checkpoint.min_over_ranks
        step = min_over_ranks(max(steps, default=0))
        return step if min_over_ranks(int(step in steps)) else 0

    @property
    def is_due(self) -> bool:
        """Whether it is time to save the state; the same on all ranks."""
        checkpoint = self._checkpoint
        is_late = int(time.monotonic() >= checkpoint.next_save)
        return checkpoint.folder is not None and bool(checkpoint.min_over_ranks(is_late))

    def save(self, step: int, state: State) -> None:
        """Save the state at a step. Keeps the one before it: another rank may not have saved this one yet."""
        self._write(f"step-{step}", state)

    def finish(self, state: State) -> None:
        """Save the result of the training."""
        self._write("finished", state)

    def _write(self, suffix: str, state: State) -> None:
        checkpoint, folder = self._checkpoint, self._checkpoint.folder
        if folder is None:
            return
        before = time.monotonic()
        tensors = _merge(state=state.tensors, rng=get_rng_state(checkpoint.generator, checkpoint.device))
        with checkpoint.tolerate_disk_errors():
            path = folder / f"{self._number:04d}.{suffix}.safetensors"
            write_state(path, State(tensors, state.metadata), self._start_id)
            files = sorted(file for file in _list_files(folder) if file[1] != _FINISHED)
            own = [path for number, _, path in files if number == self._number]
            # No rank returns to an earlier entry: to get here, all have finished it
            _remove([*(path for number, _, path in files if number < self._number), *own[:-2]])
        after = time.monotonic()
        checkpoint.next_save = after + max(checkpoint.interval, (after - before) / MAX_SAVING_SHARE)


def _list_files(folder: Path) -> list[tuple[int, int, Path]]:
    """Entry number, step (or ``_FINISHED``) and path of every saved state in a folder."""
    matches = ((_FILE_NAME.fullmatch(path.name), path) for path in folder.iterdir())
    return [
        (int(match[1]), int(match[2] or _FINISHED), path) for match, path in matches if match and is_regular_file(path)
    ]


def _read_header(folder: Path) -> Any:
    """Header of the checkpoint in a folder; None if it is missing or unreadable."""
    if not is_regular_file(folder / _HEADER):
        return None
    try:
        return json.loads((folder / _HEADER).read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return None


def _merge(**groups: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {f"{group}.{name}": value for group, tensors in groups.items() for name, value in tensors.items()}


def _part(group: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(f"{group}."): value for name, value in tensors.items() if name.startswith(f"{group}.")}


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with contextlib.suppress(OSError):  # a file that stays is ignored
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _raise_disk_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"The checkpoint cannot be saved in {str(folder)!r} ({error.strerror or error}); "
            "free some space there or choose a writable folder."
        ) from error
