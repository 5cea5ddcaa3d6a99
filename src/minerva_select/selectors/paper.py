"""Algorithm 1 of the paper on a table, and its outcome in words."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from minerva_select.mi.inference import MeanEstimate
from minerva_select.preprocessing import TableEncoder, find_target_kind, fit_atoms
from minerva_select.results import FeatureResult, Selection, WeightRecord, versions
from minerva_select.runtime.rng import seeded_rng
from minerva_select.selectors.cross_validation import MAX_ATOMS, as_rows, check_parts
from minerva_select.selectors.estimation import as_estimate
from minerva_select.selectors.fit_context import Request, empty_selection
from minerva_select.solvers.paper import PaperSettings, PaperSolution, solve_paper

HELD_OUT_SHARE = 0.2
MAX_WEIGHTS = 24  # features whose weights are kept on their way
FELL_TO_ZERO = "weight fell to zero"
NOTHING_LEARNED = (
    "The network learned nothing that holds on other rows, so that its weights say nothing of the columns: "
    "the target may be independent of them, the rows too few, or learning_rate too large or too small."
)


def run_paper(request: Request, settings: PaperSettings) -> Selection:
    """Stage one with all weights at 1, stage two on network and weights; the held-out bound beside both."""
    if not request.order:
        return empty_selection(request)
    share = max(HELD_OUT_SHARE, 2 / request.table.n_rows)  # one row has no variance
    parts = request.origins.split([1 - share, share], None, request.rng)
    check_parts(request.target, parts, request.origins)
    n_rows = sum(map(len, parts))
    train, held_out = (_draw(rows, request.weights, request.rng) for rows in parts)
    table = request.table.select(request.order)
    x_encoder = TableEncoder(request.participants.kinds).fit(table.take(train))
    y_encoder = TableEncoder(find_target_kind(request.target, request.target_kind)).fit(request.target.take(train))
    atoms = fit_atoms(y_encoder.transform(request.target.take(train)), MAX_ATOMS, random_state=0)
    entropy = atoms.entropy if atoms.is_discrete else math.inf
    x, x_held_out, y, y_held_out = (
        as_rows(encoder.transform(source.take(rows)), request.device)
        for encoder, source in ((x_encoder, table), (y_encoder, request.target))
        for rows in (train, held_out)
    )
    unit_of = {feature: unit for unit, features in enumerate(request.units) for feature in features}
    with seeded_rng(int(request.rng.integers(2**31)), request.device) as generator:
        solution = solve_paper(
            x,
            y,
            (x_held_out, y_held_out),
            [unit_of[feature] for feature in range(len(request.order))],
            settings,
            request.run(generator, request.on_record),
        )
    weights = dict(zip(request.order, solution.weights.tolist(), strict=True))
    copies: dict[str, list[str]] = {}
    for copy, original in request.participants.originals.items():
        copies.setdefault(original, []).append(copy)
    chosen = _chosen(weights, request)
    return Selection(
        target=request.target_name,
        features=tuple(_result(name, weights, chosen, copies, request) for name in request.table.names),
        mutual_information=as_estimate(solution.kept, entropy, 0.0, n_rows),
        total_information=as_estimate(max(solution.kept, solution.total, key=_mean), entropy, 0.0, n_rows),
        n_rows=n_rows,
        target_entropy=atoms.entropy if atoms.is_discrete else None,
        history=solution.records,
        converged=solution.converged,
        warnings=(*request.warnings(n_rows, converged=solution.converged), *_doubts(solution, request)),
        settings=request.settings,
        versions=versions(),
        weight_history=_weight_history(solution, request),
    )


def _doubts(solution: PaperSolution, request: Request) -> tuple[str, ...]:
    """What to think of weights that a network with nothing to tell has left, though it had the time to learn."""
    has_learned = max(solution.total.interval[0], solution.kept.interval[0]) > 0
    return () if has_learned or request.deadline.remaining < 0 else (NOTHING_LEARNED,)


def _weight_history(solution: PaperSolution, request: Request) -> tuple[WeightRecord, ...]:
    """Weights on their way through the second stage; of many features, those that ended or ever were the largest."""
    path = solution.weight_path
    if not len(path):
        return ()
    order = (solution.weights + path.amax(0) / (1 + path.max())).argsort(descending=True, stable=True)
    shown = order[:MAX_WEIGHTS].sort().values.tolist()
    steps = [record.step for record in solution.records if record.stage == "sparsify"]
    return tuple(
        WeightRecord(step, {request.order[feature]: weights[feature] for feature in shown})
        for step, weights in zip(steps, path.tolist(), strict=True)
    )


def _draw(rows: NDArray[np.int64], weights: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Rows drawn in proportion to their weights, since Algorithm 1 itself knows none; as they are if all are equal."""
    share = weights[rows] / weights[rows].sum()
    return rows if np.ptp(share) == 0 else rng.choice(rows, size=len(rows), p=share)


def _mean(evidence: MeanEstimate) -> float:
    return evidence.mean


def _chosen(weights: dict[str, float], request: Request) -> set[str]:
    """Columns with a weight above zero, or the given number of largest weights; and those kept on request."""
    units = [[request.order[place] for place in places] for places in request.units]
    kept = frozenset(request.kept_units)
    by_weight = sorted(
        (unit for unit in range(len(units)) if unit not in kept), key=lambda unit: -weights[units[unit][0]]
    )
    if request.n_wanted is None:
        free = [unit for unit in by_weight if weights[units[unit][0]] > 0]
    else:
        free = by_weight[: max(0, request.n_wanted - len(kept))]
    return {name for unit in (*kept, *free) for name in units[unit]}


def _result(
    name: str, weights: dict[str, float], chosen: set[str], copies: dict[str, list[str]], request: Request
) -> FeatureResult:
    aside = request.set_aside(name)
    if aside is not None:
        return aside
    original = request.participants.originals.get(name)
    if original is not None:
        selected = request.keep_redundant and original in chosen
        return FeatureResult(name, selected, f"copy of {original}", weights[original] if selected else 0.0)
    weight = weights[name]
    if name not in chosen:
        return FeatureResult(
            name, False, FELL_TO_ZERO if weight == 0 else f"weight {weight:.3g}, beyond the number asked for"
        )
    reason = f"weight stayed at {weight:.3g}" if weight > 0 else "among the number of features asked for"
    stand_ins = tuple(copies.get(name, ()))
    return FeatureResult(name, True, request.why_kept(name) or reason, weight, stand_ins=stand_ins)
