"""Tables, folders and caches that vanish or change in the midst of a run."""

import os
import random
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from processes import LossError, Process, Victim, answer_in, scene, until, wait
from result import Result
from targets import FORMATS, STREAMED, Known, Tally, equal_columns, know

LARGE_ROWS = 300_000  # enough to be caught while they are read
IN_MEMORY = ("--memory", "4GB")
MAX_STARTS = 5  # a table that is read in milliseconds is not always caught


def change_tables(folder: Path, quick: bool) -> Iterator[Result]:
    """Do things to tables of every format while they are read: a block at a time, and whole."""
    for suffix in [*FORMATS][:1] if quick else FORMATS:
        table = equal_columns(folder / f"large{suffix}", LARGE_ROWS)
        tally = Tally(f"a table removed, cut, overwritten or replaced while it is read, {FORMATS[suffix]}")
        for memory in (STREAMED,) if quick else (STREAMED, IN_MEMORY):
            known = know(table, memory)
            for change in CHANGES:
                with scene() as place:
                    victim = replace(known.victim(place), table=Path(shutil.copy(table, place)))
                    tally.attempt(_change, victim, known, change)
        yield tally.result("one sentence that names the table, or the answer where all was read before")


def _change(victim: Victim, known: Known, change: Callable[[Path], None]) -> None:
    process = _start_reading(victim)
    change(victim.table)
    process.send_signal(signal.SIGCONT)
    ended = victim.finish(process)
    ended.expect(0, 2)
    if ended.code == 0:
        victim.expect(known.answer)
    elif victim.table.name not in ended.stderr:
        raise LossError(f"the table is not named: {ended.stderr[-200:]}")
    elif left := [path for path in victim.results.rglob("*") if path.is_file()]:
        raise LossError(f"files left behind: {left[0]}")
    victim.expect_no_strays([])


def _start_reading(victim: Victim) -> Process:
    """Start a run that is stopped while it has the table open."""
    for _ in range(MAX_STARTS):
        process = victim.start()
        if _catch(process, victim.table):
            return process
        ended = victim.finish(process)
        ended.expect(0)
        shutil.rmtree(victim.results)
    raise LossError(f"never seen to read: {ended.stderr[-200:]}")


def _catch(process: Process, table: Path) -> bool:
    """Stop a run while it has the table open; False if it ends before."""
    while process.poll() is None:
        if _is_open(process, table):
            process.send_signal(signal.SIGSTOP)
            if _is_open(process, table):
                return True
            process.send_signal(signal.SIGCONT)
    return False


def _is_open(process: Process, table: Path) -> bool:
    try:
        return any(link.readlink() == table for link in Path(f"/proc/{process.pid}/fd").iterdir())
    except OSError:  # a file was closed meanwhile
        return False


def _shrink(table: Path) -> None:
    os.truncate(table, table.stat().st_size // 2)


def _overwrite(table: Path) -> None:
    with table.open("r+b") as file:
        file.write(os.urandom(table.stat().st_size))


def _replace(table: Path) -> None:
    other = equal_columns(table.with_stem("other"), LARGE_ROWS // 2)
    other.replace(table)


CHANGES = (Path.unlink, _shrink, _overwrite, _replace)


def remove_folders(known: Known, n_times: int, rng: random.Random) -> Iterator[Result]:
    """Remove the results' folder or the work in it, at random moments."""
    for name, pick in (("--out", lambda victim: victim.results), ("the cache", lambda victim: victim.work)):
        tally = Tally(f"the folder of {name} removed during the run")
        for _ in range(n_times):
            with scene() as folder:
                tally.attempt(_remove, known.victim(folder), known, pick, rng)
        yield tally.result("one sentence, or the answer; nothing half-written, and the same command answers")


def _remove(victim: Victim, known: Known, pick: Callable[[Victim], Path], rng: random.Random) -> None:
    process = victim.start("--json")
    until(victim.results.is_dir, process)
    if wait(process, rng.uniform(0, 0.7) * known.seconds):
        shutil.rmtree(pick(victim), ignore_errors=True)
    ended = victim.finish(process)
    ended.expect(0, 2)
    if ended.stdout and answer_in(ended.stdout) != known.answer:
        raise LossError("another answer on the screen")
    if ended.code == 2 or not victim.results.is_dir():  # it may have gone after the answer was written
        victim.expect_whole()
        victim.run("--resume").expect(0)
    victim.expect(known.answer)
