"""Subsample tuning and held-out rows of large tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from torch import Generator, Tensor

from minerva_select.config import SUBSAMPLE
from minerva_select.mi.fold import Fold
from minerva_select.mi.sampling import draw_stratified


def subsample_folds(folds: Sequence[Fold], generator: Generator, seconds: float | None = None) -> list[Fold]:
    """Limit the tuning and held-out rows of all folds, and further under a time limit of ``seconds``.

    Rows are drawn at random, with rare classes whole. A drawn row gets the weight of those it represents, so that means
    stay unbiased and hardly less certain: with one positive in a thousand rows, the positives determine the standard
    error. Training rows all stay. Folds with several members are small and stay as they are.
    """
    if len(folds[0].tune) > 1:
        return list(folds)
    in_time = math.inf if seconds is None else max(SUBSAMPLE.min_rows, seconds * SUBSAMPLE.rows_per_second)
    max_tuning, max_held_out = (
        int(min(most, in_time)) for most in (SUBSAMPLE.max_tuning_rows, SUBSAMPLE.max_held_out_rows)
    )
    row_weights = folds[0].row_weights.clone()  # shared by all folds of a table

    def draw(fold: Fold, rows: Tensor, max_rows: int) -> Tensor:
        if len(rows) * len(folds) <= max_rows:
            return rows
        chosen, share = draw_stratified(fold.target.bins[rows], max_rows // len(folds), generator)
        row_weights[rows[chosen]] /= share
        return rows[chosen]

    return [
        replace(
            fold,
            row_weights=row_weights,
            tune=(draw(fold, fold.tune[0], max_tuning),),
            held_out=draw(fold, fold.held_out, max_held_out),
        )
        for fold in folds
    ]
