"""Whether there is a file at all: told before anything heavy is loaded to read it."""

from __future__ import annotations

import difflib
import glob
import os
from pathlib import Path

from minerva_select.checks import as_path
from minerva_select.errors import InputError, brief


def check_exists(path: str | os.PathLike[str]) -> None:
    """Refuse a local path that nothing is at; patterns and addresses are for those who open them."""
    place = as_path("path", path)
    name = os.fspath(path)
    try:
        is_missing = "://" not in name and not glob.has_magic(name) and not place.exists()
    except OSError as error:  # a name longer than any, or a folder that is not ours to look into
        raise InputError(f"{brief(name)} cannot be read: {error.strerror}; check the path.") from None
    if is_missing:
        raise _no_such_file(place)


def _no_such_file(path: Path) -> InputError:
    folder = path.parent
    if not folder.is_dir():
        return InputError(f"There is no folder {str(folder)!r}; check the path.")
    close = difflib.get_close_matches(path.name, [file.name for file in folder.iterdir()], n=1, cutoff=0.5)
    hint = f"did you mean {str(folder / close[0])!r}?" if close else "check the name."
    return InputError(f"There is no file {str(path)!r}; {hint}")
