"""What the study must show, and whether it does."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mi.case import ROWS, Case
from mi.cells import Key, Record, plan_cells
from mi.methods import OURS
from mi.summary import SIZES, changes_by_maps, error, excess_over_best, measure, select

Runs = Mapping[Key, Record]
Measured = tuple[str, bool]  # a figure, and whether it reaches its target
MAIN_ROWS = 5_000


@dataclass(frozen=True)
class Goal:
    """One line of the table; ``measure`` takes all records and the cases of the goal."""

    what: str
    target: str
    group: str
    measure: Callable[[Runs, Sequence[Case]], Measured | None]
    chooses: Callable[[Case], bool] = lambda case: True
    n_rows: int | None = None

    def cases(self, catalog: Iterable[Case]) -> list[Case]:
        """Cases of the goal."""
        return [case for case in catalog if case.group == self.group and self.chooses(case)]

    def count(self, runs: Runs, catalog: Iterable[Case]) -> tuple[int, int]:
        """Number of our estimates that have run, and that are planned."""
        cases = self.cases(catalog)
        planned = plan_cells(cases, [OURS], None if self.n_rows is None else [self.n_rows])
        return sum(cell.key in runs for cell in planned), len(planned)


def error_within(limit: float, n_rows: int) -> Callable[[Runs, Sequence[Case]], Measured | None]:
    """Measure the mean absolute error."""

    def judge(runs: Runs, cases: Sequence[Case]) -> Measured | None:
        figures = measure(select(runs, cases, OURS, n_rows))
        return figures and (f"{figures.error:.3f}", figures.error <= limit)

    return judge


def coverage_of(share: float, n_rows: int | None = None) -> Callable[[Runs, Sequence[Case]], Measured | None]:
    """Measure the share of intervals that include the truth."""

    def judge(runs: Runs, cases: Sequence[Case]) -> Measured | None:
        figures = measure(select(runs, cases, OURS, n_rows))
        if figures is None:
            return None
        text = f"{figures.n_covered} of {figures.n}, median width {figures.width:.3f}"
        return text, figures.n_covered >= share * figures.n - 1e-9

    return judge


def no_worse_than_best(limit: float) -> Callable[[Runs, Sequence[Case]], Measured | None]:
    """Count the tasks on which a baseline has a smaller error by more than the limit."""

    def judge(runs: Runs, cases: Sequence[Case]) -> Measured | None:
        excess = {case.name: excess_over_best(runs, case, MAIN_ROWS) for case in cases}
        known = {name: value for name, value in excess.items() if value is not None}
        if not known:
            return None
        n_worse, worst = sum(value > limit for value in known.values()), max(known, key=known.__getitem__)
        return f"{n_worse} of {len(known)}; the largest excess is {known[worst]:.3f} ({worst})", n_worse == 0

    return judge


def small_everywhere(limit: float) -> Callable[[Runs, Sequence[Case]], Measured | None]:
    """Measure the largest estimate for independent sides."""

    def judge(runs: Runs, cases: Sequence[Case]) -> Measured | None:
        found = select(runs, cases, OURS)
        largest = max((record["nats"] for record in found), default=None)
        return None if largest is None else (f"at most {largest:.3f}", largest < limit)

    return judge


def within(nats: float, share: float) -> Callable[[Runs, Sequence[Case]], Measured | None]:
    """Count the estimates that are off by no more than this, absolutely or relative to the truth."""

    def judge(runs: Runs, cases: Sequence[Case]) -> Measured | None:
        found = select(runs, cases, OURS)
        n_close = sum(error(record) <= max(nats, share * record["truth"]) for record in found)
        return (f"{n_close} of {len(found)}", n_close == len(found)) if found else None

    return judge


def unchanged(limit: float) -> Callable[[Runs, Sequence[Case]], Measured | None]:
    """Measure the largest change of an estimate by monotone maps."""

    def judge(runs: Runs, cases: Sequence[Case]) -> Measured | None:
        changes = changes_by_maps(runs, cases, OURS)
        return (f"changes by {max(changes):.4f} at most", max(changes) <= limit) if changes else None

    return judge


def seconds_within(limit: float) -> Callable[[Runs, Sequence[Case]], Measured | None]:
    """Measure the median seconds."""

    def judge(runs: Runs, cases: Sequence[Case]) -> Measured | None:
        figures = measure(select(runs, cases, OURS, MAIN_ROWS))
        return figures and (f"{figures.seconds:.1f} s", figures.seconds <= limit)

    return judge


def _of_size(label: str) -> Callable[[Case], bool]:
    return lambda case: SIZES[label](case.shape[1])


def _of_shape(*shape: int) -> Callable[[Case], bool]:
    return lambda case: case.shape == shape


GOALS = (
    Goal("40 tasks, 5,000 rows, mean absolute error", "0.05", "tasks", error_within(0.05, MAIN_ROWS), n_rows=MAIN_ROWS),
    Goal("y of 1 column", "0.02", "tasks", error_within(0.02, MAIN_ROWS), _of_size("y of 1 column"), MAIN_ROWS),
    Goal(
        "25 and 50 columns", "0.10", "tasks", error_within(0.10, MAIN_ROWS), _of_size("25 and 50 columns"), MAIN_ROWS
    ),
    Goal("tasks worse than the best baseline by 0.03", "none", "tasks", no_worse_than_best(0.03), n_rows=MAIN_ROWS),
    *(
        Goal(f"95% intervals, {n_rows:,} rows", "cover in 36 of 40", "tasks", coverage_of(0.9, n_rows), n_rows=n_rows)
        for n_rows in ROWS
    ),
    Goal("independent sides: intervals", "include 0 in 19 of 20", "independence", coverage_of(0.95)),
    Goal("independent sides: estimates", "below 0.01", "independence", small_everywhere(0.01)),
    Goal("conditional information: estimates", "within 0.03 nats or 5%", "conditional", within(0.03, 0.05)),
    Goal("conditional information: intervals", "cover in 9 of 10", "conditional", coverage_of(0.9)),
    Goal("monotone maps of every column", "the same estimate", "monotone", unchanged(0.001)),
    Goal("5,000 rows x (1 + 1)", "3 s", "tasks", seconds_within(3.0), _of_shape(1, 1), MAIN_ROWS),
    Goal("5,000 rows x (25 + 25)", "20 s", "tasks", seconds_within(20.0), _of_shape(25, 25), MAIN_ROWS),
)  # fmt: skip
