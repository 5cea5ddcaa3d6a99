"""Tables beyond the memory, devices beyond theirs, runs that are killed: the answer is the same."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from minerva_select import MinervaSelector, open_source
from minerva_select.codes import WarningCode
from minerva_select.errors import InputError
from minerva_select.problems import equality
from minerva_select.selectors import PaperSelector, minerva

TINY = "1MiB"


@pytest.fixture(scope="module")
def problem():
    return equality(n_samples=6_000, n_features=6, n_levels=3, relevant=(1, 4), random_state=0)


def answer(selection):
    """All of a selection but how long it took and what it was asked."""
    return [(one.feature, one.selected, one.contribution_nats) for one in selection.features]


def streamed(X, y, **parameters):
    return MinervaSelector(random_state=0, max_memory=TINY, **parameters).fit(X, y)


@pytest.fixture(scope="module")
def reference(problem, tmp_path_factory):
    """A selector fitted to a stream, and the folder where temporary files went meanwhile."""
    folder = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(folder))
        return streamed(problem.X, problem.y), folder


def test_a_stream_selects_what_the_table_in_memory_does(problem, reference):
    selector, _ = reference
    assert selector.get_feature_names_out().tolist() == ["f1", "f4"]
    assert selector.n_features_in_ == 6
    assert selector.transform(problem.X).shape == (6_000, 2)


def test_nothing_of_a_stream_is_left_on_disk(reference):
    _, folder = reference
    gc.collect()
    assert list(folder.iterdir()) == []


def test_every_kind_of_stream_gives_the_same_bits(problem, reference, tmp_path):
    table = pa.Table.from_pandas(problem.X, preserve_index=False)
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=700)
    expected = answer(reference[0].selection_)
    with open_source(tmp_path / "rows.parquet") as source:
        assert answer(streamed(source, problem.y).selection_) == expected
    assert answer(streamed(iter(table.to_batches(max_chunksize=999)), problem.y).selection_) == expected


def test_the_paper_solver_refuses_what_is_not_in_memory(problem):
    with pytest.raises(InputError, match="PaperSelector needs the whole table in memory"):
        PaperSelector(max_memory=TINY).fit(problem.X, problem.y)


def test_a_device_that_runs_out_of_memory_is_sent_the_rows_batch_by_batch(problem, monkeypatch):
    solve, calls = minerva.solve_vetting, []

    def fail_once(*arguments, **keywords):
        calls.append(1)
        if len(calls) == 1:
            raise torch.OutOfMemoryError("out of memory")
        return solve(*arguments, **keywords)

    monkeypatch.setattr(minerva, "solve_vetting", fail_once)
    selection = MinervaSelector(random_state=0).fit(problem.X, problem.y).selection_
    assert selection.selected == ("f1", "f4")
    assert [warning.code for warning in selection.warnings] == [WarningCode.STREAMED_TO_DEVICE]
    assert len(calls) == 2


def test_to_resume_needs_a_cache(problem):
    with pytest.raises(InputError, match="cache_dir"):
        MinervaSelector(resume=True).fit(problem.X, problem.y)


def test_a_run_resumes_only_what_is_its_own(problem, tmp_path):
    def fit(**parameters):
        MinervaSelector(cache_dir=tmp_path, resume=True, time_limit=0.1, **parameters).fit(problem.X, problem.y)

    fit(random_state=0)
    with pytest.raises(InputError, match="another run"):
        fit(random_state=1)


PROGRAM = """
import sys
from minerva_select import MinervaSelector
from minerva_select.problems import equality
problem = equality(n_samples=6_000, n_features=6, n_levels=3, relevant=(1, 4), random_state=0)
selector = MinervaSelector(random_state=0, max_memory="1MiB", cache_dir=sys.argv[1], resume=True)
selection = selector.fit(problem.X, problem.y).selection_
print([(one.feature, one.selected, one.contribution_nats) for one in selection.features])
"""


def test_a_killed_run_resumed_gives_what_an_uninterrupted_one_gives(problem, tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    whole = subprocess.run([*command, tmp_path / "a"], capture_output=True, text=True, check=True, env=environment)
    n_killed = 0
    for n_entries in (1, 2):  # as soon as so many trainings are in the checkpoint
        with subprocess.Popen([*command, tmp_path / "b"], stdout=subprocess.DEVNULL, env=environment) as process:
            while process.poll() is None and len([*tmp_path.glob("b/rank-0/*.finished.*")]) < n_entries:
                time.sleep(0.01)
            n_killed += process.poll() is None
            process.send_signal(signal.SIGKILL)
    assert n_killed == 2
    resumed = subprocess.run([*command, tmp_path / "b"], capture_output=True, text=True, check=True, env=environment)
    assert resumed.stdout == whole.stdout
