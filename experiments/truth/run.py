"""Compare selections with known answers: MINERVA with default parameters, and baselines.

    python experiments/truth/run.py [--quick] [--only CASE ...] [--methods minerva,lightgbm] [--jobs 2] [--out FOLDER]

Appends one JSON line per finished run to FOLDER/records.jsonl and skips runs that are already there, so that an
interrupted study can be continued. The cases are in config.toml; those that need files read them from the folder --data
or MINERVA_DATA. table.py renders the records as tables.
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

from baselines import why_unavailable
from cases import Case, load_cases
from cells import METHODS, OURS, Cell, Record, Setting, failures, run_cell
from minerva_select.evaluation.failures import Failure
from minerva_select.evaluation.records import Records
from minerva_select.evaluation.worker import run_in_process

HERE = Path(__file__).parent
RECORDS = "records.jsonl"

RunCell = Callable[[Cell], list[Record]]


def plan_cells(cases: Iterable[Case], methods: Sequence[str], quick: bool) -> list[Cell]:
    """List the cells by method, so that no threads of a baseline are alive while MINERVA is timed."""
    cells = []
    for method in methods:
        for case in cases:
            baselines = case.quick_baselines if quick else case.baselines
            if method == OURS or method in baselines:
                cells += [Cell(case, seed, method) for seed in case.seeds(quick, baseline=method != OURS)]
    return cells


def unfinished(cells: Iterable[Cell], records: Iterable[Record]) -> list[Cell]:
    """Return the cells without a record."""
    done = {(record["case"], record["seed"], record["method"]) for record in records}
    return [cell for cell in cells if cell.key not in done]


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
            records = run(cell)
            with lock:
                store.append(*records)
                n_done += 1
                print(f"[{n_done}/{len(cells)}] {describe(records[0])}", flush=True)

    threads = [threading.Thread(target=drain, args=(run,), daemon=True) for run in runners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if n_done < len(cells):
        sys.exit(f"{len(cells) - n_done} cells were not run; see above.")


def describe(record: Record) -> str:
    """Describe a record in one line."""
    figures, name = record["figures"], f"{record['case']} seed {record['seed']} {record['method']}"
    if record["error"]:
        return f"{name}: {record['error']}"
    outcome = record["outcome"] or f"{figures['n_selected']} kept"
    return f"{name}: {outcome}, {figures['seconds']:.1f} s"


def make_runner(setting: Setting) -> RunCell:
    """Return a function that runs a cell in a fresh process, and records a crash or timeout as a failure."""

    def run(cell: Cell) -> list[Record]:
        result = run_in_process(run_cell, (cell, setting), cell.time_limit)
        return failures(cell, setting, str(result)) if isinstance(result, Failure) else result

    return run


def keep_runnable(cases: Iterable[Case], folder: Path | None, has_gpu: bool) -> list[Case]:
    """Return the cases that can run here, and print why the others cannot."""
    kept = []
    for case in cases:
        if missing := case.missing_files(folder):
            print(f"Skipped {case.name}: {' and '.join(missing)} not found; pass --data or set MINERVA_DATA.")
        elif case.needs_gpu and not has_gpu:
            print(f"Skipped {case.name}: it needs a GPU.")
        else:
            kept.append(case)
    return kept


def keep_available(methods: Iterable[str]) -> list[str]:
    """Return the methods that can run here, and print why the others cannot."""
    reasons = {method: None if method == OURS else why_unavailable(method) for method in methods}
    for method, reason in reasons.items():
        if reason:
            print(f"Skipped {method}: {reason}.")
    return [method for method, reason in reasons.items() if not reason]


def commit() -> str:
    """The commit of the code, marked as dirty if files differ from it."""
    try:
        command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
        return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few seeds of the short cases")
    parser.add_argument(
        "--only", nargs="+", metavar="CASE", choices=[case.name for case in load_cases()], help="only these cases"
    )
    parser.add_argument("--methods", default=",".join(METHODS), help="comma-separated list")
    parser.add_argument("--again", action="store_true", help="repeat recorded runs; the last record counts")
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("MINERVA_DATA"), help="data folder (default: MINERVA_DATA)"
    )
    parser.add_argument("--device", default="auto", help="device of MINERVA; baselines use the CPU")
    parser.add_argument(
        "--jobs", type=int, help="number of concurrent runs with one thread each (default: one run with all cores)"
    )
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument("--commit", default=commit(), help="commit to record if git is not available")
    options = parser.parse_args(arguments)
    options.methods = options.methods.split(",")
    if unknown := set(options.methods) - set(METHODS):
        parser.error(f"unknown method {', '.join(sorted(unknown))}; choose from {', '.join(METHODS)}")
    return options


def main() -> None:
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Stopped."))  # also ends the workers
    if options.jobs:
        # Inherited by the worker processes before they import anything
        os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
    n_threads = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
    import torch

    has_gpu = options.device != "cpu" and torch.cuda.is_available()
    cases = [case for case in load_cases() if not options.only or case.name in options.only]
    cases = keep_runnable(cases, options.data, has_gpu)
    cells = plan_cells(cases, keep_available(options.methods), options.quick)
    store = Records(options.out / RECORDS)
    remaining = cells if options.again else unfinished(cells, store)
    print(f"{len(cells)} cells, {len(cells) - len(remaining)} of them already in {store.path}.", flush=True)
    setting = Setting(options.data, options.device, n_threads, options.commit)
    run_cells(remaining, store, [make_runner(setting) for _ in range(options.jobs or 1)])


if __name__ == "__main__":
    main()
