"""The files of a store: encoded rows, and how many of them are safely there."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minerva_select.data.encoded_rows import ColumnLayout
from minerva_select.data.memory_budget import format_bytes
from minerva_select.errors import InputError
from minerva_select.io.atomic import atomic_write, is_regular_file
from minerva_select.preprocessing.categories import code_type
from minerva_select.results.parsing import ParseError, parse_as

QUANTILES, CODES, STATE = "quantiles.bin", "codes.bin", "store.json"
_CHECKED_ROWS = 16_384
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_ACCESS = {errno.EACCES, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EPERM, errno.ENOENT, errno.EIO}


@dataclass(frozen=True)
class State:
    """What a store holds, and how far it has got: a store of fewer rows than the table's goes on where it stopped."""

    key: str
    n_rows: int
    n_numeric: int
    n_levels: tuple[int, ...]
    positions: tuple[int, ...]
    n_written: int = 0
    any_missing: bool = False

    @property
    def code_type(self) -> np.dtype[Any]:
        """Type of the codes in their file."""
        return np.dtype(np.uint8 if code_type(max(self.n_levels, default=0)) == np.uint8 else np.int32)

    @property
    def row_bytes(self) -> dict[str, int]:
        """Bytes of a row in either file."""
        return {QUANTILES: 2 * self.n_numeric, CODES: self.code_type.itemsize * len(self.n_levels)}

    @property
    def layout(self) -> ColumnLayout:
        """Columns of the rows."""
        return ColumnLayout(self.n_numeric, self.n_levels, self.positions, self.any_missing)


def append(folder: Path, name: str, state: State) -> BinaryIO:
    """Open a file behind the rows that are known to be in it."""
    how = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    if not state.n_written:  # what is there is not ours: it may be open to others, or a link to somewhere else
        (folder / name).unlink(missing_ok=True)
        how |= os.O_CREAT | os.O_EXCL
    descriptor = os.open(folder / name, how, 0o600)
    file = os.fdopen(descriptor, "r+b")
    file.truncate(state.n_written * state.row_bytes[name])
    file.seek(0, os.SEEK_END)
    return file


def record(folder: Path, state: State, *files: BinaryIO) -> None:
    """Say how far the rows have got, once they are on the disk."""
    for file in files:
        file.flush()
        os.fsync(file.fileno())
    atomic_write(folder / STATE, json.dumps(asdict(state)), private=True)


def read_state(folder: Path) -> State | None:
    """What a folder holds; None where nothing was recorded."""
    if not os.path.lexists(folder / STATE):
        return None
    if not all(is_regular_file(folder / name) for name in (STATE, QUANTILES, CODES)):
        raise damaged(folder)
    try:
        state = parse_as(State, json.loads((folder / STATE).read_text()))
        sizes = {name: (folder / name).stat().st_size for name in state.row_bytes}
    except (FileNotFoundError, IsADirectoryError, ValueError, RecursionError, ParseError):
        raise damaged(folder) from None
    needed = {name: n_bytes * state.n_written for name, n_bytes in state.row_bytes.items()}
    is_whole = state.n_written == state.n_rows  # else rows may follow that were never recorded
    fit = all(sizes[name] == needed[name] if is_whole else sizes[name] >= needed[name] for name in needed)
    if not fit or not 0 <= state.n_written <= state.n_rows:
        raise damaged(folder)
    return state


def check_codes(folder: Path, state: State) -> None:
    """Refuse codes that stand for no level of their column: the network would look up another's."""
    n_columns = len(state.n_levels)
    if not n_columns or not state.n_written:
        return
    with (folder / CODES).open("rb") as file:
        for start in range(0, state.n_written, _CHECKED_ROWS):
            n_rows = min(state.n_written - start, _CHECKED_ROWS)
            codes = np.fromfile(file, state.code_type, n_rows * n_columns).reshape(n_rows, n_columns)
            if (codes >= state.n_levels).any() or (codes < 0).any():
                raise damaged(folder)


def damaged(folder: Path) -> InputError:
    """Error for a folder whose files are not what was written."""
    return InputError(f"The cache in {str(folder)!r} is damaged; remove that folder and start again.")


def check_space(folder: Path, state: State) -> None:
    """Refuse a disk on which the rest of the rows will not fit."""
    needed = sum(state.row_bytes.values()) * (state.n_rows - state.n_written)
    free = shutil.disk_usage(folder).free
    if needed > free:
        if not state.n_written:
            remove(folder)
        raise _no_space(folder, needed, f"has {format_bytes(free)} free")


def _no_space(folder: Path, needed: int, state: str) -> InputError:
    return InputError(
        f"The encoded rows need {format_bytes(needed)} in {str(folder)!r}, whose disk {state}; "
        "free some space, or give a folder on another disk with --cache DIR."
    )


@contextlib.contextmanager
def told(folder: Path, needed: int = 0) -> Iterator[None]:
    """Say in one sentence that a disk is full, or that a folder cannot be written or is gone."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise _no_space(folder, needed, "is full") from None
        if error.errno in _NO_ACCESS:
            raise InputError(
                f"The folder {str(folder)!r} cannot be written ({error.strerror}); give another with --cache DIR."
            ) from None
        raise


def remove(folder: Path) -> None:
    """Remove a store, and its folder if nothing else is in it."""
    for name in (QUANTILES, CODES, STATE):
        (folder / name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # somebody's folder, with other files in it
        folder.rmdir()
