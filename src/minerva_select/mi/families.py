"""Families of critics that are not neural networks, fitted to sets of columns on the same folds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor

from minerva_select.config import JUDGE
from minerva_select.mi.additive_model import fit_additive
from minerva_select.mi.arrays import ArrayFit, FoldArrays, is_supported, read_arrays
from minerva_select.mi.boosted_trees import boost
from minerva_select.mi.fold import Fold
from minerva_select.mi.stacking import FoldInformation


class Family(StrEnum):
    """Kinds of critics."""

    NEURAL = "neural"
    TREES = "trees"
    ADDITIVE = "additive"


ARRAY_FAMILIES = (Family.TREES, Family.ADDITIVE)


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
        self._strengths: dict[tuple[int, int], tuple[float, ...]] = {}
        self._fits: dict[tuple[Family, tuple[int, ...]], list[FoldInformation]] = {}

    @cached_property
    def folds(self) -> list[FoldArrays]:
        """Rows of every fold as arrays; read when they are first needed."""
        return [read_arrays(fold, self._generator, self._max_rows) for fold in self._folds]

    def fit(self, family: Family, features: Sequence[int]) -> list[FoldInformation]:
        """Fit critics of a family to these features in every fold; sets that were fitted before are reused."""
        key = family, tuple(features)
        if key not in self._fits:
            columns = np.asarray(features, dtype=np.int64)
            self._fits[key] = [self._fit_fold(family, k, arrays, columns) for k, arrays in enumerate(self.folds)]
        return self._fits[key]

    def _fit_fold(self, family: Family, k: int, arrays: FoldArrays, features: NDArray[np.int64]) -> FoldInformation:
        fits = []
        for member, (train, tune) in enumerate(arrays.members):
            if np.ptp(arrays.target.bins[train]) == 0:  # a single class
                fits.append(ArrayFit.of_nothing(len(tune), len(arrays.held_out), len(features)))
            elif family is Family.TREES:
                fits.append(boost(arrays, features, member, self.seed))
            else:
                strengths = self._strengths.get((k, member), JUDGE.linear_strengths)
                fit, strength = fit_additive(arrays, features, member, strengths, self.seed)
                # The first set is the largest; a smaller one may need a weaker penalty, but no stronger one
                weaker = tuple(one for one in JUDGE.linear_strengths if one >= strength)
                self._strengths.setdefault((k, member), weaker)
                fits.append(fit)
        tuning = np.concatenate([fit.tuning for fit in fits])

        def measure() -> Tensor:
            found = [fit.held_out for fit in fits]
            refit = fits[0].refit
            if refit is not None and len(arrays.learnable) <= JUDGE.max_refit_rows:
                found.append(refit())
            return self._tensor(np.logaddexp.reduce(found, axis=0) - np.log(len(found)))

        def importances() -> Tensor:
            return self._tensor(np.mean([fit.importances() for fit in fits], axis=0))

        return FoldInformation(self._tensor(tuning), measure, importances)

    def _tensor(self, values: NDArray[np.float64]) -> Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=self.device)
