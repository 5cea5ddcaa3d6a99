"""Weak members: columns whose effect critics cannot show, found by residuals of all rows that are held out once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minerva_select.config import CONDITIONAL_TEST
from minerva_select.mi.conditional_test import ConditionalTest
from minerva_select.solvers.judge import Judge


def add_weak_members(judge: Judge, kept: Sequence[int], everything: Sequence[int]) -> list[int]:
    """Add units that depend on the target given the kept ones, the clearest first, until none does.

    For categorical columns and targets only: residuals of numeric columns are not precise enough for the level. Units
    that are not in ``everything``, since the screen put others first, count as tested.
    """
    arrays = judge.arrays.folds[0] if kept and judge.arrays.families and judge.has_time else None
    if arrays is None or not arrays.target.is_class or judge.clusters is not None or np.ptp(arrays.weights) > 0:
        return []
    feature_of = {unit: features[0] for unit, features in enumerate(judge.context.units) if len(features) == 1}
    categorical = [u for u in everything if u in feature_of and arrays.is_categorical[feature_of[u]]]
    candidates = [unit for unit in categorical if unit not in kept]
    if not candidates or not set(kept) <= set(categorical) or len(categorical) > CONDITIONAL_TEST.max_columns:
        return []
    if judge.explains_target(judge.verdict(kept)):
        return []
    # A single fold has later rows, or another part of a large table, to prove things on: no others count
    rows = arrays.held_out if len(judge.arrays.folds) == 1 else np.arange(len(arrays.weights))
    rows = rows[:: -(-len(rows) // CONDITIONAL_TEST.max_rows)]
    features = np.array([feature_of[unit] for unit in categorical])
    columns = arrays.read(features, rows).astype(np.int64)
    test = ConditionalTest(columns, arrays.target.bins[rows], judge.arrays.seed)
    position = {unit: k for k, unit in enumerate(categorical)}
    n_left_out = len(judge.context.units) - len(everything)
    least = CONDITIONAL_TEST.min_share * judge.measure(kept).mean
    added: list[int] = []
    while candidates and judge.has_time and test.is_feasible([position[unit] for unit in (*kept, *added)]):
        results = test.test([position[unit] for unit in candidates], [position[unit] for unit in (*kept, *added)])
        enough = [unit for unit in candidates if results[position[unit]].nats >= least]
        best = min(enough, key=lambda unit: results[position[unit]].p_value, default=None)
        n_tests = len(candidates) + n_left_out
        if best is None or results[position[best]].p_value * n_tests > CONDITIONAL_TEST.level:
            break
        candidates.remove(best)
        added.append(best)
    return added
