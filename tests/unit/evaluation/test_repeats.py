"""One selector fitted many times."""

from __future__ import annotations

import dataclasses

import joblib
import numpy as np
import pandas as pd
import pytest

from minerva_select.errors import InputError
from minerva_select.evaluation import repeat_fits, with_frequencies
from minerva_select.results import FeatureResult, Progress, Reason, ReasonCode, Repeats, Selection
from minerva_select.selectors import LassoSelector, RandomForestSelector


def seeds(selections):
    return [selection.settings["random_state"] for selection in selections]


def same(selections):
    """Selections without their times."""
    return [dataclasses.replace(selection, seconds=0.0) for selection in selections]


@pytest.fixture
def forest():
    return RandomForestSelector(n_estimators=5)


def test_every_fit_has_its_own_seed_derived_from_random_state(table, forest):
    found = repeat_fits(forest, *table, n_repeats=3, random_state=0)
    assert len(set(seeds(found))) == 3
    assert same(found) == same(repeat_fits(forest, *table, n_repeats=3, random_state=0))
    assert set(seeds(found)).isdisjoint(seeds(repeat_fits(forest, *table, n_repeats=3, random_state=1)))
    assert forest.random_state is None


def test_a_fit_can_be_reproduced_from_its_seed(table, forest):
    third = repeat_fits(forest, *table, n_repeats=3, random_state=0)[2]
    again = forest.set_params(random_state=third.settings["random_state"]).fit(*table).selection_
    assert same([again]) == same([third])


@pytest.mark.parametrize("subsample", [None, 0.5])
def test_the_first_fits_do_not_depend_on_n_repeats_and_n_jobs(table, forest, subsample):
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


def test_a_selector_without_random_state_can_be_repeated(table):
    class Plain(LassoSelector):
        def __init__(self):
            super().__init__()

    found = repeat_fits(Plain(), *table, n_repeats=2, subsample=0.5, random_state=0)
    assert [selection.target for selection in found] == ["y", "y"]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_of_a_fit_is_raised(table, n_jobs):
    with (
        joblib.parallel_config(backend="threading"),
        pytest.raises(InputError, match="n_features_to_select"),
    ):
        repeat_fits(LassoSelector(n_features_to_select=9), *table, n_repeats=2, n_jobs=n_jobs)


@pytest.mark.parametrize("streams", [True, False])
def test_progress_is_reported_after_every_fit_and_changes_nothing(table, forest, streams, monkeypatch):
    if not streams:  # as with a backend that returns all fits together
        monkeypatch.setattr("minerva_select.evaluation.repeats.user_backend", object)
    seen = []
    settings = {"n_repeats": 2, "subsample": 0.5, "random_state": 0}
    with joblib.parallel_config(backend="threading", n_jobs=2):
        found = repeat_fits(forest, *table, **settings, progress=seen.append)
    assert seen == [Progress("fit 1 of 2", 0.5), Progress("fit 2 of 2", 1.0)]
    assert same(found) == same(repeat_fits(forest, *table, **settings))


def test_sequential_fits_report_progress_before_the_next_fit(table):
    events = []

    class Logged(RandomForestSelector):
        def fit(self, X, y):
            events.append("fit")
            return super().fit(X, y)

    repeat_fits(
        Logged(n_estimators=5),
        *table,
        n_repeats=2,
        random_state=0,
        progress=lambda progress: events.append(progress.stage),
    )
    assert events == ["fit", "fit 1 of 2", "fit", "fit 2 of 2"]


def selection_of(selected, columns="abc"):
    features = tuple(FeatureResult(name, name in selected, Reason(ReasonCode.CONTRIBUTES)) for name in columns)
    return Selection("y", features, None, None, n_rows=10)


@pytest.mark.parametrize(
    ("repeats", "frequencies", "agreement"),
    [
        # shares of common features: ab and a 1/2, ab and b 1/2, a and b 0
        (["ab", "a", "b"], [2 / 3, 2 / 3, 0], 1 / 3),
        (["ab", "ab"], [1, 1, 0], 1),
        (["abc"], [1, 1, 1], 1),
        (["", "", ""], [0, 0, 0], 1),
        # nothing and a 0, twice, and a with itself 1
        (["", "a", "a"], [2 / 3, 0, 0], 1 / 3),
    ],
)
def test_frequencies_are_shares_of_the_repeats_and_agreement_of_their_pairs(repeats, frequencies, agreement):
    answer = with_frequencies(selection_of("a"), [selection_of(one) for one in repeats], subsample=0.5)
    assert [result.frequency for result in answer.features] == pytest.approx(frequencies)
    assert answer.repeats == Repeats(len(repeats), 0.5, pytest.approx(agreement))
    assert answer.selected == ("a",)


def test_repeats_of_another_selection_are_refused():
    with pytest.raises(InputError, match="repeats"):
        with_frequencies(selection_of("a"), [])
    with pytest.raises(InputError, match="'c'"):
        with_frequencies(selection_of("a"), [selection_of("a"), selection_of("a", columns="ab")])
    with pytest.raises(InputError, match="subsample"):
        with_frequencies(selection_of("a"), [selection_of("a")], subsample=2)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_repeats": 0}, "n_repeats"),
        ({"n_repeats": 2.5}, "n_repeats"),
        ({"n_repeats": 2, "subsample": 1.0}, "subsample"),
        ({"n_repeats": 2, "subsample": "half"}, "subsample"),
        ({"n_repeats": 2, "random_state": -1}, "random_state"),
    ],
)
def test_bad_settings_are_refused(table, forest, settings, message):
    with pytest.raises(InputError, match=message):
        repeat_fits(forest, *table, **settings)
