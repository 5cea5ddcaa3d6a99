"""Render the records of the benchmark as Markdown tables."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from extrapolation import extrapolate
from minerva_select.evaluation.records import Record, Records
from tasks import TASKS, Task

NOT_MEASURED = "Not measured yet."
GROUPS = {
    "tables": "Large tables",
    "growth": "Cost as tables grow",
    "processes": "Several processes",
    "formats": "Formats",
    "throughput": "The training step on a GPU",
    "extrapolation": "A billion rows (extrapolated)",
    "machines": "Commands, machines and versions",
}

LatestRecords = Mapping[str, Record]  # by name of the task


def gather(folder: Path) -> LatestRecords:
    """Return the last record of every task, from the first file that has one; successes come before failures."""
    latest: dict[str, Record] = {}
    for path in sorted(folder.glob("*.jsonl")):
        of_file: dict[str, Record] = {}
        for record in Records(path):
            if record["error"] is None or of_file.get(record["task"], record)["error"]:
                of_file[record["task"]] = record
        latest |= {name: record for name, record in of_file.items() if latest.get(name, {"error": True})["error"]}
    return latest


def render(records: LatestRecords) -> str:
    """Render the page of all results."""
    parts = ["# Tables of different sizes", "`make bench-scale` writes this page from the records in this folder."]
    for group, heading in GROUPS.items():
        parts += [f"## {heading}", table(group, records)]
    return "\n\n".join(parts) + "\n"


def table(group: str, records: LatestRecords) -> str:
    """Render one table, or a note that nothing was measured."""
    render_group = {
        "growth": growth,
        "processes": processes,
        "formats": formats,
        "throughput": throughput,
        "extrapolation": extrapolate,
        "machines": machines,
    }.get(group, large_tables)
    return render_group(records) or NOT_MEASURED


def large_tables(records: LatestRecords) -> str:
    head = ["table", "machine", "total", "until encoded", "after encoding", "encoding rate", "peak memory",
            "patterns found", "noise kept", "goal", "result"]  # fmt: skip
    lines = []
    for task, record in _group_records("tables", records):
        figures = record["figures"]
        if record["error"]:
            lines.append([task.title, machine_name(record), record["error"], *["-"] * 6, _goals_text(task), "failed"])
            continue
        lines.append([
            task.title,
            machine_name(record),
            seconds(figures["seconds"]),
            seconds(figures["loading_seconds"]),
            seconds(figures["after_loading_seconds"]),
            _rate(figures["n_rows"], figures["encode_seconds"]),
            memory(figures),
            patterns_found(figures),
            "-" if "noise" not in figures else ", ".join(figures["noise"]) or "none",
            _goals_text(task),
            _result_text(task, figures),
        ])  # fmt: skip
    return markdown(head, lines)


def growth(records: LatestRecords) -> str:
    """Compare tables with ten times the rows, or the columns, of the previous one."""
    head = ["table", "rows", "columns", "streamed", "time", "cells ratio", "time ratio", "at most linear"]
    series: dict[tuple[str, str], list[Record]] = {}
    for task, record in _group_records("growth", records):
        if not record["error"]:
            series.setdefault((task.title, task.name.rsplit("-", 1)[0]), []).append(record["figures"])
    lines = []
    for (title, _), points in series.items():
        for before, now in pairwise([None, *points]):
            ratios = ["-", "-", "-"] if before is None else _ratios(before, now)
            streamed = "yes" if now["loading_seconds"] else "no"
            size = [f"{now['n_rows']:,}", f"{now['n_columns']:,}"]
            lines.append([title, *size, streamed, seconds(now["fit_seconds"]), *ratios])
    return markdown(head, lines)


def _ratios(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    cells = now["n_rows"] * now["n_columns"] / (before["n_rows"] * before["n_columns"])
    time = now["fit_seconds"] / before["fit_seconds"]
    return [f"x {cells:.3g}", f"x {time:.2g}", "yes" if time <= cells else "no"]


def processes(records: LatestRecords) -> str:
    head = ["run", "threads per process", "time", "total peak memory", "selected", "same selection"]
    finished = [record for _, record in _group_records("processes", records) if not record["error"]]
    titles = {task.name: task.title for task in TASKS}
    first = finished[0]["figures"]["selected"] if finished else []
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
            for record in finished
            for figures in [record["figures"]]
        ],
    )


def formats(records: LatestRecords) -> str:
    record = records.get("formats")
    if record is None or record["error"]:
        return ""
    head, lines = ["table", "formats", "different answers", "selected"], []
    for name, compared in record["figures"]["tables"].items():
        differing = ", ".join(compared["differing"]) or "none"
        lines.append([name, ", ".join(compared["formats"]), differing, len(compared["selected"])])
    return markdown(head, lines)


def throughput(records: LatestRecords) -> str:
    record = records.get("throughput")
    if record is None or record["error"]:
        return ""
    figures = record["figures"]
    head = ["batch size", "ms per step", "rows/s", "memory limit", "compute limit", "share of lower limit", "spread"]
    lines = [_throughput_line(line) for line in figures["lines"]]
    speeds = ", ".join(
        f"{speed / 1e12:,.0f} TFLOP/s {name}" for name, speed in figures["operations_per_second"].items()
    )
    device = (
        f"{machine_name(record)}: copies {figures['bytes_per_second'] / 1e12:.2f} TB/s, matrix products "
        f"{speeds}; the step uses {figures['precision']}. One row is {figures['bytes_per_row']:.0f} bytes and "
        f"{figures['operations_per_row'] / 1e6:.2f} M operations."
    )
    return f"{markdown(head, lines)}\n\n{device}"


def _throughput_line(line: Mapping[str, Any]) -> list[str]:
    """One batch size; no figure if its repeats differ too much."""
    limits = [millions(line[name]) for name in ("memory_limit", "compute_limit")]
    spread = f"{line['spread']:.1%}" if "spread" in line else "not measured"
    if line["seconds_per_step"] is None:
        return [f"{line['batch_size']:,}", "-", "-", *limits, "-", spread]
    step, rate = f"{1e3 * line['seconds_per_step']:.2f}", millions(line["rows_per_second"])
    return [f"{line['batch_size']:,}", step, rate, *limits, f"{line['share_of_limit']:.1%}", spread]


def machines(records: LatestRecords) -> str:
    lines = []
    for name, record in records.items():
        packages = ", ".join(f"{package} {version}" for package, version in record["versions"].items())
        command = record["figures"].get("command", "-")
        lines.append([name, f"`{command}`", machine_name(record), record["made"], record["commit"], packages])
    return markdown(["task", "command", "machine", "measured", "commit", "versions"], lines)


def machine_name(record: Record) -> str:
    machine = record["machine"]
    gpu = f", {machine['gpu']}" if machine["gpu"] else ""
    return f"{machine['cpus']} cores, {machine['memory_bytes'] / 1e9:.0f} GB{gpu}"


def patterns_found(figures: Mapping[str, Any]) -> str:
    """Describe how many patterns were found, which were missed, and which columns were replaced by a proxy."""
    if "missed" not in figures:
        return f"{len(figures['selected'])} columns kept"
    proxies = ", ".join(f"{column} by {proxy}" for column, proxy in figures["by_proxy"].items())
    missed = ", ".join(figures["missed"])
    return (
        f"{figures['n_patterns'] - len(figures['missed'])} of {figures['n_patterns']}"
        + (f"; missed: {missed}" if missed else "")
        + (f" ({proxies})" if proxies else "")
    )


def memory(figures: Mapping[str, Any]) -> str:
    beyond = f", {size(figures['above_bytes'])} beyond the libraries" if "above_bytes" in figures else ""
    return size(figures["peak_bytes"]) + beyond


def seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} s" if value >= 10 else f"{value:.1f} s"


def size(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:.2f} GB"


def millions(value: float) -> str:
    return f"{value / 1e6:,.1f} M"


def _rate(n_rows: int, seconds: float | None) -> str:
    return f"{n_rows / seconds:,.0f} rows/s" if seconds else "-"


def _goals_text(task: Task) -> str:
    return ", ".join(goal.text for goal in task.goals)


def _result_text(task: Task, figures: Mapping[str, Any]) -> str:
    missed = [goal.text for goal in task.goals if not goal.is_met(figures)]
    return f"not reached: {', '.join(missed)}" if missed else "reached"


def _group_records(group: str, records: LatestRecords) -> list[tuple[Task, Record]]:
    return [(task, records[task.name]) for task in TASKS if task.group == group and task.name in records]


def markdown(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Render a table, or an empty string if it has no lines."""
    lines = list(lines)
    if not lines:
        return ""
    table = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in table)
