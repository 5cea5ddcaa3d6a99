"""Temporary folders are private, and removed even if their process was killed."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys

import pytest

from minerva_select.io.tempdirs import TempDir

MAKE = """
import os, signal, sys, tempfile
tempfile.tempdir = sys.argv[1]
from minerva_select.io.tempdirs import TempDir
temporary = TempDir()
(temporary.path / "rows.bin").write_bytes(b"rows")
"""
KILLED = MAKE + "os.kill(os.getpid(), signal.SIGKILL)"
FORKED = MAKE + "if os.fork(): os.wait()\nelse: sys.exit()\nassert (temporary.path / 'rows.bin').exists()"


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def run(program, folder):
    return subprocess.run([sys.executable, "-c", program, folder], check=False).returncode


def test_a_temp_dir_is_private_and_removed_when_garbage_collected(temporary):
    made = TempDir()
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o700
    assert [*temporary.iterdir()] == [made.path]
    del made
    assert [*temporary.iterdir()] == []


def test_a_temp_dir_is_removed_by_its_process_and_not_by_a_fork(temporary):
    assert run(FORKED, temporary) == 0
    assert [*temporary.iterdir()] == []


def test_abandoned_temp_dirs_are_removed_and_those_in_use_stay(temporary):
    in_use = TempDir()
    assert run(KILLED, temporary) == -signal.SIGKILL
    left = {*temporary.iterdir()} - {in_use.path}
    assert len(left) == 1
    (temporary / "minerva-notes").mkdir()  # not a TempDir
    made = TempDir()
    assert {*temporary.iterdir()} == {in_use.path, made.path, temporary / "minerva-notes"}


def test_a_link_named_like_a_temp_dir_is_not_followed(temporary, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / ".in-use").write_text("")
    (temporary / "minerva-link").symlink_to(elsewhere)
    TempDir()
    assert [path.name for path in elsewhere.iterdir()] == [".in-use"]
