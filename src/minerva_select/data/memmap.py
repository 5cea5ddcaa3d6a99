"""Tensors in files, of which only so much comes into memory."""

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
    """Files of rows as tensors that lie on the disk.

    Pages of a mapped file that were touched count as memory of this process. Files that take at most ``resident`` bytes
    together are read so, and end up in memory: 1 ms for 8192 rows of 284 bytes. Of larger ones :meth:`gather` reads row
    by row what it is asked for and keeps nothing: 20 ms. (To give the pages back every 64 MB takes 60 ms: Linux maps 16
    of them around each that is touched.) A sorted index is no faster, be the files in the system's cache or not.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.arange(6, dtype=np.int16).tofile(path := Path(folder) / "rows.bin")
    ...     mapping = MemmapReader()
    ...     mapping.gather(mapping.open(path, np.int16, (3, 2)), torch.tensor([2, 0]), None)
    tensor([[4, 5],
            [0, 1]], dtype=torch.int16)
    """

    def __init__(self, resident: int = RESIDENT_BYTES, *, scattered: bool = False) -> None:
        self.resident = resident
        self.scattered = scattered  # whether to read no more of the disk than what is asked for
        self._descriptors: dict[int, int] = {}  # by address
        self._n_bytes = 0

    def open(self, path: Path, dtype: DTypeLike, shape: tuple[int, int]) -> Tensor:
        """Give a tensor over a file that holds an array, row after row; for :meth:`gather` alone to read."""
        if 0 in shape:  # nothing to map
            return torch.from_numpy(np.empty(shape, dtype=dtype))
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        weakref.finalize(self, os.close, descriptor)
        if self.scattered and hasattr(os, "posix_fadvise"):
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        whole = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)  # private pages would count as promised memory
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
            table = torch.from_numpy(np.frombuffer(whole, dtype=dtype).reshape(shape))
        self._descriptors[table.data_ptr()] = descriptor
        self._n_bytes += table.nbytes
        return table

    def gather(self, table: Tensor, rows: Tensor, columns: Tensor | None) -> Tensor:
        """Cells of a tensor over a file, as :func:`~minerva_select.data.encoded_rows.gather_cells` gives them."""
        descriptor = self._descriptors.get(table.data_ptr())
        if descriptor is None or self._n_bytes <= self.resident or not hasattr(os, "pread") or not rows.numel():
            return gather_cells(table, rows, columns)
        cells = _read(descriptor, table, rows.reshape(-1).numpy())
        if columns is not None:
            cells = cells.index_select(1, columns)
        return cells.view(*rows.shape, cells.shape[1])


def _read(descriptor: int, table: Tensor, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Tensor:
    """Rows of a file, those that follow each other in one go."""
    n_bytes = table.shape[1] * table.itemsize
    starts = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    lengths = np.diff(starts, append=len(rows)) * n_bytes
    runs = zip(lengths.tolist(), (rows[starts] * n_bytes).tolist(), strict=True)
    cells = bytearray().join([os.pread(descriptor, length, offset) for length, offset in runs])
    return torch.frombuffer(cells, dtype=table.dtype).view(len(rows), table.shape[1])
