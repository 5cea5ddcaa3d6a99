"""Claims about ``mutual_information`` with a baseline estimator."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

from minerva_select import mutual_information
from minerva_select.config import NEURAL_ESTIMATORS
from minerva_select.errors import InputError
from minerva_select.mi.estimators import neural_critic

BASELINES = ("ksg", "cca", "infonce", "mine")
CLOSED = ("ksg", "cca")


@pytest.fixture(autouse=True)
def _few_steps(monkeypatch):
    short = dataclasses.replace(NEURAL_ESTIMATORS, batch_size=64, max_steps=200, evaluate_every=25)
    monkeypatch.setattr(neural_critic, "NEURAL_ESTIMATORS", short)


@pytest.fixture(scope="module")
def chain():
    """A chain x -> z -> y of normal columns with correlations 0.8, and an independent column."""
    rng = np.random.default_rng(0)
    x, first, second, noise = rng.standard_normal((4, 1500))
    z = 0.8 * x + 0.6 * first
    return pd.DataFrame({"x": x, "z": z, "y": 0.8 * z + 0.6 * second, "noise": noise})


@pytest.mark.parametrize("estimator", BASELINES)
def test_every_baseline_finds_the_information_of_normal_columns(estimator, chain):
    found = mutual_information(chain[["z"]], chain["y"], estimator=estimator, random_state=0)
    truth = -math.log(1 - 0.8**2) / 2
    # The sampling error of 1,500 rows is 0.02, that of the 750 held-out rows of the neural ones 0.03
    assert found.nats == pytest.approx(truth, abs=0.1)
    assert found.low <= found.nats <= found.high
    assert 0.02 < found.high - found.low < 0.3
    assert found.n_rows == 1500


@pytest.mark.parametrize("estimator", BASELINES)
def test_a_column_adds_nothing_once_the_column_between_is_known(estimator, chain):
    found = mutual_information(chain[["x"]], chain["y"], given=chain[["z"]], estimator=estimator, random_state=0)
    # Two differently biased estimates are subtracted: the neighborhoods of KSG are wider in three columns than in two
    assert found.nats < 0.06
    assert found.low == 0.0


def test_conditional_information_of_a_chain_is_its_closed_form(chain):
    found = mutual_information(chain[["z"]], chain["y"], given=chain[["x"]], estimator="cca", random_state=0)
    # Given x, z keeps the variance 0.36 and y has 0.8^2 * 0.36 + 0.36
    assert found.nats == pytest.approx(math.log(0.64 + 1) / 2, abs=0.04)
    assert found.low < math.log(1.64) / 2 < found.high


@pytest.mark.parametrize("estimator", CLOSED)
def test_independent_columns_have_an_interval_that_includes_zero(estimator, chain):
    found = mutual_information(chain[["noise"]], chain[["x", "y"]], estimator=estimator, random_state=0)
    assert found.low == 0.0
    assert found.nats < 0.03


@pytest.mark.parametrize("estimator", BASELINES)
def test_the_same_seed_gives_the_same_estimate(estimator, chain):
    few = chain.iloc[:200]
    first, second = (mutual_information(few[["x"]], few["y"], estimator=estimator, random_state=3) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("estimator", BASELINES)
def test_groups_widen_the_interval_of_copied_rows(estimator, chain):
    few = chain.iloc[:300]
    copies = pd.concat([few] * 4)
    groups = np.tile(np.arange(300), 4)
    plain = mutual_information(copies[["z"]], copies["y"], estimator=estimator, random_state=0)
    grouped = mutual_information(copies[["z"]], copies["y"], estimator=estimator, random_state=0, groups=groups)
    assert grouped.high - grouped.low > plain.high - plain.low


@pytest.mark.parametrize("estimator", BASELINES)
def test_constant_columns_have_no_information(estimator, chain):
    few = chain.iloc[:100].assign(constant=1.0)
    found = mutual_information(few[["constant"]], few["y"], estimator=estimator, random_state=0)
    assert (found.nats, found.low, found.high) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("estimator", BASELINES)
def test_six_rows_are_enough(estimator):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 6))
    found = mutual_information(x[:, None], y, estimator=estimator, random_state=0)
    assert math.isfinite(found.high)


@pytest.mark.parametrize("estimator", BASELINES)
@pytest.mark.parametrize("side", ["X", "y", "given"])
def test_columns_that_are_not_numbers_are_refused(estimator, side, chain):
    few = chain.iloc[:50].assign(city=["Rome", "Oslo"] * 25)
    sides = {"X": ["x"], "y": ["y"], "given": ["z"], side: ["city"]}
    with pytest.raises(InputError, match=f"'{estimator}' .* 'city'"):
        mutual_information(few[sides["X"]], few[sides["y"]], given=few[sides["given"]], estimator=estimator)


def test_missing_values_are_refused(chain):
    few = chain.iloc[:50].copy()
    few.loc[few.index[:3], "x"] = np.nan
    with pytest.raises(InputError, match="'x' has 3 missing"):
        mutual_information(few[["x"]], few["y"], estimator="ksg")


@pytest.mark.parametrize(
    "parameters", [{"target_type": "discrete"}, {"categorical_features": ["x"]}, {"target_type": "discreet"}]
)
def test_types_that_baselines_do_not_have_are_refused(parameters, chain):
    with pytest.raises(InputError):
        mutual_information(chain[["x"]], chain["y"], estimator="cca", **parameters)


def test_a_misspelled_estimator_is_refused_with_the_likely_name(chain):
    with pytest.raises(InputError, match="did you mean 'infonce'"):
        mutual_information(chain[["x"]], chain["y"], estimator="info-nce")


def test_cca_refuses_infinite_information_and_more_columns_than_rows(chain):
    with pytest.raises(InputError, match="infinite"):
        mutual_information(chain[["x", "z"]], chain["x"] - 2 * chain["z"], estimator="cca")
    wide = np.random.default_rng(0).standard_normal((20, 20))
    with pytest.raises(InputError, match="20 rows"):
        mutual_information(wide, wide[:, 0] + np.arange(20), estimator="cca")
