import errno
import json
import math
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from minerva_select.config import PaperSettings, Schedule
from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.errors import InputError
from minerva_select.mi.bounds import pointwise_information
from minerva_select.mi.critics import ClassCritic
from minerva_select.mi.ensemble import Ensemble
from minerva_select.mi.networks import NetworkShape
from minerva_select.mi.objective import Loss
from minerva_select.mi.training_loop import TrainingContext, TrainingOptions, train
from minerva_select.runtime import checkpoint, checkpoint_files
from minerva_select.runtime.checkpoint import Checkpoint
from minerva_select.runtime.checkpoint_files import State, read_state, write_state
from minerva_select.runtime.rng import get_rng_state, network_generator, seeded_rng
from minerva_select.solvers import paper
from minerva_select.solvers.paper import solve_paper

CPU = torch.device("cpu")
LAYOUT = ColumnLayout(0, (2, 2, 2), (0, 1, 2))
FEW = Schedule(max_steps=16, batch_size=16, learning_rate=0.1, evaluate_every=2, patience=2, n_decays=1)
N_EVALUATIONS = 8  # of one such training at most

devices = pytest.mark.parametrize(
    "device",
    [
        "cpu",
        pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")),
    ],
)


@pytest.fixture(autouse=True)
def _allow_all_saving(monkeypatch):
    """Save every state of a training that takes milliseconds."""
    monkeypatch.setattr(checkpoint, "MAX_SAVING_SHARE", math.inf)


class Killed(BaseException):
    """Simulates a kill: no code of the package may catch it."""


@dataclass
class Ran:
    """What a run produces, training by training."""

    records: list = field(default_factory=list)
    outcomes: list = field(default_factory=list)
    values: list = field(default_factory=list)
    draws: list = field(default_factory=list)

    @property
    def n_first(self):
        """Evaluations of the first training."""
        return len(self.outcomes[0].records)


@dataclass
class Ended:
    """How a training ended."""

    n_steps: int
    n_steps_counted: int
    converged: bool
    bound: list
    records: tuple
    in_training: bool


def run(folder=None, *, resume=True, on_record=lambda _: None, device="cpu", key="run", **options):
    """Train twice, the second time from the end of the first; batches, dropout and the code between draw numbers."""
    device, ran = torch.device(device), Ran()
    options = {"interval": 0.0, **options}

    def note(record):
        ran.records.append(record)
        on_record(record)

    with seeded_rng(0, device) as generator:
        kept = Checkpoint(folder, key, generator, device=device, **options).open(resume=resume)
        ensemble = Ensemble(ClassCritic(LAYOUT, 2, NetworkShape(n_members=2, width=8, dropout=0.3)), device)
        for stage in ("learn", "vet"):
            n_steps = torch.zeros((), dtype=torch.int64)
            outcome = train(
                ensemble,
                lambda: Loss(-information(ensemble, torch.randint(48, (16,), generator=generator))),
                lambda: information(ensemble, torch.arange(48, 64)),
                FEW,
                TrainingContext(generator, checkpoint=kept, on_record=note),
                stage=stage,
                options=TrainingOptions(
                    after_step=lambda n_steps=n_steps: n_steps.add_(1), extra_state={"n_steps": n_steps}
                ),
            )
            bound, training = outcome.tuning_bound.tolist(), ensemble.critic.training
            ended = Ended(outcome.n_steps, int(n_steps), outcome.converged, bound, outcome.records, training)
            ran.outcomes.append(ended)
            ran.values.append(ensemble.values.tolist())
            ran.draws.append(torch.rand(2, generator=generator).tolist())
        ran.draws += [value.tolist() for value in get_rng_state(generator, device).values()]
    return ran


def information(ensemble, rows):
    """Bound on rows of a table whose first column equals the target, except in every seventh row."""
    device = ensemble.values.device
    codes = torch.arange(64)[:, None].bitwise_right_shift(torch.arange(3)).remainder(2)
    block = Rows(torch.empty(2, len(rows), 0, device=device), codes[rows].expand(2, -1, -1).to(device), LAYOUT)
    bins = (codes[rows, 0] ^ (rows % 7 == 0)).expand(2, -1).to(device)
    log_prior = torch.full((2,), 0.5, device=device).log()
    return pointwise_information(ensemble.critic(block, None, None), bins, log_prior).mean(1)


@pytest.fixture(scope="module")
def whole():
    """Result of an uninterrupted run without a checkpoint."""
    return run()


def interrupt(folder, after, **arguments):
    """Kill a run at an evaluation; False if it ends before."""
    seen = []

    def count(record):
        seen.append(record)
        if len(seen) == after:
            raise Killed

    try:
        run(folder, on_record=count, **arguments)
    except Killed:
        return True
    return False


def files_of(folder, pattern="*.safetensors"):
    return sorted(path.name for path in folder.glob(pattern))


def test_a_checkpoint_does_not_change_the_result(tmp_path, whole):
    assert run(tmp_path) == whole
    assert tuple(whole.records) == whole.outcomes[0].records + whole.outcomes[1].records
    # Both trainings are long enough to be interrupted, and their patience runs out in between
    assert all(len(outcome.records) >= 4 for outcome in whole.outcomes)


@devices
@pytest.mark.parametrize("interval", [0.0, 1e9], ids=["states", "results"])
def test_a_run_killed_at_any_evaluation_resumes_to_the_same_result(tmp_path, interval, device):
    expected = run(device=device)
    n_interrupted = 0
    for after in range(1, 2 * N_EVALUATIONS + 1):
        folder = tmp_path / str(after)
        n_interrupted += interrupt(folder, after, interval=interval, device=device)
        assert run(folder, interval=interval, device=device) == expected
    assert n_interrupted == len(expected.records)


def test_a_run_killed_repeatedly_resumes_to_the_same_result(tmp_path, whole):
    n_kills = 0
    while interrupt(tmp_path, after=n_kills + 1):
        n_kills += 1
    assert n_kills == len(whole.records)
    assert run(tmp_path) == whole


def test_a_resumed_run_repeats_only_steps_after_the_last_state(tmp_path, whole):
    interrupt(tmp_path, after=whole.n_first + 3)
    # The second training saved states at steps 2 and 4
    assert files_of(tmp_path) == ["0001.finished.safetensors", "0002.step-2.safetensors", "0002.step-4.safetensors"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ensemble, "project_", lambda self: steps.append(1))
        steps = []
        run(tmp_path)
    assert len(steps) == whole.outcomes[1].n_steps - 4


def test_only_the_last_two_states_of_the_last_training_are_kept(tmp_path):
    run(tmp_path)
    finished = files_of(tmp_path, "*.finished.*")
    assert finished == ["0001.finished.safetensors", "0002.finished.safetensors"]
    states = files_of(tmp_path, "*.step-*")
    assert len(states) == 2
    assert all(name.startswith("0002.") for name in states)


def test_states_are_saved_at_most_once_per_interval(tmp_path):
    run(tmp_path, interval=1e9)
    assert files_of(tmp_path) == ["0001.finished.safetensors", "0002.finished.safetensors"]


def test_saving_takes_a_limited_share_of_the_time(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "MAX_SAVING_SHARE", 0.02)
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    kept = Checkpoint(tmp_path, interval=1.0).open(resume=False)
    entry = kept.entry("slow disk")

    def write(*_):
        now[0] += 10.0

    monkeypatch.setattr("minerva_select.runtime.checkpoint.write_state", write)
    entry.save(1, State({}))
    # 10 seconds are 2% of 500
    now[0] += 499.0
    assert not entry.is_due
    now[0] += 2.0
    assert entry.is_due


def test_files_are_private(tmp_path):
    folder = tmp_path / "new" / "checkpoint"
    run(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


@pytest.mark.parametrize("name", ["0001.finished", "0002.step-2", "0002.step-4"])
@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "foreign", "text"])
def test_trainings_with_damaged_files_are_repeated(tmp_path, whole, name, damage):
    interrupt(tmp_path, after=whole.n_first + 3)
    path = tmp_path / f"{name}.safetensors"
    data = bytearray(path.read_bytes())
    if damage == "foreign":
        save_file(load_file(path), path)
    else:
        data[-100] ^= 1
        path.write_bytes({"empty": b"", "cut": data[:-7], "flipped": data, "text": b"text"}[damage])
    assert run(tmp_path) == whole


def load_or_compute(kept, name, compute):
    """A step whose result comes from the checkpoint if it is there."""
    entry = kept.entry(name)
    if entry.saved is not None:
        return entry.saved.tensors
    tensors = compute()
    entry.finish(State(tensors))
    return tensors


def warnings_of(caplog):
    return [record.getMessage() for record in caplog.records]


def test_a_folder_in_place_of_a_state_loses_only_that_state(tmp_path, whole, caplog):
    (tmp_path / "0001.finished.safetensors").mkdir(parents=True)
    assert run(tmp_path) == whole
    [warning] = warnings_of(caplog)
    assert repr(str(tmp_path)) in warning
    assert (tmp_path / "0002.finished.safetensors").is_file()


def test_opening_removes_partly_written_files_and_no_others(tmp_path, whole):
    (tmp_path / "notes.safetensors").write_text("mine")
    (tmp_path / ".0001.finished.safetensors.abc.part").write_text("half a state")
    assert run(tmp_path, resume=False) == whole
    assert (tmp_path / "notes.safetensors").read_text() == "mine"
    assert files_of(tmp_path, ".*") == []


def test_starting_without_resume_removes_the_earlier_checkpoint(tmp_path):
    run(tmp_path, key="seed 1")
    Checkpoint(tmp_path, "seed 2").open(resume=False)
    assert files_of(tmp_path, "*") == ["checkpoint.json"]


def test_the_checkpoint_of_another_run_is_refused_and_kept(tmp_path, whole):
    run(tmp_path, key="seed 1")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match="another run"):
        run(tmp_path, key="seed 2")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert run(tmp_path, key="seed 2", resume=False) == whole
    assert json.loads((tmp_path / "checkpoint.json").read_text())["key"] == "seed 2"


def test_without_resuming_everything_is_done_again(tmp_path):
    for _ in range(2):
        done = []
        kept = Checkpoint(tmp_path).open(resume=False)
        load_or_compute(kept, "one", lambda done=done: done.append(1) or {"one": torch.ones(1)})
        assert done == [1]


@pytest.mark.parametrize("header", [b"", b"{", b"\xff"])
def test_a_damaged_header_starts_a_new_run(tmp_path, whole, header):
    interrupt(tmp_path, after=4)
    (tmp_path / "checkpoint.json").write_bytes(header)
    assert run(tmp_path) == whole


def test_an_entry_of_another_training_is_ignored(tmp_path, whole):
    """The key may be the same when something relevant is not part of it."""
    with seeded_rng(1, CPU) as generator:
        kept = Checkpoint(tmp_path, "run", generator).open(resume=False)
        load_or_compute(kept, "learn", lambda: {"values": torch.ones(3)})
    assert run(tmp_path) == whole


class Full:
    """A disk that is full from the n-th write on."""

    def __init__(self, n, error):
        self.left = n
        self.error = error

    def __call__(self, handle):
        self.left -= 1
        if self.left <= 0:
            raise self.error


@pytest.mark.parametrize("place", ["fsync", "replace"])
@pytest.mark.parametrize("n", [2, 4, 7])  # the first is the header
def test_a_run_on_a_full_disk_warns_once_and_continues(tmp_path, whole, monkeypatch, caplog, n, place):
    full = Full(n, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    with monkeypatch.context() as patch:
        if place == "fsync":
            patch.setattr(os, "fsync", lambda handle: stat.S_ISDIR(os.fstat(handle).st_mode) or full(handle))
        else:
            replace = Path.replace
            patch.setattr(Path, "replace", lambda path, target: (full(path), replace(path, target))[1])
        assert run(tmp_path) == whole
    [warning] = warnings_of(caplog)
    assert "No space left on device" in warning
    assert files_of(tmp_path, ".*") == []
    assert len(files_of(tmp_path)) <= n - 2
    assert run(tmp_path) == whole


def test_saving_continues_after_a_failed_write(tmp_path, whole, monkeypatch, caplog):
    write, n_calls = checkpoint_files.atomic_write, []

    def fail_once(path, data, **options):
        n_calls.append(path)
        if len(n_calls) == 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(path, data, **options)

    monkeypatch.setattr(checkpoint_files, "atomic_write", fail_once)
    assert run(tmp_path) == whole
    assert len(warnings_of(caplog)) == 1
    assert {"0001.finished.safetensors", "0002.finished.safetensors"} <= {*files_of(tmp_path)}


def test_a_disk_that_is_full_from_the_start_is_refused(tmp_path, monkeypatch):
    full = Full(1, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        run(tmp_path)
    assert files_of(tmp_path, "*") == []


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "checkpoint").write_text("a file")
    with pytest.raises(InputError, match="checkpoint'"):
        run(tmp_path / "checkpoint")


def test_a_removed_folder_is_one_warning(tmp_path, caplog):
    kept = Checkpoint(tmp_path / "checkpoint").open(resume=False)
    shutil.rmtree(tmp_path / "checkpoint")
    for name in ("one", "two"):
        assert load_or_compute(kept, name, lambda: {"one": torch.ones(1)}) == {"one": torch.ones(1)}
    [warning] = warnings_of(caplog)
    assert "No such file or directory" in warning


def test_reading_an_entry_restores_the_random_numbers(tmp_path):
    seen = []
    for resume in (False, True):
        computed = []
        with seeded_rng(3, CPU) as generator:
            kept = Checkpoint(tmp_path, "k", generator).open(resume=resume)

            def compute(computed=computed, generator=generator):
                computed.append(1)
                table = torch.rand(3, 4, generator=generator) + torch.rand(1, generator=network_generator())
                # Views, shared memory, no dimension, no elements
                return {"turned": table.T, "table": table, "one": table[0, 0], "none": table[:0], "sign": table > 1}

            found = load_or_compute(kept, "screen", compute)
            again = load_or_compute(kept, "screen", compute)  # another entry, with other draws
            seen.append([{name: value.tolist() for name, value in one.items()} for one in (found, again)])
            seen[-1] += [torch.rand(2, generator=drawn).tolist() for drawn in (network_generator(), generator)]
            assert not torch.equal(found["table"], again["table"])
        assert len(computed) == (0 if resume else 2)
    assert seen[0] == seen[1]


def test_without_a_folder_nothing_is_saved(tmp_path, whole, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checkpoint_files, "atomic_write", pytest.fail)
    assert run(None) == whole
    assert load_or_compute(Checkpoint().open(resume=True), "one", lambda: {"one": torch.ones(1)})["one"] == 1
    assert not [*tmp_path.iterdir()]


class TwoRanks:
    """Minimum over this rank and another, whose numbers are given."""

    def __init__(self, *others):
        self.others = list(others)

    def __call__(self, number):
        return min(number, self.others.pop(0)) if self.others else number


@pytest.mark.parametrize(
    ("others", "step"),
    [((4, 1), 4), ((2, 1), 2), ((0,), 0), ((3, 1), 0), ((4, 0), 0), ((100, 1), 4)],
    ids=["same", "behind", "has none", "has another", "cannot read it", "ahead"],
)
def test_ranks_resume_from_the_last_common_state(tmp_path, others, step):
    kept = Checkpoint(tmp_path).open(resume=False)
    entry = kept.entry("learn")
    for saved in (2, 4):
        entry.save(saved, State({"step": torch.tensor(saved)}))
    again = Checkpoint(tmp_path, min_over_ranks=TwoRanks(*others)).open(resume=True).entry("learn")
    assert (0 if again.saved is None else int(again.saved.tensors["step"])) == step
    # Later states belong to a course that this run may not take
    assert [name for name in files_of(tmp_path) if int(name.split("-")[1].split(".")[0]) > step] == []


def test_a_finished_rank_returns_to_a_state_that_the_other_has(tmp_path, whole):
    run(tmp_path)
    last = max(int(name.split("-")[1].split(".")[0]) for name in files_of(tmp_path, "*.step-*"))
    # The other rank has the first training, but not the end of the second
    assert run(tmp_path, min_over_ranks=TwoRanks(sys.maxsize, 1, last)) == whole
    assert "0002.finished.safetensors" in files_of(tmp_path)


def test_ranks_save_only_when_all_are_due(tmp_path):
    kept = Checkpoint(tmp_path, interval=0.0, min_over_ranks=TwoRanks(0, 0, 0, 1)).open(resume=False)
    entry = kept.entry("learn")
    assert [entry.is_due, entry.is_due] == [False, True]


def test_the_paper_solver_resumes_to_the_same_result_in_either_stage(tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "ConcatenatedCritic", partial(paper.ConcatenatedCritic, shape=NetworkShape(width=8)))
    monkeypatch.setattr(paper, "Schedule", partial(Schedule, evaluate_every=5))
    settings = PaperSettings(
        batch_size=32, max_steps_learn=10, max_steps_sparsify=150, weight_rate=0.3, settled_after=3
    )
    draw = torch.Generator().manual_seed(0)
    codes = torch.randint(3, (300, 4), generator=draw)
    x = Rows(torch.empty(300, 0), codes, ColumnLayout(0, (3,) * 4, tuple(range(4))))
    y = Rows(torch.empty(300, 0), (codes[:, :1] == 1).long(), ColumnLayout(0, (2,), (0,)))
    rows, held_out = torch.arange(300).split([200, 100])

    def solve(folder, stop=0):
        seen = []

        def count(record):
            seen.append(record)
            if len(seen) == stop:
                raise Killed

        with seeded_rng(0, CPU) as generator:
            kept = Checkpoint(folder, "k", generator, interval=0.0).open(resume=True)
            data = x.take(rows), y.take(rows), (x.take(held_out), y.take(held_out))
            solution = solve_paper(
                *data, [0, 1, 2, 3], settings, TrainingContext(generator, checkpoint=kept, on_record=count)
            )
            assert tuple(seen) == solution.records
            return solution

    whole = solve(None)
    n_records, n_learn = len(whole.records), sum(record.stage == "learn" for record in whole.records)
    # The weights settle, some at zero, before the step limit
    assert settings.settled_after < n_records - n_learn < settings.max_steps_sparsify / 5
    assert 0 < whole.weights.count_nonzero() < 4
    for stop in (2, n_learn + 2, n_records):
        with pytest.raises(Killed):
            solve(tmp_path / str(stop), stop)
        again = solve(tmp_path / str(stop))
        assert again.weights.tolist() == whole.weights.tolist()
        assert (again.records, again.total, again.kept) == (whole.records, whole.total, whole.kept)


def test_states_of_another_start_are_not_read(tmp_path):
    write_state(tmp_path / "state", State({"x": torch.arange(3)}, {"rate": 0.1}), "start")
    found = read_state(tmp_path / "state", "start")
    assert found.tensors["x"].tolist() == [0, 1, 2]
    assert found.metadata == {"rate": 0.1}
    assert read_state(tmp_path / "state", "another start") is None
    assert read_state(tmp_path / "no such file", "start") is None


def kill_until_done(folder):
    """Kill runs with SIGKILL after random times until one ends; return the number of kills."""
    checkpoint.MAX_SAVING_SHARE = math.inf
    moments = random.Random(0)
    n_kills = 0
    while True:
        child = os.fork()
        if not child:
            found = run(folder)
            checkpoint_files.atomic_write(folder / "found.json", json.dumps([found.values, found.draws]), private=True)
            os._exit(0)
        time.sleep(0.01 * (1 + n_kills * moments.random()))  # longer and longer, so that a slow machine gets there
        if os.waitpid(child, os.WNOHANG)[0]:
            return n_kills
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        n_kills += 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_run_killed_at_random_times_resumes_to_the_same_result(tmp_path, whole):
    """In a separate process that forks, since starting Python with torch takes seconds per kill."""
    killed = subprocess.run(
        [sys.executable, __file__, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert int(killed.stdout) >= 1
    assert json.loads((tmp_path / "found.json").read_text()) == [whole.values, whole.draws]


if __name__ == "__main__":
    sys.stdout.write(str(kill_until_done(Path(sys.argv[1]))))
