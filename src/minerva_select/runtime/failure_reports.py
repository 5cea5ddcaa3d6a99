"""Share errors between processes after communication fails."""

from __future__ import annotations

import contextlib
import json
import time
from typing import TYPE_CHECKING

from minerva_select import errors
from minerva_select.errors import MinervaError, RankError

if TYPE_CHECKING:  # some builds of torch do not have it
    from torch.distributed.distributed_c10d import Store

WAIT_SECONDS = 3.0  # in which every rank that is alive reports


class FailureReports:
    """Reports of the ranks, in the store through which they joined: it works when collective operations fail."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def post(self, rank: int, error: BaseException | None = None) -> None:
        """Report that this rank is alive, or the error that ends it."""
        report = "" if error is None else json.dumps([type(error).__name__, str(error)])
        with contextlib.suppress(RuntimeError):  # the process that holds the store may be the lost one
            self.store.set(f"rank {rank}", report)

    def collect(self, rank: int, size: int) -> tuple[MinervaError | None, list[int]]:
        """Return the error that ended another rank, and the ranks that do not report."""
        self.post(rank)
        silent = [other for other in range(size) if other != rank]
        until = time.monotonic() + WAIT_SECONDS
        try:
            while silent and time.monotonic() < until:
                for other in [other for other in silent if self.store.check([f"rank {other}"])]:
                    silent.remove(other)
                    if report := self.store.get(f"rank {other}"):
                        return _as_error(report, other, size), []
                time.sleep(0.02)
        except RuntimeError:
            return None, [0] if rank else silent
        return None, silent


def _as_error(report: bytes, rank: int, size: int) -> MinervaError:
    """The reported error itself if it is one of ours, else a RankError that names it."""
    name, message = json.loads(report)
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, MinervaError):
        return kind(message)
    what = f"{name}: {message.rstrip('.')}" if message else name
    return RankError(f"Rank {rank} of {size} stopped with {what}; see its own output.")
