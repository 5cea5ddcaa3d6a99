"""Disks and folders that fail: one sentence, earlier results unchanged, the selection still printed."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from minerva_select.io import atomic
from minerva_select.results import Selection

SELECT = ("select", "data.csv", "--target", "is_fraud", "--out", "results")
RESULTS = ("report.html", "selection.json")


@pytest.fixture
def full_disk(monkeypatch):
    """Room for every file but the report."""

    def temporary_file(path, *arguments, begin=atomic.temporary_file):
        if path.name == "report.html":
            raise OSError(28, "No space left on device", str(path))
        return begin(path, *arguments)

    monkeypatch.setattr(atomic, "temporary_file", temporary_file)


@pytest.fixture
def with_checkpoint(selector, monkeypatch):
    """A selector that leaves a checkpoint in its cache."""

    class WithCheckpoint(selector):
        def fit(self, X, y, **rows):
            self.seen["cache_dir"].mkdir()
            (self.seen["cache_dir"] / "checkpoint.json").write_text("{}")
            return super().fit(X, y, **rows)

    monkeypatch.setattr("minerva_select.selectors.MinervaSelector", WithCheckpoint)


def test_a_selection_that_cannot_be_written_is_printed_and_the_checkpoint_kept(
    folder, with_checkpoint, answer, full_disk, run
):
    result = run(*SELECT, "--json")
    assert result.exit_code == 2
    assert Selection.from_json(result.stdout).features == answer.features
    assert "No space left on device" in result.stderr
    assert result.stderr.count("minerva: ") == 1
    assert [path.name for path in (folder / "results").rglob("*")] == [".minerva", "checkpoint.json"]


def test_a_full_disk_leaves_the_earlier_results_unchanged(folder, selector, full_disk, run):
    (folder / "results").mkdir()
    for name in RESULTS:
        (folder / "results" / name).write_text("earlier")
    assert run(*SELECT).exit_code == 2
    assert {path.name: path.read_text() for path in (folder / "results").iterdir()} == dict.fromkeys(RESULTS, "earlier")


def test_a_folder_that_was_removed_is_created_again(folder, selector, monkeypatch, run):
    class Removing(selector):
        def fit(self, X, y, **rows):
            shutil.rmtree("results")
            return super().fit(X, y, **rows)

    monkeypatch.setattr("minerva_select.selectors.MinervaSelector", Removing)
    assert run(*SELECT).exit_code == 0
    assert sorted(path.name for path in (folder / "results").iterdir()) == list(RESULTS)


def test_output_that_cannot_be_written_is_one_sentence(folder, selector, monkeypatch, assert_refused, run):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("minerva_select.cli.select._print", full)
    assert_refused(run(*SELECT, "--quiet"), "The output")
    assert sorted(path.name for path in (folder / "results").iterdir()) == list(RESULTS)


@pytest.fixture
def streamed(tmp_path):
    """A table that takes a few seconds, and the command that streams it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(1, 4, size=(6_000, 6))).add_prefix("f")
    X.assign(y=(X.f1 == X.f4).astype(int)).to_parquet(tmp_path / "rows.parquet", row_group_size=600)
    command = [sys.executable, "-m", "minerva_select", "select", "rows.parquet", "--target", "y", "--memory", "1MiB"]
    return tmp_path, [*command, "--out", "results", "--seed", "0", "--json"]


def run_streamed(streamed, *more, prepare=None):
    folder, command = streamed
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TMPDIR": str(folder / "tmp")}
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.Popen(
        [*command, *more],
        cwd=folder,
        env=environment,
        preexec_fn=prepare,  # noqa: PLW1509 - short, and there are no other threads
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def features(text):
    return Selection.from_json(text).features


@pytest.mark.slow
def test_a_streamed_run_can_be_resumed_after_a_kill_and_after_a_full_disk(streamed):
    folder, _ = streamed

    def no_room_for_the_report():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    with run_streamed(streamed) as killed:
        while not any(folder.glob("results/.minerva/rank-0/*.finished.*")):
            assert killed.poll() is None
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
    full = run_streamed(streamed, "--resume", prepare=no_room_for_the_report)
    shown, errors = full.communicate()
    assert full.returncode == 2
    assert "File too large" in errors.splitlines()[-1]
    assert [path.name for path in (folder / "results").iterdir()] == [".minerva"]
    resumed = run_streamed(streamed, "--resume")
    assert features(resumed.communicate()[0]) == features(shown)
    shutil.rmtree(folder / "results")
    whole = run_streamed(streamed)
    assert features(whole.communicate()[0]) == features(shown)
    assert sorted(path.name for path in (folder / "results").iterdir()) == list(RESULTS)
    assert [*(folder / "tmp").iterdir()] == []
