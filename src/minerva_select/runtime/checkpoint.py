"""The journal of a run: what its trainings came to, in a folder, so that a killed run can go on where it was."""

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
from minerva_select.runtime.rng import get_rng_state, is_rng_state, set_rng_state
from minerva_select.runtime.checkpoint_files import State, fingerprint, read_state, write_state

logger = logging.getLogger("minerva_select")

FORMAT = 1
SHARE = 0.02  # of the time that saving states under way may take, however slow the disk
_FINISHED = sys.maxsize  # as a point of an entry: later than any step
_HEADER = "journal.json"
_ENTRY = re.compile(r"(\d+)\.(?:step-(\d+)|finished)\.safetensors")


class Journal:
    """Costly steps of a run in the order in which they come, each with what it came to.

    A run that is given its data, settings and seed again does the same again. So a resumed run is the whole program
    once more, in which a step that the journal has is read instead of done. An entry counts only if its step begins
    from the very state from which it began then: one that is damaged or foreign is done again, and costs time alone. So
    is one that a full disk had no room for: the run goes on without it.

    Parameters
    ----------
    folder
        Where to keep it, once it is opened; None keeps nothing and costs nothing.
    key
        What makes the run: data, settings, seed.
    generator, device
        Where the run's random numbers come from: they go on from where they were after the entry that is read.
    every
        Seconds between the saved states of a training under way.
    agree
        The least of a number over all ranks, so that they go on from a state that each of them has. Every rank has a
        folder of its own.

    Examples
    --------
    >>> import tempfile
    >>> def count() -> dict[str, Tensor]:
    ...     print("counting")
    ...     return {"counts": torch.tensor([3, 4])}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for resume in (False, True):
    ...         journal = Journal(Path(folder), "seed 0", torch.Generator()).open(resume=resume)
    ...         print(journal.remember("screen", count))
    counting
    {'counts': tensor([3, 4])}
    {'counts': tensor([3, 4])}
    """

    def __init__(
        self,
        folder: Path | None = None,
        key: str = "",
        generator: Generator | None = None,
        *,
        device: torch.device = torch.device("cpu"),  # noqa: B008 - a constant
        every: float = 20.0,
        agree: Callable[[int], int] = lambda number: number,
    ) -> None:
        self.folder = folder
        self.key = key
        self.generator = generator
        self.device = device
        self.every = every
        self.agree = agree
        self.next_save = time.monotonic() + every
        self._n_entries = 0
        self._has_warned = False

    def open(self, *, resume: bool) -> Self:
        """Begin anew in the folder, or go on with the journal in it; where there is none yet, to resume is to begin."""
        if self.folder is None:
            return self
        header = {"format": FORMAT, "key": self.key}
        with _refused_in_one_sentence(self.folder):
            make_private_directory(self.folder)
            known = _read_header(self.folder)
            if resume and known not in (None, header):
                raise InputError(
                    f"The journal in {str(self.folder)!r} is of another run (its data, settings, seed or version "
                    "differ); give what that run was given, or begin anew without resuming."
                )
            remove_abandoned(self.folder)
            if not resume or known is None:
                _remove(path for _, _, path in _entries(self.folder))
                atomic_write(self.folder / _HEADER, json.dumps(header), private=True)
        return self

    def entry(
        self, name: str, start: Mapping[str, Tensor] | None = None, fits: Callable[[State], bool] = lambda state: True
    ) -> Entry:
        """The run's next entry, of a step that depends on these tensors and on the random numbers to come.

        ``fits`` says whether the step can go on from a state: a file may hold anything.
        """
        if self.folder is None:
            return Entry(self)
        self._n_entries += 1
        random = get_rng_state(self.generator, self.device)
        text = f"{FORMAT} {self.key} {self._n_entries} {name}"
        return Entry(self, self._n_entries, fingerprint(text, _prefixed(start=start or {}, random=random)), fits)

    def remember(self, name: str, compute: Callable[[], dict[str, Tensor]]) -> dict[str, Tensor]:
        """What ``compute`` gives, from the journal if it has that already."""
        entry = self.entry(name, fits=lambda state: isinstance(state.facts.get("on_device"), list))
        if entry.found is None:
            computed = compute()
            here = [name for name, value in computed.items() if value.device.type == self.device.type]
            entry.finish(State(computed, {"on_device": here}))
            return computed
        here = entry.found.facts["on_device"]
        return {name: value.to(self.device) if name in here else value for name, value in entry.found.tensors.items()}

    @contextlib.contextmanager
    def as_far_as_the_disk_allows(self) -> Iterator[None]:
        """Outlive a failure of the disk and say so once: an answer is worth more than to be able to resume."""
        try:
            yield
        except OSError as error:
            if not self._has_warned:
                logger.warning(
                    "The journal of the run cannot be kept in %r (%s): the run goes on, but if it is stopped, "
                    "work will be done again.",
                    str(self.folder),
                    error.strerror or error,
                )
            self._has_warned = True


NO_JOURNAL = Journal()


class Entry:
    """One step of a run: the last state of it that all ranks have, and the place for those to come."""

    def __init__(
        self,
        journal: Journal,
        number: int = 0,
        start: str = "",
        fits: Callable[[State], bool] = lambda state: True,
    ) -> None:
        self._journal = journal
        self._number = number
        self._start = start
        self._fits = fits
        self.found: State | None = None
        self.is_finished = False
        if journal.folder is not None:
            self._look_up(journal.folder)

    def _look_up(self, folder: Path) -> None:
        files: dict[int, Path] = {}
        with self._journal.as_far_as_the_disk_allows():
            files = {point: path for number, point, path in _entries(folder) if number == self._number}
        states, randoms, journal = {}, {}, self._journal
        for point, path in files.items():
            read = read_state(path, self._start)
            if read is None:
                continue
            state, random = State(_under("state", read.tensors), read.facts), _under("random", read.tensors)
            if is_rng_state(random, journal.generator, journal.device) and self._fits(state):
                states[point], randoms[point] = state, random
        point = self._last_common(states)
        _remove(path for other, path in files.items() if other > point or other not in states)
        if point:
            set_rng_state(randoms[point], journal.generator, journal.device)
            self.found = states[point]
            self.is_finished = point == _FINISHED

    def _last_common(self, points: Collection[int]) -> int:
        """The last point that every rank has; 0, which is the start, if there is none."""
        agree = self._journal.agree
        point = agree(max(points, default=0))
        return point if agree(int(point in points)) else 0

    @property
    def due(self) -> bool:
        """Whether it is time to save the state; the same on all ranks."""
        journal = self._journal
        return journal.folder is not None and bool(journal.agree(int(time.monotonic() >= journal.next_save)))

    def save(self, step: int, state: State) -> None:
        """Keep the state of a step under way, and the one before it: another rank may not have this one yet."""
        self._write(f"step-{step}", state)

    def finish(self, state: State) -> None:
        """Keep what the step came to."""
        self._write("finished", state)

    def _write(self, point: str, state: State) -> None:
        journal, folder = self._journal, self._journal.folder
        if folder is None:
            return
        before = time.monotonic()
        tensors = _prefixed(state=state.tensors, random=get_rng_state(journal.generator, journal.device))
        with journal.as_far_as_the_disk_allows():
            path = folder / f"{self._number:04d}.{point}.safetensors"
            write_state(path, State(tensors, state.facts), self._start)
            steps = sorted(one for one in _entries(folder) if one[1] != _FINISHED)
            mine = [path for number, _, path in steps if number == self._number]
            # No rank goes back to the entry before: to come to this one, all have finished that one
            _remove([*(path for number, _, path in steps if number < self._number), *mine[:-2]])
        after = time.monotonic()
        journal.next_save = after + max(journal.every, (after - before) / SHARE)


def _entries(folder: Path) -> list[tuple[int, int, Path]]:
    """The number, the point (a step, or finished) and the file of every state in a folder."""
    matches = ((_ENTRY.fullmatch(path.name), path) for path in folder.iterdir())
    return [
        (int(match[1]), int(match[2] or _FINISHED), path) for match, path in matches if match and is_regular_file(path)
    ]


def _read_header(folder: Path) -> Any:
    """What the journal in a folder says of itself; None if there is none, or none that can be read."""
    if not is_regular_file(folder / _HEADER):
        return None
    try:
        return json.loads((folder / _HEADER).read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return None


def _prefixed(**groups: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {f"{group}.{name}": value for group, tensors in groups.items() for name, value in tensors.items()}


def _under(group: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(f"{group}."): value for name, value in tensors.items() if name.startswith(f"{group}.")}


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with contextlib.suppress(OSError):  # it need not go: what does not belong here is not read
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _refused_in_one_sentence(folder: Path) -> Iterator[None]:
    """Turn a failure of the disk into the rule, its reason and the remedy."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"The journal of the run cannot be kept in {str(folder)!r} ({error.strerror or error}); "
            "make room there or choose a folder that can be written to."
        ) from error
