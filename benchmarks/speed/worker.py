"""Measure one method on one table, in its own process: ``python -m speed.worker '{...}'`` prints a line of JSON."""

from __future__ import annotations

import contextlib
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from speed.catalog import BY_NAME, OURS, Folders
from speed.methods import METHODS, import_packages
from speed.stages import READING, StageTimes, measure_stages
from speed.work import count_work

WARM_UP_ROWS = 64


def measure(case_name: str, method: str, seed: int, folders: Folders) -> dict[str, Any]:
    """Seconds, stages, work and peak memory of a method; reading a table in memory does not count as the method's."""
    case = BY_NAME[case_name]
    import_packages()
    started = time.perf_counter(), time.process_time()
    X, y = case.load(folders)
    read = time.perf_counter() - started[0], time.process_time() - started[1]
    device = "cuda" if case.needs_gpu else "cpu"
    before = _memory("VmRSS")
    with contextlib.ExitStack() as measuring:
        times = measuring.enter_context(measure_stages()) if method == OURS else StageTimes()
        work = measuring.enter_context(count_work()) if method == OURS else {}
        wall, cpu = time.perf_counter(), time.process_time()
        selected = METHODS[method](X, y, seed, device)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if method == OURS:
        times.wall[READING] += read[0]
        times.cpu[READING] += read[1]
    return {
        "wall": wall,
        "cpu": cpu,
        "read_wall": read[0],
        "stages_wall": dict(times.wall),
        "stages_cpu": dict(times.cpu),
        "work": dict(work),
        "peak_bytes": _memory("VmHWM"),
        "before_bytes": before,
        "n_selected": len(selected),
        "selected": selected[:20],
    }


def _memory(name: str) -> int:
    """Memory of this process in bytes; 0 if the system does not say."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)


def main() -> None:
    options = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")
    folders = Folders(options["real"] and Path(options["real"]), Path(options["generated"]))
    print(json.dumps(measure(options["case"], options["method"], options["seed"], folders)))


if __name__ == "__main__":
    main()
