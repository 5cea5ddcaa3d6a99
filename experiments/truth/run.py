"""Selections held against known answers: MINERVA with its defaults, and what a user would pick instead.

    python experiments/truth/run.py [--quick] [--only ROW ...] [--methods minerva,lightgbm] [--jobs 2] [--out FOLDER]

Appends one JSON line a run to FOLDER/records.jsonl as soon as it is finished, and runs nothing that is there already,
so that a run that was stopped goes on where it was. Rows are in config.toml; those that need files look for them in the
folder of --data or MINERVA_DATA. table.py makes the tables of the records.
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

from cells import METHODS, OURS, Cell, Record, Setting, failures, perform
from minerva_select.evaluation.records import Records
from minerva_select.evaluation.worker import Worker, WorkerError
from rivals import why_unavailable
from rows import Row, load_rows

HERE = Path(__file__).parent
RECORDS = "records.jsonl"

Ask = Callable[[Cell], list[Record]]


def plan(rows: Iterable[Row], methods: Sequence[str], quick: bool) -> list[Cell]:
    """The cells to run, method by method: ours come first, and no rival's threads are alive beside them."""
    cells = []
    for method in methods:
        for row in rows:
            rivals = row.quick_rivals if quick else row.rivals
            if method == OURS or method in rivals:
                cells += [Cell(row, seed, method) for seed in row.seeds(quick, rival=method != OURS)]
    return cells


def unfinished(cells: Iterable[Cell], records: Iterable[Record]) -> list[Cell]:
    """The cells of which there is no record."""
    done = {(record["row"], record["seed"], record["method"]) for record in records}
    return [cell for cell in cells if cell.key not in done]


def run_cells(cells: Sequence[Cell], store: Records, askers: Sequence[Ask]) -> None:
    """Run the cells, as many at a time as there are askers, and append their records as they come."""
    waiting: queue.SimpleQueue[Cell] = queue.SimpleQueue()
    for cell in cells:
        waiting.put(cell)
    lock, n_done = threading.Lock(), 0

    def drain(ask: Ask) -> None:
        nonlocal n_done
        while True:
            try:
                cell = waiting.get_nowait()
            except queue.Empty:
                return
            records = ask(cell)
            with lock:
                store.append(*records)
                n_done += 1
                print(f"[{n_done}/{len(cells)}] {describe(records[0])}", flush=True)

    threads = [threading.Thread(target=drain, args=(ask,), daemon=True) for ask in askers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if n_done < len(cells):
        sys.exit(f"{len(cells) - n_done} cells were not run; see above.")


def describe(record: Record) -> str:
    """A record in one line."""
    figures, what = record["figures"], f"{record['row']} seed {record['seed']} {record['method']}"
    if record["error"]:
        return f"{what}: {record['error']}"
    outcome = record["outcome"] or f"{figures['n_selected']} kept"
    return f"{what}: {outcome}, {figures['seconds']:.1f} s"


def asker(setting: Setting) -> Ask:
    """A function that runs cells in a process of its own and turns its end into records."""
    worker = Worker(perform)

    def ask(cell: Cell) -> list[Record]:
        try:
            return worker.ask((cell, setting), cell.limit)
        except WorkerError as error:
            return failures(cell, setting, str(error))

    return ask


def runnable(rows: Iterable[Row], folder: Path | None, has_gpu: bool) -> list[Row]:
    """The rows that can run here; says of every other one why not."""
    kept = []
    for row in rows:
        if missing := row.missing_files(folder):
            print(f"Left out: {row.name}, {' and '.join(missing)} not found; pass --data or set MINERVA_DATA.")
        elif row.needs_gpu and not has_gpu:
            print(f"Left out: {row.name}, which needs a GPU.")
        else:
            kept.append(row)
    return kept


def available(methods: Iterable[str]) -> list[str]:
    """The methods that can run here; says of every other one why not."""
    reasons = {method: None if method == OURS else why_unavailable(method) for method in methods}
    for method, reason in reasons.items():
        if reason:
            print(f"Left out: {method}, {reason}.")
    return [method for method, reason in reasons.items() if not reason]


def commit() -> str:
    """The commit of the code, marked where files differ from it."""
    try:
        asked = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
        return subprocess.run(asked, cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few seeds of the short rows")
    parser.add_argument(
        "--only", nargs="+", metavar="ROW", choices=[row.name for row in load_rows()], help="these rows"
    )
    parser.add_argument("--methods", default=",".join(METHODS), help=f"of {','.join(METHODS)}")
    parser.add_argument("--again", action="store_true", help="also what is in the records already; the last one counts")
    parser.add_argument("--data", type=Path, default=os.environ.get("MINERVA_DATA"), help="or MINERVA_DATA")
    parser.add_argument("--device", default="auto", help="MINERVA's device; rivals use the CPU")
    parser.add_argument("--jobs", type=int, help="that many runs at a time with one thread each; one with all cores")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument("--commit", default=commit(), help="what to note where there is no git")
    options = parser.parse_args(arguments)
    options.methods = options.methods.split(",")
    if unknown := set(options.methods) - set(METHODS):
        parser.error(f"no method is called {', '.join(sorted(unknown))}; there are {', '.join(METHODS)}")
    return options


def main() -> None:
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Stopped."))  # an exit ends the workers, a signal would not
    if options.jobs:
        # For the processes that run the cells: they inherit it before they load anything
        os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
    n_threads = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
    import torch

    has_gpu = options.device != "cpu" and torch.cuda.is_available()
    rows = [row for row in load_rows() if not options.only or row.name in options.only]
    cells = plan(runnable(rows, options.data, has_gpu), available(options.methods), options.quick)
    store = Records(options.out / RECORDS)
    remaining = cells if options.again else unfinished(cells, store)
    print(f"{len(cells)} cells, {len(cells) - len(remaining)} of them in {store.path} already.", flush=True)
    setting = Setting(options.data, options.device, n_threads, options.commit)
    run_cells(remaining, store, [asker(setting) for _ in range(options.jobs or 1)])


if __name__ == "__main__":
    main()
