"""Claims about one selector fitted many times."""

from __future__ import annotations

import dataclasses

import joblib
import numpy as np
import pandas as pd
import pytest

from minerva.errors import InputError
from minerva.evaluation import repeat_fits
from minerva.selectors import LassoSelector, RandomForestSelector


def seeds(selections):
    return [selection.settings["random_state"] for selection in selections]


def same(selections):
    """Selections less their times."""
    return [dataclasses.replace(selection, seconds=0.0) for selection in selections]


@pytest.fixture
def forest():
    return RandomForestSelector(n_estimators=5)


def test_every_fit_has_a_seed_of_its_own_that_follows_from_the_first(table, forest):
    found = repeat_fits(forest, *table, n_repeats=3, random_state=0)
    assert len(set(seeds(found))) == 3
    assert same(found) == same(repeat_fits(forest, *table, n_repeats=3, random_state=0))
    assert set(seeds(found)).isdisjoint(seeds(repeat_fits(forest, *table, n_repeats=3, random_state=1)))
    assert forest.random_state is None


def test_a_fit_can_be_done_again_by_its_seed(table, forest):
    third = repeat_fits(forest, *table, n_repeats=3, random_state=0)[2]
    again = forest.set_params(random_state=third.settings["random_state"]).fit(*table).selection_
    assert same([again]) == same([third])


@pytest.mark.parametrize("subsample", [None, 0.5])
def test_the_first_fits_are_the_same_however_many_follow_and_run_at_once(table, forest, subsample):
    found = repeat_fits(forest, *table, n_repeats=2, subsample=subsample, random_state=0)
    with joblib.parallel_config(backend="threading"):
        more = repeat_fits(forest, *table, n_repeats=4, subsample=subsample, random_state=0, n_jobs=2)
    assert same(found) == same(more[:2])


def test_a_subsample_has_its_share_of_rows_and_of_every_class(table):
    class Counts(LassoSelector):
        def fit(self, X, y):
            counts.append(np.unique(y.column(0).to_numpy(), return_counts=True)[1].tolist())
            rows.append(tuple(X.column("b").to_numpy()))
            return super().fit(X, y)

    counts, rows = [], []
    X, _ = table
    y = pd.Series([1] * 12 + [0] * 48, name="y")
    found = repeat_fits(Counts(), X, y, n_repeats=3, subsample=0.25, random_state=0)
    assert [selection.n_rows for selection in found] == [15] * 3
    assert counts == [[12, 3]] * 3  # a quarter of 48, and of 12
    assert len(set(rows)) == 3
    assert all(len(set(one)) == 15 for one in rows)  # none twice


def test_a_method_without_draws_is_repeated_too(table):
    class Plain(LassoSelector):
        def __init__(self):
            super().__init__()

    found = repeat_fits(Plain(), *table, n_repeats=2, subsample=0.5, random_state=0)
    assert [selection.target for selection in found] == ["y", "y"]


def test_an_error_of_a_fit_is_raised(table):
    with pytest.raises(InputError, match="n_features_to_select"):
        repeat_fits(LassoSelector(n_features_to_select=9), *table, n_repeats=2)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_repeats": 0}, "n_repeats must be a whole number above 0, got 0"),
        ({"n_repeats": 2.5}, "n_repeats must be"),
        ({"n_repeats": 2, "subsample": 1.0}, "subsample must be a share between 0 and 1"),
        ({"n_repeats": 2, "subsample": "half"}, "subsample must be a share"),
        ({"n_repeats": 2, "random_state": -1}, "random_state must be"),
    ],
)
def test_bad_settings_are_refused(table, forest, settings, message):
    with pytest.raises(InputError, match=message):
        repeat_fits(forest, *table, **settings)
