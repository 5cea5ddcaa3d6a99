"""InfoNCE and MINE: bounds worked out by hand, normal columns of known information, and when training ends."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch

from minerva_select.config import NEURAL_ESTIMATORS
from minerva_select.errors import DivergenceError
from minerva_select.mi.bounds import donsker_varadhan
from minerva_select.mi.estimators import infonce as infonce_module
from minerva_select.mi.estimators import neural_critic
from minerva_select.mi.estimators.infonce import infonce, infonce_information
from minerva_select.mi.estimators.mine import MovingAverage, mine_information, pointwise_donsker_varadhan
from minerva_select.mi.estimators.neural_critic import PairCritic, train_critic
from minerva_select.runtime.rng import seeded_rng


@pytest.fixture(autouse=True)
def _short_training(monkeypatch):
    use(monkeypatch, batch_size=64, max_steps=200, evaluate_every=25)


@pytest.fixture
def generator():
    with seeded_rng(0, torch.device("cpu")) as batches:
        yield batches


def use(monkeypatch, **settings):
    changed = dataclasses.replace(NEURAL_ESTIMATORS, **settings)
    for module in (neural_critic, infonce_module):
        monkeypatch.setattr(module, "NEURAL_ESTIMATORS", changed)


def test_infonce_equals_a_hand_worked_value():
    # Row 0: log(3) - log((3 + 1) / 2); row 1: log(2) - log((2 + 2) / 2)
    scores = torch.tensor([[3.0, 1.0], [2.0, 2.0]]).log()
    assert infonce(scores).tolist() == pytest.approx([math.log(3 / 2), 0.0], abs=1e-6)


def test_infonce_is_at_most_the_log_of_the_number_of_rows():
    scores = 100 * torch.eye(16)
    assert float(infonce(scores).max()) == pytest.approx(math.log(16), abs=1e-5)


def test_the_mean_of_the_pointwise_values_is_the_bound_of_donsker_and_varadhan(generator):
    joint, marginal = torch.randn(2, 100, generator=generator)
    values = pointwise_donsker_varadhan(joint, marginal)
    assert float(values.mean()) == pytest.approx(float(donsker_varadhan(joint, marginal)), abs=1e-5)


def test_the_moving_average_divides_the_gradient_by_the_mean_over_batches():
    average = MovingAverage(decay=0.5)
    first, second = (torch.tensor(value, requires_grad=True) for value in (math.log(2.0), math.log(4.0)))
    average.correct(first).backward()
    average.correct(second).backward()
    assert float(first.grad) == pytest.approx(2 / 1)  # the average of 0 and 2 is 1
    assert float(second.grad) == pytest.approx(4 / 2.5, abs=1e-6)  # the average of 1 and 4 is 2.5


@pytest.mark.parametrize("information", [infonce_information, mine_information])
def test_normal_columns_have_nearly_the_information_of_their_correlation(information, generator, monkeypatch):
    use(monkeypatch, max_steps=200, evaluate_every=50)
    x, errors = torch.randn(2, 1000, 1, generator=generator)
    y = 0.8 * x + 0.6 * errors
    rows = torch.arange(1000)
    found = float(information(x, y, rows[:500], rows[500:], generator).mean())
    # The standard error over 500 held-out rows is 0.04, and a critic of so few rows misses 0.05
    assert found == pytest.approx(-math.log(0.6), abs=0.12)


@pytest.mark.parametrize("information", [infonce_information, mine_information])
def test_independent_columns_show_no_information(information, generator):
    x, y = torch.randn(2, 1000, 2, generator=generator)
    rows = torch.arange(1000)
    # An overfitted critic has a bound far below 0
    assert float(information(x, y, rows[:500], rows[500:], generator).mean()) < 0.05


def test_all_pairs_are_scored_like_single_pairs(generator):
    critic = PairCritic(2, 3)
    x, y = torch.randn(4, 2, generator=generator), torch.randn(5, 3, generator=generator)
    scores = critic.score_all_pairs(x, y)
    assert scores.shape == (4, 5)
    torch.testing.assert_close(scores[2:3, 3], critic(x[2:3], y[3:4]))


def test_the_best_held_out_values_are_returned_and_training_ends_when_they_fall(generator, monkeypatch):
    use(monkeypatch, evaluate_every=1)
    critic = PairCritic(1, 1)
    bounds = iter([0.1, 0.3, 0.2, 0.25, 9.0])  # two evaluations below the best one end the training

    def loss(batch):
        return critic(torch.ones(len(batch), 1), torch.ones(len(batch), 1)).mean()

    found = train_critic(critic, loss, lambda: torch.tensor([next(bounds)]), 10, generator)
    assert found.tolist() == pytest.approx([0.3])
    assert next(bounds) == 9.0


def test_a_bound_that_is_never_finite_is_an_error(generator, monkeypatch):
    use(monkeypatch, evaluate_every=1)
    critic = PairCritic(1, 1)
    with pytest.raises(DivergenceError):
        train_critic(
            critic, lambda batch: critic(torch.ones(1, 1), torch.ones(1, 1)).mean(),
            lambda: torch.tensor([math.nan]), 10, generator,
        )  # fmt: skip
