"""The default solver on a table, and its outcome in words."""

from __future__ import annotations

from dataclasses import replace

import torch
from scipy.stats import norm

from minerva.core.evidence import Evidence
from minerva.core.information import Target
from minerva.core.inputs import PackedRows, Rows
from minerva.core.leaving_out import Dropped
from minerva.core.plan import Plan
from minerva.core.runtime import seeded, threads
from minerva.core.solvers.vetting import LEVEL, VettingSolution, solve_vetting
from minerva.results import FeatureResult, PathPoint, Selection, TrainingRecord, versions
from minerva.selectors.estimation import as_estimate
from minerva.selectors.folding import divide, encode, informative_rows, make_folds, share_out
from minerva.selectors.request import Request, empty_selection

NOTHING_FOUND = "no information found"
STREAMED_TO_DEVICE = (
    "The rows do not fit in the memory of the device: they were sent to it batch by batch, which takes longer and "
    "changes nothing."
)
LIKE_NOISE = "not told from noise on unseen rows"


def run_vetting(request: Request) -> Selection:
    """Screen, learn, sparsify, vet."""
    if not request.order:
        return empty_selection(request)
    origins = request.origins
    n_informative = min(informative_rows(request.target, request.target_kind), origins.n_independent)
    plan = origins.adapt(Plan.for_rows(request.n_rows, n_informative))
    divisions = divide(request.target, request.target_kind, plan, request.rng, origins)
    units = request.units
    records: list[TrainingRecord] = []

    def on_record(record: TrainingRecord) -> None:
        records.append(record)
        request.on_record(record)

    table, kinds = request.table.select(request.order), request.participants.kinds
    if request.stream is None:
        x, shares = share_out(encode(table, kinds, divisions, request.device), request.n_rows, request.ranks)
    else:
        x, shares = request.stream.encode(table, kinds, request.workplace.key, request.device)
    seed, device = int(request.rng.integers(2**31)), request.device

    def solve(x: Rows) -> tuple[Target, VettingSolution]:
        records.clear()
        folds = make_folds(
            x,
            request.target,
            request.target_kind,
            request.weights,
            origins.groups,
            divisions,
            device,
            shares,
        )
        with threads(plan.max_threads), seeded(seed, device) as generator:
            run = request.run(generator, on_record)
            return folds[0].target, solve_vetting(
                folds, units, request.kept_units, plan, run, n_wanted=request.n_wanted
            )

    try:
        target, solution = solve(x)
    except torch.OutOfMemoryError:  # of the device: what its memory does not hold can still pass through it
        x = x.pack().to(torch.device("cpu")).streamed_to(request.device)
        target, solution = solve(x)
    words = _Words(solution, units, request)
    n_rows, streamed = divisions[0].n_rows, isinstance(x, PackedRows) and x.taken_to is not None
    warnings = request.warnings(n_rows, converged=solution.converged, still_rising=solution.still_rising)
    return Selection(
        target=request.target_name,
        features=words.results(),
        mutual_information=as_estimate(solution.information, target.entropy, 0.0, n_rows),
        total_information=as_estimate(solution.total, target.entropy, 0.0, n_rows),
        n_rows=n_rows,
        target_entropy=target.entropy if target.is_discrete else None,
        path=words.path(),
        history=tuple(records),
        converged=solution.converged,
        warnings=(*warnings, STREAMED_TO_DEVICE) if streamed else warnings,
        settings=request.settings,
        versions=versions(),
    )


class _Words:
    """A solution, told feature by feature under the user's names."""

    def __init__(self, solution: VettingSolution, units: list[list[int]], request: Request) -> None:
        self.solution = solution
        self.request = request
        self.names = [[request.order[feature] for feature in features] for features in units]
        self.unit_of = {name: unit for unit, names in enumerate(self.names) for name in names}
        self.place_of = {name: place for place, name in enumerate(request.order)}
        self.selected = frozenset(solution.selected)
        found = solution.screen
        self.marginal_nats = found.marginal_nats.tolist()
        self.tells_alone = (found.marginal_z > float(norm.isf(LEVEL / len(found.marginal_z)))).tolist()
        elimination = solution.elimination
        self.contributions = {} if elimination is None else elimination.contributions
        self.dropped = {} if elimination is None else {gone.unit: gone for gone in elimination.dropped}

    def results(self) -> tuple[FeatureResult, ...]:
        """One result a column, in the user's order, with the stand-ins of every selected one."""
        results = {name: self._result(name) for name in self.request.table.names}
        stand_ins: dict[str, list[str]] = {}
        for gone in self.dropped.values():
            if gone.stand_in is not None:
                stand_ins.setdefault(self.names[gone.stand_in][0], []).extend(self.names[gone.unit])
        for copy, original in self.request.participants.originals.items():
            stand_ins.setdefault(original, []).append(copy)
        return tuple(
            replace(result, stand_ins=tuple(stand_ins.get(name, ()))) if result.selected else result
            for name, result in results.items()
        )

    def path(self) -> tuple[PathPoint, ...]:
        """Information of the sets from all survivors down to the selection."""
        points = []
        for units, evidence in () if self.solution.elimination is None else self.solution.elimination.path:
            names = {name for unit in units for name in self.names[unit]}
            in_order = tuple(name for name in self.request.table.names if name in names)
            low, high = evidence.interval
            points.append(PathPoint(len(in_order), in_order, evidence.mean, low, high))
        return tuple(points)

    def _result(self, name: str) -> FeatureResult:
        aside = self.request.set_aside(name)
        if aside is not None:
            return aside
        original = self.request.participants.originals.get(name)
        if original is not None:
            result = self._result(original)
            selected = self.request.keep_redundant and result.selected
            weight = result.weight if selected else 0.0
            return FeatureResult(name, selected, f"copy of {original}", weight, self._marginal(original))
        unit = self.unit_of[name]
        if unit in self.selected:
            return self._selected(name, unit)
        reason, evidence = self._why_dropped(unit)
        low, high = (None, None) if evidence is None else evidence.interval
        contribution = None if evidence is None else evidence.mean
        tells = unit in self.dropped or any(self._tells_alone(member) for member in self.names[unit])
        selected = self.request.keep_redundant and tells
        return FeatureResult(name, selected, reason, float(selected), self._marginal(name), contribution, low, high)

    def _selected(self, name: str, unit: int) -> FeatureResult:
        evidence = self.contributions[unit]
        largest = max(other.mean for other in self.contributions.values())
        weight = min(1.0, max(0.0, evidence.mean / largest)) if largest > 0 else 0.0
        partners = tuple(other for p in self.solution.partners.get(unit, []) for other in self.names[p])
        reason = f"adds {evidence.mean:.3g} nats"
        if partners:
            reason += f" together with {', '.join(partners[:3])}" + (" and others" if len(partners) > 3 else "")
        kept = self.request.why_kept(name)
        if kept is not None:
            reason = kept
        elif evidence.p_value > LEVEL:
            reason = "among the number of features asked for"
        low, high = evidence.interval
        return FeatureResult(name, True, reason, weight, self._marginal(name), evidence.mean, low, high, partners)

    def _why_dropped(self, unit: int) -> tuple[str, Evidence | None]:
        gone: Dropped | None = self.dropped.get(unit)
        if gone is not None:
            known = "the others are" if gone.stand_in is None else f"{self.names[gone.stand_in][0]} is"
            if self.request.n_wanted is not None and gone.evidence.p_value < LEVEL:
                return f"adds only {gone.evidence.mean:.3g} nats, beyond the number asked for", gone.evidence
            return f"adds nothing once {known} known", gone.evidence
        if unit in self.solution.shuffled:
            return LIKE_NOISE, self.solution.shuffled[unit]
        return NOTHING_FOUND, None

    def _marginal(self, name: str) -> float:
        return float(self.marginal_nats[self.place_of[name]])

    def _tells_alone(self, name: str) -> bool:
        return bool(self.tells_alone[self.place_of[name]])
