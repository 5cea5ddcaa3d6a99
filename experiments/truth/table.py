"""Render the records of the study as tables: results of MINERVA and its goals, baselines, and machines.

    python experiments/truth/table.py [--records FOLDER]

Reads every .jsonl file of the folder and writes FOLDER/results.md. If a cell ran on a CPU and on a GPU, the record of
the CPU counts, and the page says how often both selected the same columns.
"""

import argparse
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from cases import Case, load_cases
from cells import METHODS, OURS, Record
from minerva_select.evaluation.records import Records
from minerva_select.text.comparison import OUTCOME_LABELS
from run import HERE

NAMES = {
    OURS: "MINERVA", "lightgbm": "LightGBM gain", "forest": "Random Forest", "boruta": "Boruta",
    "gates": "stochastic gates", "ksg": "KSG",
}  # fmt: skip

Key = tuple[str, int, str, bool]  # case, seed, method, whether k is given


def gather(records: Iterable[Record]) -> dict[Key, list[Record]]:
    """Return the last record of every cell on every device, that of the CPU first."""
    latest: dict[tuple[Key, str], Record] = {}
    for record in records:
        key = (record["case"], record["seed"], record["method"], record["given_k"])
        latest[key, record["machine"]["device"]] = record
    cells = defaultdict(list)
    for (key, _), record in sorted(latest.items(), key=lambda item: item[0][1] != "cpu"):
        cells[key].append(record)
    return cells


def render(cases: Sequence[Case], records: Sequence[Record]) -> str:
    """Render the page of all results."""
    cells = gather(records)
    counted = [of_cell[0] for of_cell in cells.values()]
    parts = [
        "# Comparison with known answers",
        "Default parameters throughout; `config.toml` has the cases, their seeds and goals. `table.py` writes this "
        "page from the records in this folder.",
        own_table(cases, counted),
        "## Baselines",
        "On the same tables, with the first seeds of each case: runs that meet the goal of a run (in most cases: "
        "exact), mean F1, median seconds. *Given k*: the method was given the number of relevant columns (15 on "
        "creditcard_ulb). MINERVA never is.",
        baselines_table(cases, counted),
        "## Machines and versions",
        describe_machines(cells),
    ]
    return "\n\n".join(parts) + "\n"


def own_table(cases: Sequence[Case], records: Sequence[Record]) -> str:
    """Render one line per case: outcomes, time, ratio of bound and truth, and goal."""
    head = [
        "problem",
        "runs",
        *OUTCOME_LABELS.values(),
        "mean F1",
        "median s",
        "max s",
        "bound / truth",
        "machine",
        "goal",
        "reached",
    ]
    lines = []
    for case in cases:
        runs = [record for record in records if record["case"] == case.name and record["method"] == OURS]
        if not runs:
            continue
        outcomes = Counter(record.get("outcome") for record in runs)
        n_failed = sum(record["error"] is not None for record in runs)
        seconds = values(runs, "seconds")
        shortfalls = case.goal.shortfalls([record["figures"] for record in runs])
        so_far = ", so far" if len(runs) < case.n_seeds else ""
        lines.append([
            case.title,
            f"{len(runs)} of {case.n_seeds}" + (f", {n_failed} failed" if n_failed else ""),
            *(outcomes[outcome] if case.has_truth else "-" for outcome in OUTCOME_LABELS),
            mean(values(runs, "f1"), ".3f"),
            *(brief(statistic(seconds)) if seconds else "-" for statistic in (statistics.median, max)),
            bound_to_truth(runs),
            ", ".join(sorted({machine_name(record) for record in runs})),
            case.goal.text,
            f"no: {', '.join(shortfalls)}" if shortfalls else f"yes{so_far}",
        ])  # fmt: skip
    return markdown(head, lines)


def baselines_table(cases: Sequence[Case], records: Sequence[Record]) -> str:
    """Render one line per case and one column per method, on the seeds of the baselines."""
    variants = [(method, given_k) for method in METHODS for given_k in (False, True)]
    present = {(record["method"], record["given_k"]) for record in records}
    variants = [variant for variant in variants if variant in present]
    head = ["problem", *(NAMES[method] + (", given k" if given_k else "") for method, given_k in variants)]
    lines = []
    for case in cases:
        of_case = [record for record in records if record["case"] == case.name]
        seeds = {record["seed"] for record in of_case if record["method"] != OURS}
        if not seeds:
            continue
        runs = defaultdict(list)
        for record in of_case:
            if record["seed"] in seeds:
                runs[record["method"], record["given_k"]].append(record)
        lines.append([case.title, *(describe_runs(case, runs[variant]) for variant in variants)])
    return markdown(head, lines) if lines else "No baseline has run."


def describe_runs(case: Case, runs: Sequence[Record]) -> str:
    """Describe the results of a method on a case: runs that meet the goal, mean F1, median time; or the error."""
    if not runs:
        return "-"
    errors = [record["error"] for record in runs if record["error"]]
    if len(errors) == len(runs):
        return errors[0].split(":")[0]
    n_met = sum(case.goal.met_by(record["figures"]) for record in runs)
    cells = [f"{n_met} of {len(runs)}", mean(values(runs, "f1"), ".2f")]
    cells.append(f"{brief(statistics.median(values(runs, 'seconds')))} s")
    return ", ".join(cells) + (f"; {len(errors)} failed" if errors else "")


def bound_to_truth(runs: Sequence[Record]) -> str:
    """Mean ratio of bound and truth; the mean bound if the truth is 0."""
    pairs = [(r["bound"]["nats"], r["truth_nats"]) for r in runs if not r["error"] and r["truth_nats"] is not None]
    if not pairs:
        return "-"
    if any(truth == 0 for _, truth in pairs):
        return f"{statistics.fmean(bound for bound, _ in pairs):.4f} nats (truth 0)"
    return f"{statistics.fmean(bound / truth for bound, truth in pairs):.3f}"


def describe_machines(cells: dict[Key, list[Record]]) -> str:
    """List machines, commits and versions, and how often devices agree."""
    every = [record for of_cell in cells.values() for record in of_cell]
    counts = Counter((machine_name(r), r["machine"]["cpus"], r["commit"], tuple(r["versions"].items())) for r in every)
    lines = [
        "Measured with `make bench-truth`; `make bench-truth-quick` takes five minutes.",
        "",
    ]
    for (machine, cpus, commit, versions), n_runs in counts.most_common():
        packages = ", ".join(f"{name} {version}" for name, version in versions)
        lines.append(f"- {n_runs} runs on {machine} of a computer with {cpus} CPUs; commit {commit}; {packages}")
    on_both = [runs for runs in cells.values() if len(runs) > 1 and not any(record["error"] for record in runs)]
    if on_both:
        n_same = sum(len({tuple(record["selected"]) for record in runs}) == 1 for runs in on_both)
        lines += ["", f"{len(on_both)} cells ran on two devices; both selected the same columns in {n_same}."]
    return "\n".join(lines)


def machine_name(record: Record) -> str:
    """The GPU, or the number of CPU threads."""
    machine = record["machine"]
    if machine["device"] != "cpu":
        return machine["device"]
    return f"{machine['threads']} thread" + ("s" if machine["threads"] != 1 else "")


def values(runs: Sequence[Record], figure: str) -> list[float]:
    return [record["figures"][figure] for record in runs if record["figures"].get(figure) is not None]


def mean(numbers: Sequence[float], form: str) -> str:
    return format(statistics.fmean(numbers), form) if numbers else "-"


def brief(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds >= 1 else f"{seconds:.2f}"


def markdown(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    table = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=Path, default=HERE / "results", metavar="FOLDER")
    folder = parser.parse_args().records
    page = render(load_cases(), [record for path in sorted(folder.glob("*.jsonl")) for record in Records(path)])
    (folder / "results.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
