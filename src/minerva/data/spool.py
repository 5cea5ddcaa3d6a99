"""Tables that can be read only once, or only slowly, written to a file that can be read again and again."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

from minerva.errors import InputError


class Spool:
    """A folder for the copy of a table.

    Parameters
    ----------
    folder : path, optional
        Where to keep copies; they stay, so that a later run finds them. Without it, a private folder that goes with the
        last source that reads from it.

    Examples
    --------
    >>> spool = Spool()
    >>> path = spool.write("rows", lambda path: path.write_text("1 2 3") and None)
    >>> path.read_text()
    '1 2 3'
    >>> spool.close()
    >>> path.exists()
    False
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._finalizer: weakref.finalize[..., Spool] | None = None
        with _no_space(Path(folder or tempfile.gettempdir())):
            if folder is None:
                self.folder = Path(tempfile.mkdtemp(prefix="minerva-"))  # for this user alone
                self._finalizer = weakref.finalize(self, _remove, self.folder, os.getpid())
            else:
                self.folder = Path(folder)
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, key: str) -> Path:
        """Where the copy called ``key`` lies, complete once it is there."""
        return self.folder / f"{key}.parquet"

    def write(self, key: str, fill: Callable[[Path], None]) -> Path:
        """Let ``fill`` write a file; if it fails, nothing is left of it."""
        path = self.path(key)
        unfinished = self.folder / f".{key}-{os.getpid()}"
        try:
            with _no_space(self.folder if self._finalizer is None else self.folder.parent):
                fill(unfinished)
                unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        return path

    @property
    def is_closed(self) -> bool:
        """Whether the private folder is gone."""
        return self._finalizer is not None and not self._finalizer.alive

    def close(self) -> None:
        """Remove a private folder; a given one stays."""
        if self._finalizer is not None:
            self._finalizer()


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked process drops its copies while the first still reads
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _no_space(folder: Path) -> Iterator[None]:
    """Say in one sentence that a disk is full or a folder cannot be written."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise InputError(
                f"The disk of {str(folder)!r} is full; free some space, or give another folder for temporary files."
            ) from None
        if error.errno in {errno.EACCES, errno.EROFS, errno.ENOTDIR, errno.EEXIST}:
            raise InputError(f"The folder {str(folder)!r} cannot be written; give another folder.") from None
        raise
