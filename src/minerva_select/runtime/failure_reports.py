"""What ranks tell each other at the end, when they can no longer reach each other directly."""

from __future__ import annotations

import contextlib
import json
import time
from typing import TYPE_CHECKING

from minerva_select import errors
from minerva_select.errors import MinervaError, RankError

if TYPE_CHECKING:  # some builds of torch are without it
    from torch.distributed.distributed_c10d import Store

ROLL_CALL = 3.0  # seconds in which a rank that lives answers


class Board:
    """Where ranks leave a word for the others, whatever these are waiting for: the store through which they met."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def post(self, rank: int, error: BaseException | None = None) -> None:
        """Say that this rank is there, or that it ends with an error."""
        word = "" if error is None else json.dumps([type(error).__name__, str(error)])
        with contextlib.suppress(RuntimeError):  # whoever holds the store may be the one that is gone
            self.store.set(f"rank {rank}", word)

    def call_roll(self, rank: int, size: int) -> tuple[MinervaError | None, list[int]]:
        """The error that ended another rank, and the ranks that do not answer."""
        self.post(rank)
        silent = [other for other in range(size) if other != rank]
        until = time.monotonic() + ROLL_CALL
        try:
            while silent and time.monotonic() < until:
                for other in [other for other in silent if self.store.check([f"rank {other}"])]:
                    silent.remove(other)
                    if word := self.store.get(f"rank {other}"):
                        return _from_word(word, other, size), []
                time.sleep(0.02)
        except RuntimeError:
            return None, [0] if rank else silent
        return None, silent


def _from_word(word: bytes, rank: int, size: int) -> MinervaError:
    """The error of another rank: the same where it is one of ours, else that it happened."""
    name, message = json.loads(word)
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, MinervaError):
        return kind(message)
    what = f"{name}: {message.rstrip('.')}" if message else name
    return RankError(f"Rank {rank} of {size} stopped with {what}; see its own output.")
