"""Claims about estimates with a known closed form; experiments/studies has the same with more runs."""

import pytest

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
