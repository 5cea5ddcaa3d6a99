"""Turn a solution of the vetting solver into results for every feature, under the user's names."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain

import numpy as np

from minerva_select.codes import ReasonCode, Role, WarningCode
from minerva_select.config import ATTRIBUTION, EQUIVALENCE, VETTING
from minerva_select.mi.inference import MeanEstimate
from minerva_select.preprocessing.linear_combinations import find_linear_combinations
from minerva_select.results import (
    Estimate,
    FeatureRanking,
    FeatureResult,
    PairResult,
    PathPoint,
    RankedSet,
    Reason,
    SelectionWarning,
    WeightRecord,
)
from minerva_select.selectors.fit_context import FitContext
from minerva_select.solvers.vetting import VettingSolution

MAX_WEIGHTS = 24  # features whose importances during sparsification are kept


class ResultBuilder:
    """Results for every feature, for pairs of features and for smaller sets."""

    def __init__(self, solution: VettingSolution, units: list[list[int]], context: FitContext) -> None:
        self.solution = solution
        self.context = context
        self.names = [[context.order[feature] for feature in features] for features in units]
        self.unit_of = {name: unit for unit, names in enumerate(self.names) for name in names}
        self.place_of = {name: place for place, name in enumerate(context.table.names)}  # in the user's order
        self.position_of = {name: position for position, name in enumerate(context.order)}
        self.selected = frozenset(solution.selected)
        self.informative = solution.screen.informative
        self.contributions = solution.contributions
        self.columns = {column.name: column for column in context.table.columns}
        kept = [name for unit in solution.selected for name in self.names[unit]]
        dropped = [name for unit, names in enumerate(self.names) if unit not in self.selected for name in names]
        self.sums = find_linear_combinations(context.table, dropped, kept)

    def results(self) -> tuple[FeatureResult, ...]:
        """One result per column, in the user's order."""
        results = {name: self._result(name) for name in self.context.table.names}
        substitutes: dict[str, list[str]] = {}
        for result in results.values():
            if result.role is Role.SUBSTITUTE and len(result.replaced_by) == 1:
                substitutes.setdefault(result.replaced_by[0], []).append(result.feature)
        return tuple(
            replace(result, substitutes=tuple(substitutes.get(name, ()))) if result.selected else result
            for name, result in results.items()
        )

    def pairs(self) -> tuple[PairResult, ...]:
        """Synergy and redundancy of pairs of selected features, largest absolute value first."""
        found = sorted(self.solution.units.pairs.items(), key=lambda item: -abs(item[1].mean))
        return tuple(
            PairResult(self.names[a][0], self.names[b][0], evidence.mean, *evidence.interval)
            for (a, b), evidence in found
        )

    def path(self, information: Estimate, scale: float = 1.0) -> tuple[PathPoint, ...]:
        """Information of the best sets of every size up to the selection; a smaller one never carries more.

        ``scale`` is the information of the selection relative to what the solver measured.
        """
        points: list[PathPoint] = []
        most = math.inf
        for units, evidence in self.solution.path:
            names = {name for unit in units for name in self.names[unit]}
            nats, low, high = (scale * value for value in (evidence.mean, *evidence.interval))
            if frozenset(units) == self.selected:
                nats, low, high = information.nats, information.low, information.high
            excess = max(0.0, nats - most)
            most = nats - excess
            in_order = tuple(name for name in self.context.table.names if name in names)
            points.append(PathPoint(len(in_order), in_order, most, low - excess, high - excess))
        return tuple(points)

    def ranking(self) -> FeatureRanking:
        """The best features of every number, with unused ones that are kept on request."""
        columns, ranking = self.context.columns, self.solution.ranking
        unused = [(name,) for name in self.context.table.names if name in columns.kept and name in columns.reasons]
        small_sets = sorted((size + len(unused), units) for size, units in ranking.small_sets.items())
        return FeatureRanking(
            (*unused, *(self._in_order(unit) for unit in ranking.order)),
            len(unused) + len(self.context.kept_units),
            tuple(RankedSet(size, (*chain(*unused), *self._in_order(*units))) for size, units in small_sets),
        )

    def _in_order(self, *units: int) -> tuple[str, ...]:
        """Names of units in the user's order."""
        return tuple(sorted((name for unit in units for name in self.names[unit]), key=self.place_of.__getitem__))

    def weight_history(self) -> tuple[WeightRecord, ...]:
        """Relative permutation importance in every round of sparsification, for the features that stayed longest."""
        rounds = self.solution.importance_rounds
        last: dict[int, tuple[int, float]] = {}
        for number, missed in enumerate(rounds):
            last.update({unit: (number, nats) for unit, nats in missed.items()})
        units = sorted(last, key=lambda unit: (unit not in self.selected, *(-value for value in last[unit])))
        shown = units[:MAX_WEIGHTS]
        records = []
        for number, missed in enumerate(rounds):
            most = max(0.0, *missed.values()) or 1.0
            weights = {self.names[unit][0]: max(0.0, missed[unit]) / most for unit in shown if unit in missed}
            records.append(WeightRecord(number, weights))
        return tuple(records)

    def _result(self, name: str) -> FeatureResult:
        unused = self.context.unused_result(name)
        if unused is not None:
            return unused
        original = self.context.columns.originals.get(name)
        if original is not None:
            return self._copy(name, self._result(original))
        unit = self.unit_of[name]
        if unit in self.selected:
            return self._selected(name, unit)
        replaced_by = self._replaced_by(name, unit)
        reason, evidence = self._why_dropped(unit, replaced_by)
        if name in self.sums:
            reason = Reason(ReasonCode.EQUIVALENT, self.sums[name])
        selected = self.context.keep_redundant and (
            unit in self.solution.additions
            or any(self.informative[self.position_of[member]] for member in self.names[unit])
        )
        return self._with_numbers(
            FeatureResult(
                name,
                selected,
                reason,
                weight=float(selected),
                role=Role.SUBSTITUTE if self._is_substitute(name, replaced_by) else None,
                replaced_by=replaced_by,
            ),
            evidence,
        )

    def _copy(self, name: str, original: FeatureResult) -> FeatureResult:
        selected = self.context.keep_redundant and original.selected
        if self._is_coarser(name, original.feature):  # carries less, and how much was not measured
            original = replace(original, marginal_nats=None, marginal_low=None, marginal_high=None)
        return replace(
            original,
            feature=name,
            selected=selected,
            reason=Reason(ReasonCode.EQUIVALENT, (original.feature,)),
            weight=original.weight if selected else 0.0,
            contribution_nats=None,
            contribution_low=None,
            contribution_high=None,
            partners=(),
            role=Role.SUBSTITUTE if original.selected else original.role,
            replaced_by=(original.feature,) if original.selected else original.replaced_by,
        )

    def _is_coarser(self, name: str, original: str) -> bool:
        copy, finer = (len(np.unique(self.columns[one].values)) for one in (name, original))
        return copy < min(finer, EQUIVALENCE.max_levels + 1)

    def training_warnings(self) -> tuple[SelectionWarning, ...]:
        """A warning if counting finds more in one column than the critics found in all: training fell short."""
        marginals, total = self.solution.columns.marginal, self.solution.total
        best = max(marginals, key=lambda feature: marginals[feature].interval[0], default=None)
        if best is None or not self.solution.converged or marginals[best].interval[0] <= total.interval[1]:
            return ()
        values = {"marginal_nats": marginals[best].mean, "total_nats": max(0.0, total.mean)}
        return (SelectionWarning(WarningCode.UNDERTRAINED, (self.context.order[best],), values),)

    def minimum_warnings(self) -> tuple[SelectionWarning, ...]:
        """A warning if features were added to reach the smallest number."""
        added = self._in_order(*self.solution.filled_up)
        if not added:
            return ()
        minimum = self.context.min_features + self.context.columns.n_kept_unused
        n_found = len(self.selected) - len(self.solution.filled_up) + self.context.columns.n_kept_unused
        return (SelectionWarning(WarningCode.RAISED_TO_MINIMUM, added, {"n_found": n_found, "minimum": minimum}),)

    def _selected(self, name: str, unit: int) -> FeatureResult:
        evidence = self.contributions[unit]
        largest = max(other.mean for other in self.contributions.values())
        weight = min(1.0, max(0.0, evidence.mean / largest)) if largest > 0 else 0.0
        partners = tuple(other for p in self.solution.units.partners.get(unit, []) for other in self.names[p])
        reason = self.context.request_reason(name) or self._why_selected(unit, evidence, partners)
        role = self._role(name, unit, evidence)
        return self._with_numbers(FeatureResult(name, True, reason, weight, partners=partners, role=role), evidence)

    def _why_selected(self, unit: int, evidence: MeanEstimate, partners: tuple[str, ...]) -> Reason:
        values = {"nats": evidence.mean}
        if unit in self.solution.filled_up:
            return Reason(ReasonCode.TO_REACH_MINIMUM)
        if unit in self.solution.proven:
            return Reason(ReasonCode.CONTRIBUTES, partners, values)
        if self.context.n_features is not None:
            return Reason(ReasonCode.TO_REACH_COUNT)
        return Reason(ReasonCode.SUPPORTING, partners, values)

    def _role(self, name: str, unit: int, contribution: MeanEstimate) -> Role | None:
        """Whether a selected column is informative alone or only together; None if it adds nothing."""
        alone = self._alone(name)
        if (
            alone is not None
            and alone.z > ATTRIBUTION.alone_z
            and alone.mean > ATTRIBUTION.alone_share * contribution.mean
        ):
            return Role.ALONE
        if alone is None or contribution.p_value >= VETTING.level:
            return None
        # The contribution of the only selected column is its marginal information, even if counting missed it
        is_only_one = self.selected == {unit} and len(self.names[unit]) == 1
        return Role.ALONE if is_only_one else Role.TOGETHER

    def _replaced_by(self, name: str, unit: int) -> tuple[str, ...]:
        """Selected columns that carry the information of a dropped one: a single one if possible."""
        alone = self._alone(name)
        if alone is None or alone.z < ATTRIBUTION.replaced_z:
            return ()
        return tuple(
            self.context.order[feature] for feature in self.solution.columns.replaced_by.get(self.position_of[name], [])
        )

    def _is_substitute(self, name: str, selected: tuple[str, ...]) -> bool:
        """Whether a dropped column carries about as much alone as the columns that replace it."""
        marginals = [self._marginal(other) for other in selected]
        return bool(marginals) and self._marginal(name) >= ATTRIBUTION.substitute_share * max(marginals)

    def _marginal(self, name: str) -> float:
        alone = self._alone(name)
        return (
            float(self.solution.screen.marginal_nats[self.position_of[name]]) if alone is None else max(0.0, alone.mean)
        )

    def _why_dropped(self, unit: int, replaced_by: tuple[str, ...]) -> tuple[Reason, MeanEstimate | None]:
        addition = self.solution.additions.get(unit)
        if addition is None:
            if replaced_by:
                return Reason(ReasonCode.REDUNDANT, replaced_by), None
            was_tested = unit in self.solution.permutation_importances
            return Reason(ReasonCode.NOISE if was_tested else ReasonCode.NO_INFORMATION), None
        if self.context.n_features is not None and addition.p_value < VETTING.level:
            return Reason(ReasonCode.BEYOND_COUNT, values={"nats": addition.mean}), addition
        negligible = max(ATTRIBUTION.negligible_nats, ATTRIBUTION.negligible_share * self.solution.total.mean)
        if addition.interval[1] > negligible and addition.mean > 0:
            return Reason(ReasonCode.TOO_WEAK, values={"n_rows": self.context.n_rows}), addition
        return Reason(ReasonCode.REDUNDANT if replaced_by else ReasonCode.NOISE, replaced_by), addition

    def _alone(self, name: str) -> MeanEstimate | None:
        return self.solution.columns.marginal.get(self.position_of[name])

    def _with_numbers(self, result: FeatureResult, contribution: MeanEstimate | None) -> FeatureResult:
        """Add marginal information and contribution to a result."""
        alone = self._alone(result.feature)
        result = replace(result, marginal_nats=self._marginal(result.feature))
        if alone is not None:  # measured on held-out rows
            low, high = (max(0.0, end) for end in alone.interval)
            result = replace(result, marginal_low=low, marginal_high=high)
        if contribution is None:
            return result
        low, high = contribution.interval
        return replace(result, contribution_nats=contribution.mean, contribution_low=low, contribution_high=high)
