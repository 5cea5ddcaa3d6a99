"""Compare the contributions that MINERVA reports with separate estimates of conditional mutual information."""

from collections.abc import Mapping, Sequence
from typing import Any

from cases import Split
from methods import describe_estimate

Interval = tuple[float, float]


def check_contributions(split: Split, contributions: Sequence[Mapping[str, Any]], device: str) -> list[dict[str, Any]]:
    """Estimate I(column; y | other kept columns) for every kept column, on the same training rows."""
    from minerva_select import mutual_information

    kept = [contribution["feature"] for contribution in contributions]
    checks = []
    for contribution in contributions:
        name = contribution["feature"]
        others = [other for other in kept if other != name]
        estimate = mutual_information(
            split.X_train[[name]], split.y_train, given=split.X_train[others] if others else None,
            random_state=split.seed, device=device,
        )  # fmt: skip
        checks.append({
            **contribution,
            "given": describe_estimate(estimate),
            "overlaps": overlaps(contribution, describe_estimate(estimate)),
        })  # fmt: skip
    return checks


def overlaps(first: Mapping[str, float | None], second: Mapping[str, float | None]) -> bool | None:
    """Whether two intervals have a common value; None if one was not measured."""
    ends = (first["low"], first["high"], second["low"], second["high"])
    if any(end is None for end in ends):
        return None
    return max(first["low"], second["low"]) <= min(first["high"], second["high"])
