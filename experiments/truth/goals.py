"""Goals as data: conditions of single runs, the share of runs that must meet them, and conditions of all runs."""

import operator
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Figures = Mapping[str, float]  # of a record, by name

COMPARISONS = {">=": operator.ge, "<=": operator.le, "<": operator.lt, ">": operator.gt}
STATISTICS = {"mean": statistics.fmean, "median": statistics.median, "max": max, "min": min}


@dataclass(frozen=True)
class Condition:
    """A comparison such as ``exact >= 1``, or ``median seconds < 10`` for all runs together."""

    figure: str
    comparison: str
    limit: float
    statistic: str = ""

    @classmethod
    def parse(cls, text: str) -> "Condition":
        *statistic, figure, comparison, limit = text.split()
        condition = cls(figure, comparison, float(limit), *statistic)
        if comparison not in COMPARISONS or (condition.statistic and condition.statistic not in STATISTICS):
            raise ValueError(f"{text!r} is not a condition; write it as 'exact >= 1' or 'median seconds < 10'.")
        return condition

    def holds(self, value: float | None) -> bool:
        """Whether a value meets the condition; None does not."""
        return value is not None and COMPARISONS[self.comparison](value, self.limit)

    def evaluate(self, runs: Sequence[Figures]) -> float | None:
        """Compute the statistic over the runs that have the figure."""
        values = [run[self.figure] for run in runs if run.get(self.figure) is not None]
        return STATISTICS[self.statistic](values) if values else None


@dataclass(frozen=True)
class Goal:
    """The goal of a case."""

    text: str
    run: tuple[Condition, ...]
    share: float
    all: tuple[Condition, ...] = ()

    @classmethod
    def parse(cls, entry: Mapping[str, object]) -> "Goal":
        run, all_runs = (tuple(Condition.parse(text) for text in entry.get(key, ())) for key in ("run", "all"))
        return cls(str(entry["text"]), run, float(entry["share"]), all_runs)

    def met_by(self, figures: Figures) -> bool:
        """Whether one run meets all its conditions."""
        return all(condition.holds(figures.get(condition.figure)) for condition in self.run)

    def shortfalls(self, runs: Sequence[Figures]) -> list[str]:
        """Describe the conditions that are not met; empty if the goal is reached. A failed run has no figures."""
        n_met = sum(self.met_by(run) for run in runs)
        missing = [] if n_met >= self.share * len(runs) - 1e-9 else [f"{n_met} of {len(runs)} runs"]
        for condition in self.all:
            value = condition.evaluate(runs)
            if not condition.holds(value):
                shown = "unknown" if value is None else f"{value:.4g}"
                missing.append(f"{condition.statistic} {condition.figure} {shown}")
        return missing
