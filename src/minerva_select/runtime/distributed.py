"""The processes of one run: what they add up, and what all of them learn when one of them ends.

Rows are shared out among ranks, and a sum over rows is the sum of the ranks' own sums: every rank gets the same bits.
Autograd stays local: ``backward`` of a reduced value gives a rank the gradient of its own rows, and :meth:`Ranks.sum_`
of those is the gradient of the joined batch. A term that is no mean over rows, such as a penalty, is then counted once
a rank: divide it by their number.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import signal
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from minerva_select.errors import InputError, MinervaError, RankError
from minerva_select.runtime.device import find_device
from minerva_select.runtime.failure_reports import Board

T = TypeVar("T")

_RESUME = "start the run again with --resume to go on where it was"


class Ranks:
    """The processes of one run; a process alone is rank 0 of 1, and every method a plain local operation.

    Examples
    --------
    >>> import torch
    >>> ranks = alone(torch.device("cpu"))
    >>> ranks.leads, ranks.size
    (True, 1)
    >>> float(ranks.mean(torch.tensor([1.0, 4.0]), torch.tensor([2.0, 1.0])))
    2.0
    """

    def __init__(self, device: torch.device, rank: int = 0, size: int = 1, board: Board | None = None) -> None:
        self.device = device
        self.rank = rank
        self.size = size
        self._board = board
        self._over = board is None  # nobody is there to reach, or nobody can be reached any more

    @property
    def leads(self) -> bool:
        """Whether this is the rank that writes and prints."""
        return self.rank == 0

    def sum_(self, tensor: Tensor) -> Tensor:
        """Add up a tensor over all ranks, in place."""
        if self.size > 1:
            whole = tensor.detach().contiguous()  # gloo adds up the wrong places of a tensor with gaps
            with self._reaching_others():
                dist.all_reduce(whole)
            if not tensor.is_contiguous():
                tensor.detach().copy_(whole)
        return tensor

    def mean(self, values: Tensor, weights: Tensor | None = None, dim: int = -1) -> Tensor:
        """Mean over the joined rows of all ranks, which lie along ``dim``; a rank may have none."""
        weights = torch.ones_like(values) if weights is None else weights.expand_as(values)
        own = torch.stack([(values * weights).sum(dim), weights.sum(dim)])
        sums = self._from_each(own).sum(0)
        return sums[0] / sums[1]

    def log_mean_exp(self, scores: Tensor, dim: int = -1) -> Tensor:
        """Logarithm of the mean of exp(scores) over the joined rows, safe at scores of any size."""
        own = torch.logsumexp(scores, dim)
        n_rows = scores.shape[dim]
        log_count = torch.full_like(own, math.log(n_rows) if n_rows else -math.inf)
        logs = torch.logsumexp(self._from_each(torch.stack([own, log_count])), 0)
        return logs[0] - logs[1]

    def join_rows(self, values: Tensor, mine: Tensor, length: int) -> Tensor:
        """The whole of a table of which every rank has the rows at its own places; each place has one owner."""
        whole = values.new_zeros(length, *values.shape[1:])
        whole[mine] = values
        return self.sum_(whole)

    def slice_of(self, length: int) -> slice:
        """Where the even slice of this rank lies, of so many things that all ranks hold."""
        return slice(length * self.rank // self.size, length * (self.rank + 1) // self.size)

    def join_slices(self, values: Tensor, length: int) -> Tensor:  # (..., length)
        """The whole of what every rank has its even slice of, along the last dimension."""
        if self.size == 1:
            return values
        whole = values.new_zeros(*values.shape[:-1], length)
        whole[..., self.slice_of(length)] = values.detach()
        return self.sum_(whole)

    def gather(self, value: T) -> list[T]:
        """A small object of every rank, in their order."""
        if self.size == 1:
            return [value]
        found: list[Any] = [None] * self.size
        with self._reaching_others():
            dist.all_gather_object(found, value)
        return found

    def same(self, value: T) -> T:
        """The leading rank's object."""
        if self.size == 1:
            return value
        found: list[Any] = [value]
        with self._reaching_others():
            dist.broadcast_object_list(found, src=0)
        return found[0]  # type: ignore[no-any-return]

    def barrier(self) -> None:
        """Wait until every rank is here."""
        self.sum_(torch.zeros(1))  # on the CPU, whatever the device: who is gone is seen at once there

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """A block that all ranks get through, or none: where one raises an error, all raise it."""
        try:
            yield
            self.barrier()
        except BaseException as error:
            self._leave(error)
            raise

    def _from_each(self, own: Tensor) -> Tensor:  # (size, *own.shape)
        """A small tensor of every rank; gradients flow into this rank's own alone."""
        parts = own.detach().new_zeros(self.size, *own.shape)
        parts[self.rank] = own.detach()
        return torch.stack([own if rank == self.rank else part for rank, part in enumerate(self.sum_(parts))])

    @contextlib.contextmanager
    def _reaching_others(self) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:  # the base of everything that torch.distributed raises
            if self._over or (ending := self._give_up(_in_short(error))) is None:
                raise
            raise ending from None

    def _leave(self, error: BaseException) -> None:
        """Tell the others why this rank ends, and let go of them."""
        if self._over or self._board is None:
            return
        self._over = True
        if isinstance(error, MinervaError):
            error.told_elsewhere = not self.leads
        self._board.post(self.rank, error)
        _hang_up(self.device)

    def _give_up(self, reason: str) -> MinervaError | None:
        """What to raise when others cannot be reached: what ended one of them, or who is gone; None if all are there.

        Letting go of the others comes first: they notice, and answer the roll call too.
        """
        if self._board is None:
            return None
        self._over = True
        _hang_up(self.device)
        ending, gone = self._board.call_roll(self.rank, self.size)
        if ending is None and gone:
            names = ", ".join(str(rank) for rank in gone)
            who = f"Rank {names} of {self.size} is" if len(gone) == 1 else f"Ranks {names} of {self.size} are"
            ending = RankError(f"{who} gone ({reason}); {_RESUME}.")
        if ending is not None:
            ending.told_elsewhere = self.rank != min({*range(self.size)} - {*gone})
        return ending

    def _on_termination(self, *_: object) -> None:
        """End with a sentence where torchrun ends a rank because another one has failed."""
        if not self._over:
            ending = self._give_up("its launcher stops the run")
            if ending is None:
                ending = RankError(f"The run was told to stop; {_RESUME}.")
                ending.told_elsewhere = not self.leads
            raise ending


def _in_short(error: Exception) -> str:
    """The first sentence of an error of torch, without the place in its source."""
    return re.split(r"\.\s|\n", re.sub(r"^\[\S*\] ", "", str(error)))[0].rstrip(".")


def _hang_up(device: torch.device) -> None:
    """Close the connections to the other ranks."""
    if dist.is_initialized():
        if device.type == "cuda" and dist.group.WORLD is not None:
            dist.group.WORLD.abort()  # a kernel that waits for a dead rank would wait on
        dist.destroy_process_group()


def alone(device: torch.device) -> Ranks:
    """One process, on a device."""
    return Ranks(device)


ALONE = alone(torch.device("cpu"))  # whoever was told of no others


@contextlib.contextmanager
def joined(device_name: str, timeout: float = 600.0) -> Iterator[Ranks]:
    """The processes that torchrun started, joined until the block ends; without torchrun, this one alone.

    Parameters
    ----------
    device_name
        "auto", "cpu" or "cuda"; each process of a machine has a GPU of its own.
    timeout
        Seconds after which a rank that does not answer counts as gone. A rank that dies is noticed at once.

    Raises
    ------
    RankError
        Within the block: a rank is gone. An error that ends the block on one rank ends it on all.
    """
    size = int(os.environ.get("WORLD_SIZE", "1")) if "RANK" in os.environ and "MASTER_ADDR" in os.environ else 1
    if size == 1:
        yield alone(find_device(device_name))
        return
    device = _own_device(device_name)
    ranks = _join(device, size, timedelta(seconds=timeout))
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, ranks._on_termination) if in_main else None
    with ranks.together():
        yield ranks
    # Only where all is well: after an error, the launcher's signal must not come before the sentence on the screen
    if in_main:
        signal.signal(signal.SIGTERM, before)
    dist.destroy_process_group()


def _own_device(name: str) -> torch.device:
    """The device of this process among those of its machine."""
    kind = name.partition(":")[0]
    if kind == "auto":
        kind = "cuda" if torch.cuda.is_available() else "cpu"
    if kind not in {"cpu", "cuda"}:
        raise InputError(f"Several processes compute on 'cpu' or 'cuda', not on {name!r}; choose one of the two.")
    if kind == "cpu":
        return torch.device("cpu")
    n_processes, n_devices = int(os.environ.get("LOCAL_WORLD_SIZE", "1")), torch.cuda.device_count()
    if n_processes > n_devices:
        raise InputError(
            f"There are {n_processes} processes for {n_devices} GPUs on this machine; "
            f"start torchrun with --nproc-per-node {max(n_devices, 1)}, or use the device 'cpu'."
        )
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(device)
    return device


def _join(device: torch.device, size: int, timeout: timedelta) -> Ranks:
    """Meet the other processes where the environment says."""
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
            f"The {size} processes of this run could not join ({_in_short(error)}); "
            "check that all of them run and reach MASTER_ADDR."
        ) from None
    return Ranks(device, rank, size, Board(store))
