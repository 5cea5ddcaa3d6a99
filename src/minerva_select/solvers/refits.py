"""Refits: critics of every family, fitted to exactly the units of a set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from minerva_select.config import ELIMINATION, JUDGE
from minerva_select.mi.arrays import shared_tuning_rows
from minerva_select.mi.cross_fit import CrossFitCritics
from minerva_select.mi.families import ArrayCritics, ByFold, ColumnSet, Family
from minerva_select.mi.fold import Fold
from minerva_select.mi.stacking import FoldInformation
from minerva_select.solvers.candidate_search import CandidateSet, SearchContext, TrainedCritics, fit_candidates
from minerva_select.solvers.masked_critics import MaskedCritics

Units = Sequence[int]
Component = tuple[Family, ColumnSet]  # critics of a family, fitted to a set of units


@dataclass(frozen=True, eq=False)
class StartingPoint:
    """Trained critics of one fold, to start others from."""

    critics: CrossFitCritics
    task: int


class Refits:
    """Critics of sets of units on the folds of a table; each family is fitted to a set once."""

    def __init__(
        self,
        folds: Sequence[Fold],
        candidates: Sequence[CandidateSet],
        context: SearchContext,
        arrays: ArrayCritics,
    ) -> None:
        self.folds = list(folds)
        self.candidates = list(candidates)  # starting points of neural critics
        self.context = context
        self.arrays = arrays
        self.fitted: dict[Component, list[FoldInformation]] = {}
        self._masked: dict[tuple[int, ...], MaskedCritics] = {}
        self._n_tuning = [len(shared_tuning_rows(fold)) for fold in folds]

    def fit(self, component: Component) -> list[FoldInformation]:
        """Fit the critics of a component, unless they were fitted before."""
        if component not in self.fitted:
            family, units = component
            if family is Family.NEURAL and not isinstance(units, ByFold):
                self._fit_neural([units], "estimate", self.candidates)
            else:
                self.fitted[component] = self.arrays.fit(family, self.context.features_of_set(units))
        return self.fitted[component]

    def fit_arrays(self, families: Iterable[Family], sets: Iterable[Units], *, measured: bool = False) -> int:
        """Fit trees and additive models to several sets side by side; returns the number of fits."""
        features = [tuple(self.context.features_of(sorted(one))) for one in sets if one]
        wanted = [(family, of_set) for of_set in features for family in families if family is not Family.NEURAL]
        if wanted:
            self.arrays.fit_all(wanted, measured=measured)
        return len(wanted)

    def fit_subsets(self, units: Units, subsets: Iterable[Units]) -> None:
        """Train neural critics of several subsets of the units side by side.

        They start from critics trained with masked units. For few units, training those takes longer than it saves.
        """
        wanted = self._without_neural_critics(sorted({tuple(sorted(subset)) for subset in subsets if subset}))
        if not wanted:
            return
        if len(units) <= ELIMINATION.few_units:
            self._fit_neural(wanted, "refit", self.candidates, ELIMINATION.refit_steps_unmasked)
        else:
            masked = self._covering_critics(units)
            self._fit_neural(wanted, "refit", [StartingPoint(masked.critics, k) for k in range(len(self.folds))])

    def fit_nested(self, sets: Sequence[Units], units: Units) -> None:
        """Train one neural critic on several subsets of the units."""
        wanted = self._without_neural_critics([tuple(sorted(one)) for one in sets if one])
        if not wanted:
            return
        units = sorted({*units, *(unit for one in wanted for unit in one)})
        masked = self._masked.pop(tuple(units), None) or self.masked_critics(units)
        self._masked.pop(tuple(units), None)  # unfit for other sets once it is trained on these
        masked.train_on(wanted, self.context)
        for one in wanted:
            tuning, held_out = masked.information_of(list(one))
            self.fitted[Family.NEURAL, one] = [
                FoldInformation.of_values(tune[:n_rows], unseen)
                for tune, n_rows, unseen in zip(tuning, self._n_tuning, held_out, strict=True)
            ]

    def masked_critics(self, units: Units) -> MaskedCritics:
        """Neural critics of these units, trained with random subsets masked."""
        chosen = tuple(sorted(units))
        if chosen not in self._masked:
            self._masked[chosen] = MaskedCritics(self.folds, self.candidates, list(chosen), self.context)
        return self._masked[chosen]

    def _covering_critics(self, units: Units) -> MaskedCritics:
        """Masked critics of these units, or of the smallest trained set that contains them."""
        covering = [chosen for chosen in self._masked if {*chosen} >= {*units}]
        return self._masked[min(covering, key=len)] if covering else self.masked_critics(units)

    def _without_neural_critics(self, sets: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        return [one for one in sets if (Family.NEURAL, one) not in self.fitted]

    def _fit_neural(
        self,
        sets: Sequence[tuple[int, ...]],
        stage: str,
        starts: Sequence[TrainedCritics],
        max_steps: int | None = None,
    ) -> None:
        n_folds = len(self.folds)
        per_batch = max(1, JUDGE.max_critics_at_once // n_folds)
        for start in range(0, len(sets), per_batch):
            batch = sets[start : start + per_batch]
            fitted = fit_candidates(
                self.folds * len(batch),
                [list(units) for units in batch for _ in self.folds],
                self.context,
                stage,
                [*starts] * len(batch),
                max_steps,
            )
            for k, units in enumerate(batch):
                own = fitted[k * n_folds : (k + 1) * n_folds]
                self.fitted[Family.NEURAL, units] = [
                    _information(candidate, n_rows) for candidate, n_rows in zip(own, self._n_tuning, strict=True)
                ]


def _information(candidate: CandidateSet, n_tuning: int) -> FoldInformation:
    return FoldInformation(candidate.information[:n_tuning], lambda: candidate.held_out)
