"""Kill or interrupt a run or one of its workers at a random time, then continue with ``--resume``."""

import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

from processes import GuaranteeError, Process, SelectRun, keeps_running, kill_group, temporary_folder, wait_until
from result import Result
from targets import Target, Trials

TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "minerva_select")
ONE_THREAD = {"OMP_NUM_THREADS": "1"}  # for each of the two processes


def kill_and_resume(target: Target, n_kills: int, rng: random.Random) -> Result:
    """Kill and resume a run until it finishes; start new runs until there were enough kills."""
    trials, n_finished = Trials(f"kill -9 during a streamed fit, then --resume, {target.format}"), 0
    while trials.n_trials < n_kills and not trials.failures:
        with temporary_folder() as folder:
            trials.run(_kill_until_finished, target.new_run(folder), target, n_kills - trials.n_trials, rng)
            n_finished += 1
    return trials.result(f"the uninterrupted answer, bit for bit, in all runs ({n_finished}); no files left")


def _kill_until_finished(run: SelectRun, target: Target, n_left: int, rng: random.Random) -> int:
    n_killed = 0
    process = run.start()
    # A run may finish before its first kill; the caller then starts another one
    while n_killed < n_left and keeps_running(process, rng.uniform(0.05, 1.0) * target.seconds):
        kill_group(process)
        n_killed += 1
        process = run.start("--resume")
    run.finish(process).expect(0)
    run.expect_answer(target.answer)
    return n_killed


def signal_and_resume(target: Target, signals: tuple[signal.Signals, ...], n_runs: int, rng: random.Random) -> Result:
    """Send signals at random times; results must be complete or absent, and ``--resume`` must work."""
    trials = Trials(f"{', '.join(number.name for number in signals)} at a random time, then --resume")
    for _ in range(n_runs):
        with temporary_folder() as folder:
            trials.run(_signal, target.new_run(folder), target, signals, rng)
    return trials.result("exit code of the signal, results complete or absent, then the uninterrupted answer")


def _signal(run: SelectRun, target: Target, signals: tuple[signal.Signals, ...], rng: random.Random) -> None:
    process = run.start()
    # While Python starts, the default handlers are active
    has_started = wait_until(run.results.is_dir, process)
    for number in signals:
        if has_started and keeps_running(process, rng.uniform(0, 0.9 / len(signals)) * target.seconds):
            process.send_signal(number)
    finished = run.finish(process)
    finished.expect(0, 143 if signal.SIGTERM in signals else 130)  # 0: finished before the signal
    run.expect_complete_results()
    if finished.code == 0:
        run.expect_answer(target.answer)
    run.run("--resume").expect(0)
    run.expect_answer(target.answer)


_PROGRAM_WITH_HANDLERS = """
import signal, sys
from minerva_select.cli import app

def handle(*_):
    pass

numbers = signal.SIGINT, signal.SIGTERM
for number in numbers:
    signal.signal(number, handle)
app(sys.argv[1:], standalone_mode=False)
sys.exit(any(signal.getsignal(number) is not handle for number in numbers))
"""


def check_handlers(target: Target) -> Result:
    """Run the command inside a program that has its own signal handlers."""
    trials = Trials("signal handlers of the calling program, after the command")
    with temporary_folder() as folder:
        trials.run(_check_handlers, target, folder)
    return trials.result("restored")


def _check_handlers(target: Target, folder: Path) -> None:
    arguments = ["select", str(target.table), "--target", "y", "--out", str(folder / "out"), *target.options]
    command = [sys.executable, "-c", _PROGRAM_WITH_HANDLERS, *arguments]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        raise GuaranteeError("the handlers were not restored")


def kill_a_worker(target: Target, n_runs: int, rng: random.Random) -> Result:
    """Kill one process of two; the other must report it, and ``--resume`` must work."""
    trials = Trials("kill -9 of one of two torchrun workers, then --resume")
    for _ in range(n_runs):
        with temporary_folder() as folder:
            trials.run(_kill_a_worker, target.new_run(folder), target, rng)
    return trials.result("the other reports it, no process left running, then the uninterrupted answer")


def _kill_a_worker(run: SelectRun, target: Target, rng: random.Random) -> None:
    rank, process = rng.randrange(2), run.start()
    has_checkpoint = wait_until(lambda: any(run.work.glob("rank-*/*.finished.*")), process)
    if not (has_checkpoint and keeps_running(process, rng.uniform(0, 0.4) * target.seconds)):
        raise GuaranteeError(f"ended before a worker was killed: {run.finish(process).stderr[-200:]}")
    workers = _find_workers(process)
    os.kill(workers[rank], signal.SIGKILL)
    finished = run.finish(process)
    if left_running := [pid for pid in workers.values() if Path(f"/proc/{pid}").exists()]:
        for pid in left_running:
            os.kill(pid, signal.SIGKILL)
        raise GuaranteeError("left a worker running")
    if finished.code == 0:
        raise GuaranteeError("exit code 0 although a worker was killed")
    if not re.search(rf"^minerva: .*\brank {rank}\b", finished.stderr, re.MULTILINE | re.IGNORECASE):
        raise GuaranteeError("no error names the killed worker")
    run.expect_complete_results()
    run.run("--resume").expect(0)
    run.expect_answer(target.answer)


def _find_workers(launcher: Process) -> dict[int, int]:
    """Find the process ids of the torchrun workers by rank; each is in its own process group."""
    workers = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rsplit(")", 1)[1].split()[1])
            rank = re.search(r"(?:^|\0)RANK=(\d+)\0", (path / "environ").read_text(errors="replace"))
        except OSError:  # it ended, or belongs to another user
            continue
        if parent == launcher.pid and rank:
            workers[int(rank[1])] = int(path.name)
    if len(workers) != 2:
        raise GuaranteeError(f"{len(workers)} workers instead of two")
    return workers
