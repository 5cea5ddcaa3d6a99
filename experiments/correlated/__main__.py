"""Measure the default selector on correlated columns, noise and known answers.

    PYTHONPATH=experiments python -m correlated [--quick] [--cases near_copies noise ...] [--seeds 0-4 7] [--jobs 2]

Appends one JSON line per fit to FOLDER/records.jsonl (--out FOLDER) and skips fits that are already there, so that an
interrupted study can be continued. Prints a summary at the end; page.py writes it to docs/correlated.md.
"""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import active_children, get_context
from pathlib import Path

from correlated.catalog import Case, load_catalog
from correlated.cells import Cell, Key, Record, run_cell
from correlated.page import summarize
from minerva_select.evaluation.records import Records

HERE = Path(__file__).parent
RECORDS = "records.jsonl"
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def plan_cells(cases: Iterable[Case], seeds: Sequence[int] | None, quick: bool) -> list[Cell]:
    """List the fits of the cases; ``seeds`` restricts them to some tables."""
    cells = []
    for case in cases:
        tables = range(case.n_quick if quick else case.n_tables)
        cells += [Cell(case.name, seed, k) for seed in tables if seeds is None or seed in seeds for k in case.sizes]
    return cells


def unfinished(cells: Iterable[Cell], records: Iterable[Record]) -> list[Cell]:
    """Return the cells without a record; those that failed are run again."""
    done: set[Key] = {(record["case"], record["seed"], record["k"]) for record in records if not record["error"]}
    return [cell for cell in cells if cell.key not in done]


def choose_cases(names: Sequence[str] | None, data: Path | None) -> list[Case]:
    """Return the named cases or groups, and print which of them lack their files."""
    chosen = [case for case in load_catalog().values() if not names or case.name in names or case.group in names]
    for case in chosen:
        if missing := case.missing_files(data):
            print(f"Skipped {case.name}: {' and '.join(missing)} not found; pass --data or set MINERVA_DATA.")
    return [case for case in chosen if not case.missing_files(data)]


def run_cells(cells: Sequence[Cell], store: Records, submit: Callable[[Cell], "Future[Record]"]) -> None:
    """Submit all cells, and append their records as they finish."""
    futures = [submit(cell) for cell in cells]
    for n_done, future in enumerate(as_completed(futures), start=1):
        record = store.append(future.result())
        print(f"[{n_done}/{len(cells)}] {describe(record)}", flush=True)


def describe(record: Record) -> str:
    """Describe a record in one line."""
    k = "" if record["k"] is None else f" k={record['k']}"
    name = f"{record['case']} seed {record['seed']}{k}"
    if record["error"]:
        return f"{name}: {record['error']}"
    right = {True: "right", False: "wrong", None: "done"}[record["figures"].get("right")]
    return f"{name}: {right}, {len(record['selected'])} kept, {record['seconds']:.1f} s"


def parse_seeds(texts: Sequence[str] | None) -> list[int] | None:
    """Parse numbers and ranges such as ``0-4``."""
    if texts is None:
        return None
    bounds = [[int(bound) for bound in text.split("-")] for text in texts]
    return [seed for ends in bounds for seed in range(ends[0], ends[-1] + 1)]


def commit() -> str:
    """The commit of the code, marked as dirty if files differ from it."""
    try:
        command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
        return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    catalog = load_catalog().values()
    names = sorted({name for case in catalog for name in (case.name, case.group)})
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few tables of the short cases")
    parser.add_argument("--cases", nargs="+", metavar="CASE", choices=names, help=f"of {', '.join(names)}")
    parser.add_argument("--seeds", nargs="+", metavar="SEED", help="numbers of tables, such as 0-4 7")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes, with one thread each")
    parser.add_argument("--again", action="store_true", help="repeat recorded fits; the last record counts")
    parser.add_argument("--data", type=Path, default=os.environ.get("MINERVA_DATA"), help="default: MINERVA_DATA")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument("--commit", default=commit(), help="commit to record if git is not available")
    return parser.parse_args(arguments)


def main() -> None:
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Stopped."))  # also ends the processes
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))  # inherited by the processes before they import anything
    cells = plan_cells(choose_cases(options.cases, options.data), parse_seeds(options.seeds), options.quick)
    store = Records(options.out / RECORDS)
    remaining = cells if options.again else unfinished(cells, store)
    print(f"{len(cells)} fits, {len(cells) - len(remaining)} of them already in {store.path}.", flush=True)
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        try:
            run_cells(remaining, store, lambda cell: pool.submit(run_cell, cell, options.data, options.commit))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():  # otherwise an interrupted study would wait for running fits
                process.terminate()
    print(f"\n{summarize(list(store))}")


if __name__ == "__main__":
    main()
