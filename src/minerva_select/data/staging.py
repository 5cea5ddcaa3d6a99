"""Parquet copies of tables that can be read only once, or only slowly."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from minerva_select.io.atomic import atomic_file, explain_disk_errors
from minerva_select.io.tempdirs import TempDir

_REMEDY = "choose another folder for temporary files"


class StagingDirectory:
    """A folder for copies of tables.

    Parameters
    ----------
    folder : path, optional
        Folder that keeps the copies for later runs. By default a temporary one, removed with the last source that reads
        from it.

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
        self._disk = Path(folder or tempfile.gettempdir())
        with explain_disk_errors(self._disk, _REMEDY):
            self._temporary = TempDir() if folder is None else None
            self.folder = self._disk if self._temporary is None else self._temporary.path
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, key: str) -> Path:
        """Path of the copy called ``key``."""
        return self.folder / f"{key}.parquet"

    def write(self, key: str, fill: Callable[[Path], None]) -> Path:
        """Let ``fill`` write a copy; if it fails or is killed, an earlier copy stays as it was."""
        with explain_disk_errors(self._disk, _REMEDY), atomic_file(self.path(key)) as temporary:
            fill(temporary)
        return self.path(key)

    @property
    def is_closed(self) -> bool:
        """Whether the temporary folder was removed."""
        return self._temporary is not None and self._temporary.is_closed

    def close(self) -> None:
        """Remove a temporary folder; a given one stays."""
        if self._temporary is not None:
            self._temporary.close()
