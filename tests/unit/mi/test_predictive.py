import math

import numpy as np
import pytest

from minerva_select.mi.arrays import ArrayTarget
from minerva_select.mi.predictive import ResidualDistribution, class_information

N_BINS = 64


def quantile_target(values, n_bins=N_BINS):
    """Bins of equal probability."""
    order = np.argsort(np.argsort(values))
    bins = order * n_bins // len(values)
    return ArrayTarget(bins, np.full(n_bins, -math.log(n_bins)), is_discrete=False, is_ordered=True)


def gaussian_pair(correlation, n_rows, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n_rows)
    return x, correlation * x + math.sqrt(1 - correlation**2) * rng.normal(size=n_rows)


@pytest.fixture
def fitted():
    """Residuals of a Gaussian pair, and its target."""
    x, y = gaussian_pair(0.8, 2000)
    target = quantile_target(y)
    return ResidualDistribution.fit(0.8 * x, target.scores[target.bins], np.ones(len(x))), target


@pytest.mark.parametrize("predicted", [-20.0, -3.0, -0.4, 0.0, 1.7, 20.0])
def test_probabilities_of_all_bins_sum_to_one(fitted, predicted):
    distribution, target = fitted
    bins = np.arange(N_BINS)
    information = distribution.information(np.full(N_BINS, predicted), bins, target)
    # Bins have at least a probability of 1e-9
    assert float((np.exp(information + target.log_prior)).sum()) == pytest.approx(1.0, abs=1e-6)


def test_probabilities_sum_to_one_with_unequal_bins(fitted):
    distribution, _ = fitted
    shares = np.random.default_rng(0).dirichlet(np.ones(N_BINS) * 0.3)
    target = ArrayTarget(np.arange(N_BINS), np.log(shares), is_discrete=False, is_ordered=True)
    information = distribution.information(np.full(N_BINS, 0.5), np.arange(N_BINS), target)
    assert float(np.exp(information + target.log_prior).sum()) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.8, 0.95])
def test_the_information_of_a_gaussian_pair_is_known(correlation):
    x, y = gaussian_pair(correlation, 8000)
    target = quantile_target(y)
    predicted = correlation * x
    tune, unseen = slice(0, 4000), slice(4000, None)
    distribution = ResidualDistribution.fit(predicted[tune], target.scores[target.bins[tune]], np.ones(4000))
    found = distribution.information(predicted[unseen], target.bins[unseen], target)
    expected = -0.5 * math.log(1 - correlation**2)
    # Standard error 0.7 / sqrt(4000) = 0.01; smoothed residuals and 64 bins lose 1% to 2%
    assert found.mean() == pytest.approx(expected, abs=0.03 + 0.02 * expected)
    assert found.mean() < expected + 0.03


def test_the_scale_follows_the_prediction():
    rng = np.random.default_rng(0)
    predicted = rng.uniform(-1, 1, 4000)
    observed = predicted + np.where(predicted < 0, 0.1, 1.0) * rng.normal(size=4000)
    distribution = ResidualDistribution.fit(predicted, observed, np.ones(4000))
    # Ten rows of all residuals are mixed into the scale of each neighborhood
    assert np.interp([-0.7, 0.7], distribution.centers, distribution.scales).tolist() == pytest.approx(
        [0.15, 1.0], abs=0.08
    )
    assert (np.diff(distribution.centers) >= 0).all()


@pytest.mark.parametrize("n_rows", [1, 2, 5, 40])
def test_a_few_residuals_are_enough(n_rows):
    target = ArrayTarget(np.arange(4), np.full(4, -math.log(4)), is_discrete=False, is_ordered=True)
    predicted = np.linspace(-1, 1, n_rows)
    distribution = ResidualDistribution.fit(predicted, predicted, np.ones(n_rows))  # without any error
    found = distribution.information(np.zeros(4), np.arange(4), target)
    assert np.isfinite(found).all()
    assert float(np.exp(found + target.log_prior).sum()) == pytest.approx(1.0, abs=1e-6)


def test_rows_of_weight_zero_do_not_shape_the_distribution():
    rng = np.random.default_rng(0)
    residuals = np.where(np.arange(400) < 200, rng.normal(size=400), 1.5)
    weights = (np.arange(400) < 200).astype(float)
    predicted = rng.normal(size=400)
    one = ResidualDistribution.fit(predicted, predicted + residuals, weights)
    # Their place in the shape is empty, although the scale counts all rows
    assert np.ptp(one.cumulative) == pytest.approx(1.0, abs=0.02)
    jump = np.diff(one.cumulative).max()
    other = ResidualDistribution.fit(predicted, predicted + residuals, 1 - weights)
    assert jump < 0.5 * np.diff(other.cumulative).max()


CLASSES = ArrayTarget(np.array([0, 1, 2]), np.log([0.5, 0.3, 0.2]), is_discrete=True, is_ordered=False)


def test_information_of_classes_is_the_log_ratio_to_the_prior():
    probability = np.array([[0.8, 0.1, 0.1], [0.5, 0.3, 0.2], [0.5, 0.3, 0.2]])
    found = class_information(probability, np.array([0, 1, 2]), np.array([0, 1, 2]), CLASSES)
    assert found.tolist() == pytest.approx([math.log(0.8 / 0.5), 0.0, 0.0])


def test_a_class_that_the_model_has_not_seen_has_nearly_no_probability():
    # Columns are those of classes 0 and 2
    probability = np.array([[0.6, 0.4]] * 3)
    found = class_information(probability, np.array([0, 2]), np.array([0, 1, 2]), CLASSES)
    assert found.tolist() == pytest.approx([math.log(0.6 / 0.5), math.log(1e-9 / 0.3), math.log(0.4 / 0.2)])


def test_bins_that_never_occur_in_training_have_no_information():
    with np.errstate(divide="ignore"):
        target = ArrayTarget(np.array([0, 1, 2]), np.log([0.6, 0.4, 0.0]), is_discrete=True, is_ordered=False)
    found = class_information(np.array([[0.6, 0.4]] * 3), np.array([0, 1]), np.array([0, 1, 2]), target)
    assert found.tolist() == pytest.approx([0.0, 0.0, 0.0])


def test_empty_intervals_have_no_information(fitted):
    distribution, _ = fitted
    with np.errstate(divide="ignore"):
        target = ArrayTarget(np.arange(3), np.log([0.6, 0.0, 0.4]), is_discrete=False, is_ordered=True)
    found = distribution.information(np.zeros(3), np.arange(3), target)
    assert found[1] == 0.0
    assert np.isfinite(found).all()
    assert float((np.exp(found + target.log_prior)).sum()) == pytest.approx(1.0, abs=1e-6)
