"""Processes of a distributed run: collective operations and errors that end all of them.

Rows are divided among ranks, and a sum over rows is the sum of the ranks' own sums: every rank gets the same bits.
Autograd stays local: ``backward`` of a reduced value gives a rank the gradient of its own rows, and
:meth:`ProcessGroup.sum_` of those is the gradient of the joined batch. A term that is not a mean over rows, such as a
penalty, is then counted once per rank: divide it by their number.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import signal
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from minerva_select.errors import InputError, MinervaError, RankError
from minerva_select.runtime.device import find_device
from minerva_select.runtime.failure_reports import FailureReports

T = TypeVar("T")

_RESUME = "start the run again with --resume to continue it"


class ProcessGroup:
    """Processes of one run. A single process is rank 0 of 1, and every method is a local operation."""

    def __init__(
        self, device: torch.device, rank: int = 0, size: int = 1, reports: FailureReports | None = None
    ) -> None:
        self.device = device
        self.rank = rank
        self.size = size
        self._reports = reports
        self._is_over = reports is None  # no other rank exists, or none can be reached any more

    @property
    def is_main(self) -> bool:
        """Whether this is rank 0, which writes files and prints."""
        return self.rank == 0

    def sum_(self, tensor: Tensor) -> Tensor:
        """Sum a tensor over all ranks, in place."""
        if self.size > 1:
            whole = tensor.detach().contiguous()  # gloo sums wrong elements of a tensor with strides
            with self._handle_lost_ranks():
                dist.all_reduce(whole)
            if not tensor.is_contiguous():
                tensor.detach().copy_(whole)
        return tensor

    def mean(self, values: Tensor, weights: Tensor | None = None, dim: int = -1) -> Tensor:
        """Mean over the rows of all ranks, along ``dim``; a rank may have no rows."""
        weights = torch.ones_like(values) if weights is None else weights.expand_as(values)
        own = torch.stack([(values * weights).sum(dim), weights.sum(dim)])
        sums = self._stack_ranks(own).sum(0)
        return sums[0] / sums[1]

    def log_mean_exp(self, scores: Tensor, dim: int = -1) -> Tensor:
        """Logarithm of the mean of exp(scores) over the rows of all ranks, without overflow."""
        own = torch.logsumexp(scores, dim)
        n_rows = scores.shape[dim]
        log_count = torch.full_like(own, math.log(n_rows) if n_rows else -math.inf)
        logs = torch.logsumexp(self._stack_ranks(torch.stack([own, log_count])), 0)
        return logs[0] - logs[1]

    def gather_rows(self, values: Tensor, positions: Tensor, n_rows: int) -> Tensor:
        """Assemble a table of which each rank has the rows at its own positions; every row has one owner."""
        whole = values.new_zeros(n_rows, *values.shape[1:])
        whole[positions] = values
        return self.sum_(whole)

    def own_slice(self, length: int) -> slice:
        """Slice of this rank when ``length`` items are divided evenly."""
        return slice(length * self.rank // self.size, length * (self.rank + 1) // self.size)

    def gather_slices(self, values: Tensor, length: int) -> Tensor:  # (..., length)
        """Assemble the slices of all ranks along the last dimension."""
        if self.size == 1:
            return values
        whole = values.new_zeros(*values.shape[:-1], length)
        whole[..., self.own_slice(length)] = values.detach()
        return self.sum_(whole)

    def gather(self, value: T) -> list[T]:
        """Collect a small object from every rank, in rank order."""
        if self.size == 1:
            return [value]
        found: list[Any] = [None] * self.size
        with self._handle_lost_ranks():
            dist.all_gather_object(found, value)  # trusted: only processes of this run send objects
        return found

    def broadcast(self, value: T) -> T:
        """Return the object of rank 0."""
        if self.size == 1:
            return value
        found: list[Any] = [value]
        with self._handle_lost_ranks():
            dist.broadcast_object_list(found, src=0)  # trusted: only processes of this run send objects
        return found[0]  # type: ignore[no-any-return]

    def barrier(self) -> None:
        """Wait until every rank gets here."""
        self.sum_(torch.zeros(1))  # on the CPU, whatever the device: gloo notices a lost rank at once

    @contextlib.contextmanager
    def fail_together(self) -> Iterator[None]:
        """Wait for all ranks at the end of the block; an error on one rank is raised on all."""
        try:
            yield
            self.barrier()
        except BaseException as error:
            self._report(error)
            raise

    def _stack_ranks(self, own: Tensor) -> Tensor:  # (size, *own.shape)
        """Stack a small tensor of every rank; gradients flow into this rank's own part only."""
        parts = own.detach().new_zeros(self.size, *own.shape)
        parts[self.rank] = own.detach()
        return torch.stack([own if rank == self.rank else part for rank, part in enumerate(self.sum_(parts))])

    @contextlib.contextmanager
    def _handle_lost_ranks(self) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:  # base class of everything that torch.distributed raises
            if self._is_over or (cause := self._find_cause(_first_sentence(error))) is None:
                raise
            raise cause from None

    def _report(self, error: BaseException) -> None:
        """Report the error that ends this rank to the others, and disconnect."""
        if self._is_over or self._reports is None:
            return
        self._is_over = True
        if isinstance(error, MinervaError):
            error.reported_elsewhere = not self.is_main
        self._reports.post(self.rank, error)
        _disconnect(self.device)

    def _find_cause(self, symptom: str) -> MinervaError | None:
        """Find why ranks cannot be reached: the error that ended one, or which are lost; None if all are there.

        Disconnects first, so that the other ranks notice and report too.
        """
        if self._reports is None:
            return None
        self._is_over = True
        _disconnect(self.device)
        cause, lost = self._reports.collect(self.rank, self.size)
        if cause is None and lost:
            names = ", ".join(str(rank) for rank in lost)
            subject = f"Rank {names} of {self.size} is" if len(lost) == 1 else f"Ranks {names} of {self.size} are"
            cause = RankError(f"{subject} gone ({symptom}); {_RESUME}.")
        if cause is not None:
            cause.reported_elsewhere = self.rank != min({*range(self.size)} - {*lost})
        return cause

    def _on_termination(self, *_: object) -> None:
        """Raise a clear error when torchrun terminates this rank because another one failed."""
        if not self._is_over:
            cause = self._find_cause("the launcher stopped the run")
            if cause is None:
                cause = RankError(f"The run was stopped from outside; {_RESUME}.")
                cause.reported_elsewhere = not self.is_main
            raise cause


def _first_sentence(error: Exception) -> str:
    """First sentence of a torch error, without the location in torch's source."""
    return re.split(r"\.\s|\n", re.sub(r"^\[\S*\] ", "", str(error)))[0].rstrip(".")


def _disconnect(device: torch.device) -> None:
    if dist.is_initialized():
        if device.type == "cuda" and dist.group.WORLD is not None:
            dist.group.WORLD.abort()  # a kernel that waits for a dead rank would not return
        dist.destroy_process_group()


SINGLE_PROCESS = ProcessGroup(torch.device("cpu"))

_CURRENT: ContextVar[ProcessGroup] = ContextVar("process_group", default=SINGLE_PROCESS)


def current() -> ProcessGroup:
    """Process group of the enclosing :func:`joined` block; outside of one, this process by itself."""
    return _CURRENT.get()


@contextlib.contextmanager
def joined(device_name: str, timeout: float = 600.0) -> Iterator[ProcessGroup]:
    """Join the processes that torchrun started, until the block ends; without torchrun, only this process.

    Fits within the block are distributed over these processes (see :func:`current`).
    """
    size = int(os.environ.get("WORLD_SIZE", "1")) if "RANK" in os.environ and "MASTER_ADDR" in os.environ else 1
    if size == 1:
        with _as_current(ProcessGroup(find_device(device_name))) as ranks:
            yield ranks
        return
    device = _own_device(device_name)
    ranks = _join(device, size, timedelta(seconds=timeout))
    in_main_thread = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, ranks._on_termination) if in_main_thread else None
    with _as_current(ranks), ranks.fail_together():
        yield ranks
    # Not after an error: the launcher's signal must not arrive before the error is printed
    if in_main_thread:
        signal.signal(signal.SIGTERM, before)
    dist.destroy_process_group()


@contextlib.contextmanager
def _as_current(ranks: ProcessGroup) -> Iterator[ProcessGroup]:
    token = _CURRENT.set(ranks)
    try:
        yield ranks
    finally:
        _CURRENT.reset(token)


def _own_device(name: str) -> torch.device:
    """Device of this process among those of its machine."""
    kind = name.partition(":")[0]
    if kind == "auto":
        kind = "cuda" if torch.cuda.is_available() else "cpu"
    if kind not in {"cpu", "cuda"}:
        raise InputError(f"A distributed run needs the device 'cpu' or 'cuda', got {name!r}; choose one of the two.")
    if kind == "cpu":
        return torch.device("cpu")
    n_processes, n_devices = int(os.environ.get("LOCAL_WORLD_SIZE", "1")), torch.cuda.device_count()
    if n_processes > n_devices:
        raise InputError(
            f"This machine runs {n_processes} processes but has {n_devices} GPUs; "
            f"start torchrun with --nproc-per-node {max(n_devices, 1)}, or use the device 'cpu'."
        )
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(device)
    return device


def _join(device: torch.device, size: int, timeout: timedelta) -> ProcessGroup:
    """Connect to the other processes at the address in the environment."""
    try:
        store, rank, size = next(dist.rendezvous("env://", timeout=timeout))  # type: ignore[attr-defined]
        dist.init_process_group(
            "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo",
            store=store,
            rank=rank,
            world_size=size,
            timeout=timeout,
            device_id=device if device.type == "cuda" else None,
        )
    except (RuntimeError, ValueError) as error:
        raise RankError(
            f"The {size} processes of this run could not join ({_first_sentence(error)}); "
            "check that all of them run and can reach MASTER_ADDR."
        ) from None
    return ProcessGroup(device, rank, size, FailureReports(store))
