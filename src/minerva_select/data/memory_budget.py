"""How much memory there is, and what fits in it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from minerva_select.errors import InputError, brief

DEFAULT_SHARE = 0.5
"""Share of the available memory that a fit takes unless told otherwise."""

MAX_SAMPLE_ROWS = 100_000
"""Rows that encoders are fitted on, at most. In 95 of 100 columns every rank is then off by less than 0.0043
(Dvoretzky, Kiefer and Wolfowitz), and a level of 1 in 10,000 rows is missed once in 22,000 times."""

_UNITS = {"": 1, **{unit: 1000 ** (k + 1) for k, unit in enumerate("kmgt")}}
_BINARY_UNITS = {f"{unit}i": 1024 ** (k + 1) for k, unit in enumerate("kmgt")}
_SIZE = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*(|[kmgt]i?)b?\s*", re.IGNORECASE)
_MIN_BYTES, _MAX_BYTES = 1 << 20, 1 << 62

# Measured on card_fraud (214 columns: 102 float32, 50 short integers, 62 of levels) as peak resident bytes a cell,
# besides 0.1 GB for a row group of Parquet and the buffers of its reader.
_FIT_CELL_BYTES = 32.0  # 22 for one fold, of the table as columns, its codings, and its rows encoded and picked from
_BLOCK_CELL_BYTES = 40.0  # a cell of one block: four of them are in memory, as Arrow, as columns and as codes
_SAMPLE_CELL_BYTES = 16.0
_CELLS_PER_SECOND = 1.5e7  # two cores; 1.8e7 with nothing else running
_BLOCK_SHARE, _SAMPLE_SHARE, _RESIDENT_SHARE = 0.25, 0.25, 0.5  # rows are read once blocks and sample are gone
_MIN_BLOCK, _MAX_BLOCK = 1024, 65_536
_CELLS_A_SECOND_OF_LIMIT = 2e6  # a third of what one core encodes in memory: most of the time is for the fit
_LEAST_ROWS_IN_TIME = 5_000
_BLOCK_CELLS = 1 << 22  # more go through the caches of the processor to its memory and back, a quarter slower
_MIN_SAMPLE = 1000


def parse_memory(size: str | int) -> int:
    """Read an amount of memory: bytes, or a number with a unit.

    Examples
    --------
    >>> parse_memory("500MB"), parse_memory("2G"), parse_memory("1.5GiB")
    (500000000, 2000000000, 1610612736)
    >>> parse_memory("lots")
    Traceback (most recent call last):
    minerva_select.errors.InputError: Memory must be a number of bytes or have a unit, as in 500MB or 2GiB, got 'lots'.
    """
    match = None if isinstance(size, bool) else _SIZE.fullmatch(str(size))
    if match is None:
        raise InputError(f"Memory must be a number of bytes or have a unit, as in 500MB or 2GiB, got {brief(size)}.")
    n_bytes = float(match[1]) * (_UNITS | _BINARY_UNITS)[match[2].lower()]
    if n_bytes < _MIN_BYTES:
        raise InputError(f"Memory must be at least 1 MiB, got {size!r}; give a number with a unit, such as 500MB.")
    return int(min(n_bytes, _MAX_BYTES))


def format_bytes(n_bytes: float) -> str:
    """Give an amount of memory in the largest unit that leaves a number above 1.

    Examples
    --------
    >>> format_bytes(1_284_000_000), format_bytes(999)
    ('1.3 GB', '999 bytes')
    """
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:,.1f} {unit}"
    return f"{n_bytes:.0f} bytes"


def available_memory(root: Path = Path("/")) -> int:
    """Bytes that this process may still take without others being pushed out: of the machine, or of its container.

    Examples
    --------
    >>> available_memory() > 0
    True
    """
    amounts = [*_available_of_machine(root), *_left_in_groups(root)]
    if amounts:
        return max(0, min(amounts))
    try:  # no Linux: what there is in all
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 4_000_000_000


@dataclass(frozen=True)
class MemoryBudget:
    """Memory that a fit may take beside the libraries, and what follows from it.

    Examples
    --------
    >>> budget = MemoryBudget(parse_memory("500MB"))
    >>> budget.fits(n_rows=100_000, n_columns=30, table_bytes=24_000_000)
    True
    >>> budget.fits(n_rows=3_000_000, n_columns=214, table_bytes=2_000_000_000)
    False
    >>> budget.block_rows(n_columns=214), budget.sample_rows(n_columns=214)
    (14602, 36507)
    """

    n_bytes: int

    @classmethod
    def default(cls) -> MemoryBudget:
        """The usual share of what is available."""
        return cls(int(DEFAULT_SHARE * available_memory()))

    @classmethod
    def of(cls, memory: int | str | None) -> MemoryBudget:
        """What a user gives, or the usual share."""
        return cls.default() if memory is None else cls(parse_memory(memory))

    def fits(self, n_rows: int, n_columns: int, table_bytes: int) -> bool:
        """Whether a table can be read whole and fitted in memory."""
        return estimate_fit_bytes(n_rows, n_columns, table_bytes) <= self.n_bytes

    def block_rows(self, n_columns: int) -> int:
        """Rows to read at once when a table is encoded block by block."""
        n_cells = min(_BLOCK_CELLS, int(self.n_bytes * _BLOCK_SHARE / _BLOCK_CELL_BYTES))
        return max(_MIN_BLOCK, min(_MAX_BLOCK, n_cells // max(1, n_columns)))

    def sample_rows(self, n_columns: int) -> int:
        """Rows to judge columns by and to fit encoders on."""
        affordable = self.n_bytes * _SAMPLE_SHARE / (_SAMPLE_CELL_BYTES * max(1, n_columns))
        return max(_MIN_SAMPLE, min(MAX_SAMPLE_ROWS, int(affordable)))

    @property
    def resident_bytes(self) -> int:
        """Bytes of encoded rows in files that may stay in memory while a fit reads them."""
        return max(1 << 24, int(self.n_bytes * _RESIDENT_SHARE))


def release_memory() -> None:
    """Return to the system what was freed: Arrow and the C library keep it for later, which counts as taken."""
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError):  # of glibc alone
        ctypes.CDLL(None).malloc_trim(0)


def estimate_fit_bytes(n_rows: int, n_columns: int, table_bytes: int) -> int:
    """About what a fit of a table in memory takes at its peak, besides the libraries."""
    return int(table_bytes + _FIT_CELL_BYTES * n_rows * n_columns)


def estimate_encoding_seconds(n_rows: int, n_columns: int) -> float:
    """About how long it takes to read and encode a table, from Parquet on two cores.

    Examples
    --------
    >>> round(estimate_encoding_seconds(3_000_000, 214))
    43
    """
    return n_rows * n_columns / _CELLS_PER_SECOND


def rows_within_time_limit(n_rows: int, n_columns: int, seconds: float | None) -> int:
    """How many of so many rows a fit within a time limit can use: to encode a row cannot be cut short later.

    Examples
    --------
    >>> [rows_within_time_limit(1_000_000, 100, seconds) for seconds in (10, 60, 1e308, None)]
    [200000, 1000000, 1000000, 1000000]
    """
    if seconds is None:
        return n_rows
    return int(min(n_rows, max(_LEAST_ROWS_IN_TIME, seconds * _CELLS_A_SECOND_OF_LIMIT / max(1, n_columns))))


def _available_of_machine(root: Path) -> Iterator[int]:
    found = re.search(r"^MemAvailable:\s+(\d+) kB", _read(root / "proc/meminfo"), re.MULTILINE)
    if found:
        yield 1024 * int(found[1])


def _left_in_groups(root: Path) -> Iterator[int]:
    """What the control groups of this process leave it, up to the outermost; pages of files can be dropped."""
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
