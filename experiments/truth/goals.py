"""Goals as data: what a run must hold, by what share of runs, and what all runs must hold together."""

import operator
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Figures = Mapping[str, float]  # what a record measured, by name

COMPARISONS = {">=": operator.ge, "<=": operator.le, "<": operator.lt, ">": operator.gt}
STATISTICS = {"mean": statistics.fmean, "median": statistics.median, "max": max, "min": min}


@dataclass(frozen=True)
class Rule:
    """A figure against a bound, as in ``exact >= 1``; of all runs together with a statistic before it."""

    figure: str
    comparison: str
    bound: float
    statistic: str = ""

    @classmethod
    def parse(cls, text: str) -> "Rule":
        *statistic, figure, comparison, bound = text.split()
        rule = cls(figure, comparison, float(bound), *statistic)
        if comparison not in COMPARISONS or (rule.statistic and rule.statistic not in STATISTICS):
            raise ValueError(f"{text!r} is no rule; write it as 'exact >= 1' or 'median seconds < 10'.")
        return rule

    def holds(self, value: float | None) -> bool:
        """Whether a value keeps the bound; what was not measured does not."""
        return value is not None and COMPARISONS[self.comparison](value, self.bound)

    def over(self, runs: Sequence[Figures]) -> float | None:
        """The rule's statistic over the runs that measured its figure."""
        values = [run[self.figure] for run in runs if run.get(self.figure) is not None]
        return STATISTICS[self.statistic](values) if values else None


@dataclass(frozen=True)
class Goal:
    """What a row of the study is to reach."""

    words: str
    run: tuple[Rule, ...]
    share: float
    all: tuple[Rule, ...] = ()

    @classmethod
    def parse(cls, entry: Mapping[str, object]) -> "Goal":
        run, together = (tuple(Rule.parse(text) for text in entry.get(key, ())) for key in ("run", "all"))
        return cls(str(entry["words"]), run, float(entry["share"]), together)

    def met_by(self, figures: Figures) -> bool:
        """Whether one run holds what every run should."""
        return all(rule.holds(figures.get(rule.figure)) for rule in self.run)

    def shortfalls(self, runs: Sequence[Figures]) -> list[str]:
        """What is missing from the goal, in words; nothing when it is reached. A failed run has no figures."""
        n_met = sum(self.met_by(run) for run in runs)
        missing = [] if n_met >= self.share * len(runs) - 1e-9 else [f"{n_met} of {len(runs)} runs"]
        for rule in self.all:
            value = rule.over(runs)
            if not rule.holds(value):
                missing.append(f"{rule.statistic} {rule.figure} " + ("unknown" if value is None else f"{value:.4g}"))
        return missing
