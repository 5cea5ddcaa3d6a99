"""Screen: information of every column and pair on the training rows of a fold, and which units stand out."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import torch
from torch import Tensor

from minerva_select.config import DISCRETIZATION, INFERENCE, SEARCH
from minerva_select.mi.discretization import coarsen_target, discretize_columns
from minerva_select.mi.fold import Fold
from minerva_select.mi.pair_tables import build_pair_tables
from minerva_select.mi.pairwise_mi import PairwiseInformation, count_information
from minerva_select.runtime.deadline import Deadline

SCREEN_CELLS = {"cpu": 1e12, "cuda": 5e14}  # multiplications of a screen; beyond that, fewer rows are counted
_CELLS_PER_SECOND = {"cpu": 1e10, "cuda": 1e13}  # under a time limit; columns with many levels cost several
_MIN_SECONDS = 0.5
_CHUNK = 16384  # rows discretized at once


def screen_fold(fold: Fold, deadline: Deadline | None = None) -> PairwiseInformation:
    """Information of all columns and, until the deadline, of pairs, without the held-out rows."""
    rows = torch.cat([fold.train[0], fold.tune[0]]).sort().values
    cells = 6.0 * fold.x.layout.n_features  # rough one-hot width, good enough for a budget
    device, sharding = rows.device.type, fold.sharding
    max_cells = SCREEN_CELLS.get(device, 1e12)
    if deadline is not None:
        seconds = max(_MIN_SECONDS, deadline.remaining)
        max_cells = min(max_cells, _CELLS_PER_SECOND.get(device, 1e10) * seconds)
    n_rows = sharding.ranks.broadcast(int(min(len(rows), max(SEARCH.min_screen_rows, max_cells / (2 * cells**2)))))
    rows = rows[:: max(1, len(rows) // n_rows)]
    classes = coarsen_target(fold.target.bins[rows], fold.target.order)
    codes = _discretize(fold, sharding.select_own(rows), _n_bins(len(rows), int(classes.max()) + 1))
    own_classes = classes[sharding.owns(rows)]
    return count_information(codes, own_classes, n_pairs=SEARCH.n_screen_pairs, ranks=sharding.ranks, deadline=deadline)


def _n_bins(n_rows: int, n_classes: int) -> int:
    """Bins of a numeric column: fewer if the cells of a pair of columns would hold next to no rows."""
    n_bins = DISCRETIZATION.n_bins
    return n_bins if n_rows >= SEARCH.min_cell_rows * n_bins**2 * n_classes else SEARCH.n_few_bins


def _discretize(fold: Fold, rows: Tensor, n_bins: int) -> Tensor:  # (n_rows, n_features) uint8
    """Discretize rows of this process, a chunk at a time."""
    codes = torch.empty(len(rows), fold.x.layout.n_features, dtype=torch.uint8, device=rows.device)
    for start in range(0, len(rows), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        codes[chunk] = discretize_columns(fold.sharding.take(fold.x, rows[chunk]), n_bins)
    return codes


def add_pair_tables(folds: Sequence[Fold], screens: Sequence[PairwiseInformation], n_pairs: int) -> list[Fold]:
    """Give every fold the target encoding of the pairs that stand out in any of them."""
    strongest: dict[tuple[int, int], float] = {}
    for screen in screens:
        for pair, z in _significant_pairs(screen):
            strongest[pair] = max(z, strongest.get(pair, z))
    pairs = sorted(strongest, key=lambda pair: -strongest[pair])[:n_pairs]
    if not pairs:
        return list(folds)
    encoded = []
    for fold in folds:
        classes = coarsen_target(fold.target.bins, fold.target.order)
        tables = build_pair_tables(fold.x, classes, fold.row_weights, fold.all_training_rows, pairs, fold.sharding)
        encoded.append(dataclasses.replace(fold, pairs=tables))
    return encoded


def select_screened_units(screen: PairwiseInformation, units: list[list[int]], required: list[int]) -> list[int]:
    """Units of the columns and pairs that stand out, strongest first up to a limit, and the required units."""
    unit_of = {feature: unit for unit, features in enumerate(units) for feature in features}
    threshold = min(INFERENCE.clear_z, _largest_null_z(len(screen.marginal_z)))
    found: list[tuple[float, tuple[int, ...]]] = [
        (float(z), (feature,)) for feature, z in enumerate(screen.marginal_z) if z > threshold
    ]
    found += [(z, pair) for pair, z in _significant_pairs(screen)]
    chosen: dict[int, None] = dict.fromkeys(required)
    for _, features in sorted(found, key=lambda item: -item[0]):
        if len(chosen) < SEARCH.max_screened_units:
            chosen.update(dict.fromkeys(unit_of[feature] for feature in features if feature in unit_of))
    return sorted(chosen)


def marginal_z_of_units(screen: PairwiseInformation, units: list[list[int]]) -> list[float]:
    """Largest marginal z-score of each unit's columns."""
    return [max(float(screen.marginal_z[feature]) for feature in features) for features in units]


def sort_by_screen(chosen: list[int], screen: PairwiseInformation, units: list[list[int]]) -> list[int]:
    """Sort units by their z-score in the screen, alone or in a pair: the last ones may not be reached in time."""
    best = screen.marginal_z.clone()
    for (first, second), z in zip(screen.pairs.tolist(), screen.pair_z.tolist(), strict=True):
        best[first], best[second] = max(float(best[first]), z), max(float(best[second]), z)
    return sorted(chosen, key=lambda unit: -max(float(best[feature]) for feature in units[unit]))


def _significant_pairs(screen: PairwiseInformation) -> list[tuple[tuple[int, int], float]]:
    n_columns = len(screen.marginal_z)
    threshold = _largest_null_z(n_columns * (n_columns - 1) / 2)
    pairs = screen.pairs.sort(dim=1).values.tolist()  # the order within a pair may differ between folds
    return [((a, b), z) for (a, b), z in zip(pairs, screen.pair_z.tolist(), strict=True) if z > threshold]


def _largest_null_z(n_tests: float) -> float:
    """Approximate maximum of the z-scores of this many tests under the null hypothesis."""
    return math.sqrt(2.0 * math.log(max(2.0, n_tests))) + SEARCH.null_margin
