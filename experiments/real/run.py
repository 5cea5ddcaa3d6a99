"""Select columns of public tables with MINERVA and other methods, and judge them on rows that none has seen.

    python experiments/real/run.py [--quick] [--tables churn splice] [--methods minerva,gain] [--splits 1] [--jobs 2]

Appends one JSON line per finished run to FOLDER/records.jsonl (--out) and skips runs that are already there, so that an
interrupted study can be continued. The tables are in config.toml; they are read from the folder --data or MINERVA_DATA.
table.py renders the records as a page and a figure.
"""

import argparse
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from cases import Case, Study, load_study
from cells import CHECK, DEPENDENT, NAMES, Cell, Record, Setting, failure, run_cell
from methods import OURS
from minerva_select.evaluation.failures import Failure
from minerva_select.evaluation.records import Records
from minerva_select.evaluation.worker import run_in_process

HERE = Path(__file__).parent
RECORDS = "records.jsonl"

RunCell = Callable[[Cell], Record]


def plan_cells(study: Study, tables: Iterable[Case], methods: Sequence[str], n_splits: int) -> list[Cell]:
    """List the cells that depend on no other, by method."""
    return [
        Cell(case, split, method, study.limits(method))
        for method in methods
        if method not in DEPENDENT
        for case in tables
        for split in range(min(n_splits, study.limits(method).n_splits or n_splits))
    ]


def plan_dependent(
    tables: Iterable[Case], methods: Sequence[str], n_splits: int, records: Iterable[Record]
) -> list[Cell]:
    """List the cells that need MINERVA's record of the same split: gain given k, and contributions of split 0."""
    ours = {(record["table"], record["split"]): record for record in records if is_result(record, OURS)}
    return [
        Cell(case, split, method, ours=ours[case.name, split])
        for method in DEPENDENT
        if method in methods
        for case in tables
        for split in range(1 if method == CHECK else n_splits)
        if (case.name, split) in ours
    ]


def is_result(record: Record, method: str) -> bool:
    """Whether a record is a finished run of a method."""
    return record["method"] == method and record["error"] is None


def unfinished(cells: Iterable[Cell], records: Iterable[Record]) -> list[Cell]:
    """Return the cells without a record, and those that depend on another record of MINERVA than their own did."""
    latest = {(record["table"], record["split"], record["method"]): record for record in records}
    return [cell for cell in cells if cell.key not in latest or latest[cell.key]["source"] != cell.source]


def run_cells(cells: Sequence[Cell], store: Records, runners: Sequence[RunCell]) -> None:
    """Run the cells, one at a time per runner, and append their records as they finish."""
    waiting: queue.SimpleQueue[Cell] = queue.SimpleQueue()
    for cell in cells:
        waiting.put(cell)
    lock, n_done = threading.Lock(), 0

    def drain(run: RunCell) -> None:
        nonlocal n_done
        while True:
            try:
                cell = waiting.get_nowait()
            except queue.Empty:
                return
            record = run(cell)
            with lock:
                store.append(record)
                n_done += 1
                print(f"[{n_done}/{len(cells)}] {describe(record)}", flush=True)

    threads = [threading.Thread(target=drain, args=(run,), daemon=True) for run in runners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if n_done < len(cells):
        sys.exit(f"{len(cells) - n_done} cells were not run; see above.")


def describe(record: Record) -> str:
    """Describe a record in one line."""
    name = f"{record['table']} split {record['split']} {record['method']}"
    if record["error"]:
        return f"{name}: {record['error']}"
    if record["method"] == CHECK:
        return f"{name}: {sum(check['overlaps'] is True for check in record['checks'])} of {len(record['checks'])}"
    return f"{name}: {len(record['kept'])} of {record['n_columns']} kept, {record['seconds']:.1f} s"


def make_runner(setting: Setting, time_limit: float) -> RunCell:
    """Return a function that runs a cell in a fresh process, and records a crash or timeout as a failure."""

    def run(cell: Cell) -> Record:
        limit = None if cell.method in (OURS, CHECK) else time_limit
        result = run_in_process(run_cell, (cell, setting), limit)
        return failure(cell, setting, str(result)) if isinstance(result, Failure) else result

    return run


def commit() -> str:
    """The commit of the code, marked as dirty if files differ from it."""
    try:
        command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
        return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def parse(study: Study, arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rows of few tables, one split")
    names = [case.name for case in study.tables]
    parser.add_argument("--tables", nargs="+", metavar="TABLE", choices=names, help="only these tables")
    parser.add_argument("--methods", help="comma-separated list (default: all)")
    parser.add_argument("--splits", type=int, help="only the first splits")
    parser.add_argument(
        "--check-contributions", action="store_true", help="compare contributions with mutual_information on split 0"
    )
    parser.add_argument("--again", action="store_true", help="repeat recorded runs; the last record counts")
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("MINERVA_DATA") or None, help="(default: MINERVA_DATA)"
    )
    parser.add_argument("--device", default="auto", help="device of MINERVA; the rest uses the CPU")
    parser.add_argument(
        "--jobs", type=int, help="number of concurrent runs with one thread each (default: one run with all cores)"
    )
    parser.add_argument("--out", type=Path, default=HERE / "results", metavar="FOLDER")
    parser.add_argument("--commit", default=commit(), help="commit to record if git is not available")
    options = parser.parse_args(arguments)
    default = study.quick_methods if options.quick else NAMES
    options.methods = options.methods.split(",") if options.methods else list(default)
    if unknown := set(options.methods) - set(NAMES):
        parser.error(f"unknown method {', '.join(sorted(unknown))}; choose from {', '.join(NAMES)}")
    if options.check_contributions:
        options.methods.append(CHECK)
    options.splits = options.splits or (study.quick_splits if options.quick else study.n_splits)
    options.tables = [
        case for case in study.tables
        if (case.name in options.tables if options.tables else case.quick or not options.quick)
    ]  # fmt: skip
    if message := find_missing(options.tables, options.data):
        parser.exit(2, f"{message}\n")
    return options


def find_missing(tables: Sequence[Case], folder: Path | None) -> str | None:
    """Say in one line which data is missing."""
    if folder is None:
        return "The study needs the public tables; pass their folder with --data or set MINERVA_DATA."
    missing = [case.file for case in tables if case.file and not (folder / case.file).exists()]
    return f"{', '.join(missing)} not found in {folder}; pass --data or set MINERVA_DATA." if missing else None


def main() -> None:
    study = load_study()
    options = parse(study)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Stopped."))  # also ends the workers
    if options.jobs:
        # Inherited by the worker processes before they import anything
        os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
    n_threads = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
    max_rows = (study.quick_train_rows, study.quick_test_rows) if options.quick else None
    setting = Setting(options.data, study.first_seed, options.device, n_threads, options.commit, max_rows)
    store = Records(options.out / RECORDS)
    runners = [make_runner(setting, study.baseline_time_limit) for _ in range(options.jobs or 1)]
    cells = plan_cells(study, options.tables, options.methods, options.splits)
    run_remaining(cells, store, runners, options.again)
    run_remaining(plan_dependent(options.tables, options.methods, options.splits, store), store, runners, options.again)


def run_remaining(cells: Sequence[Cell], store: Records, runners: Sequence[RunCell], again: bool) -> None:
    """Run the cells that have no record yet, or all of them again."""
    remaining = list(cells) if again else unfinished(cells, store)
    print(f"{len(cells)} cells, {len(cells) - len(remaining)} of them already in {store.path}.", flush=True)
    run_cells(remaining, store, runners)


if __name__ == "__main__":
    main()
