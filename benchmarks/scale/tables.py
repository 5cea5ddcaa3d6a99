"""The benchmark's records as Markdown tables."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from extrapolation import calculation
from minerva_select.evaluation.records import Record, Records
from tasks import TASKS, Task

NOTHING = "Not measured yet."
GROUPS = {
    "tables": "Large tables",
    "growth": "Cost as tables grow",
    "processes": "Several processes",
    "formats": "Formats",
    "throughput": "The training step on a GPU",
    "calculation": "A billion rows, by calculation",
    "machines": "How it was made",
}

Measured = Mapping[str, Record]  # by the name of the task


def gather(folder: Path) -> Measured:
    """The last record of every task, of the first file that has one; one that succeeded before any that failed."""
    latest: dict[str, Record] = {}
    for path in sorted(folder.glob("*.jsonl")):
        of_file: dict[str, Record] = {}
        for record in Records(path):
            if record["error"] is None or of_file.get(record["task"], record)["error"]:
                of_file[record["task"]] = record
        latest |= {name: record for name, record in of_file.items() if latest.get(name, {"error": True})["error"]}
    return latest


def render(measured: Measured) -> str:
    """The whole page of results."""
    parts = ["# Tables of all sizes", "`make bench-scale` wrote this page from the records beside it."]
    for group, heading in GROUPS.items():
        parts += [f"## {heading}", table(group, measured)]
    return "\n\n".join(parts) + "\n"


def table(group: str, measured: Measured) -> str:
    """One table; a sentence where nothing was measured."""
    make = {
        "growth": growth,
        "processes": processes,
        "formats": formats,
        "throughput": throughput,
        "calculation": calculation,
        "machines": machines,
    }.get(group, large_tables)
    return make(measured) or NOTHING


def large_tables(measured: Measured) -> str:
    head = ["table", "on", "in all", "until encoded", "after", "encoded", "peak memory", "patterns found", "noise kept",
            "shall be", "is"]  # fmt: skip
    lines = []
    for task, record in _of_group("tables", measured):
        figures = record["figures"]
        if record["error"]:
            lines.append([task.title, place(record), record["error"], *["-"] * 6, _words(task), "failed"])
            continue
        lines.append([
            task.title,
            place(record),
            seconds(figures["seconds"]),
            seconds(figures["loading_seconds"]),
            seconds(figures["after_loading_seconds"]),
            _rate(figures["n_rows"], figures["encode_seconds"]),
            memory(figures),
            found(figures),
            "-" if "noise" not in figures else ", ".join(figures["noise"]) or "none",
            _words(task),
            _standing(task, figures),
        ])  # fmt: skip
    return markdown(head, lines)


def growth(measured: Measured) -> str:
    """Series of tables of which each has ten times the rows, or the columns, of the one before."""
    head = ["table", "rows", "columns", "streamed", "seconds", "cells", "time", "no faster than cells"]
    series: dict[tuple[str, str], list[Record]] = {}
    for task, record in _of_group("growth", measured):
        if not record["error"]:
            series.setdefault((task.title, task.name.rsplit("-", 1)[0]), []).append(record["figures"])
    lines = []
    for (title, _), points in series.items():
        for before, now in pairwise([None, *points]):
            times = ["-", "-", "-"] if before is None else _against(before, now)
            streamed = "yes" if now["loading_seconds"] else "no"
            size = [f"{now['n_rows']:,}", f"{now['n_columns']:,}"]
            lines.append([title, *size, streamed, seconds(now["fit_seconds"]), *times])
    return markdown(head, lines)


def _against(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    cells = now["n_rows"] * now["n_columns"] / (before["n_rows"] * before["n_columns"])
    time = now["fit_seconds"] / before["fit_seconds"]
    return [f"x {cells:.3g}", f"x {time:.2g}", "yes" if time <= cells else "no"]


def processes(measured: Measured) -> str:
    head = ["run", "threads each", "seconds", "peak memory, added up", "selected", "same selection"]
    records = [record for _, record in _of_group("processes", measured) if not record["error"]]
    titles = {task.name: task.title for task in TASKS}
    first = records[0]["figures"]["selected"] if records else []
    return markdown(
        head,
        [
            [
                f"{titles[record['task']]}, {figures['n_rows']:,} x {figures['n_columns']}",
                figures["threads"],
                seconds(figures["seconds"]),
                size(figures["peak_bytes"]),
                len(figures["selected"]),
                "yes" if figures["selected"] == first else "no",
            ]
            for record in records
            for figures in [record["figures"]]
        ],
    )


def formats(measured: Measured) -> str:
    record = measured.get("formats")
    if record is None or record["error"]:
        return ""
    head, lines = ["table", "formats", "another answer", "selected"], []
    for what, outcome in record["figures"]["tables"].items():
        differing = ", ".join(outcome["differing"]) or "none"
        lines.append([what, ", ".join(outcome["forms"]), differing, len(outcome["selected"])])
    return markdown(head, lines)


def throughput(measured: Measured) -> str:
    record = measured.get("throughput")
    if record is None or record["error"]:
        return ""
    figures = record["figures"]
    head = ["batch", "ms a step", "rows/s", "bytes allow", "operations allow", "of the lower"]
    lines = [
        [
            f"{line['batch']:,}",
            f"{1e3 * line['seconds_a_step']:.2f}",
            *(millions(line[name]) for name in ("rows_per_second", "ceiling_by_bytes", "ceiling_by_operations")),
            f"{line['share_of_ceiling']:.1%}",
        ]
        for line in figures["lines"]
    ]
    speeds = ", ".join(
        f"{speed / 1e12:,.0f} TFLOP/s {name}" for name, speed in figures["operations_per_second"].items()
    )
    made_of = (
        f"{place(record)}: copies {figures['bytes_per_second'] / 1e12:.2f} TB/s, multiplies {speeds}; the step uses "
        f"{figures['precision']}. A row is {figures['bytes_a_row']:.0f} bytes and "
        f"{figures['operations_a_row'] / 1e6:.2f} M operations."
    )
    return f"{markdown(head, lines)}\n\n{made_of}"


def machines(measured: Measured) -> str:
    lines = []
    for name, record in measured.items():
        packages = ", ".join(f"{package} {version}" for package, version in record["versions"].items())
        command = record["figures"].get("command", "-")
        lines.append([name, f"`{command}`", place(record), record["made"], record["commit"], packages])
    return markdown(["task", "command", "machine", "made", "commit", "versions"], lines)


def place(record: Record) -> str:
    """The machine of a record."""
    machine = record["machine"]
    of_gpu = f", {machine['gpu']}" if machine["gpu"] else ""
    return f"{machine['cpus']} cores, {machine['memory_bytes'] / 1e9:.0f} GB{of_gpu}"


def found(figures: Mapping[str, Any]) -> str:
    """How many signs of the truth were found, and which columns only by another that stands in for them."""
    if "missed" not in figures:
        return f"{len(figures['selected'])} columns kept"
    by = ", ".join(f"{column} by {other}" for column, other in figures["by_proxy"].items())
    missed = ", ".join(figures["missed"])
    return (
        f"{figures['n_patterns'] - len(figures['missed'])} of {figures['n_patterns']}"
        + (f"; missed: {missed}" if missed else "")
        + (f" ({by})" if by else "")
    )


def memory(figures: Mapping[str, Any]) -> str:
    above = f", {size(figures['above_bytes'])} above the libraries" if "above_bytes" in figures else ""
    return size(figures["peak_bytes"]) + above


def seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} s" if value >= 10 else f"{value:.1f} s"


def size(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:.2f} GB"


def millions(value: float) -> str:
    return f"{value / 1e6:,.1f} M"


def _rate(n_rows: int, spent: float | None) -> str:
    return f"{n_rows / spent:,.0f} rows/s" if spent else "-"


def _words(task: Task) -> str:
    return ", ".join(goal.words for goal in task.goals)


def _standing(task: Task, figures: Mapping[str, Any]) -> str:
    short = [goal.words for goal in task.goals if not goal.is_met(figures)]
    return f"not: {', '.join(short)}" if short else "reached"


def _of_group(group: str, measured: Measured) -> list[tuple[Task, Record]]:
    return [(task, measured[task.name]) for task in TASKS if task.group == group and task.name in measured]


def markdown(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """A table; nothing where it has no lines."""
    lines = list(lines)
    if not lines:
        return ""
    whole = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in whole)
