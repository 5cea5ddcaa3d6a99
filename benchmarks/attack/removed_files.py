"""Remove or change tables, result folders and caches during a run."""

import os
import random
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from processes import GuaranteeError, Process, SelectRun, keeps_running, parse_answer, temporary_folder, wait_until
from result import Result
from targets import FORMATS, STREAMED, Target, Trials, run_uninterrupted, write_equality

LARGE_ROWS = 300_000  # enough to stop the run while it reads
IN_MEMORY = ("--memory", "4GB")
MAX_STARTS = 5  # some tables are read within milliseconds


def change_tables(folder: Path, quick: bool) -> Iterator[Result]:
    """Change tables of every format while they are read, streamed and in memory."""
    for suffix in [*FORMATS][:1] if quick else FORMATS:
        table = write_equality(folder / f"large{suffix}", LARGE_ROWS)
        trials = Trials(f"table removed, truncated, overwritten or replaced while it is read, {FORMATS[suffix]}")
        for memory in (STREAMED,) if quick else (STREAMED, IN_MEMORY):
            target = run_uninterrupted(table, memory)
            for change in CHANGES:
                with temporary_folder() as place:
                    run = replace(target.new_run(place), table=Path(shutil.copy(table, place)))
                    trials.run(_change, run, target, change)
        yield trials.result("one-sentence error that names the table, or the answer if all of it had been read")


def _change(run: SelectRun, target: Target, change: Callable[[Path], None]) -> None:
    process = _start_and_stop_while_reading(run)
    change(run.table)
    process.send_signal(signal.SIGCONT)
    finished = run.finish(process)
    finished.expect(0, 2)
    if finished.code == 0:
        run.expect_answer(target.answer)
    elif run.table.name not in finished.stderr:
        raise GuaranteeError(f"the error does not name the table: {finished.stderr[-200:]}")
    elif leftover := [path for path in run.results.rglob("*") if path.is_file()]:
        raise GuaranteeError(f"files left behind: {leftover[0]}")
    run.expect_no_leftovers([])


def _start_and_stop_while_reading(run: SelectRun) -> Process:
    """Start a run and stop it while it has the table open."""
    for _ in range(MAX_STARTS):
        process = run.start()
        if _stop_while_open(process, run.table):
            return process
        finished = run.finish(process)
        finished.expect(0)
        shutil.rmtree(run.results)
    raise GuaranteeError(f"the run never had the table open: {finished.stderr[-200:]}")


def _stop_while_open(process: Process, table: Path) -> bool:
    """Stop a run while it has the table open; return False if it ends first."""
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
    except OSError:  # a file was closed in the meantime
        return False


def _truncate(table: Path) -> None:
    os.truncate(table, table.stat().st_size // 2)


def _overwrite(table: Path) -> None:
    with table.open("r+b") as file:
        file.write(os.urandom(table.stat().st_size))


def _replace(table: Path) -> None:
    other = write_equality(table.with_stem("other"), LARGE_ROWS // 2)
    other.replace(table)


CHANGES = (Path.unlink, _truncate, _overwrite, _replace)


def remove_folders(target: Target, n_runs: int, rng: random.Random) -> Iterator[Result]:
    """Remove the folder of the results or of the working files at random times."""
    for name, pick in (("--out", lambda run: run.results), ("cache", lambda run: run.work)):
        trials = Trials(f"{name} folder removed during the run")
        for _ in range(n_runs):
            with temporary_folder() as folder:
                trials.run(_remove, target.new_run(folder), target, pick, rng)
        yield trials.result("one-sentence error or the answer, no incomplete files, the same command then succeeds")


def _remove(run: SelectRun, target: Target, pick: Callable[[SelectRun], Path], rng: random.Random) -> None:
    process = run.start("--json")
    wait_until(run.results.is_dir, process)
    if keeps_running(process, rng.uniform(0, 0.7) * target.seconds):
        shutil.rmtree(pick(run), ignore_errors=True)
    finished = run.finish(process)
    finished.expect(0, 2)
    if finished.stdout and parse_answer(finished.stdout) != target.answer:
        raise GuaranteeError("different answer on standard output")
    if finished.code == 2 or not run.results.is_dir():  # it may have been removed after the answer was written
        run.expect_complete_results()
        run.run("--resume").expect(0)
    run.expect_answer(target.answer)
