"""Fewer rows to judge by, where there are more than it takes: the rest of the rows would only cost time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from torch import Generator, Tensor

from minerva_select.mi.cross_fit import Fold
from minerva_select.mi.sampling import draw_stratified

MAX_TUNE_ROWS = 20_000  # rows to tune on, of all folds
MAX_VET_ROWS = 100_000  # rows to vet on, of all folds
ROWS_A_SECOND = 1_500  # to tune and vet on at most, where the time is limited
MIN_ROWS = 5_000


def subsample_folds(folds: Sequence[Fold], generator: Generator, seconds: float | None = None) -> list[Fold]:
    """Folds that tune and vet on at most so many rows, drawn at random; rare classes of the target stay whole.

    Fewer still where the run has only so many seconds: what is judged, is judged on all of these rows many times.

    A row that was drawn stands for its share of those that were not, so that every mean stays right, and hardly less
    sure: where one row in a thousand is positive, the positives decide how sure a mean is. Training rows all stay. Only
    folds of one member are thinned, as tables that have more are small.
    """
    if len(folds[0].tune) > 1:
        return list(folds)
    in_time = math.inf if seconds is None else max(MIN_ROWS, seconds * ROWS_A_SECOND)
    max_tune, max_vet = (int(min(most, in_time)) for most in (MAX_TUNE_ROWS, MAX_VET_ROWS))
    row_weights = folds[0].row_weights.clone()  # one for all folds of a table

    def draw(fold: Fold, rows: Tensor, max_rows: int) -> Tensor:
        if len(rows) * len(folds) <= max_rows:
            return rows
        places, share = draw_stratified(fold.target.bins[rows], max_rows // len(folds), generator)
        row_weights[rows[places]] /= share
        return rows[places]

    return [
        replace(
            fold,
            row_weights=row_weights,
            tune=(draw(fold, fold.tune[0], max_tune),),
            held_out=draw(fold, fold.held_out, max_vet),
        )
        for fold in folds
    ]
