"""Find the files of a table: a path, a folder, a pattern or a URL such as ``"s3://bucket/table.parquet"``.

pyarrow takes half a second to import, so it is imported only once the path is known to exist.
"""

from __future__ import annotations

import difflib
import glob
import importlib
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from minerva_select.checks import as_path
from minerva_select.errors import InputError, MissingPackageError, brief, first_line
from minerva_select.io.redaction import without_secrets

CSV_SUFFIXES = (".csv", ".tsv", ".txt")
PARQUET_SUFFIXES = (".parquet", ".pq")
ARROW_SUFFIXES = (".feather", ".arrow", ".ipc")


@dataclass(frozen=True)
class StoredFile:
    """One file, with the size and time by which a later change is noticed."""

    name: str  # path or URL without credentials, for messages
    path: str  # in its file system
    filesystem: Any  # pyarrow.fs.FileSystem
    size: int  # bytes
    modified: int | None  # nanoseconds since 1970; None if the file system does not say

    @property
    def is_local(self) -> bool:
        """Whether looking at the file costs microseconds rather than a network request."""
        return bool(self.filesystem.type_name == "local")

    @property
    def suffix(self) -> str:
        """Lower-case suffix of the name, without ``.gz``."""
        path = PurePosixPath(self.path.lower())
        return (PurePosixPath(path.stem) if path.suffix == ".gz" else path).suffix

    @property
    def is_gzipped(self) -> bool:
        """Whether the file is compressed by gzip."""
        return self.path.lower().endswith(".gz")

    @property
    def version(self) -> str:
        """Identifies the content without reading it."""
        return f"{self.size} {self.modified}"

    def open_stream(self) -> Any:
        """Open the decompressed bytes for reading from the start."""
        return self.filesystem.open_input_stream(self.path, compression="gzip" if self.is_gzipped else None)

    def open_file(self) -> Any:
        """Open the file for reading at any position."""
        return self.filesystem.open_input_file(self.path)

    def check_unchanged(self) -> None:
        """Raise if the file was changed since it was found."""
        now = self.filesystem.get_file_info(self.path)
        if now.type.name == "NotFound":
            raise InputError(f"{self.name!r} was removed while it was being read; restore it and start again.")
        if now.size != self.size:
            raise InputError(
                f"{self.name!r} changed from {self.size:,} to {now.size:,} bytes while it was being read; "
                "start again once it is complete."
            )
        if now.mtime_ns != self.modified:
            raise InputError(f"{self.name!r} was replaced while it was being read; start again.")

    def unreadable(self, kind: str, error: BaseException, where: str = "") -> InputError:
        """Return the error to raise when reading fails."""
        try:
            self.check_unchanged()
        except InputError as changed:
            return changed
        reason = without_secrets(first_line(error)).split(": ./")[0]  # Arrow adds paths of its own source
        return InputError(f"{self.name!r} cannot be read as {kind}: {where and where + ': '}{reason}.")


@dataclass(frozen=True)
class TableFiles:
    """The files of one table, all of one format."""

    name: str  # path or URL as the user gave it, without credentials
    format: str  # "csv", "parquet" or "arrow"
    files: tuple[StoredFile, ...]
    partition_root: str | None = None  # folder whose subfolders, such as year=2024, are columns


def find_files(path: str | os.PathLike[str]) -> TableFiles:
    """Find the files of a table."""
    local_path, name = as_path("path", path), os.fspath(path)
    if "://" in name:
        return _find_url(name)
    _check_exists(local_path, name)
    from pyarrow import fs  # noqa: PLC0415

    filesystem = fs.LocalFileSystem()
    if local_path.is_dir():
        paths = [str(file) for file in local_path.rglob("*") if not file.is_dir()]
        return _from_folder(name, str(local_path), paths, filesystem)
    if local_path.exists():
        return _from_paths(name, [str(local_path)], filesystem)
    matches = _distinct_files(glob.glob(name, recursive=True))  # noqa: PTH207 - may be absolute
    if len(matches) == 1 and Path(matches[0]).is_dir():
        return find_files(matches[0])
    return _from_paths(name, matches, filesystem)


def _check_exists(path: Path, name: str) -> None:
    try:
        if glob.has_magic(name) or path.exists():
            return
    except OSError as error:  # a name that is too long, or a folder without read permission
        raise InputError(f"{brief(name)} cannot be read: {error.strerror}; check the path.") from None
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"There is no folder {str(folder)!r}; check the path.")
    close = difflib.get_close_matches(path.name, [file.name for file in folder.iterdir()], n=1, cutoff=0.5)
    hint = f"did you mean {str(folder / close[0])!r}?" if close else "check the name."
    raise InputError(f"There is no file {str(path)!r}; {hint}")


def _distinct_files(paths: list[str]) -> list[str]:
    """Every file once, by its shortest name: ``**`` follows links to folders, even in cycles."""
    by_file = {os.path.realpath(path): path for path in sorted(paths, key=len, reverse=True)}
    return sorted(by_file.values())


def _find_url(url: str) -> TableFiles:
    shown = without_secrets(url)
    try:
        fsspec = importlib.import_module("fsspec")
    except ImportError:
        raise MissingPackageError(
            f"The address {shown!r} needs the package fsspec, which is not installed; "
            "install it with: pip install fsspec"
        ) from None
    try:
        store, path = fsspec.core.url_to_fs(url)
    except ImportError as error:  # its message names the package: "Please install s3fs to access S3"
        reason = str(error).removeprefix("Please ")
        raise MissingPackageError(
            f"The address {shown!r} needs a package that is not installed; {reason[:1].lower()}{reason[1:]}."
        ) from None
    except ValueError as error:
        raise InputError(f"The address {shown!r} cannot be used: {without_secrets(str(error).rstrip('.'))}.") from None
    from pyarrow import fs  # noqa: PLC0415

    try:
        filesystem = fs.PyFileSystem(fs.FSSpecHandler(store))
        if store.isdir(path):
            return _from_folder(shown, path, store.find(path), filesystem)
        if store.exists(path):
            return _from_paths(shown, [path], filesystem)
        if glob.has_magic(path):
            return _from_paths(shown, sorted(store.glob(path)), filesystem)
    except InputError:
        raise
    except Exception as error:  # every store has its own exceptions
        reason = without_secrets(first_line(error))
        raise InputError(f"The address {shown!r} cannot be reached: {reason}.") from None
    raise InputError(f"There is no file {shown!r}; check the address.")


def _from_folder(name: str, root: str, paths: list[str], filesystem: Any) -> TableFiles:
    # Tools keep metadata under names that start with a dot or an underscore, such as _delta_log
    files = [
        path
        for path in sorted(paths)
        if PurePosixPath(path).suffix.lower() in PARQUET_SUFFIXES
        and not any(part[0] in "._" for part in PurePosixPath(os.path.relpath(path, root)).parts)
    ]
    if not files:
        raise InputError(f"The folder {name!r} has no Parquet files; give a file, or a folder with Parquet files.")
    return TableFiles(name, "parquet", _stat_files(files, filesystem), root)


def _from_paths(name: str, paths: list[str], filesystem: Any) -> TableFiles:
    if not paths:
        raise InputError(f"No file matches {name!r}; check the folder and the pattern.")
    files = _stat_files(paths, filesystem)
    for file in files:
        if len(files) > 1 and (file.suffix not in PARQUET_SUFFIXES or file.is_gzipped):
            raise InputError(f"{name!r} matches {file.name!r}; several files at once must all be Parquet.")
    return TableFiles(name, _format(files[0]), files)


def _format(file: StoredFile) -> str:
    if file.suffix in CSV_SUFFIXES:
        return "csv"
    if file.suffix in PARQUET_SUFFIXES and not file.is_gzipped:
        return "parquet"
    if file.suffix in ARROW_SUFFIXES and not file.is_gzipped:
        return "arrow"
    known = ", ".join([*CSV_SUFFIXES, ".csv.gz", *PARQUET_SUFFIXES, *ARROW_SUFFIXES])
    raise InputError(f"{file.name!r} has an unknown type; the name must end in one of {known}.")


def _stat_files(paths: list[str], filesystem: Any) -> tuple[StoredFile, ...]:
    for path in paths:
        try:
            path.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"The name {path!r} is not UTF-8, which Arrow cannot open; rename the file or folder."
            ) from None
    files = []
    for path, info in zip(paths, filesystem.get_file_info(paths), strict=True):
        is_local = filesystem.type_name == "local"
        name = path if is_local else without_secrets(filesystem.handler.fs.unstrip_protocol(path))
        file = StoredFile(name, path, filesystem, info.size or 0, info.mtime_ns)
        _format(file)  # an unknown type is reported before an empty file
        if not file.size:
            raise InputError(f"{name!r} is empty; give a file with a table.")
        files.append(file)
    return tuple(files)
