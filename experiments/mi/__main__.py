"""Compare estimates of mutual information with closed forms: MINERVA by default, KSG, CCA, InfoNCE and MINE.

    PYTHONPATH=experiments python -m mi [--quick] [--cases tasks noise ...] [--rows 5000] [--seeds 0] [--methods ksg]

Appends one JSON line per estimate to FOLDER/records.jsonl (--out FOLDER) and skips those that are already there, so
that an interrupted study can be continued. Prints a summary at the end; page.py writes docs/mutual-information.md.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import active_children, get_context
from pathlib import Path

from correlated.__main__ import THREAD_VARIABLES, commit, parse_seeds
from mi.case import Case
from mi.catalog import load_catalog
from mi.cells import Cell, Record, plan_cells, run_cell, unfinished
from mi.methods import LABELS
from mi.page import summarize
from minerva_select.evaluation.records import Records

HERE = Path(__file__).parent
RECORDS = "records.jsonl"
QUICK_ROWS = (1_000, 2_000)  # whichever of them a case has; all methods take 5 minutes on 2 cores


def choose_cases(names: Sequence[str] | None, quick: bool) -> list[Case]:
    """Return the cases with these names, or in these groups."""
    cases = load_catalog().values()
    return [
        case for case in cases
        if (not names or case.name in names or case.group in names) and (case.is_quick or not quick)
    ]  # fmt: skip


def plan(options: argparse.Namespace) -> list[Cell]:
    """List the cells that the options ask for."""
    cases = choose_cases(options.cases, options.quick)
    rows = options.rows or (QUICK_ROWS if options.quick else None)
    seeds = parse_seeds(options.seeds) or ([0] if options.quick else None)
    return plan_cells(cases, options.methods or tuple(LABELS), rows, seeds)


def run_cells(cells: Sequence[Cell], store: Records, submit: Callable[[Cell], "Future[Record]"]) -> None:
    """Submit all cells, and append their records as they finish."""
    futures = [submit(cell) for cell in cells]
    for n_done, future in enumerate(as_completed(futures), start=1):
        record = store.append(future.result())
        print(f"[{n_done}/{len(cells)}] {describe(record)}", flush=True)


def describe(record: Record) -> str:
    """Describe a record in one line."""
    name = f"{record['case']} {record['n_rows']:,} rows seed {record['seed']} {LABELS[record['method']]}"
    if record["error"]:
        return f"{name}: {record['error']}"
    interval = f"{record['low']:.3f} to {record['high']:.3f}"
    return f"{name}: {record['nats']:.3f} ({interval}), truth {record['truth']:.3f}, {record['seconds']:.1f} s"


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    catalog = load_catalog().values()
    names = sorted({name for case in catalog for name in (case.name, case.group)})
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few cases with at most 2,000 rows and one seed")
    parser.add_argument("--cases", nargs="+", metavar="CASE", choices=names, help=f"of {', '.join(names)}")
    parser.add_argument("--rows", nargs="+", type=int, metavar="N", help="only these numbers of rows")
    parser.add_argument("--seeds", nargs="+", metavar="SEED", help="such as 0-2")
    parser.add_argument("--methods", nargs="+", choices=LABELS, help="default: all")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes, with one thread each")
    parser.add_argument("--again", action="store_true", help="repeat recorded estimates; the last record counts")
    parser.add_argument("--out", type=Path, default=HERE / "results", metavar="FOLDER")
    parser.add_argument("--commit", default=commit(), help="commit to record if git is not available")
    return parser.parse_args(arguments)


def main() -> None:
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Stopped."))  # also ends the processes
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))  # inherited by the processes before they import anything
    cells = plan(options)
    store = Records(options.out / RECORDS)
    remaining = cells if options.again else unfinished(cells, store)
    print(f"{len(cells)} estimates, {len(cells) - len(remaining)} of them already in {store.path}.", flush=True)
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        try:
            run_cells(remaining, store, lambda cell: pool.submit(run_cell, cell, options.commit))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():  # otherwise an interrupted study would wait for running estimates
                process.terminate()
    print(f"\n{summarize(list(store))}")


if __name__ == "__main__":
    main()
