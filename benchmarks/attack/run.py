"""The attack: faults, hostile files, and load, on the real thing; prints what was tried, how often, and what was lost.

    python benchmarks/attack/run.py [--quick] [--only deaths limits] [--out FILE]

Writes one JSON line a row to OUT, anew with every row, in place of those that the same parts left there before. With
--quick, a few trials of every kind in some minutes, nothing is written unless OUT is given. Ends with 1 if anything
was lost.
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
from minerva_select.results import versions
from result import Result

HERE = Path(__file__).parent
CRASHES = HERE / "results" / "crashes"  # inputs that the fuzzer found, to be made tests of
FUZZ_SECONDS, QUICK_FUZZ_SECONDS = 720.0, 30.0
PACKAGES = ("numpy", "pandas", "polars", "pyarrow", "scikit-learn", "torch")

Record = dict[str, Any]


def _fuzz(quick: bool) -> Iterator[Result]:
    import fuzz

    return fuzz.fuzz_all(QUICK_FUZZ_SECONDS if quick else FUZZ_SECONDS, CRASHES)


def _load(quick: bool) -> Iterator[Result]:
    import load

    return load.results(quick)


def _beside(quick: bool) -> Iterator[Result]:
    import load

    return load.beside(quick)


PARTS = {**faults.PARTS, "fuzz": _fuzz, "load": _load, "beside": _beside}
_ORDER = list(PARTS)


def results(parts: Iterable[str], quick: bool) -> Iterator[tuple[str, Result]]:
    """What every part finds, as soon as it does; one that fails itself is a loss, and not the end of the others."""
    for part in parts:
        since = time.monotonic()
        try:
            for result in PARTS[part](quick):
                yield part, result
                since = time.monotonic()
        except Exception as error:
            traceback.print_exc()
            told = f"{type(error).__name__}: {error}"
            yield part, Result(f"the rest of {part}, which failed", 1, 1, time.monotonic() - since, told)


def origin() -> Record:
    """With what rows are made, where and when."""
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
    """The commit of the code, marked where files differ from it."""
    asked = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(asked, cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def read(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def write(path: Path, records: Iterable[Record]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, "".join(f"{json.dumps(record)}\n" for record in records))


def show(records: Sequence[Record]) -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    table = Table("what was tried", "how often", "lost", "seconds", "note")
    for number in (1, 2, 3):
        table.columns[number].justify = "right"
    for record in records:
        style = "bold red" if record["lost"] else None
        numbers = f"{record['tried']:,}", f"{record['lost']:,}", f"{record['seconds']:,.0f}"
        table.add_row(record["what"], *numbers, record["note"], style=style)
    table.add_section()
    lost, seconds = (sum(record[name] for record in records) for name in ("lost", "seconds"))
    table.add_row("in all", f"{sum(record['tried'] for record in records):,}", f"{lost:,}", f"{seconds:,.0f}")
    Console(highlight=False).print(table)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few trials of every kind")
    parser.add_argument("--only", nargs="+", choices=_ORDER, default=_ORDER, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--out", type=Path, help="a file of JSON lines; without --quick, results/results.jsonl")
    options = parser.parse_args(arguments)
    if options.out is None and not options.quick:
        options.out = HERE / "results" / "results.jsonl"
    return options


def main() -> None:
    options, made = parse(), []
    kept = [record for record in read(options.out) if record["part"] not in options.only] if options.out else []
    for part, result in results(options.only, options.quick):
        made.append({"part": part, **vars(result), **origin()})
        print(f"{part}: {result.what}: {result.lost} of {result.tried} lost, {result.seconds:.0f} s", flush=True)
        if options.out:
            write(options.out, sorted([*kept, *made], key=lambda record: _ORDER.index(record["part"])))
    show(made)
    sys.exit(any(record["lost"] for record in made))


if __name__ == "__main__":
    main()
