"""Disks that fill up or can no longer be written."""

import contextlib
import os
import resource
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from processes import RESULTS, Ended, LossError, Victim, scene, until
from result import Result
from targets import Known, Tally

OLD = "the results of an earlier run"


class Disk:
    """A small disk in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def change(self, option: str) -> None:
        """Mount it anew: ``size=2000k`` makes it larger, ``ro`` lets nobody write."""
        _mount(self.folder, f"remount,{option}")


@contextlib.contextmanager
def small_disk(n_kilobytes: int) -> Iterator[Disk]:
    with scene() as folder:
        _mount(folder, f"size={n_kilobytes}k")
        try:
            yield Disk(folder)
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def can_mount() -> bool:
    """Whether this user may make disks; root may, in most containers not even root."""
    try:
        with small_disk(64):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


def _mount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True, capture_output=True)


def results(parquet: Known, csv: Known, quick: bool) -> Iterator[Result]:
    """Full disks of several sizes, disks that another fills, disks that are read-only, and a full standard output."""
    sizes, few = range(200, 3200, 200), (600, 2000)
    if can_mount():
        yield fill(parquet, few if quick else sizes)
        yield fill(replace(csv, launched={}), few[:1] if quick else sizes[::4])
        yield crowd(parquet)
        yield protect(parquet)
    else:
        yield limit_files(parquet, few if quick else sizes)
    yield print_to_a_full_disk(parquet)


def fill(known: Known, sizes: Sequence[int]) -> Result:
    """Run on disks of these sizes in kB, from too small for the encoded rows to too small for the page alone."""
    what = f"a disk that is full while work or results are written, {known.format}"
    tally, stages = Tally(what), set()
    for n_kilobytes in sizes:
        with scene() as folder, small_disk(n_kilobytes) as disk:
            tally.attempt(_fill, known.victim(folder, out=disk.folder / "out"), known, disk, stages)
    full = ", ".join(sorted(stages))
    return tally.result(f"one sentence or the answer, earlier results whole, --resume; no room for {full}")


def _fill(victim: Victim, known: Known, disk: Disk, stages: set[str]) -> None:
    _leave_old_results(victim)
    ended = victim.run()
    ended.expect(0, 2)
    stages.update(_what_was_written(ended))
    if ended.code == 2:
        _expect_old_results(victim)
        disk.change("size=64m")
        victim.run("--resume").expect(0)
    victim.expect(known.answer)


def _what_was_written(ended: Ended) -> set[str]:
    """What there was no room for; of trainings, a run says so and goes on."""
    words = {"encoded rows": "rows", "checkpoint": "trainings", "cannot be written": "results", "The disk": "copy"}
    return {name for sentence, name in words.items() if sentence in ended.stderr}


def crowd(known: Known) -> Result:
    """Let somebody else take the room that there was when the run began to encode its rows."""
    tally = Tally("a disk that somebody else fills while rows are encoded")
    with scene() as folder, small_disk(4_000) as disk:
        tally.attempt(_crowd, known.victim(folder, out=disk.folder / "out"), known, disk)
    return tally.result("one sentence, earlier results whole, --resume")


def _crowd(victim: Victim, known: Known, disk: Disk) -> None:
    _leave_old_results(victim)
    process, crowd = victim.start(), disk.folder / "crowd"
    until((victim.work / "rows-0" / "codes.bin").exists, process)
    with contextlib.suppress(OSError):
        crowd.write_bytes(bytes(4_000_000))
    victim.finish(process).expect(2)
    _expect_old_results(victim)
    crowd.unlink()
    victim.run("--resume").expect(0)
    victim.expect(known.answer)


def limit_files(known: Known, sizes: Sequence[int]) -> Result:
    """Where no disk can be made: no file may be larger than so many kB, which fails as a full disk does."""
    tally = Tally("files that cannot grow any more while rows, work or results are written (RLIMIT_FSIZE)")
    for n_kilobytes in sizes:
        with scene() as folder:
            tally.attempt(_limit_files, known.victim(folder), known, 1000 * n_kilobytes)
    return tally.result("one sentence, earlier results whole")


def _limit_files(victim: Victim, known: Known, n_bytes: int) -> None:
    _leave_old_results(victim)
    ended = victim.run(prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes)))
    ended.expect(0, 2)
    if ended.code == 2:
        _expect_old_results(victim)
        victim.run("--resume").expect(0)
    victim.expect(known.answer)


def protect(known: Known) -> Result:
    """Make the disk of the results read-only: before the run, and in the midst of it."""
    tally = Tally("a disk that can no longer be written, before the run and during it")
    for before in (True, False):
        with scene() as folder, small_disk(64_000) as disk:
            victim = known.victim(folder, out=disk.folder / "out")
            tally.attempt(_protect_before if before else _protect_during, victim, known, disk)
    return tally.result("one sentence, earlier results whole")


def _protect_before(victim: Victim, known: Known, disk: Disk) -> None:
    _leave_old_results(victim)
    disk.change("ro")
    ended = victim.run()
    ended.expect(2)
    if ended.seconds > max(5.0, known.seconds / 2):
        raise LossError(f"it took {ended.seconds:.0f} s to see that nothing can be written")
    _expect_old_results(victim)


def _protect_during(victim: Victim, known: Known, disk: Disk) -> None:
    _leave_old_results(victim)
    process = victim.start()
    until(lambda: any(victim.work.glob("rank-0/*.finished.*")), process)
    # A file that is being written keeps the disk from being protected
    until(lambda: _succeeds(lambda: disk.change("ro")), process)
    victim.finish(process).expect(2)
    _expect_old_results(victim)
    disk.change("rw")
    victim.run("--resume").expect(0)
    victim.expect(known.answer)


def _succeeds(act: Callable[[], None]) -> bool:
    try:
        act()
    except subprocess.CalledProcessError:
        return False
    return True


def print_to_a_full_disk(known: Known) -> Result:
    """Print the answer to a disk without room: what was asked for in files is there all the same."""
    tally = Tally("standard output on a full disk")
    with scene() as folder:
        tally.attempt(_print, known.victim(folder), known)
    return tally.result("one sentence, the files are there")


def _print(victim: Victim, known: Known) -> None:
    victim.run("--json", prepare=lambda: _print_to("/dev/full")).expect(2)
    victim.expect(known.answer)


def _print_to(path: str) -> None:
    os.dup2(os.open(path, os.O_WRONLY), 1)


def _leave_old_results(victim: Victim) -> None:
    victim.results.mkdir(parents=True)
    for name in RESULTS:
        (victim.results / name).write_text(OLD)


def _expect_old_results(victim: Victim) -> None:
    found = {path.name: path.read_text() for path in victim.results.iterdir() if path.is_file()}
    if found != dict.fromkeys(RESULTS, OLD):
        changed = [name for name in RESULTS if found.get(name) != OLD]
        raise LossError(f"of the earlier results: {', '.join(changed or sorted(found.keys() - set(RESULTS)))}")
    victim.expect_no_strays([])
