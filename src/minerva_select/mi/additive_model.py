"""A penalized additive model as a critic: every column has its own curve or coefficient per level."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from minerva_select.config import JUDGE
from minerva_select.mi.arrays import ArrayFit, FoldArrays, PermutedRows
from minerva_select.mi.linear_models import LinearModel, RidgeFits, fit_logistic, probabilities
from minerva_select.mi.predictive import PredictionScorer, class_information

_MAX_SCORE = 3.0
_BLOCK_ROWS = 10_000  # of a design matrix


def fit_additive(
    arrays: FoldArrays, features: NDArray[np.int64], member: int, strengths: tuple[float, ...], seed: int
) -> tuple[ArrayFit, float]:
    """Fit a penalized additive model to the training rows of a member; returns the chosen strength too."""
    train, tune = arrays.members[member]
    train = _thin(train, arrays)
    design = AdditiveDesign(arrays, features, train)
    if not design.n_terms:  # no level is frequent enough for a coefficient
        return ArrayFit.of_nothing(len(tune), len(arrays.held_out), len(features)), strengths[0]
    classes, fit_model = _prepare(arrays, design.transform(train), train)
    x_tune = design.transform(tune)
    best: tuple[float, NDArray[np.float64], float, LinearModel, PredictionScorer] | None = None
    for candidate in strengths:
        model = fit_model(candidate, None if best is None else best[3])
        predicted = _as_predictions(model.scores(x_tune), arrays)
        scorer = PredictionScorer.fit(predicted, arrays, tune)
        information = scorer.information(predicted, classes, tune)
        bound = float(np.average(information, weights=arrays.weights[tune]))
        if best is not None and bound <= best[0]:
            break
        best = bound, information, candidate, model, scorer
    assert best is not None
    _, information, strength, model, scorer = best

    def measure() -> NDArray[np.float64]:
        return scorer.information(_predict(model, design, arrays.held_out), classes, arrays.held_out)

    def importances() -> NDArray[np.float64]:
        return _importances(model, classes, design, tune, features, seed)

    def refit() -> NDArray[np.float64]:
        rows = _thin(arrays.learnable, arrays)
        whole = AdditiveDesign(arrays, features, rows)
        all_classes, fit_final = _prepare(arrays, whole.transform(rows), rows)
        predicted = _predict(fit_final(strength, None), whole, arrays.held_out)
        return scorer.information(predicted, all_classes, arrays.held_out)

    return ArrayFit(information, measure, importances, refit), strength


def _thin(rows: NDArray[np.int64], arrays: FoldArrays) -> NDArray[np.int64]:
    """Every n-th row, if there are too many."""
    thinned = rows[:: -(-len(rows) // JUDGE.max_linear_rows)]
    return thinned if np.ptp(arrays.target.bins[thinned]) else rows  # a rare class may lie between


def _predict(model: LinearModel, design: AdditiveDesign, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Class probabilities or numbers, in blocks of rows: the design matrix may be wide."""
    blocks = [rows[start : start + _BLOCK_ROWS] for start in range(0, len(rows), _BLOCK_ROWS)]
    scores = np.concatenate([model.scores(design.transform(block)) for block in blocks])
    return _as_predictions(scores, design.arrays)


def _as_predictions(scores: NDArray[np.float64], arrays: FoldArrays) -> NDArray[np.float64]:
    return probabilities(scores) if arrays.target.is_class else scores[:, 0]


def _prepare(
    arrays: FoldArrays, x: NDArray[np.float64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Callable[[float, LinearModel | None], LinearModel]]:
    """Classes of some rows, none of a numeric target, and a function that fits a model of a strength to them."""
    bins, weights = arrays.target.bins[rows], arrays.weights[rows]
    if not arrays.target.is_class:
        ridge = RidgeFits(x, arrays.target.scores[bins], weights)
        return np.empty(0, dtype=np.int64), lambda strength, _: ridge.fit(strength)
    classes, index = np.unique(bins, return_inverse=True)

    def fit(strength: float, start: LinearModel | None) -> LinearModel:
        return fit_logistic(x, index, weights, strength, max_steps=JUDGE.max_linear_steps, start=start)

    return classes, fit


def _importances(
    model: LinearModel,
    classes: NDArray[np.int64],
    design: AdditiveDesign,
    tune: NDArray[np.int64],
    features: NDArray[np.int64],
    seed: int,
) -> NDArray[np.float64]:  # (n_features,)
    """Fall of the bound on tuning rows when the terms of one column are permuted."""
    drawn = PermutedRows.draw(design.arrays, tune, seed, JUDGE.importance_rows)
    x, x_other = design.transform(drawn.rows), design.transform(drawn.others)
    target, bins, weights = design.arrays.target, design.arrays.target.bins[drawn.rows], drawn.weights

    def bound(scores: NDArray[np.float64]) -> float:
        if not target.is_class:
            return -float(np.average((scores[:, 0] - target.scores[bins]) ** 2, weights=weights))
        information = class_information(probabilities(scores), classes, bins, target)
        return float(np.average(information, weights=weights))

    scores = model.scores(x)
    base, found, start = bound(scores), np.zeros(len(features)), 0
    for k, (_, levels) in enumerate(design.terms):
        terms = slice(start, start + _n_terms(levels))
        found[k] = base - bound(scores + (x_other[:, terms] - x[:, terms]) @ model.coefficients[:, terms].T)
        start = terms.stop
    return found


class AdditiveDesign:
    """Design matrix of an additive model: hinges of quantiles, indicators of levels and of missing values."""

    def __init__(self, arrays: FoldArrays, features: NDArray[np.int64], train: NDArray[np.int64]) -> None:
        self.arrays = arrays
        self.terms: list[tuple[int, NDArray[np.float64] | None]] = []
        n_terms = 0
        for feature in features:
            levels = self._levels(int(feature), train) if arrays.is_categorical[feature] else None
            n_own = _n_terms(levels)
            if n_terms + n_own > JUDGE.max_linear_terms:
                break
            self.terms.append((int(feature), levels))
            n_terms += n_own
        self.n_terms = n_terms
        if not n_terms:
            return
        raw = self._raw(train)
        # Indicators keep their scale, so that the penalty holds for rare levels too
        is_level = np.concatenate([np.full(_n_terms(levels), levels is not None) for _, levels in self.terms])
        self.center, scale = raw.mean(axis=0), np.where(is_level, 0.5, raw.std(axis=0))
        self.scale = np.where(scale > 1e-9, scale, np.inf)

    def transform(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Standardized design matrix of rows."""
        standardized: NDArray[np.float64] = (self._raw(rows) - self.center) / self.scale
        return standardized

    def _levels(self, feature: int, train: NDArray[np.int64]) -> NDArray[np.float64]:
        levels, counts = np.unique(self.arrays.column(feature, train), return_counts=True)
        frequent = levels[counts >= JUDGE.min_level_rows]
        return frequent[:64].astype(np.float64)  # codes are ordered by frequency

    def _raw(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        blocks = []
        for feature, levels in self.terms:
            values = self.arrays.column(feature, rows).astype(np.float64)[:, None]
            if levels is not None:
                blocks.append((values == levels).astype(np.float64))
                continue
            missing = np.isnan(values)
            quantiles = np.where(missing, 0.5, values)
            scores = ndtri(quantiles.clip(1e-6, 1 - 1e-6)).clip(-_MAX_SCORE, _MAX_SCORE)
            hinges = (quantiles - np.array(JUDGE.linear_knots)).clip(0.0)
            blocks.append(np.concatenate([np.where(missing, 0.0, scores), hinges, missing], axis=1))
        return np.concatenate(blocks, axis=1) if blocks else np.zeros((len(rows), 1))


def _n_terms(levels: NDArray[np.float64] | None) -> int:
    return len(JUDGE.linear_knots) + 2 if levels is None else len(levels)
