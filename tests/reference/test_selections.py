"""Claims about selections at their real sizes, on tables with a known answer."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from minerva_select import MinervaSelector
from minerva_select.codes import WarningCode
from minerva_select.problems import equality, independent, parity

pytestmark = pytest.mark.reference


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Tables this small gain nothing from a second thread, and lose much when another fit runs beside them."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


def select(X, y, **parameters):
    return MinervaSelector(random_state=0, **parameters).fit(X, y).selection_


@pytest.fixture(scope="module")
def two_thousand():
    return equality(n_samples=2_000, n_features=8, n_levels=3, relevant=(1, 4), random_state=0)


@pytest.fixture(scope="module")
def answer(two_thousand):
    return select(two_thousand.X, two_thousand.y)


def test_two_columns_that_matter_only_together_are_found(answer, two_thousand):
    assert answer.selected == two_thousand.relevant
    # The share of equal rows of this sample, 0.316 instead of 0.333, costs 0.013 of the lemma's 0.637 nats
    assert answer.mutual_information.nats == pytest.approx(two_thousand.mutual_information, rel=0.05)
    assert answer.converged


@pytest.mark.slow
def test_permuting_the_columns_permutes_the_answer_bit_for_bit(answer, two_thousand):
    permuted = select(two_thousand.X[two_thousand.X.columns[::-1]], two_thousand.y)
    path = tuple(dataclasses.replace(point, features=point.features[::-1]) for point in answer.path)
    expected = dataclasses.replace(answer, features=answer.features[::-1], path=path, seconds=permuted.seconds)
    assert permuted == expected


def test_three_bits_of_a_parity_are_found():
    problem = parity(n_samples=3_000, n_features=7, n_bits=3, random_state=0)
    assert select(problem.X, problem.y).selected == problem.relevant


@pytest.mark.parametrize("n_samples", [90, 5_000])
def test_few_and_many_rows_are_both_enough(n_samples):
    problem = equality(n_samples=n_samples, n_features=4, n_levels=2, relevant=(0, 2), random_state=0)
    assert select(problem.X, problem.y).selected == problem.relevant


def test_nothing_is_selected_where_nothing_matters():
    problem = independent(n_samples=300, n_features=4, random_state=0)
    selection = select(problem.X, problem.y)
    assert selection.selected == ()
    assert selection.mutual_information.nats == 0


@pytest.mark.slow
@pytest.mark.parametrize("n_levels", [None, 4], ids=["continuous", "categorical"])
def test_noise_in_which_every_row_comes_twice_is_not_selected(n_levels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8)) if n_levels is None else rng.integers(0, n_levels, size=(400, 8))
    y = rng.integers(0, 2, size=400)
    selection = select(np.tile(X, (2, 1)), np.tile(y, 2))
    assert selection.selected == ()
    assert WarningCode.DUPLICATED_ROWS in {warning.code for warning in selection.warnings}
