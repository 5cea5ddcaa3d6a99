"""The study's records as tables: what MINERVA reached against its goals, its rivals beside it, and how it was made.

    python experiments/truth/table.py [--records FOLDER]

Reads every .jsonl file of the folder and writes FOLDER/results.md. Where a cell ran on a CPU and on a GPU, the CPU's
record counts, and the tables say how often both selected the same.
"""

import argparse
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from cells import METHODS, OURS, Record
from minerva_select.evaluation.records import Records
from minerva_select.text.comparison import OUTCOME_LABELS
from rows import Row, load_rows
from run import HERE

NAMES = {
    OURS: "MINERVA", "lightgbm": "LightGBM gain", "forest": "Random Forest", "boruta": "Boruta",
    "gates": "stochastic gates", "ksg": "KSG",
}  # fmt: skip

Key = tuple[str, int, str, bool]  # row, seed, method, whether told k


def gather(records: Iterable[Record]) -> dict[Key, list[Record]]:
    """The last record of every cell on every device, the CPU's first."""
    latest: dict[tuple[Key, str], Record] = {}
    for record in records:
        key = (record["row"], record["seed"], record["method"], record["given_k"])
        latest[key, record["machine"]["device"]] = record
    cells = defaultdict(list)
    for (key, _), record in sorted(latest.items(), key=lambda item: item[0][1] != "cpu"):
        cells[key].append(record)
    return cells


def render(rows: Sequence[Row], records: Sequence[Record]) -> str:
    """The whole page."""
    cells = gather(records)
    counted = [found[0] for found in cells.values()]
    parts = [
        "# Selections held against known answers",
        "Default parameters throughout; `config.toml` has the rows, their seeds and goals. `table.py` wrote this page "
        "from the records beside it.",
        ours_table(rows, counted),
        "## What a user would pick instead",
        "On the same tables, the first seeds of each row: runs that hold the row's goal for a run (mostly: exact), "
        "mean F1, median seconds. *Told k*: the method was told how many columns are relevant (15 on creditcard_ulb). "
        "MINERVA is never told.",
        rivals_table(rows, counted),
        "## How it was made",
        origins(cells),
    ]
    return "\n\n".join(parts) + "\n"


def ours_table(rows: Sequence[Row], records: Sequence[Record]) -> str:
    """One line a row of the study: outcomes, seconds, the bound against the truth, and the goal."""
    head = [
        "problem",
        "runs",
        *OUTCOME_LABELS.values(),
        "mean F1",
        "median s",
        "max s",
        "bound / truth",
        "on",
        "goal",
        "reached",
    ]
    lines = []
    for row in rows:
        runs = [record for record in records if record["row"] == row.name and record["method"] == OURS]
        if not runs:
            continue
        outcomes = Counter(record.get("outcome") for record in runs)
        n_failed = sum(record["error"] is not None for record in runs)
        seconds = values(runs, "seconds")
        shortfalls = row.goal.shortfalls([record["figures"] for record in runs])
        so_far = ", so far" if len(runs) < row.n_seeds else ""
        lines.append([
            row.title,
            f"{len(runs)} of {row.n_seeds}" + (f", {n_failed} failed" if n_failed else ""),
            *(outcomes[outcome] if row.has_truth else "-" for outcome in OUTCOME_LABELS),
            mean(values(runs, "f1"), ".3f"),
            *(brief(statistic(seconds)) if seconds else "-" for statistic in (statistics.median, max)),
            bound_against_truth(runs),
            ", ".join(sorted({place(record) for record in runs})),
            row.goal.words,
            f"no: {', '.join(shortfalls)}" if shortfalls else f"yes{so_far}",
        ])  # fmt: skip
    return markdown(head, lines)


def rivals_table(rows: Sequence[Row], records: Sequence[Record]) -> str:
    """One line a row, one column a method, on the seeds that a rival has run."""
    variants = [(method, given_k) for method in METHODS for given_k in (False, True)]
    present = {(record["method"], record["given_k"]) for record in records}
    variants = [variant for variant in variants if variant in present]
    head = ["problem", *(NAMES[method] + (", told k" if given_k else "") for method, given_k in variants)]
    lines = []
    for row in rows:
        of_row = [record for record in records if record["row"] == row.name]
        seeds = {record["seed"] for record in of_row if record["method"] != OURS}
        if not seeds:
            continue
        runs = defaultdict(list)
        for record in of_row:
            if record["seed"] in seeds:
                runs[record["method"], record["given_k"]].append(record)
        lines.append([row.title, *(standing(row, runs[variant]) for variant in variants)])
    return markdown(head, lines) if lines else "No rival has run."


def standing(row: Row, runs: Sequence[Record]) -> str:
    """How a method did on a row: runs that hold the goal, mean F1, median seconds; or why there is nothing."""
    if not runs:
        return "-"
    errors = [record["error"] for record in runs if record["error"]]
    if len(errors) == len(runs):
        return errors[0].split(":")[0]
    n_met = sum(row.goal.met_by(record["figures"]) for record in runs)
    cells = [f"{n_met} of {len(runs)}", mean(values(runs, "f1"), ".2f")]
    cells.append(f"{brief(statistics.median(values(runs, 'seconds')))} s")
    return ", ".join(cells) + (f"; {len(errors)} failed" if errors else "")


def bound_against_truth(runs: Sequence[Record]) -> str:
    """The mean ratio of bound and truth; the mean bound itself where the truth is 0."""
    pairs = [(r["bound"]["nats"], r["truth_nats"]) for r in runs if not r["error"] and r["truth_nats"] is not None]
    if not pairs:
        return "-"
    if any(truth == 0 for _, truth in pairs):
        return f"{statistics.fmean(bound for bound, _ in pairs):.4f} nats of 0"
    return f"{statistics.fmean(bound / truth for bound, truth in pairs):.3f}"


def origins(cells: dict[Key, list[Record]]) -> str:
    """Machines, commits and versions, and whether devices agree."""
    every = [record for found in cells.values() for record in found]
    made = Counter((place(r), r["machine"]["cpus"], r["commit"], tuple(r["versions"].items())) for r in every)
    lines = [
        "`make bench-truth` (in five minutes: `make bench-truth-quick`), or `run.py` and `table.py` themselves.",
        "",
    ]
    for (where, cpus, commit, versions), n_runs in made.most_common():
        packages = ", ".join(f"{name} {version}" for name, version in versions)
        lines.append(f"- {n_runs} runs on {where} of a machine with {cpus} CPUs; commit {commit}; {packages}")
    twice = [found for found in cells.values() if len(found) > 1 and not any(record["error"] for record in found)]
    if twice:
        n_same = sum(len({tuple(record["selected"]) for record in found}) == 1 for found in twice)
        lines += ["", f"{len(twice)} cells ran on two devices; both selected the same columns in {n_same}."]
    return "\n".join(lines)


def place(record: Record) -> str:
    """Where a record was made: a GPU, or so many CPU threads."""
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
    page = render(load_rows(), [record for path in sorted(folder.glob("*.jsonl")) for record in Records(path)])
    (folder / "results.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
