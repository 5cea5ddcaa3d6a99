"""Files of results: written whole or not at all, read as text or refused."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from minerva.errors import InputError


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all: a temporary file beside it, then a rename."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        # Half of a surrogate pair, as a column's name may hold it, has no UTF-8 and is spelled out
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_whole(path: Path, what: str) -> str:
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
