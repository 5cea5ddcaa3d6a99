"""Families of critics that are not neural networks, fitted to sets of columns on the same folds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor

from minerva_select.config import JUDGE
from minerva_select.mi.additive_model import fit_additive
from minerva_select.mi.arrays import ArrayFit, FoldArrays, is_supported, read_arrays
from minerva_select.mi.boosted_trees import boost
from minerva_select.mi.divided_fits import DividedFits
from minerva_select.mi.fold import Fold
from minerva_select.mi.stacking import FoldInformation
from minerva_select.mi.tree_models import has_lightgbm
from minerva_select.runtime.parallel import run_side_by_side


class Family(StrEnum):
    """Kinds of critics."""

    NEURAL = "neural"
    TREES = "trees"
    ADDITIVE = "additive"
    BRIEF_TREES = "brief trees"  # of fewer rounds
    SECOND_TREES = "second trees"  # fitted to random rows: shows how much a mixture gains by one more model


ARRAY_FAMILIES = (Family.TREES, Family.ADDITIVE)


@dataclass(frozen=True)
class ByFold:
    """A set of columns that is another one in every fold, since each chose it by its own training rows."""

    sets: tuple[tuple[int, ...], ...]


ColumnSet = tuple[int, ...] | ByFold
Key = tuple[Family, ColumnSet]  # critics of a family, fitted to a set of features


def join_folds(sets: Iterable[Sequence[int]]) -> ColumnSet:
    """The sets of all folds, which may be the same."""
    first, *others = (tuple(one) for one in sets)
    return ByFold((first, *others)) if any(one != first for one in others) else first


def _as_key(family: Family, features: Sequence[int] | ByFold) -> Key:
    return family, features if isinstance(features, ByFold) else tuple(features)


class ArrayCritics:
    """Boosted trees and penalized additive models of any set of columns, on the folds of a table."""

    def __init__(self, folds: Sequence[Fold], generator: Generator, seconds: float = math.inf) -> None:
        self.device = folds[0].held_out.device
        self.seed = int(torch.randint(2**31 - 1, (1,), generator=generator))
        self.families = ARRAY_FAMILIES if is_supported(folds[0].target) else ()
        self._folds = folds
        in_time = max(JUDGE.min_training_rows, seconds * JUDGE.rows_per_second / len(folds))
        self._max_rows = int(min(JUDGE.max_training_rows, in_time))
        self._generator = torch.Generator().manual_seed(self.seed)
        self._strengths: dict[tuple[int, int], tuple[float, ...]] = {}  # by fold and member
        self._fits: dict[Key, list[FoldInformation]] = {}
        self._n_rounds = 0  # of boosting, of the largest fit
        self._divided = DividedFits(folds[0].sharding.ranks, self.device)

    @cached_property
    def folds(self) -> list[FoldArrays]:
        """Rows of every fold as arrays; read when they are first needed."""
        return [read_arrays(fold, self._generator, self._max_rows) for fold in self._folds]

    def shorten(self, families: Iterable[Family]) -> tuple[Family, ...]:
        """Families for comparisons of many sets: brief trees instead of trees that take many rounds."""
        is_long = self._n_rounds > JUDGE.brief_rounds
        return tuple(Family.BRIEF_TREES if is_long and one is Family.TREES else one for one in families)

    def fit(self, family: Family, features: Sequence[int] | ByFold) -> list[FoldInformation]:
        """Fit critics of a family to these features in every fold; sets that were fitted before are reused."""
        self.fit_all([(family, features)])
        return self._fits[_as_key(family, features)]

    def fit_all(self, sets: Iterable[tuple[Family, Sequence[int] | ByFold]], *, measured: bool = False) -> None:
        """Fit critics to several sets side by side; if ``measured``, on held-out rows too."""
        keys = list(dict.fromkeys(_as_key(family, features) for family, features in sets))
        if self._divided.ranks.size > 1:
            for some in self._in_order(keys):
                self._fit_divided(some, measured)
            return
        jobs = [partial(self._fit_fold, key, k, measured) for key in keys for k in range(len(self.folds))]
        apart = [_is_parallel(key) for key in keys for _ in self.folds]
        found = iter(run_side_by_side(jobs, apart))
        self._fits |= {key: [next(found) for _ in self.folds] for key in keys}

    def _in_order(self, keys: Sequence[Key]) -> list[Sequence[Key]]:
        """Sets to fit one after the other: the penalties of the first additive models are those of all others."""
        first = next((k for k, (family, _) in enumerate(keys) if family is Family.ADDITIVE), len(keys))
        return [keys] if self._strengths else [part for part in (keys[: first + 1], keys[first + 1 :]) if part]

    def _fit_divided(self, keys: Sequence[Key], measured: bool) -> None:
        """Fit a share of the sets and folds in this rank."""
        places = [(key, k) for key in keys for k in range(len(self.folds))]
        found = iter(
            self._divided.fit(
                places,
                lambda place: self._information(*place),
                lambda place: _is_parallel(place[0]),
                measured=measured,
            )
        )
        self._fits |= {key: [next(found) for _ in self.folds] for key in keys}
        for strengths, n_rounds in self._divided.ranks.gather((self._strengths, self._n_rounds)):
            self._strengths = strengths | self._strengths
            self._n_rounds = max(n_rounds, self._n_rounds)

    def _fit_fold(self, key: Key, k: int, measured: bool) -> FoldInformation:
        fit = self._fits[key][k] if key in self._fits else self._information(key, k)
        if measured:
            fit.held_out  # noqa: B018 - computed when first asked for
        return fit

    def _information(self, key: Key, k: int) -> FoldInformation:
        family, arrays = key[0], self.folds[k]
        features = np.asarray(key[1].sets[k] if isinstance(key[1], ByFold) else key[1], dtype=np.int64)
        fits = [self._fit_member(family, (k, member), features) for member in range(len(arrays.members))]
        tuning = np.concatenate([fit.tuning for fit in fits])

        def measure() -> Tensor:
            found = [fit.measure() for fit in fits]
            refit = fits[0].refit
            if refit is not None and len(arrays.learnable) <= JUDGE.max_refit_rows:
                found.append(refit())
            return self._tensor(np.logaddexp.reduce(found, axis=0) - np.log(len(found)))

        def importances() -> Tensor:
            return self._tensor(np.mean([fit.importances() for fit in fits], axis=0))

        return FoldInformation(self._tensor(tuning), measure, importances)

    def _fit_member(self, family: Family, place: tuple[int, int], features: NDArray[np.int64]) -> ArrayFit:
        """Fit critics of a member of a fold, given the number of both."""
        arrays, member = self.folds[place[0]], place[1]
        train, tune = arrays.members[member]
        if np.ptp(arrays.target.bins[train]) == 0:  # a single class
            return ArrayFit.of_nothing(len(tune), len(arrays.held_out), len(features))
        if family is Family.TREES:
            fit = boost(arrays, features, member, self.seed)
            self._n_rounds = max(fit.n_rounds, self._n_rounds)
            return fit
        if family is Family.BRIEF_TREES:
            return boost(arrays, features, member, self.seed, max_rounds=JUDGE.brief_rounds)
        if family is Family.SECOND_TREES:
            return boost(arrays, features, member, self.seed + 1, row_share=JUDGE.second_row_share)
        fit, strength = fit_additive(
            arrays, features, member, self._strengths.get(place, JUDGE.linear_strengths), self.seed
        )
        # The first set is the largest; a smaller one may need a weaker penalty, but no stronger one
        self._strengths.setdefault(place, tuple(one for one in JUDGE.linear_strengths if one >= strength))
        return fit

    def _tensor(self, values: NDArray[np.float64]) -> Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=self.device)


def _is_parallel(key: Key) -> bool:
    """Whether a fit runs outside of Python's lock: LightGBM does, additive models do not."""
    return key[0] is not Family.ADDITIVE and has_lightgbm()
