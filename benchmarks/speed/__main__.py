"""Measure the time of MINERVA and of other methods on tables of all sizes.

    PYTHONPATH=benchmarks python -m speed [--only NAME ...] [--quick] [--repeats 3] [--threads N] [--again] [--gpu]

Appends one JSON line per finished run to OUT/records.jsonl and skips what is there; ``python -m speed.page`` writes
docs/speed.md from it. Every run is a process of its own. Seconds are meant for a machine with nothing else to do; CPU
seconds are recorded with them, and comparable on a busy one if --threads is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minerva_select.evaluation.records import Record, Records
from minerva_select.results.provenance import versions
from speed.catalog import CASES, GAIN, OURS, Case

HERE = Path(__file__).parent
PACKAGES = ("numpy", "pandas", "pyarrow", "scikit-learn", "torch", "lightgbm", "Boruta")
LIMIT = 900.0  # seconds
COMMANDS = {
    "import": [sys.executable, "-c", "import minerva_select"],
    "help": [sys.executable, "-m", "minerva_select", "--help"],
    "python": [sys.executable, "-c", ""],  # subtracted from the others by a reader who wants to
}
QUICK_METHODS = (OURS, GAIN)


def run_worker(case: Case, method: str, seed: int, options: argparse.Namespace) -> Record:
    """Run a method in its own process; too long a run, and one that fails, is recorded too."""
    arguments = {"case": case.name, "method": method, "seed": seed, "real": options.data and str(options.data),
                 "generated": str(options.tables)}  # fmt: skip
    command = [sys.executable, "-m", "speed.worker", json.dumps(arguments)]
    environment = dict(os.environ) | ({"OMP_NUM_THREADS": str(options.threads)} if options.threads else {})
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=options.limit
        )
    except subprocess.TimeoutExpired:
        return {"error": f"over {options.limit:.0f} s"}
    if done.returncode:
        return {"error": " ".join(done.stderr.split()[-40:]) or f"exit code {done.returncode}"}
    return {"error": None, **json.loads(done.stdout.splitlines()[-1])}


def run_command(command: Sequence[str]) -> Record:
    """Time a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"error": None, "wall": wall, "cpu": sum(after[:2]) - sum(before[:2])}


def find_cases(options: argparse.Namespace) -> list[Case]:
    """The cases that were asked for and can run here; the others are named with the reason."""
    found = []
    for case in CASES:
        if options.only and not any(case.name == name or case.name.startswith(f"{name}-") for name in options.only):
            continue
        if case.needs_gpu != options.gpu or (options.quick and not case.quick):
            continue
        if case.file and not (options.data and (options.data / case.file).exists()):
            print(f"{case.name}: skipped, {case.file} is not in the folder --data or MINERVA_DATA.")
            continue
        found.append(case)
    return found


def environment(options: argparse.Namespace) -> Record:
    """Versions, machine and commit."""
    describe = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(describe, cwd=HERE, capture_output=True, text=True, check=False)
    return {
        "versions": versions(PACKAGES),
        "machine": {
            "cpus": os.cpu_count(),
            "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
            "threads": options.threads or None,
            "load": os.getloadavg()[0],  # processes that were running when the run ended
        },
        "commit": done.stdout.strip() or "unknown",
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", default=[], help="names of tables, or their beginnings up to a hyphen"
    )
    parser.add_argument("--methods", nargs="+", metavar="METHOD", default=[], help="only these methods")
    parser.add_argument("--quick", action="store_true", help="small tables and two methods, once; two minutes")
    parser.add_argument("--gpu", action="store_true", help="the tables for a GPU, on the GPU")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0, help="of every run; 0 (default) leaves it to the libraries")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds after which a run is ended")
    parser.add_argument("--again", action="store_true", help="repeat recorded runs; the last record counts")
    parser.add_argument("--data", type=Path, default=os.environ.get("MINERVA_DATA"), help="folder of real tables")
    parser.add_argument("--tables", type=Path, default=HERE.parent / "scale" / "data", help="large generated tables")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    options = parser.parse_args(arguments)
    options.data = options.data and Path(options.data)
    if options.data and (options.data / "real").is_dir():
        options.data /= "real"
    if options.quick:
        options.repeats = 1
        options.methods = options.methods or list(QUICK_METHODS)
    return options


def main() -> None:
    options = parse()
    records = Records(options.out / "records.jsonl")
    found = environment(options)
    for name, command in COMMANDS.items():
        key = {"case": name, "method": "command", "repeat": 0}
        if (options.again or records.find(key) is None) and not options.only and not options.gpu:
            runs = [run_command(command) for _ in range(2 * options.repeats + 1)]
            middle = {unit: statistics.median(run[unit] for run in runs) for unit in ("wall", "cpu")}
            records.append({**key, "error": None, **middle, **found})
    for case in find_cases(options):
        for method in case.methods:
            if not options.methods or method in options.methods:
                _run_repeats(case, method, options, records)


def _run_repeats(case: Case, method: str, options: argparse.Namespace, records: Records) -> None:
    n_repeats = 1 if case.group == "growth" else options.repeats
    for repeat in range(n_repeats):
        key: dict[str, Any] = {"case": case.name, "method": method, "repeat": repeat}
        if not options.again and records.find({**key, "error": None}):
            continue
        record = records.append({**key, **run_worker(case, method, 0, options), **environment(options)})
        print(
            f"{case.name}, {method}: {record['error'] or '{wall:.1f} s, {cpu:.1f} s CPU'.format(**record)}", flush=True
        )
        if record["error"]:  # too slow, or it cannot run: so are the other repeats
            return


if __name__ == "__main__":
    main()
