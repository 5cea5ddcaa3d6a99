"""The processes of one command: usually one, and as many as torchrun started where it did."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Protocol


class Processes(Protocol):
    """What a command needs of :class:`minerva_select.runtime.distributed.ProcessGroup`."""

    size: int

    @property
    def is_main(self) -> bool:
        """Whether this is the process that writes and prints."""

    def barrier(self) -> None:
        """Wait for the others."""


class _One:
    """A process alone, known without loading torch."""

    size = 1
    is_main = True

    def barrier(self) -> None:
        """Nobody is to be waited for."""


@contextlib.contextmanager
def processes(device: str) -> Iterator[Processes]:
    """The processes of this command, joined until the block ends."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield _One()
        return
    from minerva_select.runtime.distributed import joined

    with joined(device) as ranks:
        yield ranks
