import math

import numpy as np
import pytest
import torch

from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.bounds import donsker_varadhan, log_mean_exp, pointwise_information, score_joint_and_marginal


def test_bound_is_unchanged_by_adding_a_constant():
    generator = torch.Generator().manual_seed(0)
    joint, marginal = torch.randn(2, 64, generator=generator, dtype=torch.float64)
    expected = donsker_varadhan(joint, marginal)
    # float64 has 12 digits left after adding 50
    torch.testing.assert_close(donsker_varadhan(joint + 50.0, marginal + 50.0), expected, rtol=0, atol=1e-12)


def test_bound_equals_a_hand_worked_value():
    # Mean of 1 and 3 is 2; mean of exp(log 2) and exp(log 4) is 3.
    bound = donsker_varadhan(torch.tensor([1.0, 3.0]), torch.tensor([2.0, 4.0]).log())
    assert float(bound) == pytest.approx(2 - math.log(3), abs=1e-6)


@pytest.mark.parametrize("size", [1e4, -1e4])
def test_bound_and_its_gradient_are_finite_at_huge_scores(size):
    joint = torch.tensor([0.0, size], requires_grad=True)
    marginal = torch.tensor([size, -size], requires_grad=True)
    bound = donsker_varadhan(joint, marginal)
    # Of exp(1e4) and exp(-1e4) only the first is left: the logarithm of the mean is 1e4 - log 2.
    # One step of a float32 near 1e4 is 0.001.
    assert float(bound.detach()) == pytest.approx(size / 2 - (1e4 - math.log(2)), abs=2e-3)
    bound.backward()
    torch.testing.assert_close(joint.grad, torch.tensor([0.5, 0.5]))
    torch.testing.assert_close(marginal.grad.sort().values, torch.tensor([-1.0, 0.0]))


def test_log_mean_exp_averages_over_the_given_dimension():
    scores = torch.tensor([[1.0, 3.0], [5.0, 7.0]]).log()
    torch.testing.assert_close(log_mean_exp(scores, dim=0).exp(), torch.tensor([3.0, 5.0]))
    torch.testing.assert_close(log_mean_exp(scores, dim=1).exp(), torch.tensor([2.0, 6.0]))


def test_pointwise_information_is_the_hand_worked_log_ratio():
    # Prior 1/4 and 3/4, scores log 2 and 0: q is proportional to 2/4 and 3/4, so 2/5 and 3/5.
    scores = torch.tensor([[2.0, 1.0], [2.0, 1.0]]).log()
    found = pointwise_information(scores, torch.tensor([0, 1]), torch.tensor([0.25, 0.75]).log())
    expected = torch.tensor([(2 / 5) / (1 / 4), (3 / 5) / (3 / 4)]).log()
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)


def test_pointwise_information_keeps_leading_dimensions():
    generator = torch.Generator().manual_seed(2)
    scores = torch.randn(3, 4, 5, generator=generator)
    bins = torch.randint(5, (3, 4), generator=generator)
    log_prior = torch.full((5,), 0.2).log()
    found = pointwise_information(scores, bins, log_prior)
    for member in range(3):
        torch.testing.assert_close(found[member], pointwise_information(scores[member], bins[member], log_prior))


@pytest.mark.parametrize("n_levels", [3, 5])
def test_bound_of_the_perfect_critic_is_the_lemmas_information(n_levels):
    # Every pair of levels once is the distribution of Experiment A; every x with every y is the product of its
    # marginals. The perfect critic is log p(y|x) / p(y), minus infinity where y is impossible.
    first, second = np.indices((n_levels, n_levels)).reshape(2, -1)
    y = (first == second).astype(int)
    prior = np.array([(n_levels - 1) / n_levels, 1 / n_levels])
    with np.errstate(divide="ignore"):
        critic = torch.tensor(np.log(np.eye(2)[y] / prior))  # (row of x, class)
    every_pair = critic[:, y]
    lemma = (n_levels - 1) / n_levels * math.log(n_levels / (n_levels - 1)) + math.log(n_levels) / n_levels
    assert float(donsker_varadhan(every_pair.diagonal(), every_pair)) == pytest.approx(lemma, abs=1e-12)
    by_row = pointwise_information(
        torch.zeros(len(y), 2).double() + critic, torch.tensor(y), torch.tensor(np.log(prior))
    )
    assert float(by_row.mean()) == pytest.approx(lemma, abs=1e-12)


LAYOUT = ColumnLayout(0, (100,), (0,))


def numbered(n_rows, offset=0):
    return Rows(torch.empty(n_rows, 0), torch.arange(n_rows).unsqueeze(1) + offset, LAYOUT)


def test_joint_scores_are_of_true_pairs_and_marginal_scores_of_permuted_pairs():
    n_rows = 50
    seen = []

    def critic(x, y, weights):
        seen.append((x.codes[:, 0].tolist(), y.codes[:, 0].tolist()))
        return x.codes[:, 0].float() * weights

    x, y = numbered(n_rows), numbered(n_rows, offset=1000)
    joint, marginal = score_joint_and_marginal(critic, x, y, torch.tensor(2.0), torch.Generator().manual_seed(0))
    (x_joint, y_joint), (x_marginal, y_marginal) = seen
    assert x_joint == list(range(n_rows))
    assert y_joint == y_marginal == list(range(1000, 1000 + n_rows))
    assert x_marginal != x_joint
    assert sorted(x_marginal) == x_joint
    assert joint.tolist() == [2.0 * value for value in x_joint]
    assert marginal.tolist() == [2.0 * value for value in x_marginal]


def test_the_permutation_comes_from_the_generator():
    def critic(x, y, weights):
        return x.codes[:, 0].float()

    def marginal(generator):
        return score_joint_and_marginal(critic, numbered(20), numbered(20), torch.ones(1), generator)[1].tolist()

    generator = torch.Generator().manual_seed(3)
    first, second = marginal(generator), marginal(generator)
    assert first != second
    assert first == marginal(torch.Generator().manual_seed(3))
