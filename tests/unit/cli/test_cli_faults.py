"""Claims about disks and folders that fail a command: one sentence, earlier results whole, the answer not lost."""

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
def disk_of_the_results_is_full(monkeypatch):
    """Room for every file but the page."""

    def temporary_file(path, *arguments, begin=atomic.temporary_file):
        if path.name == "report.html":
            raise OSError(28, "No space left on device", str(path))
        return begin(path, *arguments)

    monkeypatch.setattr(atomic, "temporary_file", temporary_file)


@pytest.fixture
def working(selector, monkeypatch):
    """A selector that leaves work in its cache, as one does that could be resumed."""

    class Working(selector):
        def fit(self, X, y, **rows):
            self.seen["cache_dir"].mkdir()
            (self.seen["cache_dir"] / "checkpoint.json").write_text("{}")
            return super().fit(X, y, **rows)

    monkeypatch.setattr("minerva_select.selectors.MinervaSelector", Working)


def test_an_answer_that_cannot_be_written_is_shown_and_the_work_is_kept(
    folder, working, answer, disk_of_the_results_is_full, run
):
    result = run(*SELECT, "--json")
    assert result.exit_code == 2
    assert Selection.from_json(result.stdout).features == answer.features
    assert result.stderr.endswith("cannot be written: No space left on device; choose another --out.\n")
    assert result.stderr.count("minerva: ") == 1
    assert [path.name for path in (folder / "results").rglob("*")] == [".minerva", "checkpoint.json"]


def test_a_full_disk_leaves_both_files_of_the_earlier_results(folder, selector, disk_of_the_results_is_full, run):
    (folder / "results").mkdir()
    for name in RESULTS:
        (folder / "results" / name).write_text("earlier")
    assert run(*SELECT).exit_code == 2
    assert {path.name: path.read_text() for path in (folder / "results").iterdir()} == dict.fromkeys(RESULTS, "earlier")


def test_an_answer_is_written_although_its_folder_was_removed_meanwhile(folder, selector, monkeypatch, run):
    class Removing(selector):
        def fit(self, X, y, **rows):
            shutil.rmtree("results")
            return super().fit(X, y, **rows)

    monkeypatch.setattr("minerva_select.selectors.MinervaSelector", Removing)
    assert run(*SELECT).exit_code == 0
    assert sorted(path.name for path in (folder / "results").iterdir()) == list(RESULTS)


def test_an_output_that_cannot_be_written_to_is_one_sentence(folder, selector, monkeypatch, assert_refused, run):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("minerva_select.cli.select._print", full)
    assert_refused(run(*SELECT), "The output cannot be read or written: No space left on device; see to its disk")
    assert sorted(path.name for path in (folder / "results").iterdir()) == list(RESULTS)


@pytest.fixture
def streamed(tmp_path):
    """A command whose table is streamed, and a table for it that takes some seconds."""
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
        preexec_fn=prepare,  # noqa: PLW1509 - short, and of no other thread
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def features(text):
    return Selection.from_json(text).features


@pytest.mark.slow
def test_a_streamed_run_that_is_killed_or_finds_the_disk_full_answers_when_it_is_resumed(streamed):
    folder, _ = streamed

    def no_room_for_the_page():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    with run_streamed(streamed) as killed:
        while not any(folder.glob("results/.minerva/rank-0/*.finished.*")):
            assert killed.poll() is None
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
    full = run_streamed(streamed, "--resume", prepare=no_room_for_the_page)
    shown, told = full.communicate()
    assert full.returncode == 2
    assert told.endswith("minerva: 'results' cannot be written: File too large; choose another --out.\n")
    assert [path.name for path in (folder / "results").iterdir()] == [".minerva"]
    resumed = run_streamed(streamed, "--resume")
    assert features(resumed.communicate()[0]) == features(shown)
    shutil.rmtree(folder / "results")
    whole = run_streamed(streamed)
    assert features(whole.communicate()[0]) == features(shown)
    assert sorted(path.name for path in (folder / "results").iterdir()) == list(RESULTS)
    assert [*(folder / "tmp").iterdir()] == []
