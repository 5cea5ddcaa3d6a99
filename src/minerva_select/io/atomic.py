"""Files of results: written whole or not at all, read as text or refused."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from minerva_select.errors import InputError

try:
    import fcntl
except ImportError:  # Windows, where nobody removes a file that another process has open
    fcntl = None  # type: ignore[assignment]

TEMPORARY_SUFFIX = ".part"  # how the names of files end while they are written


def atomic_write(path: Path, content: str | bytes, *, private: bool = False) -> None:
    """Write a file whole or not at all, whenever the process or the machine stops; ``private``: for this user alone.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     atomic_write(Path(folder) / "answer.txt", "42")
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('answer.txt', '42')]
    """
    atomic_write_all({path: content}, private=private)


def atomic_write_all(contents: Mapping[Path, str | bytes], *, private: bool = False) -> None:
    """Write files that belong together: none of them takes its place before all are on the disk.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     atomic_write_all({Path(folder) / "answer.txt": "42", Path(folder) / "reason.txt": "6 x 7"})
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['answer.txt', 'reason.txt']
    """
    with contextlib.ExitStack() as stack:
        made = {}
        for path, content in contents.items():
            # Half of a surrogate pair, as a column's name may hold it, has no UTF-8 and is spelled out
            data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
            made[path] = stack.enter_context(temporary_file(path, 0o600 if private else 0o644, data))
        for path, temporary in made.items():
            temporary.replace(path)  # also a link, which stays unfollowed
    for folder in {path.parent for path in contents}:
        with contextlib.suppress(OSError):  # not every system can do this with a folder
            sync_to_disk(folder)


def make_private_directory(folder: Path) -> None:
    """Make a folder for this user alone, and the one that it is in where that is missing too.

    A link to a folder is refused: in a place that others can write to, it may lead to what is not ours to change.
    """
    for one in (folder.parent, folder):
        one.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink():
        raise InputError(f"{str(folder)!r} is a link where a folder is to be made; remove it.")


def is_regular_file(path: Path) -> bool:
    """Whether there is a file, and not a link, a pipe or a device: to read those may wait for ever, or never end."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


@contextlib.contextmanager
def temporary_file(path: Path, mode: int = 0o600, content: bytes = b"") -> Iterator[Path]:
    """A file for this user alone, beside one to come; gone after the block, unless it was renamed to it.

    ``mode`` may let others read it, as far as the user's umask does.

    What an earlier process left here when it was killed is removed first. A process that lives holds a lock on its own.
    """
    _sweep(path)
    temporary = path.parent / f".{path.name}.{secrets.token_hex(4)}{TEMPORARY_SUFFIX}"
    handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
    try:
        with _locked(handle, content):
            yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _sweep(path: Path) -> None:
    with contextlib.suppress(OSError):  # a folder that cannot be listed can be written to all the same
        for left in path.parent.iterdir():
            if left.name.startswith(f".{path.name}.") and left.name.endswith(TEMPORARY_SUFFIX) and _is_abandoned(left):
                left.unlink(missing_ok=True)


@contextlib.contextmanager
def _locked(handle: int, content: bytes) -> Iterator[None]:
    """Fill a file and hold it; by its handle, since in a folder of others its name may lead elsewhere by now."""
    with os.fdopen(handle, "wb", buffering=0) as file:
        if fcntl is not None:
            with contextlib.suppress(OSError):  # a disk without locks, on which nothing counts as abandoned
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        left = memoryview(content)
        while left:  # a disk that fills up takes a part, and refuses the rest
            left = left[file.write(left) :]
        os.fsync(file.fileno())
        if fcntl is None:  # an open file cannot be renamed there
            file.close()
        yield


def _is_abandoned(path: Path) -> bool:
    if not is_regular_file(path):  # whoever put it here, it is none of ours
        return False
    if fcntl is None:
        return True
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # somebody writes it, or it is gone already
        return False
    return True


def sync_to_disk(path: Path) -> None:
    """Wait until what was written to a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_text(path: Path, what: str) -> str:
    """Read a file that should be ``what``, with or without the mark that some editors put before UTF-8."""
    name = repr(str(path))
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"There is no file {name}.") from None
    except IsADirectoryError:
        raise InputError(f"{name} is a folder and not {what}; name the file in it.") from None
    except UnicodeDecodeError:
        raise InputError(f"{name} is not {what}: it is not UTF-8 text.") from None
    except (OSError, ValueError) as error:  # ValueError: a path that the system cannot have
        raise InputError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
