"""Where files are: a path, a folder, a pattern, or an address such as ``"s3://bucket/table.parquet"``."""

from __future__ import annotations

import glob
import importlib
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pyarrow import fs

from minerva_select.data.paths import check_exists
from minerva_select.errors import InputError, MissingPackageError
from minerva_select.io.redaction import without_secrets

CSV_SUFFIXES = (".csv", ".tsv", ".txt")
PARQUET_SUFFIXES = (".parquet", ".pq")
ARROW_SUFFIXES = (".feather", ".arrow", ".ipc")


@dataclass(frozen=True)
class StoredFile:
    """One file, with what tells whether it is still the same one.

    Attributes
    ----------
    name : str
        What a message calls it.
    path : str
        What its file system calls it.
    filesystem : pyarrow.fs.FileSystem
    size : int
        Bytes.
    modified : int or None
        Nanoseconds since 1970; None where the file system does not tell.
    """

    name: str
    path: str
    filesystem: Any
    size: int
    modified: int | None

    @property
    def is_local(self) -> bool:
        """Whether a look at it costs microseconds rather than a request."""
        return isinstance(self.filesystem, fs.LocalFileSystem)

    @property
    def suffix(self) -> str:
        """Ending of the name without ``.gz``, in lower case."""
        path = PurePosixPath(self.path.lower())
        return (PurePosixPath(path.stem) if path.suffix == ".gz" else path).suffix

    @property
    def is_packed(self) -> bool:
        """Whether it is compressed by gzip."""
        return self.path.lower().endswith(".gz")

    def open_stream(self) -> Any:
        """Read it from the start, unpacked."""
        return self.filesystem.open_input_stream(self.path, compression="gzip" if self.is_packed else None)

    def open_file(self) -> Any:
        """Read any part of it."""
        return self.filesystem.open_input_file(self.path)

    def check(self) -> None:
        """Refuse a file that is no longer what it was."""
        now = self.filesystem.get_file_info(self.path)
        if now.type == fs.FileType.NotFound:
            raise InputError(f"{self.name!r} was removed while it was being read; put it back and start again.")
        if now.size != self.size:
            what = "shrank" if now.size < self.size else "grew"
            raise InputError(
                f"{self.name!r} {what} from {self.size:,} to {now.size:,} bytes while it was being read; "
                "start again once it is complete."
            )
        if now.mtime_ns != self.modified:
            raise InputError(f"{self.name!r} was replaced while it was being read; start again.")

    def unreadable(self, kind: str, error: BaseException, place: str = "") -> InputError:
        """Error in one sentence for whatever went wrong in reading it."""
        try:
            self.check()
        except InputError as changed:
            return changed
        lines = str(error).splitlines() or [type(error).__name__]
        reason = without_secrets(lines[0]).split(": ./")[0].split(". ")[0][:200].rstrip(".")
        return InputError(f"{self.name!r} cannot be read as {kind}: {place and place + ': '}{reason}.")


@dataclass(frozen=True)
class TableFiles:
    """Files that make one table, all of one kind.

    Attributes
    ----------
    name : str
        As the user wrote it.
    kind : str
        ``"csv"``, ``"parquet"`` or ``"arrow"``.
    files : tuple of StoredFile
    base : str or None
        The folder whose subfolders (``year=2024``) are columns.
    """

    name: str
    kind: str
    files: tuple[StoredFile, ...]
    base: str | None = None


def find(path: str | os.PathLike[str]) -> TableFiles:
    """Find the files of a table.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "people.csv.gz").write_bytes(b"...")
    ...     place = find(Path(folder) / "*.gz")
    >>> place.kind, place.files[0].suffix, place.files[0].is_packed
    ('csv', '.csv', True)
    """
    name = os.fspath(path)
    if "://" in name:
        return _find_address(name)
    check_exists(name)
    path, local = Path(path), fs.LocalFileSystem()
    if path.is_dir():
        return _folder(name, str(path), [str(file) for file in path.rglob("*") if not file.is_dir()], local)
    if path.exists():
        return _place(name, [str(path)], local)
    matches = _distinct(glob.glob(name, recursive=True))  # noqa: PTH207 - may be absolute
    if len(matches) == 1 and Path(matches[0]).is_dir():
        return find(matches[0])
    return _place(name, matches, local)


def _distinct(paths: list[str]) -> list[str]:
    """Every file once, by its shortest name: ``**`` goes through links to folders, in circles too."""
    by_file = {os.path.realpath(path): path for path in sorted(paths, key=len, reverse=True)}
    return sorted(by_file.values())


def _find_address(address: str) -> TableFiles:
    shown = without_secrets(address)  # messages end up in logs, and names in results
    try:
        fsspec = importlib.import_module("fsspec")
    except ImportError:
        raise MissingPackageError(
            f"The address {shown!r} needs the package fsspec, which is not installed; "
            "install it with: pip install fsspec"
        ) from None
    try:
        store, path = fsspec.core.url_to_fs(address)
    except ImportError as error:  # its words name the package: "Install s3fs to access S3"
        reason = str(error).removeprefix("Please ")
        raise MissingPackageError(
            f"The address {shown!r} needs a package that is not installed; {reason[:1].lower()}{reason[1:]}."
        ) from None
    except ValueError as error:
        raise InputError(f"The address {shown!r} cannot be used: {without_secrets(str(error).rstrip('.'))}.") from None
    try:
        filesystem = fs.PyFileSystem(fs.FSSpecHandler(store))
        if store.isdir(path):
            return _folder(shown, path, store.find(path), filesystem)
        if store.exists(path):
            return _place(shown, [path], filesystem)
        if glob.has_magic(path):
            return _place(shown, sorted(store.glob(path)), filesystem)
    except InputError:
        raise
    except Exception as error:  # every store has errors of its own
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(". ")
        raise InputError(f"The address {shown!r} cannot be reached: {without_secrets(reason)}.") from None
    raise InputError(f"There is no file {shown!r}; check the address.")


def _folder(name: str, base: str, paths: list[str], filesystem: Any) -> TableFiles:
    # Names with a dot or an underscore are notes that tools leave behind, such as _delta_log.
    files = [
        path
        for path in sorted(paths)
        if PurePosixPath(path).suffix.lower() in PARQUET_SUFFIXES
        and not any(part[0] in "._" for part in PurePosixPath(os.path.relpath(path, base)).parts)
    ]
    if not files:
        raise InputError(f"The folder {name!r} holds no Parquet files; name a file, or a folder with some.")
    return TableFiles(name, "parquet", _stored(files, filesystem), base)


def _place(name: str, paths: list[str], filesystem: Any) -> TableFiles:
    """Place of one file, or of those that a pattern matches."""
    if not paths:
        raise InputError(f"No file matches {name!r}; check the folder and the pattern.")
    files = _stored(paths, filesystem)
    for file in files:
        if len(files) > 1 and (file.suffix not in PARQUET_SUFFIXES or file.is_packed):
            raise InputError(f"{name!r} matches {file.name!r}; several files at once must all be Parquet.")
    return TableFiles(name, _kind(files[0]), files)


def _kind(file: StoredFile) -> str:
    if file.suffix in CSV_SUFFIXES:
        return "csv"
    if file.suffix in PARQUET_SUFFIXES and not file.is_packed:
        return "parquet"
    if file.suffix in ARROW_SUFFIXES and not file.is_packed:
        return "arrow"
    known = ", ".join([*CSV_SUFFIXES, ".csv.gz", *PARQUET_SUFFIXES, *ARROW_SUFFIXES])
    raise InputError(f"{file.name!r} is of an unknown type; the name must end in one of {known}.")


def _stored(paths: list[str], filesystem: Any) -> tuple[StoredFile, ...]:
    files = []
    for path in paths:
        if not _is_utf8(path):
            raise InputError(f"The name {path!r} is not UTF-8, which Arrow cannot open; rename the file or folder.")
    for path, info in zip(paths, filesystem.get_file_info(paths), strict=True):
        is_local = isinstance(filesystem, fs.LocalFileSystem)
        name = path if is_local else without_secrets(filesystem.handler.fs.unstrip_protocol(path))
        file = StoredFile(name, path, filesystem, info.size or 0, info.mtime_ns)
        _kind(file)  # an unknown type is told before an empty file is
        if not file.size:
            raise InputError(f"{name!r} is empty; name a file with a table in it.")
        files.append(file)
    return tuple(files)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
