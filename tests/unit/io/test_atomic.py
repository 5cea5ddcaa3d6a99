"""Atomic writes: files are written completely or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from minerva_select.io.atomic import atomic_write, atomic_write_all, temporary_file


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.fixture
def earlier(tmp_path):
    """Return two files of an earlier run."""
    names = "selection.json", "report.html"
    for name in names:
        (tmp_path / name).write_text("earlier")
    return tuple(tmp_path / name for name in names)


def test_atomic_write_all_writes_all_files_or_none(earlier, tmp_path, monkeypatch):
    calls, fsync = [], os.fsync

    def full(handle):
        calls.append(handle)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        atomic_write_all(dict.fromkeys(earlier, "later"))
    assert contents(tmp_path) == {"selection.json": "earlier", "report.html": "earlier"}


def test_the_file_is_synced_before_the_rename_and_the_folder_after(tmp_path, monkeypatch):
    done, fsync, replace = [], os.fsync, Path.replace

    def note_sync(handle):
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", lambda path, target: (done.append("rename"), replace(path, target))[1])
    atomic_write(tmp_path / "page.html", "text")
    assert done == ["file", "rename", "folder"]


def test_abandoned_temporary_files_are_removed_and_other_files_stay(tmp_path):
    (tmp_path / ".page.html.1a2b3c4d.part").write_text("half a p")
    others = ".page.html.swp", ".other.html.1a2b3c4d.part", "page.html.part"
    for name in others:
        (tmp_path / name).write_text("mine")
    atomic_write(tmp_path / "page.html", "text")
    assert contents(tmp_path) == {"page.html": "text", **dict.fromkeys(others, "mine")}


def test_temporary_files_in_use_are_not_removed(tmp_path):
    page = tmp_path / "page.html"
    with temporary_file(page) as temporary:
        atomic_write(page, "first")
        temporary.write_text("second")
        temporary.replace(page)
    assert contents(tmp_path) == {"page.html": "second"}


KILLED = """
import os, signal, sys
from pathlib import Path
from minerva_select.io.atomic import temporary_file
with temporary_file(Path(sys.argv[1])) as temporary:
    temporary.write_text("half a p")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_lock_ends_with_the_process(tmp_path):
    page = tmp_path / "page.html"
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(KILLED), page], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(contents(tmp_path)) == 1
    atomic_write(page, "text")
    assert contents(tmp_path) == {"page.html": "text"}


def test_private_files_are_never_readable_by_others(tmp_path):
    with temporary_file(tmp_path / "rows") as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
    atomic_write(tmp_path / "state", b"\x00", private=True)
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o600
