"""Number of features by cross-validation."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from minerva_select.config import BASELINES
from minerva_select.selectors.baselines.n_features_cv import _subsample, choose_n_features


@pytest.mark.parametrize(
    "classes",
    [[1] + [0] * 29, [0, 1, 2] * 10, list(range(30))],
    ids=["one row of a class", "three classes", "one class per row"],
)
def test_the_number_of_features_is_chosen_for_any_classes(classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    assert choose_n_features(X, np.array(classes), np.ones(30), is_classification=True, rng=rng) in (1, 2, 3, 4)


def test_both_columns_of_an_interaction_are_needed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    assert choose_n_features(X, y, np.ones(2000), is_classification=True, rng=rng) == 2


def test_a_subsample_has_all_rows_of_rare_classes(monkeypatch):
    small = dataclasses.replace(BASELINES, max_cv_rows=300)
    monkeypatch.setattr("minerva_select.selectors.baselines.n_features_cv.BASELINES", small)
    classes = np.repeat([0, 1, 2], [10, 400, 590])
    rows, shares = _subsample(classes, np.random.default_rng(0))
    assert len(set(rows.tolist())) == 300
    assert np.bincount(classes[rows]).tolist() == [10, 145, 145]
    # Divided by its share, each class has its previous weight
    assert np.bincount(classes[rows], weights=1 / shares) == pytest.approx([10, 400, 590])
