"""What the study must show: a figure over all records of some cases, and its limit."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from correlated.paths import largest_difference, path_differences

Record = dict[str, Any]


@dataclass(frozen=True)
class Measured:
    """A figure, how it is written, and whether it reaches its limit."""

    text: str
    reached: bool


@dataclass(frozen=True)
class Goal:
    """One line of the summary. ``group`` is the name for --cases."""

    what: str
    target: str
    group: str
    cases: tuple[str, ...]  # empty: all cases of the group
    measure: Callable[[Sequence[Record]], Measured]

    def covers(self, group: str, case: str) -> bool:
        """Whether a case counts for this goal."""
        return group == self.group and (not self.cases or case in self.cases)


def right_in(share: float) -> Callable[[Sequence[Record]], Measured]:
    """Measure how many selections are right; a failed fit is wrong."""

    def measure(records: Sequence[Record]) -> Measured:
        n_right = sum(bool(record["figures"].get("right")) for record in records)
        return Measured(f"{n_right} of {len(records)}", n_right >= share * len(records) - 1e-9)

    return measure


def mean_f1(limit: float) -> Callable[[Sequence[Record]], Measured]:
    """Measure the mean F1; a failed fit has 0."""

    def measure(records: Sequence[Record]) -> Measured:
        f1 = statistics.fmean(record["figures"].get("f1", 0.0) for record in records)
        precision, recall = (
            statistics.fmean(record["figures"].get(name, 0.0) for record in records) for name in ("precision", "recall")
        )
        n_exact = sum(bool(record["exact"]) for record in records)
        text = f"{f1:.3f} (precision {precision:.3f}, recall {recall:.3f}, {n_exact} of {len(records)} exact)"
        return Measured(text, f1 >= limit)

    return measure


def path_within(limit: float) -> Callable[[Sequence[Record]], Measured]:
    """Measure the largest difference of a path and the fits told k; sizes that are not on the path fail."""

    def measure(records: Sequence[Record]) -> Measured:
        tables = {record["case"] for record in records}
        differences = [
            one
            for case in tables
            for one in path_differences(record for record in records if record["case"] == case).values()
        ]
        largest, n_missing = largest_difference(differences), differences.count(None)
        text = "-" if largest is None else f"{largest:.4f} nats at most"
        missing = f", {n_missing} of {len(differences)} sizes not on the path" if n_missing else ""
        return Measured(text + missing, largest is not None and largest <= limit and not n_missing)

    return measure


def overlap_for(share: float) -> Callable[[Sequence[Record]], Measured]:
    """Measure how many contributions have an interval that overlaps that of the refitted estimate."""

    def measure(records: Sequence[Record]) -> Measured:
        compared = [one["overlap"] for record in records for one in record["figures"].get("contributions", ())]
        n_overlap = sum(bool(one) for one in compared)
        text = f"{n_overlap} of {len(compared)} kept columns"
        return Measured(text, bool(compared) and n_overlap >= share * len(compared))

    return measure


NOTHING = "nothing selected in {} of {}"
GOALS = (
    Goal(
        "near-copy of every column: exactly one of each relevant pair",
        "right in 18 of 20",
        "near_copies",
        (),
        right_in(18 / 20),
    ),
    Goal(
        "three near-copies each; binned and one-hot versions: nothing lost, nothing twice",
        "right in 18 of 20",
        "many_copies",
        (),
        right_in(18 / 20),
    ),
    Goal(
        "independent noise, 400 and 5,000 rows",
        NOTHING.format(57, 60),
        "noise",
        ("noise_independent",),
        right_in(57 / 60),
    ),
    Goal(
        "correlated noise, 300 to 2,000 rows",
        NOTHING.format(190, 200),
        "noise",
        ("noise_correlated",),
        right_in(190 / 200),
    ),
    Goal("noise, every row twice", NOTHING.format(19, 20), "noise_doubled", (), right_in(19 / 20)),
    Goal("noise, 600 to 2,000 columns", NOTHING.format(19, 20), "noise_wide", (), right_in(19 / 20)),
    Goal("Markov blankets: child3, all targets", "mean F1 0.97", "blankets", ("child3",), mean_f1(0.97)),
    Goal("Markov blankets: insurance, all targets", "mean F1 0.88", "blankets", ("insurance",), mean_f1(0.88)),
    Goal("path at k = 1 to 10 against the fit told k, five tables", "within 0.01 nats", "path", (), path_within(0.01)),
    Goal(
        "contributions against `mutual_information(..., given=others)`",
        "intervals overlap for 95%",
        "contributions",
        (),
        overlap_for(0.95),
    ),
    Goal("A, B, wide, small, parity, data/truth", "exact in all", "known", (), right_in(1.0)),
)
