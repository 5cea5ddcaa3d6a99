"""Claims about critics, trees on pairs, predictions as further columns, and conditional densities."""

import numpy as np
import pytest
import torch

from known_information import as_side, correlated, gaussian_information, side_in_order, swirled
from minerva_select.mi.density_ratio.closed_forms import Family, FormSettings, close
from minerva_select.mi.density_ratio.columns import limit_columns
from minerva_select.mi.density_ratio.conditional_density import fit_conditional_density
from minerva_select.mi.density_ratio.coupling import pointwise_information
from minerva_select.mi.density_ratio.pair_trees import fit_pair_trees
from minerva_select.mi.density_ratio.predictions import predict_by_curves, predict_narrow_side
from minerva_select.mi.density_ratio.separable_critic import CriticJob, train_critics

N_ROWS = 1200
TRAIN, TUNE, HELD_OUT = np.split(np.arange(N_ROWS), [700, 900])


def trained(x, y, n_jobs=1, seed=0):
    form = close(settings := FormSettings(Family.GAUSSIAN), settings.fit(x, y, TRAIN))
    jobs = [CriticJob(form, torch.as_tensor(TRAIN), torch.as_tensor(TUNE))] * n_jobs
    inputs = (
        torch.as_tensor(side.critic_inputs, dtype=torch.float32).expand(n_jobs, -1, -1).clone() for side in (x, y)
    )
    return form, train_critics(*inputs, jobs, torch.Generator().manual_seed(seed))


def mean_information(ratio, rows=HELD_OUT):
    return float(pointwise_information(ratio, torch.as_tensor(rows)).mean())


def test_a_critic_learns_what_the_closed_form_lacks():
    form, (critic,) = trained(*(side_in_order(values) for values in swirled(N_ROWS, 0.95)))
    assert mean_information(critic) > mean_information(form) + 0.1


def test_a_critic_keeps_what_the_closed_form_knows():
    form, (critic,) = trained(*(side_in_order(values) for values in correlated(N_ROWS, 3, 3, 0.8)))
    assert mean_information(critic) > mean_information(form) - 0.05


def test_the_same_generator_gives_the_same_critics():
    sides = [side_in_order(values) for values in correlated(N_ROWS, 1, 1, 0.8)]
    rows = torch.as_tensor(HELD_OUT[:5])
    first, second = (trained(*sides, seed=3)[1][0](rows, rows) for _ in range(2))
    assert torch.equal(first, second)


def test_trees_find_a_band_with_sharp_edges():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=N_ROWS)
    y = x + rng.uniform(-0.3, 0.3, size=N_ROWS)
    ranks = [side_in_order(values[:, None]).quantiles[:, 0] for values in (x, y)]
    truth = 0.3 - np.log(0.6)  # of additive uniform noise
    assert mean_information(fit_pair_trees(*ranks, TRAIN, rng)) == pytest.approx(truth, abs=0.2)


def test_trees_find_nothing_in_independent_columns():
    rng = np.random.default_rng(0)
    trees = fit_pair_trees(rng.uniform(size=N_ROWS), rng.uniform(size=N_ROWS), TRAIN, rng)
    assert mean_information(trees) == pytest.approx(0.0, abs=0.05)


def test_a_prediction_shows_one_nonlinear_column_among_many():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N_ROWS, 10))
    y = np.abs(x[:, :1]) + 0.1 * rng.normal(size=(N_ROWS, 1))
    sides = side_in_order(x), side_in_order(y)
    predicted, _ = predict_narrow_side(*sides, TRAIN, rng).add_to(*sides)
    assert predicted.n_columns == 12
    for column in predicted.normal_scores[HELD_OUT, -2:].T:
        assert abs(np.corrcoef(column, y[HELD_OUT, 0])[0, 1]) > 0.8


def test_a_narrow_x_is_predicted_from_y():
    x, y = correlated(N_ROWS, 1, 5, 0.9)
    predictions = predict_narrow_side(side_in_order(x), side_in_order(y), TRAIN, np.random.default_rng(0))
    assert predictions.of_x
    assert np.corrcoef(predictions.mean[HELD_OUT, 0], x[HELD_OUT, 0])[0, 1] > 0.8


def test_training_rows_are_predicted_by_models_that_did_not_see_them():
    rng = np.random.default_rng(0)
    sides = [side_in_order(values) for values in correlated(N_ROWS, 10, 1, 0.0)]
    predicted, y = predict_narrow_side(*sides, TRAIN, rng).add_to(*sides)
    # Three standard errors; a model would reproduce much of its own rows
    for column in predicted.normal_scores[TRAIN, -2:].T:
        assert abs(np.corrcoef(column, y.normal_scores[TRAIN, 0])[0, 1]) < 3 / len(TRAIN) ** 0.5


def test_one_column_of_either_side_needs_no_prediction():
    sides = [side_in_order(values) for values in correlated(N_ROWS, 1, 1, 0.5)]
    assert predict_narrow_side(*sides, TRAIN, np.random.default_rng(0)) is None


@pytest.mark.parametrize("of_x", [False, True])
def test_a_conditional_density_knows_a_scale_that_varies(of_x):
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(N_ROWS, 2))
    scale = np.exp(inputs[:, 1])
    values = side_in_order((scale * rng.normal(size=N_ROWS))[:, None]).normal_scores[:, 0]
    density = fit_conditional_density(values, np.zeros(N_ROWS), inputs, TRAIN, of_x=of_x)
    # Numerical integration gives 0.432 nats for a log scale with variance 1
    assert mean_information(density) == pytest.approx(0.432, abs=0.08)


def test_a_conditional_density_of_a_function_without_noise_is_finite():
    values = np.linspace(-2, 2, N_ROWS)
    density = fit_conditional_density(values, values, values[:, None], TRAIN, of_x=False)
    assert 2 < mean_information(density) < np.inf


def test_curves_follow_one_column_of_several():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N_ROWS, 4))
    predicted = predict_by_curves(x, np.abs(x[:, 0]), TRAIN, rng)
    assert np.corrcoef(predicted[HELD_OUT], np.abs(x[HELD_OUT, 0]))[0, 1] > 0.95


def test_of_too_many_columns_the_correlated_ones_are_kept():
    x, y = (as_side(values) for values in correlated(60, 100, 1, 0.9))
    few, same = limit_columns(x, y, np.arange(50))
    assert few.n_columns == 9  # a fifth of the rows, less one for y
    assert same is y
    assert (few.quantiles == x.quantiles[:, :1]).all(axis=0).any()
    information = gaussian_information(0.9)
    found = FormSettings(Family.GAUSSIAN).fit(few, y, np.arange(60)).correlations[0]
    assert gaussian_information(found) > information / 2
