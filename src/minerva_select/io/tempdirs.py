"""Private temporary folders that are removed even if the process that made them was killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import weakref
from pathlib import Path

from minerva_select.io.atomic import is_unlocked, try_lock

_PREFIX, _LOCK = "minerva-", ".in-use"


class TempDir:
    """A temporary folder, removed when it is closed, when it is garbage collected, or when the process ends.

    A killed process leaves its folder behind; the next one that makes a ``TempDir`` removes it. Encoded rows of a large
    table take gigabytes, and servers that never restart never clear their temporary files.

    Attributes
    ----------
    path : Path
    """

    def __init__(self) -> None:
        _remove_abandoned()
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._finalizer = weakref.finalize(self, _remove, self.path, _lock(self.path), os.getpid())

    @property
    def is_closed(self) -> bool:
        """Whether the folder was removed."""
        return not self._finalizer.alive

    def close(self) -> None:
        """Remove the folder and its content."""
        self._finalizer()


def _lock(folder: Path) -> int:
    """Mark a folder as in use until this process and its forks have ended."""
    unmarked = folder / f"{_LOCK}-soon"  # renamed once it is locked; before, it would look abandoned
    handle = os.open(unmarked, os.O_RDWR | os.O_CREAT, 0o600)
    if try_lock(handle):
        unmarked.rename(folder / _LOCK)
    return handle


def _remove_abandoned() -> None:
    with contextlib.suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            if _is_own_folder(folder) and is_unlocked(folder / _LOCK):
                shutil.rmtree(folder, ignore_errors=True)


def _is_own_folder(folder: Path) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and hasattr(os, "getuid") and status.st_uid == os.getuid()


def _remove(folder: Path, lock: int, owner: int) -> None:
    if os.getpid() != owner:  # a fork that ends must not remove what its parent still reads
        return
    os.close(lock)  # Windows cannot remove an open file
    shutil.rmtree(folder, ignore_errors=True)
