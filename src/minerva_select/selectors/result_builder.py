"""A solution of the default solver, told feature by feature under the user's names."""

from __future__ import annotations

import math
from dataclasses import replace

from minerva_select.mi.inference import MeanEstimate
from minerva_select.results import Estimate, FeatureResult, PairResult, PathPoint, Role, WeightRecord
from minerva_select.selectors.fit_context import Request
from minerva_select.solvers.elimination import DroppedUnit
from minerva_select.solvers.vetting import LEVEL, VettingSolution

NOTHING_FOUND = "no information found"
LIKE_NOISE = "not told from noise on unseen rows"
MAX_WEIGHTS = 24  # features whose way through the sparsifying is kept
_ABOUT_AS_MUCH = 0.5
_ONLY_TOGETHER = 0.05  # of its contribution: who tells less alone matters only with others


class Findings:
    """What a solution says of every feature, of pairs, and of smaller sets."""

    def __init__(self, solution: VettingSolution, units: list[list[int]], request: Request) -> None:
        self.solution = solution
        self.request = request
        self.names = [[request.order[feature] for feature in features] for features in units]
        self.unit_of = {name: unit for unit, names in enumerate(self.names) for name in names}
        self.place_of = {name: place for place, name in enumerate(request.order)}
        self.selected = frozenset(solution.selected)
        self.tells = solution.screen.informative
        elimination = solution.elimination
        self.contributions = {} if elimination is None else elimination.contributions
        self.dropped = {} if elimination is None else {gone.unit: gone for gone in elimination.dropped}

    def results(self) -> tuple[FeatureResult, ...]:
        """One result a column, in the user's order, with the stand-ins of every selected one."""
        results = {name: self._result(name) for name in self.request.table.names}
        stand_ins: dict[str, list[str]] = {}
        for result in results.values():
            if result.role == Role.STAND_IN and len(result.replaced_by) == 1:
                stand_ins.setdefault(result.replaced_by[0], []).append(result.feature)
        return tuple(
            replace(result, stand_ins=tuple(stand_ins.get(name, ()))) if result.selected else result
            for name, result in results.items()
        )

    def pairs(self) -> tuple[PairResult, ...]:
        """Synergy and redundancy of selected features, the largest amounts first."""
        found = sorted(self.solution.units.pairs.items(), key=lambda item: -abs(item[1].mean))
        return tuple(
            PairResult(self.names[a][0], self.names[b][0], evidence.mean, *evidence.interval)
            for (a, b), evidence in found
        )

    def path(self, information: Estimate, total: Estimate) -> tuple[PathPoint, ...]:
        """Information of ever smaller sets of features; a set tells no more than one that it is part of."""
        chosen = {name for unit in self.selected for name in self.names[unit]}
        points: list[PathPoint] = []
        most = math.inf
        for units, evidence in self.solution.units.path:
            names = {name for unit in units for name in self.names[unit]}
            nats, (low, high) = evidence.mean, evidence.interval
            if names == chosen:
                nats, low, high = information.nats, information.low, information.high
            elif not points:
                nats, low, high = total.nats, total.low, total.high
            excess = max(0.0, nats - most)
            most = nats - excess
            in_order = tuple(name for name in self.request.table.names if name in names)
            points.append(PathPoint(len(in_order), in_order, most, low - excess, high - excess))
        return tuple(points)

    def weight_history(self) -> tuple[WeightRecord, ...]:
        """How much the features were missed in every round of sparsifying; of many, those that stayed longest."""
        rounds = self.solution.importance_rounds
        worth: dict[int, tuple[int, float]] = {}
        for number, missed in enumerate(rounds):
            worth.update({unit: (number, nats) for unit, nats in missed.items()})
        units = sorted(worth, key=lambda unit: (unit not in self.selected, *(-value for value in worth[unit])))
        shown = units[:MAX_WEIGHTS]
        records = []
        for number, missed in enumerate(rounds):
            most = max(0.0, *missed.values()) or 1.0
            weights = {self.names[unit][0]: max(0.0, missed[unit]) / most for unit in shown if unit in missed}
            records.append(WeightRecord(number, weights))
        return tuple(records)

    def _result(self, name: str) -> FeatureResult:
        aside = self.request.set_aside(name)
        if aside is not None:
            return aside
        original = self.request.participants.originals.get(name)
        if original is not None:
            return self._copy(name, self._result(original))
        unit = self.unit_of[name]
        if unit in self.selected:
            return self._selected(name, unit)
        replaced_by = self._replaced_by(name, unit)
        reason, evidence = self._why_dropped(unit, replaced_by)
        selected = self.request.keep_redundant and (
            unit in self.dropped or any(self.tells[self.place_of[member]] for member in self.names[unit])
        )
        return self._with_amounts(
            FeatureResult(
                name,
                selected,
                reason,
                weight=float(selected),
                role=Role.STAND_IN if self._could_stand_in(name, replaced_by) else None,
                replaced_by=replaced_by,
            ),
            evidence,
        )

    def _copy(self, name: str, original: FeatureResult) -> FeatureResult:
        selected = self.request.keep_redundant and original.selected
        return replace(
            original,
            feature=name,
            selected=selected,
            reason=f"copy of {original.feature}",
            weight=original.weight if selected else 0.0,
            contribution_nats=None,
            contribution_low=None,
            contribution_high=None,
            partners=(),
            role=Role.STAND_IN if original.selected else original.role,
            replaced_by=(original.feature,) if original.selected else original.replaced_by,
        )

    def doubts(self) -> tuple[str, ...]:
        """A warning where one column tells more, by counting alone, than the networks found in all: they fell short."""
        alone, total = self.solution.columns.marginal, self.solution.total
        best = max(alone, key=lambda feature: alone[feature].interval[0], default=None)
        if best is None or not self.solution.converged or alone[best].interval[0] <= total.interval[1]:
            return ()
        return (
            f"Training fell short: column {self.request.order[best]!r} alone tells {alone[best].mean:.3g} nats by "
            f"counting, and the networks found {max(0.0, total.mean):.3g} in all columns; more may matter than is "
            "selected. Try another random_state.",
        )

    def _selected(self, name: str, unit: int) -> FeatureResult:
        evidence = self.contributions[unit]
        largest = max(other.mean for other in self.contributions.values())
        weight = min(1.0, max(0.0, evidence.mean / largest)) if largest > 0 else 0.0
        partners = tuple(other for p in self.solution.units.partners.get(unit, []) for other in self.names[p])
        reason = f"adds {evidence.mean:.3g} nats"
        if partners:
            reason += f" together with {', '.join(partners[:3])}" + (" and others" if len(partners) > 3 else "")
        kept = self.request.why_kept(name)
        if kept is not None:
            reason = kept
        elif evidence.p_value > LEVEL:
            reason = "among the number of features asked for"
        role = self._role(name, unit, evidence)
        return self._with_amounts(FeatureResult(name, True, reason, weight, partners=partners, role=role), evidence)

    def _role(self, name: str, unit: int, contribution: MeanEstimate) -> Role | None:
        """Whether a selected column tells something by itself; no role for one that adds nothing."""
        alone = self._alone(name)
        if alone is not None and alone.z > 3.0 and alone.mean > _ONLY_TOGETHER * contribution.mean:
            return Role.ALONE
        if alone is None or contribution.p_value >= LEVEL:
            return None
        # What the only one adds, it tells alone, though counting may have missed it in few rows
        is_only_one = self.selected == {unit} and len(self.names[unit]) == 1
        return Role.ALONE if is_only_one else Role.TOGETHER

    def _replaced_by(self, name: str, unit: int) -> tuple[str, ...]:
        """Selected columns that tell what a dropped one tells: one that does it alone, or the lot of them."""
        gone, alone = self.dropped.get(unit), self._alone(name)
        if gone is not None and gone.replaced_by is not None:
            return (self.names[gone.replaced_by][0],)
        if alone is None or alone.z < 2.0:
            return ()
        return tuple(
            self.request.order[feature] for feature in self.solution.columns.replaced_by.get(self.place_of[name], [])
        )

    def _could_stand_in(self, name: str, selected: tuple[str, ...]) -> bool:
        """Whether a dropped column tells about as much as those that tell what it tells."""
        told = [self._marginal(other) for other in selected]
        return bool(told) and self._marginal(name) >= _ABOUT_AS_MUCH * max(told)

    def _marginal(self, name: str) -> float:
        alone = self._alone(name)
        return float(self.solution.screen.marginal_nats[self.place_of[name]]) if alone is None else max(0.0, alone.mean)

    def _why_dropped(self, unit: int, replaced_by: tuple[str, ...]) -> tuple[str, MeanEstimate | None]:
        gone: DroppedUnit | None = self.dropped.get(unit)
        evidence = gone.contribution if gone is not None else self.solution.permutation_importances.get(unit)
        if gone is not None and self.request.n_wanted is not None and gone.contribution.p_value < LEVEL:
            return f"adds only {gone.contribution.mean:.3g} nats, beyond the number asked for", evidence
        if gone is not None or replaced_by:
            known = f"{replaced_by[0]} is" if len(replaced_by) == 1 else "the others are"
            return f"adds nothing once {known} known", evidence
        return (NOTHING_FOUND if evidence is None else LIKE_NOISE), evidence

    def _alone(self, name: str) -> MeanEstimate | None:
        return self.solution.columns.marginal.get(self.place_of[name])

    def _with_amounts(self, result: FeatureResult, contribution: MeanEstimate | None) -> FeatureResult:
        """The result with what the column tells alone, and what it adds to the others."""
        alone = self._alone(result.feature)
        result = replace(result, marginal_nats=self._marginal(result.feature))
        if alone is not None:  # looked at on held-out rows
            low, high = (max(0.0, end) for end in alone.interval)
            result = replace(result, marginal_low=low, marginal_high=high)
        if contribution is None:
            return result
        low, high = contribution.interval
        return replace(result, contribution_nats=contribution.mean, contribution_low=low, contribution_high=high)
