import math

import pytest
import torch

from minerva_select.config import JUDGE
from minerva_select.mi.stacking import FoldInformation, mix, mixture_weights, stack

N_ROWS = 1000
ONES = torch.ones(N_ROWS)


def information_of(probability, prior, y):
    """Pointwise information log q(y) / p(y) of rows with these class probabilities."""
    rows = torch.arange(len(y))
    return probability[rows, y].log() - prior[y].log()


def test_one_good_model_gets_nearly_all_weight():
    good, bad, nothing = ONES, -ONES, torch.zeros(N_ROWS)
    weights = mixture_weights(torch.stack([good, bad, nothing]), ONES, prior_rows=1.0)
    # The others keep little more than their prior row each
    assert weights[0] > 0.99
    assert weights.sum() == pytest.approx(1.0)
    assert (weights > 0).all()


def test_equal_models_share_the_weight():
    information = torch.randn(N_ROWS, generator=torch.Generator().manual_seed(0)).repeat(4, 1)
    assert mixture_weights(information, ONES, prior_rows=1.0).tolist() == pytest.approx([0.25] * 4)


def test_models_that_are_right_on_different_rows_get_these_shares():
    # Each row rules out one of two models, so the best weights are the shares of the rows: 3/4 and 1/4
    first = torch.where(torch.arange(N_ROWS) % 4 > 0, 0.0, -100.0)
    second = torch.where(torch.arange(N_ROWS) % 4 > 0, -100.0, 0.0)
    weights = mixture_weights(torch.stack([first, second]), ONES, prior_rows=0.0)
    assert weights.tolist() == pytest.approx([0.75, 0.25])
    # With 500 rows in favor of each: (750 + 500) / 2000
    weights = mixture_weights(torch.stack([first, second]), ONES, prior_rows=500.0)
    assert weights.tolist() == pytest.approx([0.625, 0.375])


def test_rows_count_by_their_weight():
    first = torch.tensor([0.0, -100.0])
    second = torch.tensor([-100.0, 0.0])
    rows = torch.tensor([3.0, 1.0])
    for scale in (1.0, 1e-3, 1e3):  # only ratios matter
        weights = mixture_weights(torch.stack([first, second]), rows * scale, prior_rows=0.0)
        assert weights.tolist() == pytest.approx([0.75, 0.25])


def test_the_bound_of_the_mixture_is_nearly_that_of_the_best_model():
    generator = torch.Generator().manual_seed(0)
    information = torch.randn(3, N_ROWS, generator=generator) * 0.3 + torch.tensor([[0.2], [0.0], [-0.2]])
    mixed = mix(information, mixture_weights(information, ONES, prior_rows=0.0)).mean()
    # 60 steps of a slow iteration may stop a little short of the optimum
    assert mixed > information.mean(1).max() - 1e-3


def test_a_mixture_is_a_conditional_distribution():
    generator = torch.Generator().manual_seed(0)
    prior = torch.tensor([0.5, 0.3, 0.2])
    models = torch.rand(4, N_ROWS, 3, generator=generator).softmax(-1)
    weights = torch.tensor([0.1, 0.2, 0.3, 0.4])
    total = torch.zeros(N_ROWS)
    for value in range(3):
        y = torch.full((N_ROWS,), value)
        information = torch.stack([information_of(model, prior, y) for model in models])
        total += mix(information, weights).exp() * prior[value]
    torch.testing.assert_close(total, torch.ones(N_ROWS))


def test_models_of_weight_zero_do_not_count():
    information = torch.tensor([[0.3, -0.2], [5.0, 5.0]])
    assert mix(information, torch.tensor([1.0, 0.0])).tolist() == pytest.approx([0.3, -0.2])


def fold_of(value, n_tuning, n_held_out):
    return FoldInformation.of_values(torch.full((n_tuning,), value), torch.full((n_held_out,), value))


def test_every_fold_has_its_own_weights():
    # The first critic is good in the first fold, the second one in the second
    critics = [
        [fold_of(1.0, 400, 30), fold_of(-9.0, 600, 20)],
        [fold_of(-9.0, 400, 30), fold_of(1.0, 600, 20)],
    ]
    found = stack(critics, [torch.ones(400), torch.ones(600)], [30, 20])
    assert (len(found.tuning), len(found.held_out)) == (1000, 50)
    # log of the weight of the good critic, which is above 0.99
    assert found.held_out.tolist() == pytest.approx([1.0] * 50, abs=0.011)
    assert found.tuning.tolist() == pytest.approx([1.0] * 1000, abs=0.011)
    assert found.weights[0].tolist() == pytest.approx([1.0, 0.0, 0.0], abs=0.01)
    assert found.weights[1].tolist() == pytest.approx([0.0, 1.0, 0.0], abs=0.01)
    assert found.weights.sum(dim=1).tolist() == pytest.approx([1.0, 1.0])


def test_held_out_rows_are_scored_only_when_asked_for():
    def refuse():
        raise AssertionError

    found = stack([[FoldInformation(torch.ones(400), refuse)]], [torch.ones(400)], [9])
    assert float(found.tuning.mean()) == pytest.approx(1.0, abs=0.01)
    with pytest.raises(AssertionError):
        found.held_out.mean()


def test_held_out_rows_have_no_part_in_the_weights():
    tuning = torch.full((400,), -1.0)
    found = stack([[FoldInformation.of_values(tuning, torch.full((9,), 5.0))]], [torch.ones(400)], [9])
    # A critic that is worse than the prior gets little weight, whatever it reaches on held-out rows
    assert found.weights[0].tolist() == pytest.approx([0.0, 1.0], abs=0.01)
    assert found.held_out.tolist() == pytest.approx([math.log(1 + float(found.weights[0, 0]) * (math.e**5 - 1))] * 9)


def test_without_critics_there_is_no_information():
    found = stack([], [torch.ones(4), torch.ones(6)], [3, 2])
    assert found.tuning.tolist() == [0.0] * 10
    assert found.held_out.tolist() == [0.0] * 5
    assert found.weights.tolist() == [[1.0], [1.0]]


def test_critics_that_overfit_lose_little_in_the_stack():
    noise = torch.randn(2, 400, generator=torch.Generator().manual_seed(0)) * 0.5 - 0.2
    critics = [[FoldInformation.of_values(one, one)] for one in noise]
    found = stack(critics, [torch.ones(400)], [400])
    # Each critic alone has -0.2; the prior limits the loss
    assert float(found.held_out.mean()) > -0.005
    assert JUDGE.weight_prior_rows > 0
