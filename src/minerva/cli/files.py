"""Files that the commands read and write: checked before the work, written whole after it."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from minerva.errors import InputError
from minerva.results import Selection, write_whole

SELECTION = "selection.json"
REPORT = "report.html"
WORK = ".minerva"  # what a run that is killed leaves, for --resume


def writable_folder(folder: Path, names: Sequence[str] = (SELECTION, REPORT)) -> Path:
    """Make a folder with its parents, and make sure that files of these names can be written into it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except FileExistsError:
        raise InputError(f"{str(folder)!r} is a file and --out needs a folder; give another name.") from None
    except OSError as error:
        raise _cannot_write(folder, error) from None
    for name in names:
        if (folder / name).is_dir():
            raise InputError(f"{str(folder / name)!r} is a folder where a file is to be written; move it away.")
    return folder


def writable_file(path: Path) -> Path:
    """Make the folder of a file with its parents, and make sure that the file can be written there."""
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder and --out needs a file; add a file name.")
    writable_folder(path.parent)
    return path


def write_results(selection: Selection, folder: Path) -> tuple[Path, Path]:
    """Write the selection and its report into a folder; both are drawn before either is written."""
    from minerva.report import render

    paths = folder / SELECTION, folder / REPORT
    for path, text in zip(paths, (selection.to_json(), render(selection)), strict=True):
        write_text(path, text)
    return paths


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    try:
        write_whole(path, text)
    except OSError as error:
        raise _cannot_write(path, error) from None


def _cannot_write(path: Path, error: OSError) -> InputError:
    return InputError(f"{str(path)!r} cannot be written: {error.strerror or error}; choose another --out.")
