"""Algorithm 1 of the paper on a table, and its outcome in words."""

from __future__ import annotations

from minerva.core.evidence import Evidence
from minerva.core.runtime import seeded
from minerva.core.solvers.paper import PaperSettings, solve_paper
from minerva.data import split_rows
from minerva.preprocessing import TableEncoder, find_target_kind
from minerva.results import FeatureResult, Selection
from minerva.selectors.estimation import as_estimate
from minerva.selectors.folding import as_rows
from minerva.selectors.request import KEPT_ON_REQUEST, Request, empty_selection, versions

HELD_OUT_SHARE = 0.2
FELL_TO_ZERO = "weight fell to zero"


def run_paper(request: Request, settings: PaperSettings) -> Selection:
    """Stage one with all weights at 1, stage two on network and weights; the held-out bound beside both."""
    if not request.order:
        return empty_selection(request)
    n_rows = request.table.n_rows
    train, held_out = split_rows(n_rows, [1 - HELD_OUT_SHARE, HELD_OUT_SHARE], None, request.rng)
    table = request.table.select(request.order)
    x_encoder = TableEncoder(request.participants.kinds).fit(table.take(train))
    y_encoder = TableEncoder(find_target_kind(request.target, request.target_kind)).fit(request.target.take(train))
    x, x_held_out, y, y_held_out = (
        as_rows(encoder.transform(source.take(rows)), request.device)
        for encoder, source in ((x_encoder, table), (y_encoder, request.target))
        for rows in (train, held_out)
    )
    unit_of = {feature: unit for unit, features in enumerate(request.units) for feature in features}
    with seeded(int(request.rng.integers(2**31)), request.device) as generator:
        solution = solve_paper(
            x,
            y,
            (x_held_out, y_held_out),
            [unit_of[feature] for feature in range(len(request.order))],
            settings,
            generator,
            request.deadline,
            request.on_record,
        )
    weights = dict(zip(request.order, solution.weights.tolist(), strict=True))
    chosen = _chosen(weights, request)
    most = float("inf")
    return Selection(
        target=request.target_name,
        features=tuple(_result(name, weights, chosen, request) for name in request.table.names),
        mutual_information=as_estimate(solution.kept, most, 0.0, n_rows),
        total_information=as_estimate(max(solution.kept, solution.total, key=_mean), most, 0.0, n_rows),
        n_rows=n_rows,
        history=solution.records,
        converged=solution.converged,
        warnings=request.warnings(converged=solution.converged),
        settings=request.settings,
        versions=versions(),
    )


def _mean(evidence: Evidence) -> float:
    return evidence.mean


def _chosen(weights: dict[str, float], request: Request) -> set[str]:
    """Columns with a weight above zero, or the given number of largest weights; and those kept on request."""
    kept = request.participants.kept & weights.keys()
    if request.n_wanted is None:
        return {name for name, weight in weights.items() if weight > 0} | kept
    free = sorted((name for name in weights if name not in kept), key=lambda name: -weights[name])
    return {*kept, *free[: max(0, request.n_wanted - len(kept))]}


def _result(name: str, weights: dict[str, float], chosen: set[str], request: Request) -> FeatureResult:
    aside = request.set_aside(name)
    if aside is not None:
        return aside
    if name in request.participants.originals:
        return FeatureResult(name, False, request.participants.reasons[name])
    weight = weights[name]
    if name not in chosen:
        reason = FELL_TO_ZERO if weight == 0 else f"weight {weight:.3g}, beyond the number asked for"
        return FeatureResult(name, False, reason, weight)
    reason = KEPT_ON_REQUEST if name in request.participants.kept else f"weight stayed at {weight:.3g}"
    return FeatureResult(name, True, reason, weight)
