"""Claims about density ratios in closed form."""

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal, multivariate_t, norm
from scipy.stats import t as student

from known_information import correlated, gaussian_information, heavy_tailed, side_in_order, swirled
from minerva_select.mi.density_ratio.closed_forms import Family, FormSettings, choose, close, fit_forms
from minerva_select.mi.density_ratio.coupling import pointwise_information

N_ROWS = 2000
ROWS = np.arange(N_ROWS)
TRAIN, TUNE = ROWS[:1600], ROWS[1600:]


def chosen(x, y):
    return choose(fit_forms(side_in_order(x), side_in_order(y), TRAIN, TUNE))


def test_the_gaussian_ratio_is_that_of_the_densities():
    x, y = (side_in_order(values) for values in correlated(N_ROWS, 1, 1, 0.6))
    form = close(settings := FormSettings(Family.GAUSSIAN), settings.fit(x, y, ROWS))
    scores = np.hstack([x.normal_scores, y.normal_scores])[:20]
    correlation = np.corrcoef(x.normal_scores[:, 0], y.normal_scores[:, 0])[0, 1]
    scale = x.normal_scores.std()  # of 2,000 scores: just below 1
    joint = multivariate_normal(cov=scale**2 * np.array([[1, correlation], [correlation, 1]]))
    expected = joint.logpdf(scores) - norm.logpdf(scores, scale=scale).sum(axis=1)
    rows = torch.arange(20)
    assert form(rows, rows).diagonal().numpy() == pytest.approx(expected, abs=1e-4)


def test_the_student_ratio_is_that_of_the_densities():
    x, y = (side_in_order(values) for values in heavy_tailed(N_ROWS, 1, 1, 3.0))
    settings = FormSettings(Family.STUDENT, 0.0, 3.0)
    pairs = settings.fit(x, y, ROWS)
    correlation = pairs.correlations[0] * np.sign(pairs.x[0, 0] * x.student_scores(3.0)[0, 0])
    correlation *= np.sign(pairs.y[0, 0] * y.student_scores(3.0)[0, 0])
    scores = np.hstack([x.student_scores(3.0), y.student_scores(3.0)])[:20]
    joint = multivariate_t(shape=[[1, correlation], [correlation, 1]], df=3.0)
    expected = joint.logpdf(scores) - student.logpdf(scores, 3.0).sum(axis=1)
    rows = torch.arange(20)
    assert close(settings, pairs)(rows, rows).diagonal().numpy() == pytest.approx(expected, abs=1e-3)


def test_gaussian_columns_are_taken_for_gaussian():
    form = chosen(*correlated(N_ROWS, 2, 2, 0.7))
    assert form.settings.family == Family.GAUSSIAN
    # Two standard errors of 400 rows
    assert float(form.tuning.mean()) == pytest.approx(gaussian_information(0.7), abs=0.08)


def test_heavy_tails_are_taken_for_a_student_copula():
    form = chosen(*heavy_tailed(N_ROWS, 2, 2, 1.0))
    assert form.settings.family == Family.STUDENT
    assert form.settings.degrees_of_freedom <= 1.5
    assert float(form.tuning.mean()) == pytest.approx(0.432, abs=0.1)  # two standard errors


def test_a_rotation_by_the_radius_is_nearly_linear_in_radial_inputs():
    x, y = swirled(N_ROWS, 0.9)
    forms = {form.settings.family: form for form in fit_forms(side_in_order(x), side_in_order(y), TRAIN, TUNE)}
    assert forms[Family.RADIAL].tuning.mean() > forms[Family.GAUSSIAN].tuning.mean() + 0.1


def test_correlations_of_noise_are_below_the_threshold():
    x, y = (side_in_order(values) for values in correlated(N_ROWS, 10, 10, 0.0))
    pairs = FormSettings(Family.GAUSSIAN).fit(x, y, ROWS)
    form = close(FormSettings(Family.GAUSSIAN, threshold=1.5), pairs)
    assert form.x.shape[1] == 0
    assert pointwise_information(form, torch.arange(100)).tolist() == pytest.approx([0.0] * 100, abs=1e-5)


def test_a_column_given_twice_counts_once():
    x, y = correlated(N_ROWS, 1, 1, 0.6)
    once, twice = (
        FormSettings(Family.GAUSSIAN).fit(side_in_order(values), side_in_order(y), ROWS)
        for values in (x, np.hstack([x, x]))
    )
    assert twice.n_x == 1
    assert twice.correlations == pytest.approx(once.correlations)


def test_the_copula_of_a_column_and_itself_is_finite():
    x, _ = (side_in_order(values) for values in correlated(N_ROWS, 1, 1, 0.6))
    for settings in (FormSettings(Family.GAUSSIAN), FormSettings(Family.STUDENT, 0.0, 3.0)):
        information = pointwise_information(close(settings, settings.fit(x, x, ROWS)), torch.arange(500))
        assert torch.isfinite(information).all()
        assert information.mean() > 3
