"""Files of an encoded store: the rows, and a JSON file that says how many of them are complete."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minerva_select.data.encoded_rows import ColumnLayout
from minerva_select.data.memory_budget import format_bytes
from minerva_select.errors import InputError
from minerva_select.io.atomic import atomic_write, is_regular_file, open_no_follow
from minerva_select.preprocessing.categories import code_type
from minerva_select.results.parsing import ParseError, parse_as

QUANTILES, CODES, STATE = "quantiles.bin", "codes.bin", "store.json"
REMEDY = "choose another cache folder"
_CHECKED_ROWS = 16_384


@dataclass(frozen=True)
class StoreState:
    """Columns of a store, and how many of its rows are written."""

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

    def cell_type(self, name: str) -> np.dtype[Any]:
        """Type of the cells in a file."""
        return np.dtype(np.int16) if name == QUANTILES else self.code_type

    @property
    def row_bytes(self) -> dict[str, int]:
        """Bytes per row of each file."""
        return {QUANTILES: 2 * self.n_numeric, CODES: self.code_type.itemsize * len(self.n_levels)}

    @property
    def layout(self) -> ColumnLayout:
        """Columns of the rows."""
        return ColumnLayout(self.n_numeric, self.n_levels, self.positions, self.any_missing)


def open_for_writing(folder: Path, name: str, state: StoreState) -> BinaryIO:
    """Open a file of rows, cut to the rows that were recorded."""
    flags = os.O_RDWR
    if not state.n_written:  # a file that is there is not ours: it may be readable by others, or a link
        (folder / name).unlink(missing_ok=True)
        flags |= os.O_CREAT | os.O_EXCL
    # not atomic: adds rows; the state file says how many count
    file = os.fdopen(open_no_follow(folder / name, flags, 0o600), "r+b")
    file.truncate(state.n_written * state.row_bytes[name])
    return file


def record_state(folder: Path, state: StoreState, *files: BinaryIO) -> None:
    """Write the state once all rows are on disk."""
    for file in files:
        file.flush()
        os.fsync(file.fileno())
    atomic_write(folder / STATE, json.dumps(asdict(state)), private=True)


def read_state(folder: Path) -> StoreState | None:
    """Read the state of a store; None if nothing was recorded."""
    if not os.path.lexists(folder / STATE):
        return None
    if not all(is_regular_file(folder / name) for name in (STATE, QUANTILES, CODES)):
        raise damaged(folder)
    try:
        state = parse_as(StoreState, json.loads((folder / STATE).read_text()))
        sizes = {name: (folder / name).stat().st_size for name in state.row_bytes}
    except (FileNotFoundError, IsADirectoryError, ValueError, RecursionError, ParseError):
        raise damaged(folder) from None
    needed = {name: n_bytes * state.n_written for name, n_bytes in state.row_bytes.items()}
    is_complete = state.n_written == state.n_rows  # otherwise rows may follow that were not recorded
    fit = all(sizes[name] == needed[name] if is_complete else sizes[name] >= needed[name] for name in needed)
    if not fit or not 0 <= state.n_written <= state.n_rows:
        raise damaged(folder)
    return state


def check_codes(folder: Path, state: StoreState) -> None:
    """Raise if a code is not a level of its column: it would select the embedding of another column."""
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
    """Return the error for files that are not as they were written."""
    return InputError(f"The cache in {str(folder)!r} is damaged; remove that folder and start again.")


def check_disk_space(folder: Path, state: StoreState) -> None:
    """Raise if the remaining rows do not fit on the disk."""
    needed = sum(state.row_bytes.values()) * (state.n_rows - state.n_written)
    free = shutil.disk_usage(folder).free
    if needed > free:
        if not state.n_written:
            remove_store(folder)
        raise InputError(
            f"The encoded rows need {format_bytes(needed)} in {str(folder)!r}, whose disk has {format_bytes(free)} "
            f"free; free some space, or {REMEDY}."
        )


def remove_store(folder: Path) -> None:
    """Remove the files of a store, and its folder if it is empty then."""
    for name in (QUANTILES, CODES, STATE):
        (folder / name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # the user's folder, with other files in it
        folder.rmdir()
