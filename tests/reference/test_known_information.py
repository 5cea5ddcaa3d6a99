"""Claims about estimates with a known closed form; experiments/studies has the same with more runs."""

import math

import numpy as np
import pandas as pd
import pytest

from known_information import correlated, gaussian_information, heavy_tailed, swirled
from minerva_select import MinervaSelector, mutual_information
from minerva_select.evaluation import score_selection
from minerva_select.problems import equality, gaussian, parity, switching
from minerva_select.selectors import PaperSelector


@pytest.mark.reference
@pytest.mark.parametrize("n_levels", [3, 5, 9, 19])
def test_the_bound_is_within_5_percent_of_the_lemmas_value(n_levels):
    # Two standard errors of 50,000 rows are 2.8% of the value at 19 levels, and less at fewer
    problem = equality(50_000, 2, n_levels=n_levels, relevant=(0, 1), random_state=1)
    estimate = mutual_information(problem.X, problem.y, random_state=0)
    assert estimate.nats == pytest.approx(problem.mutual_information, rel=0.05)


@pytest.mark.reference
@pytest.mark.parametrize("correlation", [0.0, 0.6, *(pytest.param(r, marks=pytest.mark.slow) for r in (0.3, 0.9))])
def test_gaussian_information_is_estimated_within_three_hundredths_of_a_nat(correlation):
    # Two standard errors of 10,000 rows are 0.018 nats at a correlation of 0.9, and less at smaller ones
    problem = gaussian(10_000, correlation=correlation, random_state=1)
    estimate = mutual_information(problem.X, problem.y, random_state=0)
    assert estimate.nats == pytest.approx(problem.mutual_information, abs=0.03)


@pytest.mark.reference
@pytest.mark.parametrize(
    ("sides", "truth", "tolerance"),
    [
        # Two standard errors of 5,000 rows are 0.023 and 0.020 nats
        pytest.param(correlated(5_000, 25, 25, 0.8), gaussian_information(0.8), 0.025, id="one pair in 25 columns"),
        pytest.param(heavy_tailed(5_000, 3, 3, 2.0), 0.2909, 0.022, id="heavy tails"),
        # Not all is learned: at most a tenth is missing
        pytest.param(swirled(5_000, 0.8), 2 * gaussian_information(0.8), 0.1, id="two pairs, swirled"),
    ],
)
def test_several_continuous_targets_are_estimated_within_their_tolerance(sides, truth, tolerance):
    estimate = mutual_information(*sides, random_state=0)
    assert estimate.nats == pytest.approx(truth, abs=tolerance)
    assert estimate.low <= truth <= estimate.high


@pytest.mark.reference
def test_information_given_a_common_cause_is_that_of_the_partial_correlation():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(5_000, 2))
    x = z + rng.normal(size=z.shape)
    y = z + 0.5 * x + rng.normal(size=z.shape)
    estimate = mutual_information(np.exp(x), y, given=z, random_state=0)
    truth = math.log(1.25)  # of two pairs: log(1 + 0.25) / 2 each
    # Two standard errors of 5,000 rows are 0.018
    assert estimate.nats == pytest.approx(truth, abs=0.02)
    assert estimate.low <= truth <= estimate.high


@pytest.mark.reference
def test_a_category_may_say_how_to_read_a_number():
    rng = np.random.default_rng(0)
    x, sign = rng.normal(size=3_000), rng.integers(0, 2, size=3_000)
    y = np.where(sign == 1, x, -x) + 0.5 * rng.normal(size=3_000)
    estimate = mutual_information(pd.DataFrame({"x": x, "sign": sign}), y, random_state=0)
    truth = 0.5 * math.log(1.25 / 0.25)
    assert estimate.nats == pytest.approx(truth, abs=0.06)
    assert estimate.low <= truth <= estimate.high


@pytest.mark.slow
@pytest.mark.parametrize(
    "sample",
    [
        lambda seed: gaussian(2_000, correlation=0.6, random_state=seed),
        lambda seed: equality(2_000, 2, n_levels=3, relevant=(0, 1), random_state=seed),
        lambda seed: parity(2_000, 2, n_bits=2, noise=0.1, random_state=seed),
    ],
    ids=["gaussian", "equality", "noisy parity"],
)
def test_intervals_cover_the_truth_in_at_least_nine_of_ten_runs(sample):
    covered = 0
    for seed in range(20):
        problem = sample(seed)
        estimate = mutual_information(problem.X, problem.y, random_state=seed)
        covered += estimate.low <= problem.mutual_information <= estimate.high
    assert covered >= 18


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_algorithm_1_is_exact_on_experiment_a(seed):
    problem = equality(n_levels=(5, 9)[seed % 2], random_state=seed)
    selector = PaperSelector(random_state=0).fit(problem.X, problem.y)
    assert score_selection(selector.selection_.selected, problem.relevant).is_exact
    assert (selector.weights_ == 0).sum() == 28


@pytest.mark.slow
def test_the_default_is_exact_on_experiment_b():
    problem = switching(random_state=1)
    selector = MinervaSelector(random_state=0).fit(problem.X, problem.y)
    assert score_selection(selector.selection_.selected, problem.relevant).is_exact
