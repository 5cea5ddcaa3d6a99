"""Write the tables and the figure of the committed records: ``PYTHONPATH=benchmarks python -m speed.page``.

Fills docs/speed.md between the markers that name the tables; with --records FOLDER, prints the tables instead.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from minerva_select.evaluation.records import Record, Records
from speed.catalog import BASELINES, BY_NAME, CASES, GROWTH_SIZES, OURS
from speed.figure import draw
from speed.methods import LABELS
from speed.stages import OTHER, STAGES
from speed.summary import Latest, exponent, failure, growth, last_exponent, latest, stage_seconds, timing
from speed.work import COUNTED

HERE = Path(__file__).parent
RESULTS = HERE / "results"
DOCS = HERE.parents[1] / "docs"
MARKERS = re.compile(r"(<!-- speed: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
NOT_MEASURED = "Not measured yet."


def fill(page: str, records: Latest) -> str:
    """Return the page with all tables filled in."""
    return MARKERS.sub(lambda match: f"{match[1]}\n{TABLES[match[2]](records)}\n\n{match[3]}", page)


def times(records: Latest) -> str:
    """Times of all methods, and the goals."""
    head = ["table", LABELS[OURS], "goal", "reached", "version 0.1", *(LABELS[method] for method in BASELINES)]
    lines = []
    for case in CASES:
        if case.group != "tables" or (case.name, OURS) not in records:
            continue
        own = timing(records, case.name)
        goal = "-" if case.goal is None else f"{case.goal:g} s"
        others = [_time(records, case.name, one) if one in case.methods else "-" for one in BASELINES]
        lines.append(
            [case.title, _time(records, case.name, OURS), goal, _is_reached(own, case.goal), case.before, *others]
        )
    return markdown(head, lines)


def _is_reached(own, goal) -> str:
    if own is None or goal is None:
        return "-"
    if own.is_one_thread and own.wall > goal:
        return "yes, in CPU seconds" if own.cpu <= goal else "no"
    return "yes" if own.wall <= goal else "no"


def _time(records: Latest, case: str, method: str) -> str:
    found = timing(records, case, method)
    return failure(records, case, method) if found is None else f"{seconds(found.wall)} ({seconds(found.cpu)} CPU)"


def stages(records: Latest) -> str:
    """CPU seconds of each stage of MINERVA."""
    measured = [(case, timing(records, case.name)) for case in CASES if case.group == "tables"]
    names = (*STAGES, OTHER)
    lines = [
        [case.title, *(f"{stage_seconds(one).get(name, 0.0):.1f}" for name in names)]
        for case, one in measured
        if one is not None
    ]
    return markdown(["table", *names], lines)


def work(records: Latest) -> str:
    """What MINERVA computed, and the memory that it took."""
    lines = []
    for case in CASES:
        if case.group == "tables" and (one := timing(records, case.name)) is not None:
            record = one.record
            memory = (record["peak_bytes"] - record["before_bytes"]) / 1e9
            lines.append([case.title, *(f"{record['work'][name]:,}" for name in COUNTED), f"{memory:.2f} GB"])
    return markdown(["table", *COUNTED, "memory beyond table and libraries"], lines)


def growth_table(records: Latest) -> str:
    """Times of growing tables, with exponents."""
    lines = []
    for direction, sizes in GROWTH_SIZES.items():
        points = growth(records, direction)
        if not points:
            continue
        by_size = {size: timing(records, f"{direction}-{size}") for size in sizes}
        cells = [failure(records, f"{direction}-{size}", OURS) if one is None else f"{size:,}: {seconds(one.cpu)} CPU"
                 for size, one in by_size.items()]  # fmt: skip
        slopes = ["-" if one is None else f"{one:.2f}" for one in (exponent(points), last_exponent(points))]
        lines.append([f"{direction} ({BY_NAME[f'{direction}-{sizes[0]}'].title.partition(',')[0]})", *cells, *slopes])
    return markdown(["growing", "1", "2", "3", "4", "exponent", "between the last two"], lines)


def commands(records: Latest) -> str:
    """Start of the command."""
    rows = {"python -c ''": "python", "import minerva_select": "import", "minerva --help": "help"}
    found = {title: timing(records, name, "command") for title, name in rows.items()}
    lines = [[f"`{title}`", f"{one.wall:.2f} s", f"{one.cpu:.2f} s"] for title, one in found.items() if one is not None]
    return markdown(["command", "time", "CPU time"], lines)


def machines(records: Latest) -> str:
    """On what machine and with which versions the records were made."""
    lines = dict.fromkeys(_machine(record) for runs in records.values() for record in runs)
    return markdown(
        ["measured", "cores", "threads", "other load", "commit", "versions"], [list(line) for line in lines]
    )


def _machine(record: Record) -> tuple[str, ...]:
    machine, packages = record["machine"], ", ".join(f"{name} {one}" for name, one in record["versions"].items())
    threads = str(machine["threads"] or "all")
    load = "yes" if machine["load"] > machine["cpus"] + 0.5 else "no"
    return record["made"][:10], str(machine["cpus"]), threads, load, record["commit"], packages


TABLES = {
    "times": times,
    "stages": stages,
    "work": work,
    "growth": growth_table,
    "commands": commands,
    "machines": machines,
}


def seconds(value: float) -> str:
    return f"{value:.0f} s" if value >= 100 else f"{value:.1f} s"


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Render a table, or a note that nothing was measured."""
    lines = list(lines)
    if not lines:
        return NOT_MEASURED
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=Path, help="folder of other records, whose tables are printed")
    options = parser.parse_args()
    records = latest(Records((options.records or RESULTS) / "records.jsonl"))
    if options.records:
        print("\n\n".join(table(records) for table in TABLES.values()))
        return
    page = DOCS / "speed.md"
    page.write_text(fill(page.read_text(encoding="utf-8"), records), encoding="utf-8")
    draw(records, DOCS / "pictures" / "growth.svg")


if __name__ == "__main__":
    main()
