import math

import numpy as np
import pytest
import torch

from minerva_select.config import INFERENCE
from minerva_select.mi.bounds import donsker_varadhan
from minerva_select.mi.inference import MeanEstimate, estimate_bound, estimate_mean, holm_bonferroni


def test_equal_weights_give_the_mean_and_its_standard_error():
    values = np.random.default_rng(0).normal(0.3, 2.0, size=200)
    found = estimate_mean(torch.tensor(values), torch.ones(200))
    assert found.mean == pytest.approx(values.mean())
    assert found.standard_error == pytest.approx(values.std() / math.sqrt(200))


def test_the_weighted_mean_is_numpys_at_any_scale_of_the_weights():
    rng = np.random.default_rng(1)
    values, weights = rng.normal(size=50), rng.uniform(0, 3, size=50)
    found = estimate_mean(torch.tensor(values), torch.tensor(weights))
    mean = np.average(values, weights=weights)
    # Rows are independent: the variance of sum(w v) / sum(w) is sum(w^2 var) / sum(w)^2
    error = np.sqrt(np.sum(weights**2 * (values - mean) ** 2)) / weights.sum()
    assert (found.mean, found.standard_error) == pytest.approx((mean, error))
    scaled = estimate_mean(torch.tensor(values), torch.tensor(10 * weights))
    assert (scaled.mean, scaled.standard_error) == pytest.approx((mean, error))


def test_weight_two_counts_twice_and_weight_zero_not_at_all():
    found = estimate_mean(torch.tensor([1.0, 4.0, 100.0]), torch.tensor([2.0, 1.0, 0.0]))
    assert found.mean == pytest.approx((1 + 1 + 4) / 3)


@pytest.mark.parametrize(("z", "p_value"), [(0.0, 0.5), (1.959964, 0.025), (1.644854, 0.05), (-1.644854, 0.95)])
def test_p_values_are_the_upper_tail_of_the_normal_distribution(z, p_value):
    estimate = MeanEstimate(mean=z * 0.1, standard_error=0.1)
    assert estimate.z == pytest.approx(z)
    assert estimate.p_value == pytest.approx(p_value, abs=1e-6)


def test_constant_rows_are_certain_and_zero_rows_have_z_zero():
    assert estimate_mean(torch.full((5,), 0.25), torch.ones(5)).z == math.inf
    assert estimate_mean(torch.full((5,), -0.25), torch.ones(5)).p_value == 1.0
    nothing = estimate_mean(torch.zeros(5), torch.ones(5))
    assert (nothing.z, nothing.p_value, nothing.interval) == (0.0, 0.5, (0.0, 0.0))


def test_the_interval_covers_95_of_100_means():
    rng = np.random.default_rng(2)
    samples = torch.tensor(rng.normal(1.0, 1.0, size=(1000, 60)))
    intervals = [estimate_mean(sample, torch.ones(60)).interval for sample in samples]
    covered = np.mean([low < 1.0 < high for low, high in intervals])
    # 1,000 draws: a standard error of 0.007; the normal quantile costs 0.005 at 60 rows
    assert covered == pytest.approx(0.945, abs=0.025)


def test_holm_gives_the_hand_worked_answer():
    # 0.005 is below 0.05/4 and 0.01 below 0.05/3, but 0.03 is above 0.05/2, which also stops 0.04.
    assert holm_bonferroni([0.01, 0.04, 0.03, 0.005], level=0.05) == [True, False, False, True]


def test_holm_stops_at_the_first_hypothesis_that_is_not_rejected():
    # 0.04 is below 0.05/1, but 0.03 before it is above 0.05/2
    assert holm_bonferroni([0.03, 0.04], level=0.05) == [False, False]
    assert holm_bonferroni([0.02, 0.04], level=0.05) == [True, True]


def test_holm_counts_tests_that_are_not_listed():
    assert holm_bonferroni([0.01], level=0.05) == [True]
    assert holm_bonferroni([0.01], level=0.05, n_tests=10) == [False]
    # 0.004 is below 0.05/10, then 0.0055 below 0.05/9
    assert holm_bonferroni([0.0055, 0.004], level=0.05, n_tests=10) == [True, True]
    assert holm_bonferroni([], level=0.05, n_tests=10) == []


def test_the_bound_has_the_standard_error_of_the_delta_method():
    rng = np.random.default_rng(3)
    joint, marginal = rng.normal(0.5, 0.7, size=400), rng.normal(-0.5, 0.9, size=400)
    found = estimate_bound(torch.tensor(joint), torch.tensor(marginal))
    assert found.mean == pytest.approx(float(donsker_varadhan(torch.tensor(joint), torch.tensor(marginal))))
    ratio = np.exp(marginal)
    variance = joint.var(ddof=1) / 400 + ratio.var(ddof=1) / ratio.mean() ** 2 / 400
    assert found.standard_error == pytest.approx(math.sqrt(variance))


def test_the_standard_error_of_the_bound_is_its_spread_over_samples():
    rng = np.random.default_rng(4)
    joint, marginal = rng.normal(0.5, 0.7, size=(500, 200)), rng.normal(-0.5, 0.7, size=(500, 200))
    found = [estimate_bound(*pair) for pair in zip(torch.tensor(joint), torch.tensor(marginal), strict=True)]
    spread = np.std([estimate.mean for estimate in found])
    # 500 draws estimate the standard deviation to 3%; 10% is three times that
    assert np.mean([one.standard_error for one in found]) == pytest.approx(spread, rel=0.1)


def test_the_estimated_bound_is_finite_at_huge_scores():
    scores = torch.tensor([1e4, -1e4, 0.0])
    found = estimate_bound(scores, scores)
    assert math.isfinite(found.mean)
    assert math.isfinite(found.standard_error)


def test_repeated_rows_of_a_cluster_count_once():
    values = torch.tensor(np.random.default_rng(5).normal(0.2, 1.0, size=40))
    rows, repeated = torch.arange(40), torch.arange(40).repeat_interleave(7)
    once = estimate_mean(values, torch.ones(40))
    clustered = estimate_mean(values[repeated], torch.ones(280), repeated)
    assert clustered.mean == pytest.approx(once.mean)
    assert clustered.standard_error == pytest.approx(once.standard_error * math.sqrt(40 / 39))
    assert clustered.degrees_of_freedom == pytest.approx(39)
    assert estimate_mean(values, torch.ones(40), rows).standard_error == pytest.approx(clustered.standard_error)


def test_clusters_give_the_hand_worked_standard_error():
    values, weights = torch.tensor([2.0, 4.0, 6.0, 0.0]), torch.tensor([1.0, 1.0, 1.0, 3.0])
    found = estimate_mean(values, weights, torch.tensor([8, 8, 9, 7]))
    # Mean 12 / 6 = 2. Weighted deviations: 0 + 2 in cluster 8, 4 in 9, 3 * -2 in 7. Squares 4 + 16 + 36, times 3 / 2.
    assert (found.mean, found.standard_error) == pytest.approx((2.0, math.sqrt(56 * 1.5) / 6))
    # Shares of the weight 2, 1 and 3 of 6, which equal 36 / 14 clusters of equal weight
    assert found.degrees_of_freedom == pytest.approx(36 / 14 - 1)


def test_cluster_ids_can_be_any_integers():
    rng = np.random.default_rng(6)
    values, weights = torch.tensor(rng.normal(size=30)), torch.tensor(rng.uniform(size=30))
    clusters = torch.tensor(rng.integers(0, 6, size=30))
    plain = estimate_mean(values, weights, clusters)
    for renamed in (clusters - 3, clusters * 10**15, 5 - clusters):
        found = estimate_mean(values, weights, renamed)
        assert (found.mean, found.standard_error, found.degrees_of_freedom) == pytest.approx(
            (plain.mean, plain.standard_error, plain.degrees_of_freedom)
        )


def test_clusters_without_weight_do_not_count():
    values, clusters = torch.tensor([1.0, 2.0, 5.0, 9.0]), torch.tensor([0, 1, 2, 3])
    some = estimate_mean(values, torch.tensor([1.0, 1.0, 1.0, 0.0]), clusters)
    assert (some.standard_error, some.degrees_of_freedom) == (
        estimate_mean(values[:3], torch.ones(3), clusters[:3]).standard_error,
        pytest.approx(2),
    )


@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1e-20]])
def test_a_single_cluster_is_never_significant(weights):
    found = estimate_mean(torch.tensor([1.0, 1.1, 0.9, 5.0]), torch.tensor(weights), torch.tensor([0, 0, 0, 1]))
    assert (found.standard_error, found.p_value) == (math.inf, 0.5)
    assert found.interval == (
        found.mean - INFERENCE.max_half_width,
        found.mean + INFERENCE.max_half_width,
    )  # a result has no place for infinity


@pytest.mark.parametrize("heaviest", [1e3, 1e6, 1e15])
def test_a_single_heavy_row_is_never_significant(heaviest):
    values = torch.tensor(np.random.default_rng(0).normal(size=300))
    weights = torch.ones(300, dtype=torch.float64)
    weights[0] = heaviest
    # Without the correction the mean is the heavy row's value, and its standard error is that value's distance from
    # the other 299 rows times about 300 / heaviest, so any row would be significant
    assert estimate_mean(values, weights).p_value > 0.05


def test_few_rows_of_equal_weight_need_no_correction():
    found = estimate_mean(torch.tensor([1.0, 2.0, 3.0]), torch.full((3,), 0.5))
    assert (found.mean, found.standard_error) == pytest.approx((2.0, math.sqrt(2 / 3) / math.sqrt(3)))
    assert math.isinf(found.degrees_of_freedom)


@pytest.mark.parametrize("sizes", [[20] * 10, [60] * 3 + [10] * 20])
def test_clustered_noise_keeps_its_level_only_with_clusters(sizes):
    rng = np.random.default_rng(7)
    clusters = torch.arange(len(sizes)).repeat_interleave(torch.tensor(sizes))
    naive, clustered = [], []
    for _ in range(1500):
        of_cluster = torch.tensor(rng.normal(size=len(sizes)))
        values = of_cluster[clusters] + torch.tensor(rng.normal(size=len(clusters)))
        naive.append(estimate_mean(values, torch.ones(len(clusters))).p_value)
        clustered.append(estimate_mean(values, torch.ones(len(clusters)), clusters).p_value)
    # At level 0.01, 15 of 1,500 draws are rejected, with a standard deviation of 3.9, so at most 30
    assert sum(p < 0.01 for p in clustered) <= 30
    # The variance of the mean is at least 10 times that of independent rows: 23 of 100 exceed 2.3 / sqrt(10)
    assert sum(p < 0.01 for p in naive) > 0.15 * 1500


def test_few_clusters_widen_the_interval_as_students_t_does():
    found = MeanEstimate(mean=1.0, standard_error=0.1, degrees_of_freedom=4.0)
    assert found.interval == pytest.approx((1 - 0.2776445, 1 + 0.2776445), abs=1e-7)
    assert found.p_value > MeanEstimate(mean=1.0, standard_error=0.1).p_value


def test_few_rows_of_a_rare_class_keep_the_level():
    # Importances of an uninformative column are symmetric, if heavy-tailed.
    # All of them are in 20 of 10,000 rows; the normal approximation is then conservative.
    rng = np.random.default_rng(8)
    importances = torch.zeros(2000, 10_000, dtype=torch.float32)
    importances[:, :20] = torch.tensor(rng.standard_t(3, size=(2000, 20)))
    p_values = [estimate_mean(values, torch.ones(10_000)).p_value for values in importances]
    # 20 of 2,000 are expected, with a standard deviation of 4.5; at most three of those more
    assert sum(p < 0.01 for p in p_values) <= 34
    assert min(p_values) > 1e-6  # the largest possible z of 20 rows is sqrt(20)
