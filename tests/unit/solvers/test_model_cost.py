"""Scores of boosted trees on held-out rows."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from minerva_select.codes import ScoreMetric
from minerva_select.config import JUDGE
from minerva_select.solvers.model_cost import CostFold, CostRows, choose_metric, score_fold

N_ROWS = 1200


def table(make_y):
    rng = np.random.default_rng(0)
    x = np.floor(rng.random((N_ROWS, 3)) * 127).astype(np.float32)
    return x, make_y(x / 127, rng)


def parts(weights=None):
    train, tune, held_out = np.arange(600), np.arange(600, 800), np.arange(800, N_ROWS)
    return CostFold(train, tune, held_out, np.ones(N_ROWS) if weights is None else weights)


def rows_of(x, y, n_classes):
    return CostRows(x, np.zeros(x.shape[1], dtype=bool), y, n_classes)


@pytest.mark.parametrize(
    ("y", "n_classes", "metric"),
    [
        (np.linspace(0, 1, 100), 0, ScoreMetric.R2),
        (np.arange(100) % 3, 3, ScoreMetric.MACRO_ROC_AUC),
        (np.arange(100) % 2, 2, ScoreMetric.ROC_AUC),
        ((np.arange(100) < 5).astype(int), 2, ScoreMetric.ROC_AUC),
        ((np.arange(100) < 4).astype(int), 2, ScoreMetric.PR_AUC),
        ((np.arange(100) >= 4).astype(int), 2, ScoreMetric.PR_AUC),
    ],
)
def test_the_metric_follows_the_target(y, n_classes, metric):
    assert choose_metric(y, n_classes) is metric


def test_the_score_of_a_number_is_the_variance_that_the_columns_explain():
    x, y = table(lambda x, rng: 2 * x[:, 0] + x[:, 1] + rng.normal(size=N_ROWS) / 4)
    rows = rows_of(x, y, 0)
    both, first, none = (score_fold(rows, parts(), columns, ScoreMetric.R2).value for columns in ([0, 1, 2], [0], []))
    # Variances: 4/12 and 1/12 of the columns, 1/16 of the noise; 400 rows give R2 to 0.02, trees reach a little less
    assert both == pytest.approx(0.87, abs=0.06)
    assert first == pytest.approx(0.70, abs=0.06)
    assert none == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("share", [0.5, 0.03])
def test_the_score_of_a_class_is_that_of_chance_without_columns(share):
    x, y = table(lambda x, rng: (x[:, 0] + rng.normal(size=N_ROWS) / 10 > 1 - share).astype(np.int64))
    rows = rows_of(x, y, 2)
    metric = choose_metric(y, 2)
    chance = 0.5 if metric is ScoreMetric.ROC_AUC else y[800:].mean()
    assert score_fold(rows, parts(), [], metric).value == pytest.approx(chance)
    assert score_fold(rows, parts(), [0], metric).value > chance + 0.3


def test_classes_that_no_training_row_has_are_scored_as_never_predicted():
    x, y = table(lambda x, rng: np.floor(x[:, 0] * 2.99).astype(np.int64))
    y[:800][y[:800] == 2] = 1
    score = score_fold(rows_of(x, y, 3), parts(), [0, 1], ScoreMetric.MACRO_ROC_AUC)
    assert 0.5 < score.value < 1


@pytest.mark.parametrize("max_refit_rows", [0, 10_000])
def test_a_class_that_only_tuning_rows_have_does_not_prevent_early_stopping(monkeypatch, max_refit_rows):
    settings = dataclasses.replace(JUDGE, max_refit_rows=max_refit_rows)
    monkeypatch.setattr("minerva_select.solvers.model_cost.JUDGE", settings)
    x, y = table(lambda x, rng: (x[:, 0] + rng.normal(size=N_ROWS) > 0.9).astype(np.int64))
    more = y.copy()
    more[700] = 2
    scores = [
        score_fold(rows_of(x, own, n_classes), parts(), [0, 1, 2], ScoreMetric.MACRO_ROC_AUC).value
        for own, n_classes in ((y, 2), (more, 3))
    ]
    assert scores[1] == pytest.approx(scores[0], abs=0.03)  # with all rounds it is 0.09 less


def test_held_out_rows_of_one_class_have_no_score():
    x, y = table(lambda x, rng: (x[:, 0] > 0.5).astype(np.int64))
    y[800:] = 1
    assert score_fold(rows_of(x, y, 2), parts(), [0], ScoreMetric.ROC_AUC) is None


def test_rows_count_by_their_weight():
    x, y = table(lambda x, rng: np.where(np.arange(N_ROWS) % 2, x[:, 0] > 0.5, x[:, 0] <= 0.5).astype(np.int64))
    weights = np.where(np.arange(N_ROWS) % 2, 1.0, 0.01)
    assert score_fold(rows_of(x, y, 2), parts(weights), [0], ScoreMetric.ROC_AUC).value > 0.95
    assert score_fold(rows_of(x, y, 2), parts(), [0], ScoreMetric.ROC_AUC).value < 0.6
