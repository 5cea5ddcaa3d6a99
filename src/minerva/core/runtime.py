"""Device, random numbers and time of a run, without leaving a trace in torch's global state."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Generator, Tensor

from minerva.errors import InputError


def find_device(name: str) -> torch.device:
    """The device to compute on: "auto" takes CUDA or MPS where there is one."""
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


@contextlib.contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[torch.Generator]:
    """Draws of a fit: a generator of its own, and torch's global state (dropout, initial values) put back after."""
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        generator = torch.Generator()  # on the CPU whatever the device, so that every device sees the same batches
        generator.manual_seed(seed)
        yield generator


def random_state(generator: Generator | None, device: torch.device) -> dict[str, Tensor]:
    """Where the draws of a fit are: those of its generator, and torch's own on the CPU and on the device."""
    state = {"cpu": torch.get_rng_state()}
    if generator is not None:
        state["generator"] = generator.get_state()
    if device.type in ("cuda", "mps"):
        state[device.type] = torch.cuda.get_rng_state(device) if device.type == "cuda" else torch.mps.get_rng_state()
    return state


def set_random_state(state: Mapping[str, Tensor], generator: Generator | None, device: torch.device) -> None:
    """Go on with draws from where :func:`random_state` found them."""
    torch.set_rng_state(state["cpu"])
    if generator is not None:
        generator.set_state(state["generator"])
    if device.type == "cuda":
        torch.cuda.set_rng_state(state["cuda"], device)
    elif device.type == "mps":
        torch.mps.set_rng_state(state["mps"])


@contextlib.contextmanager
def threads(at_most: int) -> Iterator[None]:
    """Compute on at most so many threads, and put the number back after.

    Small products gain nothing from a second thread, and two fits at once that each have as many threads as there are
    cores wait for one another most of the time.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(min(before, at_most))
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def quick_products() -> Iterator[None]:
    """Multiply numbers rounded to 10 binary digits (TensorFloat-32) on a GPU, and put that back after.

    For steps down a gradient, which is rough anyway; what a critic is judged by is computed in full.
    """
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


class Deadline:
    """A time limit that anyone may look at.

    Parameters
    ----------
    seconds
        From now on; None: no limit.
    same
        What all ranks make of an answer of theirs (:meth:`minerva.core.ranks.Ranks.same`): no two clocks agree.
    stop
        Whether somebody wants an end before the time is up.
    start
        When the time began, by :func:`time.monotonic`; None: now.
    """

    def __init__(
        self,
        seconds: float | None,
        same: Callable[[bool], bool] = lambda passed: passed,
        stop: Callable[[], bool] = lambda: False,
        start: float | None = None,
    ) -> None:
        self.stop = stop
        self.start = time.monotonic() if start is None else start
        self.seconds = seconds
        self.same = same

    @property
    def passed(self) -> bool:
        """Whether the time is up."""
        return self.same(self.stop() or (self.seconds is not None and time.monotonic() - self.start > self.seconds))

    def share(self, share: float, at_least: float = 0.0) -> Deadline:
        """A deadline after this share of the time that is left, and after so many seconds at least."""
        if self.seconds is None:
            return Deadline(None, self.same, self.stop)
        left = self.seconds - (time.monotonic() - self.start)
        return Deadline(max(at_least, left * share), self.same, self.stop)
