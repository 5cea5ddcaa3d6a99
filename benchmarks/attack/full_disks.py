"""Run on disks that are full, fill up or become read-only."""

import contextlib
import os
import resource
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from processes import RESULT_FILES, FinishedRun, GuaranteeError, SelectRun, temporary_folder, wait_until
from result import Result
from targets import Target, Trials

EARLIER_RESULTS = "the results of an earlier run"
STAGES = {  # what could not be written, by a part of the message
    "encoded rows": "encoded rows",
    "checkpoint": "checkpoints",
    "cannot be written": "results",
    "The disk": "Parquet copy",
}


class Disk:
    """A small disk in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def remount(self, option: str) -> None:
        """Remount it: ``size=2000k`` changes its size, ``ro`` makes it read-only."""
        _mount(self.folder, f"remount,{option}")


@contextlib.contextmanager
def small_disk(n_kilobytes: int) -> Iterator[Disk]:
    with temporary_folder() as folder:
        _mount(folder, f"size={n_kilobytes}k")
        try:
            yield Disk(folder)
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def can_mount() -> bool:
    """Whether this user may mount disks; in most containers not even root may."""
    try:
        with small_disk(64):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


def _mount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True, capture_output=True)


def results(parquet: Target, csv: Target, quick: bool) -> Iterator[Result]:
    sizes, few_sizes = range(200, 3200, 200), (600, 2000)
    if can_mount():
        yield run_on_small_disks(parquet, few_sizes if quick else sizes)
        yield run_on_small_disks(replace(csv, launch={}), few_sizes[:1] if quick else sizes[::4])
        yield fill_during_the_run(parquet)
        yield remount_read_only(parquet)
    else:
        yield limit_file_size(parquet, few_sizes if quick else sizes)
    yield print_to_full_disk(parquet)


def run_on_small_disks(target: Target, sizes: Sequence[int]) -> Result:
    """Run on disks of these sizes in kB: too small for the encoded rows, for checkpoints, or for the report alone."""
    trials = Trials(f"disk full while encoded rows, checkpoints or results are written, {target.format}")
    stages: set[str] = set()
    for n_kilobytes in sizes:
        with temporary_folder() as folder, small_disk(n_kilobytes) as disk:
            trials.run(_run_on_small_disk, target.new_run(folder, out=disk.folder / "out"), target, disk, stages)
    note = "one-sentence error or the answer, earlier results intact, --resume works"
    return trials.result(f"{note}; no room for {', '.join(sorted(stages))}")


def _run_on_small_disk(run: SelectRun, target: Target, disk: Disk, stages: set[str]) -> None:
    _write_earlier_results(run)
    finished = run.run()
    finished.expect(0, 2)
    stages.update(_stages_without_room(finished))
    if finished.code == 2:
        _expect_earlier_results(run)
        disk.remount("size=64m")
        run.run("--resume").expect(0)
    run.expect_answer(target.answer)


def _stages_without_room(finished: FinishedRun) -> set[str]:
    """What did not fit on the disk; without room for checkpoints a run warns and continues."""
    return {stage for part, stage in STAGES.items() if part in finished.stderr}


def fill_during_the_run(target: Target) -> Result:
    """Fill the disk after the run has checked its size and started to encode rows."""
    trials = Trials("disk filled by another process while rows are encoded")
    with temporary_folder() as folder, small_disk(4_000) as disk:
        trials.run(_fill_during_the_run, target.new_run(folder, out=disk.folder / "out"), target, disk)
    return trials.result("one-sentence error, earlier results intact, --resume works")


def _fill_during_the_run(run: SelectRun, target: Target, disk: Disk) -> None:
    _write_earlier_results(run)
    process, filler = run.start(), disk.folder / "filler"
    wait_until((run.work / "rows-0" / "codes.bin").exists, process)
    with contextlib.suppress(OSError):
        filler.write_bytes(bytes(4_000_000))
    run.finish(process).expect(2)
    _expect_earlier_results(run)
    filler.unlink()
    run.run("--resume").expect(0)
    run.expect_answer(target.answer)


def limit_file_size(target: Target, sizes: Sequence[int]) -> Result:
    """Limit the size of files to these kB, for machines without permission to mount disks."""
    trials = Trials("file size limit while rows, checkpoints or results are written (RLIMIT_FSIZE)")
    for n_kilobytes in sizes:
        with temporary_folder() as folder:
            trials.run(_limit_file_size, target.new_run(folder), target, 1000 * n_kilobytes)
    return trials.result("one-sentence error, earlier results intact")


def _limit_file_size(run: SelectRun, target: Target, n_bytes: int) -> None:
    _write_earlier_results(run)
    finished = run.run(prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes)))
    finished.expect(0, 2)
    if finished.code == 2:
        _expect_earlier_results(run)
        run.run("--resume").expect(0)
    run.expect_answer(target.answer)


def remount_read_only(target: Target) -> Result:
    """Make the disk of the results read-only, before the run and during it."""
    trials = Trials("disk read-only, before and during the run")
    for attack in (_remount_before, _remount_during):
        with temporary_folder() as folder, small_disk(64_000) as disk:
            trials.run(attack, target.new_run(folder, out=disk.folder / "out"), target, disk)
    return trials.result("one-sentence error, earlier results intact")


def _remount_before(run: SelectRun, target: Target, disk: Disk) -> None:
    _write_earlier_results(run)
    disk.remount("ro")
    finished = run.run()
    finished.expect(2)
    if finished.seconds > max(5.0, target.seconds / 2):
        raise GuaranteeError(f"the error came after {finished.seconds:.0f} s")
    _expect_earlier_results(run)


def _remount_during(run: SelectRun, target: Target, disk: Disk) -> None:
    _write_earlier_results(run)
    process = run.start()
    wait_until(lambda: any(run.work.glob("rank-0/*.finished.*")), process)
    # Remounting fails while a file is open for writing
    wait_until(lambda: _succeeds(lambda: disk.remount("ro")), process)
    run.finish(process).expect(2)
    _expect_earlier_results(run)
    disk.remount("rw")
    run.run("--resume").expect(0)
    run.expect_answer(target.answer)


def _succeeds(act: Callable[[], None]) -> bool:
    try:
        act()
    except subprocess.CalledProcessError:
        return False
    return True


def print_to_full_disk(target: Target) -> Result:
    """Print the answer to a full disk; the result files must be written all the same."""
    trials = Trials("standard output on a full disk")
    with temporary_folder() as folder:
        trials.run(_print_to_full_disk, target.new_run(folder), target)
    return trials.result("one-sentence error, result files written")


def _print_to_full_disk(run: SelectRun, target: Target) -> None:
    run.run("--json", prepare=lambda: _redirect_stdout("/dev/full")).expect(2)
    run.expect_answer(target.answer)


def _redirect_stdout(path: str) -> None:
    os.dup2(os.open(path, os.O_WRONLY), 1)


def _write_earlier_results(run: SelectRun) -> None:
    run.results.mkdir(parents=True)
    for name in RESULT_FILES:
        (run.results / name).write_text(EARLIER_RESULTS)


def _expect_earlier_results(run: SelectRun) -> None:
    found = {path.name: path.read_text() for path in run.results.iterdir() if path.is_file()}
    if found != dict.fromkeys(RESULT_FILES, EARLIER_RESULTS):
        changed = [name for name in RESULT_FILES if found.get(name) != EARLIER_RESULTS]
        raise GuaranteeError(f"earlier results: {', '.join(changed or sorted(found.keys() - set(RESULT_FILES)))}")
    run.expect_no_leftovers([])
