"""Summarize the records of the study; as a command, write docs/correlated.md.

    PYTHONPATH=experiments python -m correlated.page [--records FOLDER] [--before FOLDER]

--before has the records of another version on the same machine: its seconds are shown next to the new ones.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from correlated.catalog import Case, load_catalog
from correlated.details import by_case, case_table, contribution_table, markdown, path_table
from correlated.goals import GOALS, Goal, Record
from minerva_select.evaluation.records import Records

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "correlated.md"
COMMAND = "make bench-correlated CORRELATED='--cases {}'"

INTRODUCTION = """\
`make bench-correlated` fits the default `MinervaSelector(random_state=seed)` to all tables of
`experiments/correlated` and writes this page from the records in `experiments/correlated/results`. Cases that need
files read them from the folder in `MINERVA_DATA`."""
CASES = """\
A selection is *right* if it keeps one of the equivalent columns of every relevant unit and nothing else. *Ignoring
coarse* allows binned and one-hot versions next to their original. The next columns are totals over all fits: relevant
units of which no equivalent column is kept, those of them with a coarse version, units kept twice, coarse versions kept
next to their original, and irrelevant columns. *Signal lost* is the mean share of the variance of Friedman's function
that the kept columns do not determine. Of madelon, any of its 20 relevant columns may be kept."""
PATHS = "`selection.path` minus the `mutual_information` of a fit with `n_features_to_select=k`, in nats:"
CONTRIBUTIONS = (
    "`contribution_nats` and `mutual_information(X[[c]], y, given=X[others])` of every kept column c, in nats:"
)


def summarize(records: Sequence[Record]) -> str:
    """Render targets and measured figures."""
    counted = [record for runs in by_case(records).values() for record in runs]
    lines = []
    for goal in GOALS:
        if runs := [record for record in counted if goal.covers(record["group"], record["case"])]:
            measured = goal.measure(runs)
            reached = ("yes" if measured.reached else "no") + ("" if len(runs) >= n_planned(goal) else ", so far")
            lines.append([goal.what, goal.target, measured.text, reached, f"`{COMMAND.format(goal.group)}`"])
    return markdown(["what", "target", "measured", "reached", "command"], lines)


def n_planned(goal: Goal) -> int:
    """Number of fits of a goal in the full study."""
    cases = [case for case in load_catalog().values() if goal.covers(case.group, case.name)]
    return sum(case.n_tables * len(case.sizes) for case in cases)


def render(cases: Sequence[Case], records: Sequence[Record], before: Sequence[Record] = ()) -> str:
    """Render the page."""
    runs = by_case(records)
    parts = ["# Correlated columns, noise and known answers", INTRODUCTION, summarize(records)]
    parts += ["## Cases", CASES, case_table(cases, runs, by_case(before))]
    groups = {record["group"] for record in records}
    if "path" in groups:
        parts += ["## Paths", PATHS, path_table(cases, runs)]
    if "contributions" in groups:
        parts += ["## Contributions", CONTRIBUTIONS, contribution_table(cases, runs)]
    parts += ["## Machines and versions", describe_machines(runs)]
    if before:
        parts += ["Before:", describe_machines(by_case(before))]
    return "\n\n".join(parts) + "\n"


def describe_machines(runs: Mapping[str, Iterable[Record]]) -> str:
    """List machines, commits and versions."""
    every = [record for of_case in runs.values() for record in of_case]
    counts = Counter((one["machine"]["cpus"], one["commit"], tuple(one["versions"].items())) for one in every)
    return "\n".join(
        f"- {n_fits} fits on one thread each of a computer with {cpus} CPUs; commit {commit}; "
        + ", ".join(f"{name} {version}" for name, version in versions)
        for (cpus, commit, versions), n_fits in counts.most_common()
    )


def read_records(folder: Path | None) -> list[Record]:
    """Read all records of a folder."""
    paths = sorted(folder.glob("*.jsonl")) if folder else []
    return [record for path in paths for record in Records(path)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=Path, default=HERE / "results", metavar="FOLDER")
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="records of another version")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE")
    options = parser.parse_args()
    records = read_records(options.records)
    page = render(list(load_catalog().values()), records, read_records(options.before))
    options.page.write_text(page, encoding="utf-8")
    print(summarize(records))


if __name__ == "__main__":
    main()
