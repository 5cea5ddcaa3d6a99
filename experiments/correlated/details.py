"""Tables of single cases: what selections lost or kept twice, paths, contributions, and seconds."""

import statistics
from collections.abc import Iterable, Mapping, Sequence

from correlated.catalog import Case
from correlated.goals import Record
from correlated.paths import path_differences

HEAD = ("case", "fits", "right", "ignoring coarse", "lost", "coarse only", "twice", "coarse too", "irrelevant")
COUNTS = ("n_lost", "n_coarse_only", "n_twice", "n_coarse_too", "n_irrelevant")


def by_case(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Group the last record of every fit by case."""
    latest = {(record["case"], record["seed"], record["k"]): record for record in records}
    grouped: dict[str, list[Record]] = {}
    for record in latest.values():
        grouped.setdefault(record["case"], []).append(record)
    return grouped


def case_table(cases: Iterable[Case], runs: Mapping[str, list[Record]], before: Mapping[str, list[Record]]) -> str:
    """Render one line per case; ``before`` has the records of another version on the same machine."""
    head = [*HEAD, "signal lost", "median CPU s", "max CPU s", *(["median CPU s before"] if before else []), "failed"]
    lines = []
    for case in cases:
        if case.name in runs:
            figures = [record["figures"] for record in runs[case.name]]
            lost = [one["signal_lost"] for one in figures if "signal_lost" in one]
            lines.append([
                case.title,
                len(figures),
                _count(figures, "right"),
                _count(figures, "right_ignoring_coarse"),
                *(_count(figures, name) for name in COUNTS),
                f"{statistics.fmean(lost):.4f}" if lost else "-",
                seconds(runs[case.name]),
                seconds(runs[case.name], largest=True),
                *([seconds(before.get(case.name, ()))] if before else []),
                sum(record["error"] is not None for record in runs[case.name]),
            ])  # fmt: skip
    return markdown(head, lines)


def path_table(cases: Iterable[Case], runs: Mapping[str, list[Record]]) -> str:
    """Render one line per table: path minus fit told k, in nats."""
    chosen = [case for case in cases if case.group == "path" and case.name in runs]
    sizes = sorted({k for case in chosen for k in case.sizes if k is not None})
    lines = []
    for case in chosen:
        differences = path_differences(runs[case.name])
        known = [differences.get(k) for k in sizes]
        lines.append([case.title, *("-" if one is None else f"{one:+.4f}" for one in known)])
    return markdown(["table", *(f"k = {k}" for k in sizes)], lines)


def contribution_table(cases: Iterable[Case], runs: Mapping[str, list[Record]]) -> str:
    """Render one line per case: how many intervals overlap, and the largest difference of the estimates."""
    lines = []
    for case in cases:
        if case.group == "contributions" and case.name in runs:
            found = [one for record in runs[case.name] for one in record["figures"].get("contributions", ())]
            gaps = [one["contribution"][0] - one["given"][0] for one in found if one["contribution"][0] is not None]
            largest = f"{max(gaps, key=abs):+.4f}" if gaps else "-"
            lines.append([case.title, len(found), sum(bool(one["overlap"]) for one in found), largest])
    return markdown(["case", "kept columns", "intervals overlap", "largest difference"], lines)


def seconds(runs: Sequence[Record], largest: bool = False) -> str:
    """Median or largest time of the fits."""
    known = [record["seconds"] for record in runs if record["seconds"] is not None]
    return f"{(max if largest else statistics.median)(known):.1f}" if known else "-"


def markdown(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    table = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in table)


def _count(figures: Iterable[Record], name: str) -> str:
    known = [one[name] for one in figures if one.get(name) is not None]
    return str(sum(known)) if known else "-"
