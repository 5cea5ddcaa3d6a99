"""Tables of all sizes: seconds, memory, rows per second, and whether the answer is right.

    python benchmarks/scale/run.py [--only fraud rows] [--gpu] [--again] [--share 0.01 --out FOLDER]

Appends one JSON line a task to OUT/cpu.jsonl, or with --gpu to OUT/gpu.jsonl, as soon as it is finished, and runs
nothing that is there already. Tables are made in --tables where they are missing (5 GB in all), which is not counted;
the real one is looked for in the folder of --data or MINERVA_DATA. Ends with the tables of all records of OUT.
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


def wanted(names: Sequence[str], on_gpu: bool) -> list[Task]:
    """The tasks of these names or beginnings of names; without any, all of the CPU or of the GPU."""
    if not names:
        return [task for task in TASKS if task.needs_gpu == on_gpu]
    return [task for task in TASKS if any(task.name == name or task.name.startswith(f"{name}-") for name in names)]


def runnable(tasks: Iterable[Task], data: Path | None, has_gpu: bool) -> list[Task]:
    """The tasks that can run here; says of every other one why not."""
    kept = []
    for task in tasks:
        if task.needs_gpu and not has_gpu:
            print(f"Left out: {task.name}, which needs a GPU.")
        elif task.needs_file and not (data and (data / task.needs_file).exists()):
            print(f"Left out: {task.name}, {task.needs_file} not found; pass --data or set MINERVA_DATA.")
        else:
            kept.append(task)
    return kept


def perform(task: Task, setting: Setting) -> Record:
    """Run a task; a command that fails is a record like any other, and is run again the next time."""
    key = {"task": task.name, "share": setting.share}
    try:
        return {**key, "error": None, "figures": task.run(setting)}
    except CommandError as error:
        return {**key, "error": str(error), "figures": {}}


def origin(commit: str) -> Record:
    """With what a record is made, where and when."""
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
    """The GPU, found without loading torch: the parent of what is measured shall be small."""
    if shutil.which("nvidia-smi") is None:
        return None
    asked = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    names = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split("\n")
    return names[0] or None


def commit() -> str:
    """The commit of the code, marked where files differ from it."""
    try:
        asked = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
        return subprocess.run(asked, cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[], help="tasks, or the beginning of their names")
    parser.add_argument("--gpu", action="store_true", help="the tasks of a GPU; records go to gpu.jsonl")
    parser.add_argument("--again", action="store_true", help="also what is in the records already; the last one counts")
    parser.add_argument("--share", type=float, default=1.0, help="of the rows, for a trial; needs an --out of its own")
    parser.add_argument("--precision", default="tf32", help="of the training step's products on a GPU")
    parser.add_argument("--tables", type=Path, default=HERE / "data", help="folder of the tables that are made")
    parser.add_argument("--data", type=Path, default=os.environ.get("MINERVA_DATA"), help="or MINERVA_DATA")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument("--commit", default=commit(), help="what to note where there is no git")
    options = parser.parse_args(arguments)
    if options.share != 1.0 and options.out == HERE / "results":
        parser.error("a trial needs an --out of its own")
    if unknown := [name for name in options.only if not wanted([name], options.gpu)]:
        parser.error(f"no task is called {', '.join(unknown)}; there are {', '.join(task.name for task in TASKS)}")
    return options


def main() -> None:
    options = parse()
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit("Stopped.")
    )  # an exit ends the command that runs, a signal would not
    setting = Setting(options.tables, options.data, options.share, options.precision)
    tasks = runnable(wanted(options.only, options.gpu), options.data, gpu_name() is not None)
    store = Records(options.out / ("gpu.jsonl" if options.gpu else "cpu.jsonl"))
    for task in tasks:
        if not options.again and store.find({"task": task.name, "share": options.share, "error": None}):
            print(f"{task.name}: in {store.path} already.")
            continue
        start = time.monotonic()
        record = store.append({**perform(task, setting), **origin(options.commit)})
        print(f"{task.name}: {record['error'] or 'done'}, {time.monotonic() - start:.0f} s", flush=True)
    page = render(gather(options.out))
    (options.out / "results.md").write_text(page, encoding="utf-8")
    print(f"\n{page}")


if __name__ == "__main__":
    main()
