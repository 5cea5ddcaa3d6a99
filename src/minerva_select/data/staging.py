"""Tables that can be read only once, or only slowly, written to a file that can be read again and again."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from minerva_select.errors import InputError
from minerva_select.io.atomic import sync_to_disk, temporary_file
from minerva_select.io.tempdirs import TempDir


class StagingDirectory:
    """A folder for the copy of a table.

    Parameters
    ----------
    folder : path, optional
        Where to keep copies; they stay, so that a later run finds them. Without it, a private folder that goes with the
        last source that reads from it.

    Examples
    --------
    >>> staging = StagingDirectory()
    >>> path = staging.write("rows", lambda path: path.write_text("1 2 3") and None)
    >>> path.read_text()
    '1 2 3'
    >>> staging.close()
    >>> path.exists()
    False
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        with _no_space(Path(folder or tempfile.gettempdir())):
            if folder is None:
                self._scratch: TempDir | None = TempDir()
                self.folder = self._scratch.folder
            else:
                self._scratch = None
                self.folder = Path(folder)
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, key: str) -> Path:
        """Where the copy called ``key`` lies, complete once it is there."""
        return self.folder / f"{key}.parquet"

    def write(self, key: str, fill: Callable[[Path], None]) -> Path:
        """Let ``fill`` write a file, for this user alone; if it fails or is killed, nothing takes the file's place."""
        path = self.path(key)
        with _no_space(self.folder if self._scratch is None else self.folder.parent), temporary_file(path) as temporary:
            fill(temporary)
            sync_to_disk(temporary)
            temporary.replace(path)
        return path

    @property
    def is_closed(self) -> bool:
        """Whether the private folder is gone."""
        return self._scratch is not None and self._scratch.is_closed

    def close(self) -> None:
        """Remove a private folder; a given one stays."""
        if self._scratch is not None:
            self._scratch.close()


@contextlib.contextmanager
def _no_space(folder: Path) -> Iterator[None]:
    """Say in one sentence that a disk is full, or that a folder cannot be written or is gone."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            raise InputError(
                f"The disk of {str(folder)!r} is full; free some space, or give another folder for temporary files."
            ) from None
        if error.errno in {errno.EACCES, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENOENT, errno.EIO}:
            raise InputError(
                f"The folder {str(folder)!r} cannot be written ({error.strerror}); give another folder."
            ) from None
        raise
