"""Read a table and work on its blocks in parallel: some threads read row groups ahead while others compute."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from minerva_select.errors import MinervaError

if TYPE_CHECKING:
    from minerva_select.data.source import Source

_MAX_PART_ROWS = 250_000  # between two points where a killed run can continue, per thread that reads

MIN_THREADS = 2  # on a single core, one thread computes while another waits for the disk

T = TypeVar("T")


@dataclass(frozen=True)
class PipelineSize:
    """Number of threads, and of the blocks that are in memory."""

    n_workers: int

    @property
    def n_readers(self) -> int:
        """Threads that read: decoding Parquet takes a third of the processor time, and has threads of its own."""
        return max(1, self.n_workers // 2)

    @property
    def n_blocks(self) -> int:
        """Blocks in memory: those that are read, worked on and written."""
        return self.n_readers + self.n_workers + 1


def map_blocks(
    source: Source, work: Callable[[Any], T], block_rows: int, size: PipelineSize, n_skipped: int = 0
) -> Generator[tuple[int, T], None, None]:
    """Yield the first row of every block after ``n_skipped`` rows, and the result of ``work`` for it.

    Blocks are yielded as they finish, in any order. An error ends the iteration; of several, the first row's is raised.
    """
    with contextlib.closing(_Pipeline(source, work, block_rows, size, n_skipped).run()) as finished:
        yield from finished


@dataclass(frozen=True)
class _Result(Generic[T]):
    """What a thread hands over: a finished block, an error, or the end of a reader."""

    start: int
    value: T | None = None
    error: BaseException | None = None
    is_end_of_reader: bool = False


class _Pipeline(Generic[T]):
    def __init__(
        self, source: Source, work: Callable[[Any], T], block_rows: int, size: PipelineSize, n_skipped: int
    ) -> None:
        self.source, self.work, self.block_rows = source, work, block_rows
        self.n_readers = size.n_readers
        self.parts = _parts(source, block_rows, size, n_skipped)
        self.workers = ThreadPoolExecutor(size.n_workers)
        self.slots = threading.Semaphore(size.n_workers + 1)  # of blocks that were read and are not written yet
        self.lock = threading.Lock()
        self.n_submitted = 0
        self.is_stopped = False
        self.results: SimpleQueue[_Result[T]] = SimpleQueue()

    def run(self) -> Generator[tuple[int, T], None, None]:
        readers = [threading.Thread(target=self._read, daemon=True) for _ in range(self.n_readers)]
        for reader in readers:
            reader.start()
        try:
            yield from self._collect()
        finally:
            self.is_stopped = True
            self.slots.release(len(readers))
            for reader in readers:
                reader.join()
            self.workers.shutdown(cancel_futures=True)

    def _collect(self) -> Iterator[tuple[int, T]]:
        n_reading, n_collected = self.n_readers, 0
        failures: list[tuple[int, BaseException]] = []
        while n_reading or n_collected < self.n_submitted:
            result = self.results.get()
            if result.error is not None:
                failures.append((result.start, result.error))
                self.is_stopped = True  # blocks that were read already may have an earlier error
            if result.is_end_of_reader:
                n_reading -= 1
                continue
            if not failures:
                yield result.start, result.value  # type: ignore[misc]
            n_collected += 1
            self.slots.release()
        if failures:
            raise min(failures, key=lambda failure: failure[0])[1]

    def _read(self) -> None:
        """Read parts until none is left, and hand their blocks to the workers."""
        start, error = 0, None
        try:
            while (part := self._next_part()) is not None:
                start = part.first_row - self.source.first_row
                for block in part.blocks(self.block_rows):
                    self.slots.acquire()
                    if self.is_stopped:
                        return
                    with self.lock:
                        self.n_submitted += 1
                    self.workers.submit(self._work, start, block)
                    start += block.num_rows
        except BaseException as caught:  # raised again by the thread that collects
            error = caught
        finally:
            self.results.put(_Result(start, error=error, is_end_of_reader=True))

    def _next_part(self) -> Source | None:
        with self.lock:
            return None if self.is_stopped else next(self.parts, None)

    def _work(self, start: int, block: Any) -> None:
        try:
            self.results.put(_Result(start, self.work(block)))
        except MinervaError as error:
            first = self.source.first_row + start
            where = f"in rows {first + 1:,} to {first + block.num_rows:,}"
            self.results.put(_Result(start, error=type(error)(f"{str(error).rstrip('.')} ({where}).")))
        except BaseException as error:  # raised again by the thread that collects
            self.results.put(_Result(start, error=error))


def _parts(source: Source, block_rows: int, size: PipelineSize, n_skipped: int) -> Iterator[Source]:
    """Divide the rows among the readers, in order and at the ends of row groups."""
    n_rows = source.n_rows - n_skipped
    if n_rows <= 0:
        return
    if size.n_readers > 1:
        n_rows = max(block_rows, min(_MAX_PART_ROWS, n_rows // (4 * size.n_readers)))
    yield from source.parts_at_groups(n_skipped, n_rows)
