"""One fit for several numbers of features."""

from __future__ import annotations

import dataclasses
import threading

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from full_selection import full_selection
from minerva_select import MinervaSelector
from minerva_select.codes import StopCause, WarningCode
from minerva_select.errors import InputError
from minerva_select.results import SelectionWarning
from minerva_select.selectors import minerva
from minerva_select.selectors.fit_reuse import SHARED_FITS, FitCache, fit_key

FITTED = {"selection_": full_selection()}


@pytest.fixture(autouse=True)
def no_earlier_fits():
    SHARED_FITS.clear()
    yield
    SHARED_FITS.clear()


@pytest.fixture
def fits(monkeypatch):
    """The numbers of rows of all fits that were computed."""
    counted, solve = [], minerva.select_by_vetting

    def count(context):
        counted.append(context.n_rows)
        return solve(context)

    monkeypatch.setattr(minerva, "select_by_vetting", count)
    return counted


def key(X=((1, 2), (3, 4)), y=(0, 1), **parameters):
    selector = MinervaSelector(**{"random_state": 0, **parameters})
    return fit_key(selector.get_params(deep=False), (np.array(X), np.array(y), None, None, None))


def test_the_key_leaves_out_the_number_of_features_and_what_does_not_change_the_result():
    same = {key(), key(n_features_to_select=1), key(verbose=1), key(callbacks=[print]), key(random_state=np.int64(0))}
    assert len(same) == 1


def test_every_change_of_data_and_parameters_changes_the_key():
    keys = [
        key(),
        key(X=((1, 2), (3, 5))),
        key(y=(1, 0)),
        key(random_state=1),
        key(keep=["x0"]),
        key(redundant="keep"),
        key(time_limit=5),
        key(min_features_to_select=1),
    ]
    assert len({*keys}) == len(keys)


def test_equal_frames_have_one_key_and_other_names_another():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    parameters = MinervaSelector(random_state=0).get_params(deep=False)
    same, other = frame.copy(), frame.rename(columns={"b": "c"})
    first, second, third = (fit_key(parameters, (one, [0, 1], None, None, None)) for one in (frame, same, other))
    assert first == second != third


@pytest.mark.parametrize("seed", [None, np.random.RandomState(0), True])
def test_only_a_whole_number_as_seed_can_share_fits(seed):
    with pytest.raises(InputError, match="whole number as random_state"):
        key(random_state=seed)


def test_a_change_of_one_selectors_arrays_does_not_change_those_of_others(pair, fits):
    first, second = (MinervaSelector(random_state=0, reuse_fit=True) for _ in range(2))
    expected = first.fit(pair.X, pair.y).support_.copy()
    first.support_[:] = ~expected
    assert (second.fit(pair.X, pair.y).support_ == expected).all()
    assert len(fits) == 1


def test_only_tables_in_memory_share_fits(pair):
    with pytest.raises(InputError, match="table in memory"):
        MinervaSelector(random_state=0, reuse_fit=True).fit(iter(()), pair.y)


def test_the_least_recently_used_fits_are_removed_first():
    cache = FitCache(max_fits=2, max_bytes=10**9)
    for name in ("a", "b", "a", "c"):
        cache.get_or_fit(name, lambda: FITTED)
    found = []
    for name in ("a", "c", "b"):
        cache.get_or_fit(name, lambda name=name: found.append(name) or FITTED)
    assert found == ["b"]
    assert len(cache) == 2


def test_fits_take_no_more_than_their_share_of_memory():
    cache = FitCache(max_fits=100, max_bytes=1000)  # less than one selection
    cache.get_or_fit("a", lambda: FITTED)
    assert len(cache) == 0


def test_a_fit_that_was_asked_to_stop_is_not_kept():
    warning = SelectionWarning(WarningCode.NOT_CONVERGED, values={"cause": str(StopCause.ASKED)})
    cache = FitCache(max_fits=2, max_bytes=10**9)
    cache.get_or_fit("a", lambda: {"selection_": dataclasses.replace(full_selection(), warnings=(warning,))})
    assert len(cache) == 0


def test_a_fit_that_fails_is_not_kept():
    cache = FitCache(max_fits=2, max_bytes=10**9)
    with pytest.raises(ZeroDivisionError):
        cache.get_or_fit("a", lambda: 1 // 0)
    assert cache.get_or_fit("a", lambda: FITTED) is FITTED


def test_threads_wait_for_the_fit_of_another_one():
    cache, started, counted = FitCache(max_fits=2, max_bytes=10**9), threading.Barrier(4), []

    def work():
        started.wait()
        cache.get_or_fit("a", lambda: counted.append(1) or FITTED)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted == [1]


@pytest.mark.usefixtures("use_small_fits")
class TestFits:
    def test_clones_with_other_numbers_share_one_fit_and_select_what_a_fit_of_their_own_does(self, pair, fits):
        selector = MinervaSelector(random_state=0, reuse_fit=True, device="cpu")
        shared = {k: clone(selector).set_params(n_features_to_select=k).fit(pair.X, pair.y) for k in (None, 1, 2, 4)}
        assert len(fits) == 1
        for k, one in shared.items():
            own = MinervaSelector(k, random_state=0, device="cpu").fit(pair.X, pair.y)
            assert one.get_support().tolist() == own.get_support().tolist()
            assert one.n_features_in_ == own.n_features_in_
            assert one.feature_names_in_.tolist() == own.feature_names_in_.tolist()
            assert one.selection_.settings["n_features_to_select"] == k
        assert shared[2].transform(pair.X).shape == (len(pair.X), 2)

    def test_other_rows_or_weights_are_fitted_again(self, pair, fits):
        selector = MinervaSelector(1, random_state=0, reuse_fit=True, device="cpu")
        for weights in (None, np.arange(1.0, len(pair.X) + 1)):
            for _ in range(2):
                selector.fit(pair.X, pair.y, weights)
        selector.fit(pair.X[::-1], pair.y[::-1])
        assert len(fits) == 3

    def test_impossible_numbers_are_refused_before_the_fit(self, pair, fits):
        for parameters in ({"n_features_to_select": 6}, {"n_features_to_select": 1, "min_features_to_select": 2}):
            with pytest.raises(InputError):
                MinervaSelector(**parameters, random_state=0, reuse_fit=True).fit(pair.X, pair.y)
        assert fits == []

    @pytest.mark.slow
    def test_a_grid_over_ten_numbers_in_a_pipeline_computes_one_fit_per_split(self, fits):
        rng = np.random.default_rng(0)
        X = pd.DataFrame(rng.integers(0, 3, (300, 10)), columns=[f"f{k}" for k in range(10)])
        y = (X["f0"] == X["f3"]) ^ (rng.random(300) < 0.05)
        pipeline = make_pipeline(MinervaSelector(random_state=0, reuse_fit=True, device="cpu"), LogisticRegression())
        grid = {"minervaselector__n_features_to_select": list(range(1, 11))}
        search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
        assert fits == [200, 200, 200, 300]  # the splits, and the whole table once
        assert not np.isnan(search.cv_results_["mean_test_score"]).any()
