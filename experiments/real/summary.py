"""Summarize records: one outcome per table and method, with the share of information that each judge finds."""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cells import CHECK, Record
from methods import ALL
from scores import share

RARE_SHARE = 0.1  # of the rarer class: below it PR-AUC is shown instead of AUC
GOAL = 0.95  # share below which a table counts as one that lost information

Runs = dict[tuple[str, str], dict[int, Record]]  # by table and method, then by split


@dataclass(frozen=True)
class Outcome:
    """What a method does on a table, over its splits."""

    table: str
    method: str
    n_splits: int
    n_columns: int
    n_kept: float  # mean
    seconds: float  # of the CPU, median
    shares: Mapping[str, float | None]  # of each judge
    metric: str  # "r2", "auc" or "pr_auc"
    values: Mapping[str, float]  # of the metric, by judge
    values_all: Mapping[str, float]  # with all columns, on the same splits

    @property
    def share(self) -> float | None:
        """Mean share over the judges; None if no judge finds information in all columns."""
        return mean(found for found in self.shares.values() if found is not None)

    @property
    def kept_share(self) -> float:
        """Kept columns as a share of all."""
        return self.n_kept / self.n_columns

    @property
    def value_share(self) -> float | None:
        """Mean over the judges of the metric with the kept columns over that with all."""
        return mean(self.values[judge] / every for judge, every in self.values_all.items() if every > 0)


def group_runs(records: Iterable[Record]) -> Runs:
    """The latest record of every table, method and split that did not fail."""
    latest = {(record["table"], record["method"], record["split"]): record for record in records}
    runs: Runs = defaultdict(dict)
    for (table, method, split), record in sorted(latest.items()):
        if record["error"] is None:
            runs[table, method][split] = record
    return dict(runs)


def find_failures(records: Iterable[Record]) -> list[Record]:
    """The latest records that are failures."""
    latest = {(record["table"], record["method"], record["split"]): record for record in records}
    return [record for _, record in sorted(latest.items()) if record["error"] is not None]


def summarize(runs: Runs) -> list[Outcome]:
    """One outcome per table and method, of the splits on which all columns were judged too."""
    outcomes = []
    for (table, method), of_method in runs.items():
        every = runs.get((table, ALL), {})
        splits = [split for split in of_method if split in every]
        if method == CHECK or not splits:
            continue
        outcomes.append(_summarize(table, method, [of_method[k] for k in splits], [every[k] for k in splits]))
    return outcomes


def _summarize(table: str, method: str, runs: Sequence[Record], every: Sequence[Record]) -> Outcome:
    judges, metric = list(runs[0]["scores"]), choose_metric(runs[0])

    def average(records: Sequence[Record], judge: str) -> float:
        return statistics.fmean(record["scores"][judge][metric] for record in records)

    return Outcome(
        table=table,
        method=method,
        n_splits=len(runs),
        n_columns=runs[0]["n_columns"],
        n_kept=statistics.fmean(len(run["kept"]) for run in runs),
        seconds=statistics.median(run["cpu_seconds"] for run in runs),
        shares={
            judge: share([run["scores"][judge] for run in runs], [run["scores"][judge] for run in every])
            for judge in judges
        },
        metric=metric,
        values={judge: average(runs, judge) for judge in judges},
        values_all={judge: average(every, judge) for judge in judges},
    )


def choose_metric(record: Record) -> str:
    """R2 of a number, AUC of classes, PR-AUC of two classes of which one is rare."""
    if record["n_classes"] is None:
        return "r2"
    rarer = record["rarer_share"]
    return "pr_auc" if rarer is not None and rarer < RARE_SHARE else "auc"


def below_goal(outcomes: Iterable[Outcome]) -> list[str]:
    """Tables whose share, as the mean over the judges, is below the goal."""
    return [outcome.table for outcome in outcomes if outcome.share is not None and outcome.share < GOAL]


def metric_differences(runs: Runs, table: str, method: str, judge: str, metric: str) -> tuple[list[float], float]:
    """Metric minus that of all columns on every split of both, and the ratio of test and training rows."""
    of_method, every = runs.get((table, method), {}), runs.get((table, ALL), {})
    splits = [split for split in of_method if split in every]
    differences = [
        of_method[split]["scores"][judge][metric] - every[split]["scores"][judge][metric] for split in splits
    ]
    return differences, of_method[splits[0]]["n_test"] / of_method[splits[0]]["n_train"] if splits else math.nan


def interval(differences: Sequence[float], test_ratio: float) -> tuple[float, float] | None:
    """95% interval of a mean over random splits; None for a single split.

    The variance has the factor 1/n + n_test/n_train instead of 1/n, since the splits share rows (Nadeau and Bengio,
    Machine Learning 2003).
    """
    from scipy import stats

    n_splits = len(differences)
    if n_splits < 2:
        return None
    error = statistics.stdev(differences) * math.sqrt(1 / n_splits + test_ratio)
    width = float(stats.t.ppf(0.975, n_splits - 1)) * error
    center = statistics.fmean(differences)
    return center - width, center + width


def count_overlaps(runs: Runs) -> dict[str, tuple[int, int]]:
    """Contributions whose interval overlaps that of the separate estimate, and all that have both, by table."""
    counts = {}
    for (table, method), of_method in runs.items():
        if method == CHECK:
            found = [check["overlaps"] for record in of_method.values() for check in record["checks"]]
            counts[table] = (sum(overlap is True for overlap in found), sum(overlap is not None for overlap in found))
    return counts


def mean(numbers: Iterable[float]) -> float | None:
    """Mean, or None without numbers."""
    numbers = list(numbers)
    return statistics.fmean(numbers) if numbers else None
