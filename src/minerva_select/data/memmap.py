"""Read rows of tables in files, with a limit on the memory they take."""

from __future__ import annotations

import mmap
import os
import warnings
import weakref
from pathlib import Path

import numpy as np
import torch
from numpy.typing import DTypeLike
from torch import Tensor

from minerva_select.data.encoded_rows import gather_cells

RESIDENT_BYTES = 1 << 26


class MemmapReader:
    """Memory-mapped files of rows as tensors.

    Pages of a mapped file that were read count as memory of this process. Files of at most ``resident`` bytes in total
    are read this way and end up in memory: 1 ms for 8,192 rows of 284 bytes. Rows of larger files are read one by one
    with ``pread`` and nothing is kept: 20 ms. (Dropping the pages every 64 MB takes 60 ms, as Linux maps 16 pages
    around each one that is read. A sorted index is no faster.) With ``random_access`` the system does not read ahead.
    """

    def __init__(self, resident: int = RESIDENT_BYTES, *, random_access: bool = False) -> None:
        self.resident = resident
        self.random_access = random_access
        self._descriptors: dict[int, int] = {}  # by address
        self._n_bytes = 0

    def open(self, path: Path, dtype: DTypeLike, shape: tuple[int, int]) -> Tensor:
        """Return a tensor over a file with an array in row-major order; read it only with :meth:`gather`."""
        if 0 in shape:  # an empty file cannot be mapped
            return torch.from_numpy(np.empty(shape, dtype=dtype))
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        weakref.finalize(self, os.close, descriptor)
        if self.random_access and hasattr(os, "posix_fadvise"):
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        mapped = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)  # a private mapping would count as committed memory
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
            table = torch.from_numpy(np.frombuffer(mapped, dtype=dtype).reshape(shape))
        self._descriptors[table.data_ptr()] = descriptor
        self._n_bytes += table.nbytes
        return table

    def gather(self, table: Tensor, rows: Tensor, columns: Tensor | None) -> Tensor:
        """Read cells of a tensor; see :func:`~minerva_select.data.encoded_rows.gather_cells`."""
        descriptor = self._descriptors.get(table.data_ptr())
        if descriptor is None or self._n_bytes <= self.resident or not hasattr(os, "pread") or not rows.numel():
            return gather_cells(table, rows, columns)
        cells = _pread_rows(descriptor, table, rows.reshape(-1).numpy())
        if columns is not None:
            cells = cells.index_select(1, columns)
        return cells.view(*rows.shape, cells.shape[1])


def _pread_rows(descriptor: int, table: Tensor, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Tensor:
    """Read rows of a file, consecutive ones in one call."""
    n_bytes = table.shape[1] * table.itemsize
    starts = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    lengths = np.diff(starts, append=len(rows)) * n_bytes
    spans = zip(lengths.tolist(), (rows[starts] * n_bytes).tolist(), strict=True)
    cells = bytearray().join([os.pread(descriptor, length, offset) for length, offset in spans])
    return torch.frombuffer(cells, dtype=table.dtype).view(len(rows), table.shape[1])
