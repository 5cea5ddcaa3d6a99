"""Claims about the figures of a selection with a numeric target, next to those of ``mutual_information``."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from minerva_select import MinervaSelector, mutual_information
from minerva_select.codes import ReasonCode
from minerva_select.results import Estimate, FeatureResult, Reason
from minerva_select.runtime.deadline import Deadline
from minerva_select.selectors import numeric_target
from minerva_select.selectors.numeric_target import raise_contributions

N_ROWS = 400


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N_ROWS, 3))
    y = np.sin(2.5 * x[:, 0]) + 0.5 * x[:, 1] + 0.3 * rng.normal(size=N_ROWS)
    return pd.DataFrame(x, columns=["wave", "line", "noise"]), y


@pytest.fixture(scope="module")
def selection(table):
    return MinervaSelector(random_state=0).fit(*table).selection_


@pytest.mark.slow
def test_single_columns_have_the_information_that_mutual_information_estimates(table, selection):
    X, y = table
    for feature in selection.features:
        alone = mutual_information(X[[feature.feature]], y, random_state=0)
        # Both split the rows at random
        assert feature.marginal_nats == pytest.approx(alone.nats, abs=0.05)
        assert feature.marginal_low <= alone.high
        assert alone.low <= feature.marginal_high


@pytest.mark.slow
def test_the_kept_columns_have_at_least_the_estimate_of_the_function(table, selection):
    X, y = table
    found = mutual_information(X[list(selection.selected)], y, random_state=0)
    assert selection.mutual_information.nats > found.nats - 0.1  # different splits of 400 rows
    assert selection.mutual_information.low <= found.high
    assert found.low <= selection.mutual_information.high


@pytest.mark.slow
def test_the_path_ends_at_the_information_of_the_kept_columns(selection):
    nats = [point.nats for point in selection.path]
    assert selection.mutual_information.nats in nats
    assert nats == sorted(nats, reverse=nats[0] > nats[-1])
    assert selection.mutual_information.nats <= selection.total_information.nats


def test_a_raised_estimate_stays_within_its_interval(monkeypatch):
    monkeypatch.setattr(numeric_target, "is_numeric_target", lambda context: True)
    monkeypatch.setattr(numeric_target, "_estimate", lambda *arguments: Estimate(0.7, 0.6, 0.75, N_ROWS))
    context = SimpleNamespace(table=SimpleNamespace(columns=("a",)), n_rows=N_ROWS, deadline=Deadline(None))
    kept, total = Estimate(0.5, 0.4, 0.8, N_ROWS), Estimate(0.52, 0.5, 0.55, N_ROWS)
    found = numeric_target.refine_sets(numeric_target.SetEstimates(kept, total), ["a"], context)
    assert (found.kept.nats, found.kept.high) == (0.7, 0.8)
    assert found.total.low <= found.total.nats <= found.total.high


def test_contributions_may_lack_what_the_models_of_all_kept_columns_lack():
    reason = Reason(ReasonCode.CONTRIBUTES)
    kept = FeatureResult("a", True, reason, contribution_nats=0.2, contribution_low=0.1, contribution_high=0.3)
    unmeasured = FeatureResult("b", True, reason)
    dropped = FeatureResult("c", False, reason, contribution_nats=0.0, contribution_low=0.0, contribution_high=0.01)

    raised, *others = raise_contributions([kept, unmeasured, dropped], 0.05)

    ends = raised.contribution_nats, raised.contribution_low, raised.contribution_high
    assert ends == pytest.approx((0.2, 0.1, 0.35))
    assert others == [unmeasured, dropped]


@pytest.mark.slow
def test_contributions_cover_the_closed_form_of_normal_columns():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1_000, 3))
    y = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=1_000)
    selection = MinervaSelector(random_state=0).fit(pd.DataFrame(X, columns=["a", "b", "noise"]), y).selection_
    assert selection.selected == ("a", "b")
    for feature, coefficient in zip(selection.features, (1.0, 0.5), strict=False):
        truth = 0.5 * np.log(1 + coefficient**2)
        assert feature.contribution_low <= truth <= feature.contribution_high
