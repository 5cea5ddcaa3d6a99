"""Atomic writes and file locks: a file is written completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from minerva_select.errors import InputError

try:
    import fcntl
except ImportError:  # Windows, where a file that another process has open cannot be removed
    fcntl = None  # type: ignore[assignment]

_TEMPORARY_SUFFIX = ".part"
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_ACCESS = {errno.EACCES, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EPERM, errno.ENOENT, errno.EIO}


def atomic_write(path: Path, content: str | bytes, *, private: bool = False) -> None:
    """Write a file completely or not at all, even if the process or the machine stops."""
    atomic_write_all({path: content}, private=private)


def atomic_write_all(contents: Mapping[Path, str | bytes], *, private: bool = False) -> None:
    """Write several files; none is replaced before all are on disk. Only this user can read ``private`` files."""
    with contextlib.ExitStack() as stack:
        written = {}
        for path, content in contents.items():
            # A column name may contain an unpaired surrogate, which UTF-8 cannot encode
            data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
            written[path] = stack.enter_context(temporary_file(path, 0o600 if private else 0o644, data))
        for path, temporary in written.items():
            temporary.replace(path)  # replaces a link instead of following it
    for folder in {path.parent for path in contents}:
        with contextlib.suppress(OSError):  # not every system can sync a folder
            _sync(folder)


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a private temporary file to write to; it replaces ``path`` if the block succeeds."""
    with temporary_file(path) as temporary:
        yield temporary
        _sync(temporary)
        temporary.replace(path)


@contextlib.contextmanager
def temporary_file(path: Path, mode: int = 0o600, content: bytes = b"") -> Iterator[Path]:
    """Yield a new file in the folder of ``path``; it is removed after the block unless it was renamed.

    The file is locked while the block runs. Unlocked temporary files of the same ``path``, left by processes that were
    killed, are removed first.
    """
    remove_abandoned(path.parent, path.name)
    temporary = path.parent / f".{path.name}.{secrets.token_hex(4)}{_TEMPORARY_SUFFIX}"
    handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
    try:
        # Written through the handle: in a shared folder, the name may point elsewhere by now
        with os.fdopen(handle, "wb", buffering=0) as file:
            try_lock(handle)
            _write_all(file, content)
            if fcntl is None:  # Windows cannot rename an open file
                file.close()
            yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def append_lines(path: Path, lines: bytes) -> None:
    """Append complete lines to a file; a line that an earlier write left incomplete is ended first.

    A symbolic link is refused: in a shared folder it may point to any file.
    """
    try:
        with open(path, "ab+", buffering=0, opener=lambda path, flags: open_no_follow(path, flags, 0o644)) as file:
            is_empty = file.seek(0, os.SEEK_END) == 0
            if not is_empty:
                file.seek(-1, os.SEEK_END)
            _write_all(file, lines if is_empty or file.read(1) == b"\n" else b"\n" + lines)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InputError(f"{str(path)!r} is a link and cannot be written; remove it.") from None
        raise


def open_no_follow(path: str | Path, flags: int, mode: int) -> int:
    """Open a file for reading or writing bytes; raise OSError (ELOOP) if it is a symbolic link."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0), mode)


def remove_abandoned(folder: Path, name: str = "") -> None:
    """Remove temporary files that killed processes left in a folder, of all files or of the one called ``name``."""
    start = f".{name}." if name else "."
    with contextlib.suppress(OSError):  # a folder may be writable but not readable
        for path in folder.iterdir():
            if path.name.startswith(start) and path.name.endswith(_TEMPORARY_SUFFIX) and is_unlocked(path):
                path.unlink(missing_ok=True)


def try_lock(handle: int) -> bool:
    """Lock an open file until it is closed or this process ends; return False if locks are not available."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_unlocked(path: Path) -> bool:
    """Return True if there is a regular file that no process has locked."""
    if not is_regular_file(path):
        return False
    if fcntl is None:
        return True
    try:
        with path.open("rb") as file:
            return try_lock(file.fileno())
    except OSError:
        return False


def make_private_directory(folder: Path) -> None:
    """Create a folder, and its parent if missing, that only this user can read; refuse a symbolic link."""
    for one in (folder.parent, folder):
        one.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink():
        raise InputError(f"{str(folder)!r} must be a folder but is a link; remove it.")


def is_regular_file(path: Path) -> bool:
    """Return True for a regular file; reading a pipe or a device might never end."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def read_text(path: Path, description: str) -> str:
    """Read a UTF-8 file, with or without byte order mark; ``description`` says what it should contain."""
    name = repr(str(path))
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"There is no file {name}; check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{name} is a folder, not {description}; give the path of a file.") from None
    except UnicodeDecodeError:
        raise InputError(f"{name} is not {description}: it is not UTF-8 text; check the path.") from None
    except (OSError, ValueError) as error:  # ValueError: a path that the system does not allow
        raise InputError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


@contextlib.contextmanager
def explain_disk_errors(folder: Path, remedy: str) -> Iterator[None]:
    """Raise InputError if the disk is full or the folder cannot be written; ``remedy`` completes the message."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise InputError(f"The disk of {str(folder)!r} is full; free some space, or {remedy}.") from None
        if error.errno in _NO_ACCESS:
            raise InputError(f"The folder {str(folder)!r} cannot be written ({error.strerror}); {remedy}.") from None
        raise


def _write_all(file: IO[bytes], content: bytes) -> None:
    """Write to an unbuffered file and wait until the disk has everything."""
    left = memoryview(content)
    while left:  # a disk that fills up accepts a part first and raises on the next call
        left = left[file.write(left) :]
    os.fsync(file.fileno())


def _sync(path: Path) -> None:
    """Wait until the content of a file, or the entries of a folder, are on disk."""
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
