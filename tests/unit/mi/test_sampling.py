import statistics

import pytest
import torch

from minerva_select.config import SAMPLING
from minerva_select.mi.bounds import pointwise_information
from minerva_select.mi.sampling import RebalancedSampler, UniformSampler, draw_stratified, make_sampler, pad_rows


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def few_of_class_one(n_rows=1000, n_rare=5):
    """Classes of rows, the first few of class 1, and the logarithms of their shares."""
    bins = (torch.arange(n_rows) < n_rare).long()
    return bins, (torch.bincount(bins) / n_rows).log().view(1, 1, 2)


def choose(bins, log_prior, n_draws, is_discrete=True):
    everything = [torch.arange(len(bins))]
    return make_sampler(everything, bins, torch.ones(len(bins)), log_prior, is_discrete=is_discrete, n_draws=n_draws)


def test_padding_has_no_weight():
    row_weights = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
    padded, weights = pad_rows((torch.tensor([4, 1, 2]), torch.tensor([3])), row_weights)
    assert padded[0].tolist() == [4, 1, 2]
    assert padded[1, 0] == 3
    assert weights.tolist() == [[5.0, 2.0, 3.0], [4.0, 0.0, 0.0]]
    assert row_weights.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize("case", ["frequent", "rare but seen often enough", "levels of an amount"])
def test_batches_are_uniform_if_no_class_is_too_rare(case):
    bins, log_prior = few_of_class_one(n_rare=400 if case == "frequent" else 5)
    seen = [torch.arange(3, 1000, 2), torch.tensor([10, 20, 30])]
    found = make_sampler(
        seen,
        bins,
        torch.ones(1000),
        log_prior,
        is_discrete=case != "levels of an amount",
        n_draws=10_000 if case == "rare but seen often enough" else 100,
    )
    # One random number per row, for the index among the member's rows
    numbers = torch.rand(2, 50, generator=generator(), dtype=torch.float64)
    expected = [[int(rows[int(u * len(rows))]) for u in row] for row, rows in zip(numbers, seen, strict=True)]
    assert found.draw(50, generator()).tolist() == expected
    assert found.log_prior is log_prior


@pytest.mark.parametrize(
    ("n_draws", "share"),
    [
        (20_000, None),  # uniform draws show each of the five rows 20 times
        (10_001, None),
        (9_999, 10 * 5 / 9_999),  # ten visits per row
        (5_000, 0.01),
        (2_000, 0.02),  # at most
        (100, 0.02),
    ],
)
def test_a_rare_class_is_drawn_up_to_its_maximum_of_visits_and_share(n_draws, share):
    found = choose(*few_of_class_one(), n_draws)
    assert isinstance(found, UniformSampler if share is None else RebalancedSampler)
    if share is not None:
        # The frequent class keeps its 0.995, and both are normalized; float32 has seven digits
        assert found.log_prior.flatten().exp().tolist() == pytest.approx(
            [0.995 / (0.995 + share), share / (0.995 + share)]
        )


def test_many_rare_classes_have_at_most_half_of_a_batch():
    bins = torch.cat([torch.zeros(9_900, dtype=torch.int64), torch.arange(1, 51).repeat(2)])
    log_prior = (torch.bincount(bins) / len(bins)).log().view(1, 1, -1)
    shares = choose(bins, log_prior, n_draws=100).log_prior.flatten().exp()
    # Each of 51 classes gets at least 0.5 / 51, before normalization
    rare = 0.5 / 51
    assert shares[1:].tolist() == pytest.approx([rare / (0.99 + 50 * rare)] * 50)
    assert float(shares[1:].sum()) < 0.5


def test_batches_have_the_given_class_shares_and_rows_of_a_class_are_equally_likely():
    bins = torch.tensor([1, 0, 2, 0, 0, 2, 0, 1, 0, 0])
    share = torch.tensor([[0.2, 0.5, 0.3]], dtype=torch.float64)
    found = RebalancedSampler([torch.arange(10)], bins, torch.ones(10), share)
    n_draws = 100_000
    (drawn,) = found.draw(n_draws, generator())
    expected = share[0, bins] / torch.bincount(bins)[bins]
    # The standard error of a share is at most 0.0014
    torch.testing.assert_close(torch.bincount(drawn) / n_draws, expected.float(), rtol=0, atol=0.006)


def test_members_draw_only_their_own_rows_and_classes():
    bins = torch.tensor([0, 0, 1, 1, 2, 2, 0, 0, 1, 2])
    seen = [torch.tensor([9, 2, 0, 6]), torch.tensor([1, 3, 7, 8, 5]), torch.tensor([6, 0, 7])]
    counts = torch.stack([torch.bincount(bins[rows], minlength=3) for rows in seen])
    wanted = (counts > 0).double()
    found = RebalancedSampler(seen, bins, torch.ones(10), wanted / wanted.sum(1, keepdim=True))
    drawn = found.draw(2_000, generator())
    for rows, own in zip(drawn, seen, strict=True):
        assert rows.unique().tolist() == own.sort().values.tolist()
    # The last member has only one class; the log prior of the others stays finite
    assert found.log_prior[2, 0].tolist() == [0.0, SAMPLING.log_never, SAMPLING.log_never]


def test_the_prior_of_batches_includes_row_weights():
    bins, weights = torch.tensor([0, 0, 1]), torch.tensor([1.0, 3.0, 4.0])
    half = torch.full((1, 2), 0.5, dtype=torch.float64)
    found = RebalancedSampler([torch.arange(3)], bins, weights, half)
    # Half of the draws have a mean weight of 2, the other half 4
    assert found.log_prior.exp().flatten().tolist() == pytest.approx([1 / 3, 2 / 3])


@pytest.fixture
def rare_class():
    """Rows with three values, two classes and unequal weights; a sampler that shows the rare class more often."""
    draw = generator(1)
    x, bins = torch.randint(3, (400,), generator=draw), (torch.arange(400) % 40 == 0).long()
    x = torch.where(bins == 1, x.clamp(max=1), x)
    weights = torch.rand(400, generator=draw, dtype=torch.float64) + torch.where(bins == 1, 2.0, 0.1)
    share = torch.tensor([[0.6, 0.4]], dtype=torch.float64)
    return x, bins, weights, share, RebalancedSampler([torch.arange(400)], bins, weights, share)


def true_critic(x, bins, weights):  # (n_values, n_classes)
    """Weighted log p(x | class): the best critic under any prior."""
    joint = torch.zeros(3, 2, dtype=torch.float64).index_put_((x, bins), weights, accumulate=True)
    return (joint / joint.sum(0)).clamp(min=1e-12).log()


def test_the_best_critic_is_also_the_best_for_rebalanced_batches(rare_class):
    x, bins, weights, share, found = rare_class
    chance = (share[0] / torch.bincount(bins))[bins]  # that a draw is this row
    slopes = []
    for log_prior in (found.log_prior[0], (torch.bincount(bins) / len(bins)).log()):
        critic = true_critic(x, bins, weights).requires_grad_()
        information = pointwise_information(critic[x], bins, log_prior)
        ((information * weights * chance).sum() / (weights * chance).sum()).backward()
        slopes.append(float(critic.grad.abs().max()))
    # The prior is float32, exact to 1e-7; with the prior of the rows another critic would be the best
    assert slopes[0] < 1e-6
    assert slopes[1] > 0.01


def test_the_weighted_bound_of_a_known_critic_is_unbiased(rare_class):
    x, bins, weights, share, found = rare_class
    critic = true_critic(x, bins, weights)
    (rows,) = found.draw(100_000, generator())
    information = pointwise_information(critic[x[rows]], bins[rows], found.log_prior[0])
    # Information under the same p(x | class) and the prior of the batches
    mean_weights = torch.bincount(bins, weights) / torch.bincount(bins)
    prior = share[0] * mean_weights / (share[0] * mean_weights).sum()
    joint = critic.exp() * prior
    expected = (joint * (critic - joint.sum(1, keepdim=True).log())).sum()
    estimate = (information * weights[rows]).sum() / weights[rows].sum()
    # Values have a weighted standard deviation of 0.35, so the standard error is 0.0015
    assert float(estimate) == pytest.approx(float(expected), abs=0.007)
    assert float(expected) > 0.05


def test_draws_come_from_the_generator():
    bins, log_prior = few_of_class_one()
    found = choose(bins, log_prior, n_draws=100)
    first, second, other = (found.draw(64, generator(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, second)
    assert not torch.equal(first, other)


def test_a_batch_contains_a_rare_class_that_uniform_ones_rarely_contain():
    bins, log_prior = few_of_class_one(n_rows=10_000, n_rare=3)
    n_rare = int((bins[choose(bins, log_prior, n_draws=1_000).draw(1_000, generator())] == 1).sum())
    # 20 of 1,000 with a standard deviation of 4.4; uniform draws give 0.3
    assert 5 < n_rare < 40


def test_every_row_is_drawn_if_enough_are_requested():
    bins = torch.tensor([0, 2, 2, 0, 2, 4])
    places, share = draw_stratified(bins, 100, torch.Generator().manual_seed(0))
    assert places.tolist() == [0, 1, 2, 3, 4, 5]
    assert share.tolist() == [1.0] * 6


def test_rare_classes_are_drawn_whole_and_weights_restore_the_frequent_ones():
    bins = (torch.arange(1000) % 50 > 0).long()  # 20 of class 0, 980 of class 1
    generator = torch.Generator().manual_seed(0)
    draws = [draw_stratified(bins, 100, generator) for _ in range(200)]
    for places, share in draws:
        assert places.unique().tolist() == places.tolist()
        assert (bins[places] == 0).sum() == 20
        assert (share[bins[places] == 0] == 1).all()
    # 50 of class 1, scaled up because class 0 has too few: 20 + 50 / 0.7. The standard deviation of a draw is 8
    n_drawn = statistics.fmean(len(places) for places, _ in draws)
    assert n_drawn == pytest.approx(20 + 50 / 0.7, abs=3)
    # 980 rows with a standard deviation of 980 * sqrt(0.93 / 71) = 112 per draw, 8 for the mean
    stands_for = statistics.fmean(float((1 / share)[bins[places] == 1].sum()) for places, share in draws)
    assert stands_for == pytest.approx(980, abs=40)


def test_a_draw_is_never_empty():
    for seed in range(20):
        places, share = draw_stratified(torch.zeros(1000, dtype=torch.int64), 1, torch.Generator().manual_seed(seed))
        assert len(places) == len(share) > 0
