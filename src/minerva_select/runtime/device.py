"""Device, random numbers and time of a run, without leaving a trace in torch's global state."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar

import torch
from torch import Generator, Tensor

from minerva_select.errors import InputError


def find_device(name: str) -> torch.device:
    """The device to compute on: "auto" takes CUDA or MPS where there is one."""
    if torch.cuda._is_in_bad_fork():  # even on the CPU: the threads of autograd are gone
        raise InputError(
            "This process is a fork of one that has used a GPU, in which torch cannot train; start it anew, as "
            "joblib's loky and multiprocessing's spawn do."
        )
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()  # "meta" takes tensors and never gives them back
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"The device {name!r} cannot be used here ({reason}); use 'auto' or 'cpu'.") from None
    return device


_GENERATORS: ContextVar[Mapping[str, Generator]] = ContextVar("generators", default={})  # noqa: B039 - never changed


@contextlib.contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[Generator]:
    """Draws of a fit, from generators of its own: another fit, in this thread or beside it, changes none of them.

    Yields the one for batches, on the CPU whatever the device, so that every device sees the same. What a network draws
    (initial values, dropout) comes from :func:`drawn_by`.
    """
    kinds = {"cpu", device.type}
    token = _GENERATORS.set({kind: Generator(device if kind == device.type else kind) for kind in kinds})
    try:
        for generator in (batches := Generator(), *_GENERATORS.get().values()):
            generator.manual_seed(seed)
        yield batches
    finally:
        _GENERATORS.reset(token)


def drawn_by(device: torch.device | str = "cpu") -> Generator | None:
    """What the networks of the fit that this thread is in draw from on a device; outside of a fit None, torch's own."""
    return _GENERATORS.get().get(torch.device(device).type)


def _generators(batches: Generator | None, device: torch.device) -> dict[str, Generator]:
    """All that a fit draws from."""
    found = {} if batches is None else {"generator": batches}
    return found | {kind: drawn_by(kind) or _default_generator(kind) for kind in sorted({"cpu", device.type})}


def _default_generator(kind: str) -> Generator:
    """Torch's own on a device."""
    if kind == "cuda":
        return torch.cuda.default_generators[torch.cuda.current_device()]
    return torch.default_generator if kind == "cpu" else torch.mps._get_default_mps_generator()


def random_state(generator: Generator | None, device: torch.device) -> dict[str, Tensor]:
    """Where the draws of a fit are: those of batches, and those of networks on the CPU and on the device."""
    return {name: one.get_state() for name, one in _generators(generator, device).items()}


def set_random_state(state: Mapping[str, Tensor], generator: Generator | None, device: torch.device) -> None:
    """Go on with draws from where :func:`random_state` found them."""
    for name, one in _generators(generator, device).items():
        one.set_state(state[name])


def is_random_state(state: Mapping[str, Tensor], generator: Generator | None, device: torch.device) -> bool:
    """Whether draws can go on from what a file holds."""
    generators = _generators(generator, device)
    try:
        for name, one in generators.items():
            Generator(one.device).set_state(state[name])
    except (KeyError, RuntimeError, TypeError):
        return False
    return state.keys() == generators.keys()


MAX_THREADS = 64  # more gain nothing, whatever the table


class _Limits(threading.local):
    """Of every thread: whether it computes within a limit already."""

    inside = False


class _Shared:
    """What fits in all threads of this process share: settings of torch that they change and put back."""

    def __init__(self) -> None:
        self.unlimited: list[int] = []  # the number of threads before any limit, once for every thread within one
        self.precisions: list[str] = []  # of products before they were quick, once for every thread that is at them
        self.is_forked = False
        self.lock = threading.Lock()

    def after_fork(self) -> None:
        """Forget a lock that a thread of the parent may have held."""
        self.is_forked, self.lock = True, threading.Lock()


_LIMITS, _SHARED = _Limits(), _Shared()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_SHARED.after_fork)


@contextlib.contextmanager
def threads(at_most: int = MAX_THREADS) -> Iterator[None]:
    """Compute on at most so many threads, and put the number back after, however many fits begin and end meanwhile.

    Small products gain nothing from a second thread, and two fits at once that each have as many threads as there are
    cores wait for one another most of the time. A process made by a fork has one thread: those that OpenMP started
    before it are gone, and whoever waits for them waits for ever.
    """
    is_outermost = not _LIMITS.inside
    with _SHARED.lock:  # a thread that is new to torch would take the limit of another one for its own number
        before = _SHARED.unlimited[0] if is_outermost and _SHARED.unlimited else torch.get_num_threads()
        if is_outermost:
            _SHARED.unlimited.append(before)
        torch.set_num_threads(1 if _SHARED.is_forked else min(before, at_most))
    _LIMITS.inside = True
    try:
        yield
    finally:
        with _SHARED.lock:
            if is_outermost:
                _SHARED.unlimited.pop()
            torch.set_num_threads(before)
        _LIMITS.inside = not is_outermost


@contextlib.contextmanager
def quick_products() -> Iterator[None]:
    """Multiply numbers rounded to 10 binary digits (TensorFloat-32) on a GPU; the last one out puts that back.

    For steps down a gradient, which is rough anyway; what a critic is judged by is computed in full, unless another
    thread takes such a step on a GPU at that moment.
    """
    with _SHARED.lock:
        _SHARED.precisions.append(_SHARED.precisions[0] if _SHARED.precisions else torch.get_float32_matmul_precision())
        torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        with _SHARED.lock:
            before = _SHARED.precisions.pop()
            if not _SHARED.precisions:
                torch.set_float32_matmul_precision(before)


class Deadline:
    """A time limit that anyone may look at.

    Parameters
    ----------
    seconds
        From now on; None: no limit.
    same
        What all ranks make of an answer of theirs (:meth:`.distributed.Ranks.same`): no two clocks agree.
    stop
        Whether somebody wants an end before the time is up.
    start
        When the time began, by :func:`time.monotonic`; None: now.
    grace
        Seconds that are left from then on, in which to test what was found so far.
    """

    def __init__(
        self,
        seconds: float | None,
        same: Callable[[bool], bool] = lambda passed: passed,
        stop: Callable[[], bool] = lambda: False,
        start: float | None = None,
        grace: float = 0.0,
    ) -> None:
        self.stop = stop
        self.start = time.monotonic() if start is None else start
        self.seconds = seconds
        self.same = same
        self.grace = grace
        self._end = math.inf if seconds is None else self.start + seconds
        self._is_stopped = False

    @property
    def left(self) -> float:
        """Seconds until the end; infinite where there is none."""
        now = time.monotonic()
        if not self._is_stopped and self.stop():
            self._is_stopped, self._end = True, min(self._end, now + self.grace)
        return self._end - now

    @property
    def passed(self) -> bool:
        """Whether the time is up."""
        return not self.leaves(0.0)

    def leaves(self, seconds: float) -> bool:
        """Whether there is time for what takes so many seconds."""
        left = self.left
        return self.same(left >= seconds and not (self._is_stopped and not self.grace))

    def share(self, share: float, at_least: float = 0.0) -> Deadline:
        """A deadline after this share of the time that is left, and after so many seconds at least.

        A wish to stop ends it at once; one that came before has cut short what is shared out here.
        """
        left = self.left
        seconds = max(at_least, left * share) if math.isfinite(left) else None
        return Deadline(seconds, self.same, (lambda: False) if self._is_stopped else self.stop)
