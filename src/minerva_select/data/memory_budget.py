"""How much memory a fit may use, and which tables, blocks and samples fit in it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minerva_select.config import ROW_SAMPLE
from minerva_select.errors import InputError, brief

if TYPE_CHECKING:
    from minerva_select.data.source import Source

_DEFAULT_SHARE = 0.5  # of the available memory
_UNITS = {"": 1, **{unit: 1000 ** (k + 1) for k, unit in enumerate("kmgt")}}
_BINARY_UNITS = {f"{unit}i": 1024 ** (k + 1) for k, unit in enumerate("kmgt")}
_SIZE = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*(|[kmgt]i?)b?\s*", re.IGNORECASE)
_MIN_BYTES, _MAX_BYTES = 1 << 20, 1 << 62

# Peak resident bytes per cell, measured on card_fraud (102 float32, 50 small integer and 62 categorical columns). Not
# included: 0.1 GB for a Parquet row group and the buffers of its reader.
_FIT_CELL_BYTES = 32.0  # 22 for one fold: the table as columns, its codes, and its encoded rows
_BLOCK_CELL_BYTES = 10.0  # of each block in memory, as Arrow, as columns or as codes
_SAMPLE_CELL_BYTES = 16.0
_ENCODED_CELLS_PER_SECOND = 1.5e7  # on two cores
_BLOCK_SHARE, _SAMPLE_SHARE = 0.25, 0.25
_RESIDENT_SHARE = 0.5  # of encoded rows, which are read once blocks and sample are freed
_MIN_BLOCK_ROWS, _MAX_BLOCK_ROWS = 1_024, 65_536
_BLOCK_CELLS = 1 << 22  # larger blocks do not fit the processor caches and are a quarter slower
_MIN_RESIDENT_BYTES = 1 << 24
_UNKNOWN_MEMORY = 4_000_000_000  # bytes assumed if the system does not say


def parse_memory(size: str | int, name: str = "max_memory") -> int:
    """Parse a number of bytes, or a number with a unit; ``name`` is the parameter or option in errors."""
    match = None if isinstance(size, bool) else _SIZE.fullmatch(str(size))
    if match is None:
        raise InputError(f"{name} must be a number of bytes or have a unit, as in 500MB or 2GiB, got {brief(size)}.")
    n_bytes = float(match[1]) * (_UNITS | _BINARY_UNITS)[match[2].lower()]
    if n_bytes < _MIN_BYTES:
        raise InputError(f"{name} must be at least 1 MiB, got {size!r}; give a number with a unit, such as 500MB.")
    return int(min(n_bytes, _MAX_BYTES))


def format_bytes(n_bytes: float) -> str:
    """Format a number of bytes in the largest unit that leaves a number of at least 1."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:,.1f} {unit}"
    return f"{n_bytes:.0f} bytes"


def available_memory(root: Path = Path("/")) -> int:
    """Return the bytes that this process may still use, within the machine and its container."""
    limits = [*_available_on_machine(root), *_available_in_cgroups(root)]
    if limits:
        return max(0, min(limits))
    return total_memory() or _UNKNOWN_MEMORY  # not Linux


def total_memory() -> int | None:
    """Return the bytes of memory of this machine; None if the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


@dataclass(frozen=True)
class MemoryBudget:
    """Memory that a fit may use, not counting the libraries."""

    n_bytes: int

    @classmethod
    def from_max_memory(cls, max_memory: int | str | None) -> MemoryBudget:
        """Return the budget that a user set; for None, half of the available memory."""
        return cls(int(_DEFAULT_SHARE * available_memory()) if max_memory is None else parse_memory(max_memory))

    def fits(self, n_rows: int, n_columns: int, table_bytes: int) -> bool:
        """Return True if the peak memory of a fit of the whole table keeps within the budget."""
        return table_bytes + _FIT_CELL_BYTES * n_rows * n_columns <= self.n_bytes

    def fits_source(self, source: Source) -> bool:
        """Return True if a fit of a source keeps within the budget."""
        return self.fits(source.n_rows, len(source.names), source.nbytes)

    def block_rows(self, n_columns: int, n_blocks: int = 4) -> int:
        """Rows per block when a table is read block by block, with ``n_blocks`` in memory."""
        n_cells = min(_BLOCK_CELLS, int(self.n_bytes * _BLOCK_SHARE / (_BLOCK_CELL_BYTES * n_blocks)))
        return max(_MIN_BLOCK_ROWS, min(_MAX_BLOCK_ROWS, n_cells // max(1, n_columns)))

    def sample_rows(self, n_columns: int) -> int:
        """Rows of the sample that column types are inferred from and encoders are fitted on."""
        affordable = self.n_bytes * _SAMPLE_SHARE / (_SAMPLE_CELL_BYTES * max(1, n_columns))
        return max(ROW_SAMPLE.min_rows, min(ROW_SAMPLE.max_rows, int(affordable)))

    @property
    def resident_bytes(self) -> int:
        """Bytes of encoded rows that may stay in memory while a fit reads them."""
        return max(_MIN_RESIDENT_BYTES, int(self.n_bytes * _RESIDENT_SHARE))


def load_or_stream(X: Any, budget: MemoryBudget, folder: str | os.PathLike[str] | None = None) -> Any:
    """Return a table in memory if a fit of it keeps within the budget, otherwise a source to read in blocks.

    A table that can be read only once (a generator, a reader) is copied to ``folder`` first: its size is unknown.
    """
    size = _size_in_memory(X)
    if size is not None and budget.fits(*size):
        return X
    from minerva_select.data.open_table import open_source  # noqa: PLC0415 - loads pyarrow

    source = X if is_source(X) else open_source(X, folder)
    decision = getattr(source, "fits_in_memory", None)
    return source.read() if decision or (decision is None and budget.fits_source(source)) else source


def is_source(X: Any) -> bool:
    """Return True for a :class:`~minerva_select.data.source.Source`."""
    return hasattr(X, "blocks") and hasattr(type(X), "fingerprint")  # computing the fingerprint may read rows


def release_memory() -> None:
    """Return freed memory to the system; Arrow and glibc keep it for later use."""
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError):  # glibc only
        ctypes.CDLL(None).malloc_trim(0)


def estimate_encoding_seconds(n_rows: int, n_columns: int) -> float:
    """Estimate the time to read and encode a Parquet table on two cores."""
    return n_rows * n_columns / _ENCODED_CELLS_PER_SECOND


def rows_within_time_limit(n_rows: int, n_columns: int, time_limit: float | None) -> int:
    """Return how many rows a fit can use within a time limit: encoding them cannot be interrupted."""
    if time_limit is None:
        return n_rows
    affordable = time_limit * ROW_SAMPLE.cells_per_second_of_limit / max(1, n_columns)
    return int(min(n_rows, max(ROW_SAMPLE.min_rows_within_limit, affordable)))


def _available_on_machine(root: Path) -> Iterator[int]:
    found = re.search(r"^MemAvailable:\s+(\d+) kB", _read(root / "proc/meminfo"), re.MULTILINE)
    if found:
        yield 1024 * int(found[1])


def _available_in_cgroups(root: Path) -> Iterator[int]:
    """Yield what each control group of this process leaves; cached file pages count as free."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        base, limit_name, used_name, cache_name = (
            (root / "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            if controllers
            else (root / "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file")
        )
        group = base / path.strip("/")
        while group.is_relative_to(base):
            limit, used = _read(group / limit_name).strip(), _read(group / used_name).strip()
            if limit.isdigit() and used.isdigit():  # not "max"
                cache = re.search(rf"^{cache_name} (\d+)", _read(group / "memory.stat"), re.MULTILINE)
                yield int(limit) - int(used) + (int(cache[1]) if cache else 0)
            group = group.parent


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _size_in_memory(X: Any) -> tuple[int, int, int] | None:
    """Rows, columns and bytes of a table in memory; None for a table that is read in pieces."""
    if type(X).__module__.startswith("scipy.sparse"):  # checked when it is converted to columns
        return 0, 0, 0
    shape = getattr(X, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2 or not all(isinstance(size, int) for size in shape):
        return None if _is_read_in_pieces(X) else (0, 0, 0)
    try:
        n_bytes = getattr(X, "nbytes", None)
    except (RuntimeError, TypeError):  # sparse tensors, and text views in pyarrow before 24
        n_bytes = None
    return shape[0], shape[1], n_bytes if isinstance(n_bytes, int) else 8 * shape[0] * shape[1]


def _is_read_in_pieces(X: Any) -> bool:
    """Return True for a source, a dataset, a lazy frame, a reader or an iterator of batches."""
    if is_source(X) or hasattr(X, "__next__") or hasattr(X, "to_batches") or hasattr(X, "read_next_batch"):
        return True
    return hasattr(X, "collect") and hasattr(X, "collect_schema")
