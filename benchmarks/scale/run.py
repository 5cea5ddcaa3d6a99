"""Measure time, memory, throughput and correctness on tables of different sizes.

    python benchmarks/scale/run.py [--only fraud rows] [--gpu] [--again] [--share 0.01 --out FOLDER]

Appends one JSON line per finished task to OUT/cpu.jsonl, or with --gpu to OUT/gpu.jsonl, and skips tasks that are
already there. Missing tables are generated in --tables (5 GB in total), which is not measured; the real data set is
expected in the folder --data or MINERVA_DATA. Prints the tables of all records in OUT at the end.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from commands import CommandError
from minerva_select.evaluation.records import Record, Records
from minerva_select.results.provenance import versions
from tables import gather, render
from tasks import TASKS, Setting, Task

HERE = Path(__file__).parent
PACKAGES = ("numpy", "pandas", "polars", "pyarrow", "scikit-learn", "torch")


def find_tasks(names: Sequence[str], on_gpu: bool) -> list[Task]:
    """Return the tasks with these names or prefixes; without names, all CPU or GPU tasks."""
    if not names:
        return [task for task in TASKS if task.needs_gpu == on_gpu]
    return [task for task in TASKS if any(task.name == name or task.name.startswith(f"{name}-") for name in names)]


def keep_runnable(tasks: Iterable[Task], data: Path | None, has_gpu: bool) -> list[Task]:
    """Return the tasks that can run here, and print why the others cannot."""
    kept = []
    for task in tasks:
        if task.needs_gpu and not has_gpu:
            print(f"Skipped {task.name}: it needs a GPU.")
        elif task.needs_file and not (data and (data / task.needs_file).exists()):
            print(f"Skipped {task.name}: {task.needs_file} not found; pass --data or set MINERVA_DATA.")
        else:
            kept.append(task)
    return kept


def run_task(task: Task, setting: Setting) -> Record:
    """Run a task; a command that fails is recorded too, and run again the next time."""
    key = {"task": task.name, "share": setting.share}
    try:
        return {**key, "error": None, "figures": task.run(setting)}
    except CommandError as error:
        return {**key, "error": str(error), "figures": {}}


def environment(commit: str) -> Record:
    """Versions, machine, commit and time."""
    return {
        "versions": versions(PACKAGES),
        "machine": {
            "cpus": os.cpu_count(),
            "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
            "threads": os.environ.get("OMP_NUM_THREADS"),
            "gpu": gpu_name(),
        },
        "commit": commit,
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def gpu_name() -> str | None:
    """Name of the GPU, found without torch to keep the memory of this process small."""
    if shutil.which("nvidia-smi") is None:
        return None
    command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    names = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split("\n")
    return names[0] or None


def commit() -> str:
    """The commit of the code, marked as dirty if files differ from it."""
    try:
        command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
        return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[], help="names or prefixes of tasks")
    parser.add_argument("--gpu", action="store_true", help="run the GPU tasks; records go to gpu.jsonl")
    parser.add_argument("--again", action="store_true", help="repeat recorded tasks; the last record counts")
    parser.add_argument(
        "--share", type=float, default=1.0, help="share of the rows, for a trial run; needs another --out"
    )
    parser.add_argument("--precision", default="tf32", help="of the matrix products of the training step on a GPU")
    parser.add_argument("--tables", type=Path, default=HERE / "data", help="folder of generated tables")
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("MINERVA_DATA"),
        help="folder of the real data set (default: MINERVA_DATA)",
    )
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument("--commit", default=commit(), help="commit to record if git is not available")
    options = parser.parse_args(arguments)
    if options.share != 1.0 and options.out == HERE / "results":
        parser.error("--share needs another --out")
    if unknown := [name for name in options.only if not find_tasks([name], options.gpu)]:
        parser.error(f"unknown task {', '.join(unknown)}; choose from {', '.join(task.name for task in TASKS)}")
    return options


def main() -> None:
    options = parse()
    # Exiting through an exception also ends the running command
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Stopped."))
    setting = Setting(options.tables, options.data, options.share, options.precision)
    tasks = keep_runnable(find_tasks(options.only, options.gpu), options.data, gpu_name() is not None)
    store = Records(options.out / ("gpu.jsonl" if options.gpu else "cpu.jsonl"))
    for task in tasks:
        if not options.again and store.find({"task": task.name, "share": options.share, "error": None}):
            print(f"{task.name}: already in {store.path}.")
            continue
        start = time.monotonic()
        record = store.append({**run_task(task, setting), **environment(options.commit)})
        print(f"{task.name}: {record['error'] or 'done'}, {time.monotonic() - start:.0f} s", flush=True)
    page = render(gather(options.out))
    (options.out / "results.md").write_text(page, encoding="utf-8")
    print(f"\n{page}")


if __name__ == "__main__":
    main()
