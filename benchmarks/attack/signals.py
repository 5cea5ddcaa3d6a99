"""``kill -9``, SIGTERM and Ctrl-C at random moments of a run or of a worker, and the same again with ``--resume``."""

import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

from processes import LossError, Process, Victim, kill_all, scene, until, wait
from result import Result
from targets import Known, Tally

TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "minerva_select")
ONE_THREAD = {"OMP_NUM_THREADS": "1"}  # of each of two processes


def kill_and_resume(known: Known, n_kills: int, rng: random.Random) -> Result:
    """Kill a run, resume it, kill it again, until it ends; then begin anew, until so many were killed."""
    tally, n_ended = Tally(f"kill -9 of a streaming fit and --resume, {known.format}"), 0
    while tally.n_tried < n_kills and not tally.losses:
        with scene() as folder:
            tally.attempt(_kill_until_done, known.victim(folder), known, n_kills - tally.n_tried, rng)
            n_ended += 1
    return tally.result(
        f"{n_ended} runs came to their end, each with the undisturbed answer, bit for bit; no file left"
    )


def _kill_until_done(victim: Victim, known: Known, n_left: int, rng: random.Random) -> int:
    n_killed = 0
    process = victim.start()
    # One that ends at once although nobody was killed is begun again by the caller, with other moments
    while n_killed < n_left and wait(process, rng.uniform(0.05, 1.0) * known.seconds):
        kill_all(process)
        n_killed += 1
        process = victim.start("--resume")
    victim.finish(process).expect(0)
    victim.expect(known.answer)
    return n_killed


def signal_and_resume(known: Known, signals: tuple[signal.Signals, ...], n_times: int, rng: random.Random) -> Result:
    """Send signals to runs at random moments; what is there then is whole, and the run goes on with ``--resume``."""
    tally = Tally(f"{', then '.join(one.name for one in signals)} at a random moment, and --resume")
    for _ in range(n_times):
        with scene() as folder:
            tally.attempt(_signal, known.victim(folder), known, signals, rng)
    return tally.result("the exit code of the signal, results whole or absent, then the undisturbed answer")


def _signal(victim: Victim, known: Known, signals: tuple[signal.Signals, ...], rng: random.Random) -> None:
    process = victim.start()
    # Before Python has come to the command, a signal ends it as it ends any program
    is_up = until(victim.results.is_dir, process)
    for number in signals:
        if is_up and wait(process, rng.uniform(0, 0.9 / len(signals)) * known.seconds):
            process.send_signal(number)
    ended = victim.finish(process)
    ended.expect(0, 143 if signal.SIGTERM in signals else 130)  # 0: it was done before
    victim.expect_whole()
    if ended.code == 0:
        victim.expect(known.answer)
    victim.run("--resume").expect(0)
    victim.expect(known.answer)


_WITH_HANDLERS = """
import signal, sys
from minerva_select.cli import app

def mine(*_):
    pass

numbers = signal.SIGINT, signal.SIGTERM
for number in numbers:
    signal.signal(number, mine)
app(sys.argv[1:], standalone_mode=False)
sys.exit(any(signal.getsignal(number) is not mine for number in numbers))
"""


def leave_handlers(known: Known) -> Result:
    """Run the command inside a program that has signal handlers of its own."""
    tally = Tally("a program's own handlers of signals, after the command")
    with scene() as folder:
        tally.attempt(_leave_handlers, known, folder)
    return tally.result("put back")


def _leave_handlers(known: Known, folder: Path) -> None:
    command = ["select", str(known.table), "--target", "y", "--out", str(folder / "out"), *known.more]
    if subprocess.run([sys.executable, "-c", _WITH_HANDLERS, *command], capture_output=True, check=False).returncode:
        raise LossError("the handlers are others than before")


def kill_a_worker(known: Known, n_times: int, rng: random.Random) -> Result:
    """Kill one process of two; the other ends with a sentence, and ``--resume`` goes on."""
    tally = Tally("kill -9 of one of two workers of torchrun, and --resume")
    for _ in range(n_times):
        with scene() as folder:
            tally.attempt(_kill_a_worker, known.victim(folder), known, rng)
    return tally.result("the other says so, none is left running, then the undisturbed answer")


def _kill_a_worker(victim: Victim, known: Known, rng: random.Random) -> None:
    rank, process = rng.randrange(2), victim.start()
    begun = until(lambda: any(victim.work.glob("rank-*/*.finished.*")), process)
    if not (begun and wait(process, rng.uniform(0, 0.4) * known.seconds)):
        raise LossError(f"it ended before anybody was killed: {victim.finish(process).stderr[-200:]}")
    workers = _workers(process)
    os.kill(workers[rank], signal.SIGKILL)
    ended = victim.finish(process)
    if left := [pid for pid in workers.values() if Path(f"/proc/{pid}").exists()]:
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        raise LossError("a worker is left running")
    if ended.code == 0:
        raise LossError("exit code 0 although a worker was killed")
    if f"minerva: Rank {rank} of 2 is gone" not in ended.stderr:
        raise LossError("nobody says that a worker is gone")
    victim.expect_whole()
    victim.run("--resume").expect(0)
    victim.expect(known.answer)


def _workers(launcher: Process) -> dict[int, int]:
    """The processes that torchrun has started, by their ranks; each is in a group of its own."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rsplit(")", 1)[1].split()[1])
            rank = re.search(r"(?:^|\0)RANK=(\d+)\0", (path / "environ").read_text(errors="replace"))
        except OSError:  # it has ended meanwhile, or is somebody else's
            continue
        if parent == launcher.pid and rank:
            found[int(rank[1])] = int(path.name)
    if len(found) != 2:
        raise LossError(f"{len(found)} workers instead of two")
    return found
