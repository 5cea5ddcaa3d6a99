"""Files that the commands read and write: checked before the work, written whole after it."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from minerva_select.errors import InputError
from minerva_select.io.atomic import atomic_write_all, temporary_file
from minerva_select.results import Selection

SELECTION = "selection.json"
REPORT = "report.html"
WORK = ".minerva"  # what a run that is killed leaves, for --resume


def writable_folder(
    folder: Path, names: Sequence[str] = (SELECTION, REPORT), *, option: str = "--out", mode: int = 0o777
) -> Path:
    """Make a folder with its parents, and make sure that files of these names can be written into it.

    ``option`` is the one that names the folder, for errors; ``mode`` says who may look into a folder that is new.
    """
    try:
        folder.mkdir(mode, parents=True, exist_ok=True)
        _try_to_write(folder / (names[0] if names else "minerva"))
        taken = [name for name in names if (folder / name).is_dir()]
    except FileExistsError:
        raise InputError(f"{str(folder)!r} is a file and {option} needs a folder; give another name.") from None
    except OSError as error:
        raise _cannot_write(folder, error, option) from None
    if taken:
        raise InputError(f"{str(folder / taken[0])!r} is a folder where a file is to be written; move it away.")
    return folder


def own_folder(folder: Path) -> Path:
    """Make sure that a folder is this user's, or not there yet: in a place of others it may be anything."""
    if not os.path.lexists(folder):
        return folder
    status = folder.lstat()
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        what = "another user's"
    elif stat.S_ISDIR(status.st_mode):
        return folder
    else:
        what = "a link" if stat.S_ISLNK(status.st_mode) else "a file"
    raise InputError(f"{str(folder)!r} is {what} where a folder is to be made; move it away.")


def writable_file(path: Path) -> Path:
    """Make the folder of a file with its parents, and make sure that the file can be written there."""
    writable_folder(path.parent, ())
    try:
        is_folder = path.is_dir()
        _try_to_write(path)
    except OSError as error:
        raise _cannot_write(path, error) from None
    if is_folder:
        raise InputError(f"{str(path)!r} is a folder and --out needs a file; add a file name.")
    return path


def _try_to_write(path: Path) -> None:
    """Write a file beside the one to come, as :func:`write_text` will: its name has to be short enough for that."""
    with temporary_file(path):
        pass


def write_results(selection: Selection, folder: Path) -> tuple[Path, Path]:
    """Write the selection and its report into a folder, both or neither; made again if it is gone by now."""
    from minerva_select.report import render

    paths = folder / SELECTION, folder / REPORT
    texts = selection.to_json(), render(selection)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        atomic_write_all(dict(zip(paths, texts, strict=True)))
    except OSError as error:
        raise _cannot_write(folder, error) from None
    return paths


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    try:
        atomic_write_all({path: text})
    except OSError as error:
        raise _cannot_write(path, error) from None


def _cannot_write(path: Path, error: OSError, option: str = "--out") -> InputError:
    from minerva_select.text.formatting import printable

    shown = printable(str(path), limit=200)  # of a name that is too long, its ends are enough
    return InputError(f"{shown!r} cannot be written: {error.strerror or error}; choose another {option}.")
