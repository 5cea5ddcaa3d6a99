"""Summarize the records of the study; as a command, write docs/mutual-information.md and its figure.

    PYTHONPATH=experiments python -m mi.page [--records FOLDER]

Any other folder than the default one gets mutual-information.md and mutual-information.svg in the folder itself.
"""

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from correlated.details import markdown
from mi.case import ROWS, Case
from mi.catalog import GROUPS, load_catalog
from mi.cells import Key, Record, plan_cells
from mi.figure import draw
from mi.goals import GOALS, MAIN_ROWS
from mi.methods import LABELS, OURS
from mi.summary import SIZES, changes_by_maps, failed, latest, measure, select
from minerva_select.evaluation.records import Records
from minerva_select.io.atomic import atomic_write

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
NOT_RUN = "not run"
Runs = Mapping[Key, Record]

INTRODUCTION = """\
`make bench-mi` compares estimates of mutual information with their true values, and writes this page from the records
in `experiments/mi/results`. MINERVA is `mutual_information(X, y, given=..., random_state=seed)` by default; the others
are the same with `estimator="ksg"`, `"cca"`, `"infonce"` and `"mine"` ([estimates.md](estimates.md#baselines)). Rows
are drawn from distributions with a closed form: 1,000, 5,000 and 20,000 rows, three seeds. `make bench-mi-quick` runs a
small part in five minutes. All estimates are in nats. "Not run" marks what has no record yet."""
TASKS = """\
The 40 tasks of "Beyond Normal: On the Evaluation of Mutual Information Estimators" (Czyż and others, 2023), generated
from their definitions in `experiments/mi/beyond_normal.py`. The columns of the tables: mean absolute error by the
number of columns of y, number of 95% intervals that include the truth, their median width, median seconds on one
thread of a computer on which other programs ran, so they are upper limits."""
EACH_TASK = "Mean estimate over the seeds, {} rows. In parentheses: intervals of MINERVA that include the truth."
OTHERS = """\
Mean estimate over rows and seeds. In parentheses: intervals that include the truth. The baselines read numbers only, so
they do not run on categories ("-")."""
MONOTONE = "Largest change of an estimate when every column is mapped by an increasing or decreasing function:"


def summarize(records: Sequence[Record]) -> str:
    """Render targets and measured figures."""
    catalog, runs = list(load_catalog().values()), latest(records)
    lines = []
    for goal in GOALS:
        measured = goal.measure(runs, goal.cases(catalog))
        n_run, n_planned = goal.count(runs, catalog)
        text, reached = (NOT_RUN, "-") if measured is None else (measured[0], "yes" if measured[1] else "no")
        lines.append([goal.what, goal.target, text, reached, f"{n_run} of {n_planned}"])
    return markdown(["what", "target", "MINERVA", "reached", "estimates that have run"], lines)


def render(records: Sequence[Record], figure: str) -> str:
    """Render the page; ``figure`` is the path of the figure as the page links to it."""
    catalog, runs = list(load_catalog().values()), latest(records)
    parts = ["# Mutual information", INTRODUCTION, summarize(records), "## The Beyond Normal benchmark", TASKS]
    parts += [f"### {n_rows:,} rows\n\n{tasks_table(catalog, runs, n_rows)}" for n_rows in ROWS]
    parts += [f"![Estimates against the truth, one panel per estimator]({figure})"]
    parts += ["### Each task", EACH_TASK.format(f"{MAIN_ROWS:,}"), each_task_table(catalog, runs)]
    parts += ["## Further cases", OTHERS]
    for group, title in GROUPS.items():
        if group not in ("tasks", "monotone"):
            parts.append(f"### {title.capitalize()}\n\n{case_table([c for c in catalog if c.group == group], runs)}")
    parts += [f"### {GROUPS['monotone'].capitalize()}", MONOTONE, monotone_table(catalog, runs)]
    parts += ["## What has run", progress_table(catalog, runs), *failures(records)]
    parts += ["## Machines and versions", describe_machines(runs.values())]
    return "\n\n".join(parts) + "\n"


def tasks_table(catalog: Sequence[Case], runs: Runs, n_rows: int) -> str:
    """Render one line per method over the 40 tasks."""
    head = ["", *SIZES, "all", "cover", "median width", "median s", "estimates"]
    tasks = [case for case in catalog if case.group == "tasks"]
    n_planned = sum(case.n_seeds for case in tasks)
    lines = []
    for method, label in LABELS.items():
        by_size = [[case for case in tasks if fits(case.shape[1])] for fits in SIZES.values()]
        errors = [measure(select(runs, cases, method, n_rows)) for cases in (*by_size, tasks)]
        every = errors[-1]
        rest = (
            [NOT_RUN] * 3 if every is None
            else [f"{every.n_covered} of {every.n}", f"{every.width:.3f}", brief(every.seconds)]
        )  # fmt: skip
        shown = [NOT_RUN if one is None else f"{one.error:.3f}" for one in errors]
        lines.append([label, *shown, *rest, f"{every.n if every else 0} of {n_planned}"])
    return markdown(head, lines)


def each_task_table(catalog: Sequence[Case], runs: Runs) -> str:
    """Render one line per task: truth, and the mean estimate of every method."""
    tasks = [case for case in catalog if case.group == "tasks"]
    return markdown(
        ["task", "columns", "truth", *LABELS.values()],
        [[case.name, shape(case), f"{case.information:.3f}", *cells(case, runs, MAIN_ROWS, count)] for case in tasks],
    )


def case_table(cases: Sequence[Case], runs: Runs) -> str:
    """Render one line per case, over all rows and seeds."""
    return markdown(
        ["case", "columns", "truth", *LABELS.values()],
        [[case.name, shape(case), f"{case.information:.3f}", *cells(case, runs, None, share)] for case in cases],
    )


def cells(case: Case, runs: Runs, n_rows: int | None, cover: Callable[[str, Sequence[Record]], str]) -> list[str]:
    """Mean estimate of every method."""
    texts = []
    for method in LABELS:
        found = select(runs, [case], method, n_rows)
        if found:
            mean = sum(record["nats"] for record in found) / len(found)
            texts.append(f"{mean:.3f}{cover(method, found)}")
        else:
            texts.append(NOT_RUN if method == OURS or case.is_numeric else "-")
    return texts


def count(method: str, found: Sequence[Record]) -> str:
    figures = measure(found)
    return f" ({figures.n_covered} of {figures.n})" if figures and method == OURS else ""


def share(method: str, found: Sequence[Record]) -> str:
    figures = measure(found)
    return f" ({figures.n_covered} of {figures.n})" if figures else ""


def monotone_table(catalog: Sequence[Case], runs: Runs) -> str:
    """Render the largest change of every method."""
    cases = [case for case in catalog if case.group == "monotone"]
    n_maps = sum(case.original is not None for case in cases)
    lines = []
    for method, label in LABELS.items():
        changes = changes_by_maps(runs, cases, method)
        lines.append([label, f"{max(changes):.4f}" if changes else NOT_RUN, f"{len(changes)} of {n_maps}"])
    return markdown(["", "largest change", "maps"], lines)


def progress_table(catalog: Sequence[Case], runs: Runs) -> str:
    """Render how many of the planned estimates have a record, by group and method."""
    lines = []
    for group, title in GROUPS.items():
        cases = [case for case in catalog if case.group == group]
        counts = []
        for method in LABELS:
            planned = plan_cells(cases, [method])
            n_run = sum(cell.key in runs for cell in planned)
            counts.append("-" if not planned else f"{n_run} of {len(planned)}" if n_run else NOT_RUN)
        lines.append([title, *counts])
    return markdown(["", *LABELS.values()], lines)


def failures(records: Sequence[Record]) -> list[str]:
    """Say which estimates failed."""
    lines = [
        f"- failed: {LABELS[one['method']]}, {one['case']}, {one['n_rows']:,} rows, seed {one['seed']}: {one['error']}"
        for one in failed(records)
    ]
    return ["\n".join(lines)] if lines else []


def describe_machines(records: Iterable[Record]) -> str:
    """List machines, commits and versions."""
    counts = Counter((one["machine"]["cpus"], one["commit"], tuple(one["versions"].items())) for one in records)
    return "\n".join(
        f"- {n} estimates on one thread each of a computer with {cpus} CPUs; commit {commit}; "
        + ", ".join(f"{name} {version}" for name, version in versions)
        for (cpus, commit, versions), n in counts.most_common()
    )


def shape(case: Case) -> str:
    return f"{case.shape[0]} + {case.shape[1]}"


def brief(seconds: float) -> str:
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.1f}" if seconds >= 1 else f"{seconds:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=Path, default=HERE / "results", metavar="FOLDER")
    folder = parser.parse_args().records
    is_default = folder.resolve() == (HERE / "results").resolve()
    page, picture = (DOCS / "mutual-information.md", DOCS / "pictures" / "mutual-information.svg") if is_default else (
        folder / "mutual-information.md", folder / "mutual-information.svg"
    )  # fmt: skip
    records = [record for path in sorted(folder.glob("*.jsonl")) for record in Records(path)]
    draw(list(load_catalog().values()), latest(records), picture)
    atomic_write(page, render(records, os.path.relpath(picture, page.parent)))
    print(summarize(records))


if __name__ == "__main__":
    main()
