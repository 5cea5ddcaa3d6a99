"""Output files: checked before the work, written completely or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from minerva_select.errors import InputError
from minerva_select.io.atomic import atomic_write_all, temporary_file
from minerva_select.results import Selection
from minerva_select.text.formatting import join_names, printable

SELECTION = "selection.json"
REPORT = "report.html"


def prepare_folder(
    folder: Path, names: Sequence[str] = (SELECTION, REPORT), *, option: str = "--out", mode: int = 0o777
) -> Path:
    """Create a folder and check that files of these names can be written to it.

    ``option`` is named in errors; ``mode`` are the permissions of a new folder.
    """
    try:
        folder.mkdir(mode, parents=True, exist_ok=True)
        _check_writable(folder / (names[0] if names else "minerva"))
        taken = [name for name in names if (folder / name).is_dir()]
    except FileExistsError:
        raise InputError(f"{str(folder)!r} is a file but {option} needs a folder; choose another name.") from None
    except OSError as error:
        raise _not_writable(folder, error, option) from None
    if taken:
        raise InputError(f"{str(folder / taken[0])!r} is a folder but must be a file; move it away.")
    return folder


def check_own_folder(folder: Path) -> Path:
    """Raise if something other than a folder of this user exists here: in a shared place it may be anything."""
    if not os.path.lexists(folder):
        return folder
    status = folder.lstat()
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        kind = "owned by another user"
    elif stat.S_ISDIR(status.st_mode):
        return folder
    else:
        kind = "a link" if stat.S_ISLNK(status.st_mode) else "a file"
    raise InputError(f"{str(folder)!r} is {kind} but must be a folder of your own; move it away.")


def prepare_file(path: Path) -> Path:
    """Create the folder of a file and check that the file can be written."""
    prepare_folder(path.parent, ())
    try:
        is_folder = path.is_dir()
        _check_writable(path)
    except OSError as error:
        raise _not_writable(path, error) from None
    if is_folder:
        raise InputError(f"{str(path)!r} is a folder but --out needs a file; add a file name.")
    return path


def write_results(selection: Selection, folder: Path) -> list[Path]:
    """Write ``selection.json`` and ``report.html``, both or neither."""
    from minerva_select.report import render

    return write_files({folder / SELECTION: selection.to_json(), folder / REPORT: render(selection)})


def write_files(texts: Mapping[Path, str]) -> list[Path]:
    """Write all files or none; their folder is created again if it was removed meanwhile."""
    first = next(iter(texts))
    try:
        first.parent.mkdir(parents=True, exist_ok=True)
        atomic_write_all(texts)
    except OSError as error:
        raise _not_writable(first.parent if len(texts) > 1 else first, error) from None
    return list(texts)


def describe_written(paths: Sequence[Path]) -> str:
    """Line that lists the files that were written."""
    return f"Wrote {join_names([str(path) for path in paths], limit=None)}."


def _check_writable(path: Path) -> None:
    """Create and remove a temporary file, whose name is longer than that of the file itself."""
    with temporary_file(path):
        pass


def _not_writable(path: Path, error: OSError, option: str = "--out") -> InputError:
    shown = printable(str(path), limit=200)  # the name itself may be too long
    return InputError(f"{shown!r} cannot be written: {error.strerror or error}; choose another {option}.")
