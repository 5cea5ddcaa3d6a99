"""Attack the installed package with faults, fuzzed files and load, and count trials and failures.

    python benchmarks/attack/run.py [--quick] [--only signals limits] [--out FILE]

Writes one JSON line per result to OUT and replaces earlier results of the same parts; OUT is rewritten after every
result. --quick runs a few trials of each kind in some minutes and writes nothing unless --out is given. The exit code
is 1 if there was a failure.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import faults
from minerva_select.io.atomic import atomic_write
from minerva_select.results.provenance import versions
from result import Result

HERE = Path(__file__).parent
CRASHES = HERE / "results" / "crashes"  # inputs found by the fuzzer, to turn into tests
FUZZ_SECONDS, QUICK_FUZZ_SECONDS = 720.0, 30.0
PACKAGES = ("numpy", "pandas", "polars", "pyarrow", "scikit-learn", "torch")

Record = dict[str, Any]


def _fuzz(quick: bool) -> Iterator[Result]:
    import fuzz

    return fuzz.fuzz_all(QUICK_FUZZ_SECONDS if quick else FUZZ_SECONDS, CRASHES)


def _load(quick: bool) -> Iterator[Result]:
    import load

    return load.results(quick)


def _concurrent(quick: bool) -> Iterator[Result]:
    import load

    return load.concurrent_results(quick)


PARTS = {**faults.PARTS, "fuzz": _fuzz, "load": _load, "concurrent": _concurrent}
_ORDER = list(PARTS)


def results(parts: Iterable[str], quick: bool) -> Iterator[tuple[str, Result]]:
    """Yield the results of all parts; a part that raises is a failure and does not stop the others."""
    for part in parts:
        since = time.monotonic()
        try:
            for result in PARTS[part](quick):
                yield part, result
                since = time.monotonic()
        except Exception as error:
            traceback.print_exc()
            note = f"{type(error).__name__}: {error}"
            yield part, Result(f"rest of {part}, which raised an error", 1, 1, time.monotonic() - since, note)


def environment() -> Record:
    """Versions, machine, commit and time."""
    return {
        "versions": versions(PACKAGES),
        "machine": {
            "cpus": os.cpu_count(),
            "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
            "threads": os.environ.get("OMP_NUM_THREADS"),
        },
        "commit": commit(),
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def commit() -> str:
    """The commit of the code, marked as dirty if files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def read(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def write(path: Path, records: Iterable[Record]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, "".join(f"{json.dumps(record)}\n" for record in records))


def show(records: Sequence[Record]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("attack", "trials", "failures", "seconds", "note")
    for number in (1, 2, 3):
        table.columns[number].justify = "right"
    for record in records:
        style = "bold red" if record["n_failures"] else None
        numbers = (f"{record[name]:,.0f}" for name in ("n_trials", "n_failures", "seconds"))
        table.add_row(record["attack"], *numbers, record["note"], style=style)
    table.add_section()
    totals = (sum(record[name] for record in records) for name in ("n_trials", "n_failures", "seconds"))
    table.add_row("total", *(f"{total:,.0f}" for total in totals))
    Console(highlight=False).print(table)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few trials of each kind")
    parser.add_argument("--only", nargs="+", choices=_ORDER, default=_ORDER, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--out", type=Path, help="file of JSON lines (default without --quick: results/results.jsonl)")
    options = parser.parse_args(arguments)
    if options.out is None and not options.quick:
        options.out = HERE / "results" / "results.jsonl"
    return options


def main() -> None:
    options, new = parse(), []
    kept = [record for record in read(options.out) if record["part"] not in options.only] if options.out else []
    for part, result in results(options.only, options.quick):
        new.append({"part": part, **vars(result), **environment()})
        counts = f"{result.n_failures} of {result.n_trials} trials failed"
        print(f"{part}: {result.attack}: {counts}, {result.seconds:.0f} s", flush=True)
        if options.out:
            write(options.out, sorted([*kept, *new], key=lambda record: _ORDER.index(record["part"])))
    show(new)
    sys.exit(any(record["n_failures"] for record in new))


if __name__ == "__main__":
    main()
