import math

import pytest
import torch

from minerva_select.data.encoded_rows import ColumnLayout, Rows, stack_rows
from minerva_select.mi.bounds import donsker_varadhan, score_joint_and_marginal
from minerva_select.mi.critics import ConcatenatedCritic
from minerva_select.mi.networks import NetworkShape
from minerva_select.mi.objective import Loss, norm_drift, sparsity_ratio
from minerva_select.runtime.rng import seeded_rng


def test_sparsity_ratio_is_one_for_a_single_weight():
    assert float(sparsity_ratio(torch.tensor([0.0, 0.3, 0.0]))) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("n_weights", [1, 4, 30])
def test_sparsity_ratio_of_equal_weights_is_the_root_of_their_number(n_weights):
    assert float(sparsity_ratio(torch.full((n_weights,), 0.7))) == pytest.approx(math.sqrt(n_weights), rel=1e-6)


def test_sparsity_ratio_does_not_depend_on_scale():
    weights = torch.tensor([0.1, 0.0, 2.0, 0.5])
    torch.testing.assert_close(sparsity_ratio(weights * 1e-3), sparsity_ratio(weights))


def test_norm_drift_is_the_squared_distance_from_the_target_norm():
    weights = torch.tensor([3.0, 4.0])
    assert float(norm_drift(weights, 5.0)) == 0.0
    assert float(norm_drift(weights, 2.0)) == pytest.approx(9.0)


def test_loss_is_the_sum_of_its_three_terms():
    loss = Loss(torch.tensor([-0.5, -0.25]), torch.tensor(0.125), torch.tensor(2.0))
    assert loss.total.tolist() == [1.625, 1.875]
    assert Loss(torch.tensor([-0.5])).total.tolist() == [-0.5]


def test_sparsity_term_has_the_gradient_of_the_ratio_also_at_zero():
    # d/dp_i of ||p||_1 / ||p||_2 is 1 / ||p||_2 - ||p||_1 p_i / ||p||_2^3, with ||p||_2 = 5 and ||p||_1 = 7.
    weights = torch.tensor([3.0, 4.0, 0.0], requires_grad=True)
    sparsity_ratio(weights).backward()
    torch.testing.assert_close(weights.grad, torch.tensor([1 / 5 - 21 / 125, 1 / 5 - 28 / 125, 1 / 5]))


def test_drift_term_has_the_gradient_of_the_squared_distance():
    # d/dp_i of (||p||_2 - a)^2 is 2 (||p||_2 - a) p_i / ||p||_2, with ||p||_2 = 5 and a = 2.
    weights = torch.tensor([3.0, 4.0, 0.0], requires_grad=True)
    norm_drift(weights, 2.0).backward()
    torch.testing.assert_close(weights.grad, torch.tensor([3.6, 4.8, 0.0]))


def test_penalties_stay_finite_when_every_weight_is_zero():
    weights = torch.zeros(3, requires_grad=True)
    loss = sparsity_ratio(weights) + norm_drift(weights, 1.0)
    loss.backward()
    assert float(loss.detach()) == 1.0
    assert torch.isfinite(weights.grad).all()


def test_bound_term_has_a_gradient_in_every_parameter_and_every_weight():
    generator = torch.Generator().manual_seed(0)
    quantiles = torch.rand(32, 2, generator=generator)
    quantiles[::3] = torch.nan
    codes = torch.randint(3, (32, 2), generator=generator)
    x = Rows(quantiles, codes, ColumnLayout(2, (3, 3), (0, 2, 1, 3)))
    y = Rows(quantiles[:, :1], codes[:, :1], ColumnLayout(1, (3,), (0, 1)))
    with seeded_rng(0, torch.device("cpu")):
        critic = ConcatenatedCritic(x.layout, y.layout, NetworkShape(width=16))
    weights = torch.ones(4, requires_grad=True)

    def score(x, y, weights):
        return critic(stack_rows([x]), stack_rows([y]), weights.unsqueeze(0)).squeeze(0)

    Loss(-donsker_varadhan(*score_joint_and_marginal(score, x, y, weights, generator))).total.backward()
    assert (weights.grad != 0).all()
    silent = [name for name, parameter in critic.named_parameters() if not parameter.grad.abs().max() > 1e-6]
    # A constant added to every score does not change the bound, so the last bias has no gradient.
    last = len(critic.tower) - 1
    assert silent == [f"tower.{last}.bias"]
