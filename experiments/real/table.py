"""Render the records of the study as a page of tables and a figure.

    python experiments/real/table.py [--records FOLDER]

Reads every .jsonl file of the folder. The default folder gives docs/real.md and docs/pictures/real.svg, any other one
real.md and real.svg in the folder itself.
"""

import argparse
import os
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from cases import Study, load_study
from cells import CHECK, Record
from figure import draw
from formatting import JUDGE_LABELS, METRIC_LABELS, brief, markdown, number, of_all
from goals import goals_table, rare_tables
from judges import JUDGES
from methods import ALL, LABELS, OURS
from minerva_select.evaluation.records import Records
from minerva_select.io.atomic import atomic_write
from run import HERE
from summary import (
    GOAL,
    Outcome,
    Runs,
    below_goal,
    count_overlaps,
    find_failures,
    group_runs,
    mean,
    summarize,
)  # fmt: skip

DOCS = HERE.parents[1] / "docs"


def render(study: Study, records: Sequence[Record], figure: str) -> str:
    """Render the page; ``figure`` is the path of the figure as the page links to it."""
    runs = group_runs(records)
    outcomes = summarize(runs)
    real = [outcome for outcome in outcomes if outcome.table not in study.simulated]
    parts = [
        "# Real tables",
        introduce(study, real, records),
        summary_table(real),
        goals_table(real, runs),
        f"![Share of information against share of columns, one point per method and table]({figure})",
        "## Columns kept",
        "Mean over the splits.",
        by_table(study, outcomes, lambda outcome: f"{outcome.n_kept:.3g}", with_all=True),
        *judge_sections(study, outcomes),
        "## Rare positives",
        rare_tables(runs),
        "## What MINERVA reports",
        "Means over the splits, in nats. *Overlap*: kept columns for which the interval of the contribution overlaps "
        "that of `mutual_information(X[[column]], y, given=X[other kept columns])`, on the first split.",
        own_table(study, runs),
        "## CPU seconds to select",
        "Median over the splits. Other work on the machine hardly changes them.",
        by_table(study, outcomes, lambda outcome: brief(outcome.seconds)),
        "## Machines and versions",
        describe_machines(records),
    ]
    return "\n\n".join(parts) + "\n"


def introduce(study: Study, outcomes: Sequence[Outcome], records: Sequence[Record]) -> str:
    """Describe the study, as far as it has run."""
    n_tables = len({outcome.table for outcome in outcomes})
    n_splits = [outcome.n_splits for outcome in outcomes if outcome.method == OURS]
    fewest, most = min(n_splits, default=0), max(n_splits, default=0)
    splits = f"{most} random split{'s' if most != 1 else ''}" if fewest == most else f"{fewest} to {most} random splits"
    sampled = {record["sampled"][0] for record in records if record.get("sampled")}
    limit = f", of which it sees at most {min(sampled):,}" if sampled else ""
    slow = [method for method in present(outcomes) if study.limits(method).max_rows]
    slow_text = " ".join(
        f"{LABELS[method]} runs on the first split only, on at most {study.limits(method).max_rows:,} rows."
        for method in slow
    )
    return (
        f"{n_tables} public tables without their known leaks and identifiers, each with {splits}. Every method "
        f"selects columns on two thirds of the rows{limit}, with default parameters. Three models are then trained on "
        "the same rows with the selected columns only, and score the last third.\n\n"
        "*Share*: information (log loss of the class frequencies minus log loss of the model, in nats) with the "
        "selected columns, divided by that with all columns; for a numeric target the ratio of R2. It exceeds 1 if a "
        "model does better without the dropped columns. The share of a table is the mean over the three models. "
        "*Given k*: told how many columns MINERVA keeps. Permutation importance keeps columns above two standard "
        f"deviations over its repeats. {slow_text}\n\n"
        "Run it with `make bench-real`, or on a few small tables in five minutes with `make bench-real-quick`; "
        "`experiments/real/config.toml` lists the tables."
    )


def summary_table(outcomes: Sequence[Outcome]) -> str:
    """Render one line per method: shares, tables that lose information, columns, time."""
    head = [
        "method", "tables", "mean share", "mean share, each at most 1", "mean share of AUC, PR-AUC or R2",
        f"tables below {GOAL}", "columns kept", "median CPU s",
    ]  # fmt: skip
    lines = []
    for method in present(outcomes):
        own = [outcome for outcome in outcomes if outcome.method == method]
        shares = [share for outcome in own for share in outcome.shares.values() if share is not None]
        below = below_goal(own)
        lines.append([
            LABELS[method],
            len(own),
            number(mean(shares)),
            number(mean(min(1.0, share) for share in shares)),
            number(mean(outcome.value_share for outcome in own if outcome.value_share is not None)),
            f"{len(below)}: {', '.join(below)}" if below else "none",
            f"{statistics.fmean(outcome.kept_share for outcome in own):.0%}",
            brief(statistics.median(outcome.seconds for outcome in own)),
        ])  # fmt: skip
    return markdown(head, lines)


def judge_sections(study: Study, outcomes: Sequence[Outcome]) -> list[str]:
    """Render one table per judge: share of information and, in parentheses, AUC, PR-AUC or R2."""
    parts = []
    for judge in JUDGES:
        parts += [
            f"## Judged by {JUDGE_LABELS[judge]}",
            "Share of information and, in parentheses, R2 of a number, AUC, or PR-AUC if one class has less than 10% "
            "of the rows.",
            by_table(study, outcomes, lambda outcome, judge=judge: describe_scores(outcome, judge), with_all=True),
        ]
    return parts


def describe_scores(outcome: Outcome, judge: str) -> str:
    """Share and metric of a judge; with all columns the metric and its name."""
    value = f"{outcome.values[judge]:.3f}"
    if outcome.method == ALL:
        return f"{METRIC_LABELS[outcome.metric]} {value}"
    return f"{number(outcome.shares[judge])} ({value})"


def by_table(study: Study, outcomes: Sequence[Outcome], describe, with_all: bool = False) -> str:
    """Render one line per table and one column per method."""
    methods = [method for method in present(outcomes) if with_all or method != ALL]
    found = {(outcome.table, outcome.method): describe(outcome) for outcome in outcomes}
    tables = [case.name for case in study.tables if any(outcome.table == case.name for outcome in outcomes)]
    lines = [[table, *(found.get((table, method), "-") for method in methods)] for table in tables]
    return markdown(["table", *(LABELS[method] for method in methods)], lines)


def own_table(study: Study, runs: Runs) -> str:
    """Render what MINERVA reports about its selections, and how its contributions compare with separate estimates."""
    head = ["table", "splits", "kept columns", "all columns", "left behind", "overlap"]
    overlaps, lines = count_overlaps(runs), []
    for case in study.tables:
        own = [record["found"] for record in runs.get((case.name, OURS), {}).values()]
        if own:
            estimates = [
                number(mean(found[name]["nats"] for found in own if found[name] is not None))
                for name in ("mutual_information", "total_information", "left_behind")
            ]
            lines.append([case.name, len(own), *estimates, of_all(overlaps.get(case.name))])
    n_overlap, n_checked = (sum(counts[k] for counts in overlaps.values()) for k in (0, 1))
    if n_checked:
        share = f"{of_all((n_overlap, n_checked))} ({n_overlap / n_checked:.0%})"
        lines.append(["all tables", "", "", "", "", share])
    return markdown(head, lines) if lines else "MINERVA has not run."


def describe_machines(records: Sequence[Record]) -> str:
    """List machines, commits and versions, and the runs that failed."""
    counts = Counter((machine_name(record), record["commit"], tuple(record["versions"].items())) for record in records)
    lines = []
    for (machine, commit, versions), n_runs in counts.most_common():
        packages = ", ".join(f"{name} {version}" for name, version in versions)
        lines.append(f"- {n_runs} runs on {machine}; commit {commit}; {packages}")
    for record in find_failures(records):
        what = "contributions" if record["method"] == CHECK else LABELS[record["method"]]
        lines.append(f"- failed: {what} on {record['table']}, split {record['split']}: {record['error']}")
    return "\n".join(lines)


def machine_name(record: Record) -> str:
    """Device, threads and cores."""
    machine = record["machine"]
    threads = f"{machine['threads']} thread" + ("s" if machine["threads"] != 1 else "")
    device = "" if machine["device"] == "cpu" else f"{machine['device']} and "
    return f"{device}{threads} of {machine['cpus']} cores"


def present(outcomes: Iterable[Outcome]) -> list[str]:
    """Methods that have an outcome, in the order of the page."""
    found = {outcome.method for outcome in outcomes}
    return [method for method in LABELS if method in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=Path, default=HERE / "results", metavar="FOLDER")
    folder = parser.parse_args().records
    records = [record for path in sorted(folder.glob("*.jsonl")) for record in Records(path)]
    is_default = folder.resolve() == (HERE / "results").resolve()
    page, picture = (DOCS / "real.md", DOCS / "pictures" / "real.svg") if is_default else (
        folder / "real.md", folder / "real.svg"
    )  # fmt: skip
    study = load_study()
    outcomes = [outcome for outcome in summarize(group_runs(records)) if outcome.table not in study.simulated]
    draw(outcomes, picture)
    text = render(study, records, os.path.relpath(picture, page.parent))
    atomic_write(page, text)
    print(text)


if __name__ == "__main__":
    main()
