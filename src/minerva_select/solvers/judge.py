"""The judge: information of any set of columns by refitted critics of several families, combined by stacking."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from minerva_select.config import INFERENCE, JUDGE, SEARCH, SUPPORT
from minerva_select.mi.arrays import shared_tuning_rows
from minerva_select.mi.families import ArrayCritics, ByFold, ColumnSet, Family
from minerva_select.mi.fold import Fold, held_out_clusters, held_out_weights
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.mi.stacking import Stack, stack
from minerva_select.solvers.candidate_search import CandidateSet, SearchContext
from minerva_select.solvers.refits import Component, Refits, Units


class Judge:
    """Mixtures of neural critics, boosted trees and additive models, each fitted to exactly the units in question.

    Any conditional distribution of the target gives a lower bound on the information, so the mixture does too. Its
    weights are learned on tuning rows; held-out rows only measure.
    """

    def __init__(
        self,
        folds: Sequence[Fold],
        candidates: Sequence[CandidateSet],
        context: SearchContext,
        arrays: ArrayCritics | None = None,
    ) -> None:
        self.folds = list(folds)
        self.context = context
        self.weights = held_out_weights(folds)
        self.clusters = held_out_clusters(folds)
        self.tuning_weights = [fold.row_weights[shared_tuning_rows(fold)] for fold in folds]
        self.arrays = arrays or ArrayCritics(folds, context.training.generator, context.training.deadline.remaining)
        self.refits = Refits(folds, candidates, context, self.arrays)
        self.seconds = 0.0  # of the slowest set so far
        self.families: tuple[Family, ...] = (Family.NEURAL, *self.arrays.families)
        self._verdicts: dict[tuple[Component, ...], Stack] = {}

    # Information of sets

    def information(self, units: Iterable[int], also: Iterable[Component] = ()) -> Tensor:  # (n_rows,)
        """Information of every held-out row from these units, with further components in the mixture."""
        return self.verdict(units, also).held_out

    def verdict(self, units: Iterable[int], also: Iterable[Component] = ()) -> Stack:
        """Fit all families in use to these units and combine them."""
        return self._verdict(tuple(dict.fromkeys([*self.components(units), *also])))

    def compared_information(self, units: Iterable[int]) -> Tensor:  # (n_rows,)
        """Information of these units by critics that are the same for all of many sets, but no longer than needed."""
        chosen = tuple(sorted(units))
        families = self.arrays.shorten(self.families) if chosen else ()
        return self._verdict(tuple((family, chosen) for family in families)).held_out

    def _verdict(self, components: tuple[Component, ...]) -> Stack:
        if components not in self._verdicts:
            start = time.monotonic()
            self._verdicts[components] = self._combine(components)
            self.seconds = max(self.seconds, time.monotonic() - start)
        return self._verdicts[components]

    def components(self, units: Iterable[int]) -> tuple[Component, ...]:
        """The critics that judge a set of units."""
        chosen = tuple(sorted(units))
        return tuple((family, chosen) for family in self.families) if chosen else ()

    def mean(self, values: Tensor) -> MeanEstimate:
        """Mean over the held-out rows."""
        return estimate_mean(values, self.weights, self.clusters)

    def measure(self, units: Iterable[int], also: Iterable[Component] = ()) -> MeanEstimate:
        """Information of these units on the held-out rows."""
        return self.mean(self.information(units, also))

    # Contributions

    def contributions(self, units: Units, of: Units | None = None) -> dict[int, MeanEstimate]:
        """Conditional mutual information of each unit given the others, by critics refitted without it."""
        targets = list(units if of is None else of)
        rests = {unit: [other for other in units if other != unit] for unit in targets}
        self.fit_subsets(units, rests.values())
        self.fit_compared([units, *rests.values()])
        full = self.compared_information(units)
        return {unit: self.mean(full - self.compared_information(rest)) for unit, rest in rests.items()}

    def left_behind(self, units: Units, everything: Units | ByFold) -> MeanEstimate:
        """What all columns together add to these units."""
        return self.mean(self._additional(units, everything))

    def measure_total(self, units: Units, everything: Units | ByFold) -> MeanEstimate:
        """Information of all columns: that of the units and what all columns add to it."""
        return self.mean(self.information(units) + self._additional(units, everything))

    def _additional(self, units: Units, everything: Units | ByFold) -> Tensor:  # (n_rows,)
        """Information that trees and additive models of all columns add to all critics of the units.

        A mixture may also gain by one more model of the same columns, so the baseline is the better one of both.
        """
        chosen = tuple(sorted(units))
        whole: ColumnSet = everything if isinstance(everything, ByFold) else tuple(sorted(everything))
        sets = whole.sets if isinstance(whole, ByFold) else [whole]
        if all(set(chosen) >= set(own) for own in sets) or self.explains_target(self.verdict(chosen)):
            return torch.zeros_like(self.weights)
        own = [(family, chosen) for family in self.arrays.families] if chosen else []
        second = [(Family.SECOND_TREES, chosen)] if Family.TREES in dict(own) else []
        all_columns: list[Component] = [(family, whole) for family in self.arrays.families]
        baselines = [self.information(chosen, own), self.information(chosen, [*own, *second])]
        return self.information(chosen, [*own, *all_columns]) - max(baselines, key=lambda one: self.mean(one).mean)

    def explains_target(self, verdict: Stack) -> bool:
        """Whether the bound on the tuning rows reaches the entropy of the target: nothing is left to find."""
        surprisal = [-fold.target.log_prior[fold.target.bins[shared_tuning_rows(fold)]] for fold in self.folds]
        return self._tuning_mean(verdict.tuning).mean > SEARCH.full_share * self._tuning_mean(torch.cat(surprisal)).mean

    def tuning_bound(self, units: Iterable[int]) -> float:
        """Information of these units on the tuning rows."""
        return self._tuning_mean(self.verdict(units).tuning).mean

    def array_bound(self, units: Iterable[int]) -> float:
        """Information of these units on the tuning rows, by trees and additive models."""
        chosen = tuple(sorted(units))
        verdict = self.verdict((), [(family, chosen) for family in self._ranking_families])
        return self._tuning_mean(verdict.tuning).mean

    def best_single(self, order: Sequence[int]) -> int:
        """The unit with the most information alone, among the first ones of an order."""
        return max(order[: SUPPORT.n_singles], key=lambda unit: self.array_bound([unit]))

    @property
    def _ranking_families(self) -> tuple[Family, ...]:
        """Trees and additive models, or those of them that are in use, no longer than needed."""
        found = tuple(family for family in self.families if family is not Family.NEURAL) or self.arrays.families
        return self.arrays.shorten(found)

    @property
    def comparisons(self) -> Comparisons:
        """Information of many sets, to be compared with each other."""
        return Comparisons(self)

    @property
    def arrays_in_use(self) -> bool:
        """Whether any family but the neural one is in use."""
        return self.families != (Family.NEURAL,)

    def still_rising(self, units: Units) -> bool:
        """Whether the neural critics of these units, if in use, would gain from longer training."""
        if Family.NEURAL not in self.families or not units:
            return False
        fitted = [self.context.fitted.get((id(fold), *sorted(units))) for fold in self.folds]
        is_clear = self.measure(units).z > INFERENCE.clear_z
        return is_clear and any(one is not None and not one.converged for one in fitted)

    def addition(self, unit: int, units: Units) -> MeanEstimate:
        """What one more unit would add, as far as critics other than the neural one can tell."""
        chosen = tuple(sorted([*units, unit]))
        more = [(family, chosen) for family in self.families if family is not Family.NEURAL]
        return self.mean(self.information(units, more) - self.information(units))

    @property
    def has_time(self) -> bool:
        """Whether there is time for another set."""
        return self.has_time_for(1)

    def has_time_for(self, n_sets: int) -> bool:
        """Whether there is time for so many sets, each as slow as the slowest one so far."""
        return self.context.training.deadline.allows(n_sets * self.seconds)

    def array_importances(self, units: Units) -> dict[int, float]:
        """Importance of each unit to trees and additive models, by their weights."""
        chosen = tuple(sorted(units))
        features = self.context.features_of(list(chosen))
        position = {feature: k for k, feature in enumerate(features)}
        verdict = self.verdict((), [(family, chosen) for family in self._ranking_families])
        found = dict.fromkeys(chosen, 0.0)
        for family, weight in zip(self._ranking_families, verdict.weights.mean(0).tolist(), strict=False):
            measured = [fit.importances() for fit in self.refits.fit((family, chosen)) if fit.importances is not None]
            by_feature = torch.stack(measured).double().mean(0).tolist()
            largest = max(map(abs, by_feature)) or 1.0
            for unit in chosen:
                own = max(by_feature[position[feature]] for feature in self.context.units[unit])
                found[unit] += weight * own / largest
        return found

    # Fits of several sets at once

    def fit_subsets(self, units: Units, subsets: Iterable[Units]) -> None:
        """Train neural critics, if in use, of several subsets of the units side by side."""
        if Family.NEURAL in self.families:
            self.refits.fit_subsets(units, subsets)

    def fit_nested(self, sets: Sequence[Units], units: Units) -> None:
        """Train one neural critic, if in use, on several subsets of the units."""
        if Family.NEURAL in self.families:
            self.refits.fit_nested(sets, units)

    def fit_arrays(self, sets: Iterable[Units]) -> None:
        """Fit trees and additive models in use to several sets side by side, and measure them on held-out rows."""
        self._fit_arrays(self.families, sets, measured=True)

    def fit_compared(self, sets: Iterable[Units]) -> None:
        """Fit what :meth:`compared_information` of several sets needs side by side."""
        self._fit_arrays(self.arrays.shorten(self.families), sets, measured=True)

    def fit_ranked(self, sets: Iterable[Units]) -> None:
        """Fit what :meth:`array_bound` of several sets needs side by side."""
        self._fit_arrays(self._ranking_families, sets, measured=False)

    def _fit_arrays(self, families: Iterable[Family], sets: Iterable[Units], *, measured: bool) -> None:
        start = time.monotonic()
        n_fits = self.refits.fit_arrays(families, sets, measured=measured)
        if n_fits:
            self.seconds = max(self.seconds, (time.monotonic() - start) / n_fits)

    # Families

    def choose_families(self, units: Units) -> None:
        """Use only the families that add something on the tuning rows of a set.

        The neural critic costs most, so it is not trained again if it added nothing to the set before.
        """
        if not units or len(self.arrays.families) == 0:
            return
        chosen = tuple(sorted(units))
        if Family.NEURAL in self.families:
            self.families = (Family.NEURAL,)
            if self.explains_target(self.verdict(chosen)):  # no need to fit the others
                return
            self.families = (Family.NEURAL, *self.arrays.families)
        else:
            self.families = self.arrays.families
        self.verdict(chosen)
        kept = list(self.families)
        for family in self.families:
            others = [one for one in kept if one is not family]
            if others and not self._adds(family, kept, others, chosen):
                kept = others
        self.families = tuple(kept)

    def _adds(self, family: Family, kept: list[Family], others: list[Family], units: tuple[int, ...]) -> bool:
        full = self._combine(tuple((one, units) for one in kept))
        without = self._combine(tuple((one, units) for one in others))
        gain = self._tuning_mean(full.tuning - without.tuning)
        least = JUDGE.min_family_gain * self._tuning_mean(full.tuning).mean
        return gain.mean > least and (gain.z > JUDGE.min_family_z or family is not Family.NEURAL)

    def _tuning_mean(self, values: Tensor) -> MeanEstimate:
        return estimate_mean(values, torch.cat(self.tuning_weights))

    def _combine(self, components: tuple[Component, ...]) -> Stack:
        fits = [self.refits.fit(component) for component in components]
        return stack(fits, self.tuning_weights, [len(fold.held_out) for fold in self.folds])


@dataclass(frozen=True)
class Comparisons:
    """Information of many sets of units, to be compared with each other."""

    judge: Judge

    def information(self, units: Iterable[int]) -> Tensor:  # (n_rows,)
        """Information of every held-out row from these units."""
        return self.judge.compared_information(units)

    def mean(self, values: Tensor) -> MeanEstimate:
        """Mean over the held-out rows."""
        return self.judge.mean(values)
