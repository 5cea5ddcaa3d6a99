"""Temporary folders: for this user alone, gone with the process that made them, or, if it was killed, with the next."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import weakref
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where nobody can tell that a process was killed
    fcntl = None  # type: ignore[assignment]

_PREFIX, _LOCK = "minerva-", ".in-use"


class TempDir:
    """A temporary folder that goes when it is closed, when nobody refers to it any more, or when the process ends.

    A process that is killed leaves it: the next folder that is made takes such ones away. Encoded rows of a large table
    may be gigabytes, and systems that never restart never clear their temporary files.

    Attributes
    ----------
    folder : Path
        The folder, empty at first.

    Examples
    --------
    >>> scratch = TempDir()
    >>> _ = (scratch.folder / "rows.bin").write_bytes(b"...")
    >>> scratch.close()
    >>> scratch.folder.exists(), scratch.is_closed
    (False, True)
    """

    def __init__(self) -> None:
        _sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        handle = None if fcntl is None else _lock(self.folder)
        self._finalizer = weakref.finalize(self, _remove, self.folder, handle, os.getpid())

    @property
    def is_closed(self) -> bool:
        """Whether the folder is gone."""
        return not self._finalizer.alive

    def close(self) -> None:
        """Remove the folder and all in it."""
        self._finalizer()


def _lock(folder: Path) -> int:
    """Mark a folder as in use, as long as this process or one that it has forked lives."""
    unmarked = folder / f"{_LOCK}-soon"  # without its name until it is locked, or it would look abandoned
    handle = os.open(unmarked, os.O_RDWR | os.O_CREAT, 0o600)
    with contextlib.suppress(OSError):  # a disk without locks
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unmarked.rename(folder / _LOCK)
    return handle


def _sweep() -> None:
    """Remove the folders of processes that were killed: those of this user that are marked, and in nobody's use."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            if _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    try:
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            return False
        with (folder / _LOCK).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # not marked, in use, or gone already
        return False
    return True


def _remove(folder: Path, handle: int | None, owner: int) -> None:
    if os.getpid() != owner:  # a forked process drops its copies while the first still reads
        return
    shutil.rmtree(folder, ignore_errors=True)
    if handle is not None:
        os.close(handle)
