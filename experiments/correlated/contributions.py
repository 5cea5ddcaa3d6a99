"""Compare contributions of kept columns with estimates of conditional mutual information."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from correlated import friedman
from correlated.tables import Table, single_columns
from minerva_select.problems import Problem, additive, bayesian_network, equality, redundant

ROWS = (2_000, 10_000)


def _from_problem(draw: Callable[..., Problem], seed: int) -> Table:
    problem = draw(random_state=1_000 + seed)
    return Table(problem.X, problem.y, single_columns(problem.relevant))


# Tables, their number, and in the quick version
TABLES: dict[str, tuple[Callable[[int], Table], int, int]] = {
    "near_copies": (partial(friedman.near_copies, rows=ROWS), 4, 0),
    "three_copies": (partial(friedman.near_copies, n_copies=3, rows=ROWS), 2, 0),
    "coarse": (partial(friedman.coarse_versions, rows=ROWS), 2, 0),
    "additive": (partial(_from_problem, additive), 2, 0),
    "equality": (partial(_from_problem, partial(equality, n_samples=5_000)), 2, 1),
    "redundant": (partial(_from_problem, partial(redundant, n_samples=5_000)), 2, 0),
    "bayesian_network": (partial(_from_problem, partial(bayesian_network, n_samples=5_000)), 4, 0),
}


def compare_contributions(table: Table, selection: Any, seed: int) -> dict[str, Any]:
    """Return the contribution of every kept column, and its information given the other kept columns."""
    from minerva_select import mutual_information

    comparisons = []
    for result in selection.features:
        if result.selected:
            others = [name for name in selection.selected if name != result.feature]
            given = table.X[others] if others else None
            estimate = mutual_information(table.X[[result.feature]], table.y, given=given, random_state=seed)
            contribution = [result.contribution_nats, result.contribution_low, result.contribution_high]
            refitted = [estimate.nats, estimate.low, estimate.high]
            comparisons.append({
                "column": result.feature,
                "contribution": contribution,
                "given": refitted,
                "overlap": overlaps(contribution, refitted),
            })  # fmt: skip
    return {"contributions": comparisons}


def overlaps(first: Sequence[float | None], second: Sequence[float | None]) -> bool | None:
    """Whether two estimates (value, low, high) have overlapping intervals; None if one was not measured."""
    if None in (*first[1:], *second[1:]):
        return None
    return max(first[1], second[1]) <= min(first[2], second[2])
