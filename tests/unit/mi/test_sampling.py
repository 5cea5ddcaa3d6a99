import statistics

import pytest
import torch

from minerva_select.config import SAMPLING
from minerva_select.mi.bounds import pointwise_information
from minerva_select.mi.sampling import RebalancedSampler, UniformSampler, draw_stratified, make_sampler, pad_rows


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def few_of_class_one(n_rows=1000, n_rare=5):
    """Atoms of so many rows, the first few of class 1, and the logarithms of their shares."""
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


@pytest.mark.parametrize("atoms_are", ["frequent", "rare but seen often enough", "levels of an amount"])
def test_batches_are_drawn_plainly_where_nothing_is_missed(atoms_are):
    bins, log_prior = few_of_class_one(n_rare=400 if atoms_are == "frequent" else 5)
    seen = [torch.arange(3, 1000, 2), torch.tensor([10, 20, 30])]
    found = make_sampler(
        seen,
        bins,
        torch.ones(1000),
        log_prior,
        is_discrete=atoms_are != "levels of an amount",
        n_draws=10_000 if atoms_are == "rare but seen often enough" else 100,
    )
    # One number a row, of the row's place among those of its member
    numbers = torch.rand(2, 50, generator=generator(), dtype=torch.float64)
    expected = [[int(rows[int(u * len(rows))]) for u in row] for row, rows in zip(numbers, seen, strict=True)]
    assert found.draw(50, generator()).tolist() == expected
    assert found.log_prior is log_prior


@pytest.mark.parametrize(
    ("n_draws", "share"),
    [
        (20_000, None),  # plain draws show each of the five rows 20 times
        (10_001, None),
        (9_999, 10 * 5 / 9_999),  # as often as ten visits a row take
        (5_000, 0.01),
        (2_000, 0.02),  # and no more than that
        (100, 0.02),
    ],
)
def test_a_rare_class_is_drawn_as_often_as_its_rows_may_be_visited(n_draws, share):
    found = choose(*few_of_class_one(), n_draws)
    assert isinstance(found, UniformSampler if share is None else RebalancedSampler)
    if share is not None:
        # The frequent class keeps its 0.995, and both are brought to a sum of one; singles have seven digits
        assert found.log_prior.flatten().exp().tolist() == pytest.approx(
            [0.995 / (0.995 + share), share / (0.995 + share)]
        )


def test_many_rare_classes_have_half_of_a_batch_at_most():
    bins = torch.cat([torch.zeros(9_900, dtype=torch.int64), torch.arange(1, 51).repeat(2)])
    log_prior = (torch.bincount(bins) / len(bins)).log().view(1, 1, -1)
    shares = choose(bins, log_prior, n_draws=100).log_prior.flatten().exp()
    # Each of 51 classes gets at least 0.5 / 51, before all are brought to a sum of one
    rare = 0.5 / 51
    assert shares[1:].tolist() == pytest.approx([rare / (0.99 + 50 * rare)] * 50)
    assert float(shares[1:].sum()) < 0.5


def test_shares_of_a_batch_are_those_asked_for_and_rows_of_a_class_are_equally_likely():
    bins = torch.tensor([1, 0, 2, 0, 0, 2, 0, 1, 0, 0])
    share = torch.tensor([[0.2, 0.5, 0.3]], dtype=torch.float64)
    found = RebalancedSampler([torch.arange(10)], bins, torch.ones(10), share)
    n_draws = 100_000
    (drawn,) = found.draw(n_draws, generator())
    expected = share[0, bins] / torch.bincount(bins)[bins]
    # A share of so many draws has a standard error of at most 0.0014
    torch.testing.assert_close(torch.bincount(drawn) / n_draws, expected.float(), rtol=0, atol=0.006)


def test_members_draw_their_own_rows_and_never_a_class_that_they_do_not_have():
    bins = torch.tensor([0, 0, 1, 1, 2, 2, 0, 0, 1, 2])
    seen = [torch.tensor([9, 2, 0, 6]), torch.tensor([1, 3, 7, 8, 5]), torch.tensor([6, 0, 7])]
    counts = torch.stack([torch.bincount(bins[rows], minlength=3) for rows in seen])
    wanted = (counts > 0).double()
    found = RebalancedSampler(seen, bins, torch.ones(10), wanted / wanted.sum(1, keepdim=True))
    drawn = found.draw(2_000, generator())
    for rows, own in zip(drawn, seen, strict=True):
        assert rows.unique().tolist() == own.sort().values.tolist()
    # The last member has one class alone; the logarithm of nothing is a number
    assert found.log_prior[2, 0].tolist() == [0.0, SAMPLING.log_never, SAMPLING.log_never]


def test_the_prior_of_batches_counts_what_rows_weigh():
    bins, weights = torch.tensor([0, 0, 1]), torch.tensor([1.0, 3.0, 4.0])
    half = torch.full((1, 2), 0.5, dtype=torch.float64)
    found = RebalancedSampler([torch.arange(3)], bins, weights, half)
    # Half of the draws weigh 2 in the mean, the other half 4
    assert found.log_prior.exp().flatten().tolist() == pytest.approx([1 / 3, 2 / 3])


@pytest.fixture
def law():
    """Rows of three values and two classes, the second rare, all of unequal weight; a sampler that shows it more."""
    draw = generator(1)
    x, bins = torch.randint(3, (400,), generator=draw), (torch.arange(400) % 40 == 0).long()
    x = torch.where(bins == 1, x.clamp(max=1), x)
    weights = torch.rand(400, generator=draw, dtype=torch.float64) + torch.where(bins == 1, 2.0, 0.1)
    share = torch.tensor([[0.6, 0.4]], dtype=torch.float64)
    return x, bins, weights, share, RebalancedSampler([torch.arange(400)], bins, weights, share)


def true_critic(x, bins, weights):  # (n_values, n_classes)
    """The logarithm of the law of x given the class, by the weights: the best critic under any prior."""
    joint = torch.zeros(3, 2, dtype=torch.float64).index_put_((x, bins), weights, accumulate=True)
    return (joint / joint.sum(0)).clamp(min=1e-12).log()


def test_the_best_critic_is_the_best_for_such_batches_too(law):
    x, bins, weights, share, found = law
    chance = (share[0] / torch.bincount(bins))[bins]  # of a draw to be this row
    slopes = []
    for log_prior in (found.log_prior[0], (torch.bincount(bins) / len(bins)).log()):
        critic = true_critic(x, bins, weights).requires_grad_()
        information = pointwise_information(critic[x], bins, log_prior)
        ((information * weights * chance).sum() / (weights * chance).sum()).backward()
        slopes.append(float(critic.grad.abs().max()))
    # The prior is a single, known to 1e-7; the plain one of the rows would pull the critic elsewhere
    assert slopes[0] < 1e-6
    assert slopes[1] > 0.01


def test_the_weighted_bound_of_a_known_critic_is_unbiased(law):
    x, bins, weights, share, found = law
    critic = true_critic(x, bins, weights)
    (rows,) = found.draw(100_000, generator())
    information = pointwise_information(critic[x[rows]], bins[rows], found.log_prior[0])
    # The information of the law that has the same x given the class, and the prior of the batches
    amounts = torch.bincount(bins, weights) / torch.bincount(bins)
    prior = share[0] * amounts / (share[0] * amounts).sum()
    joint = critic.exp() * prior
    expected = (joint * (critic - joint.sum(1, keepdim=True).log())).sum()
    estimate = (information * weights[rows]).sum() / weights[rows].sum()
    # Values have a standard deviation of 0.35 under the weights, so that the mean is known to 0.0015
    assert float(estimate) == pytest.approx(float(expected), abs=0.007)
    assert float(expected) > 0.05


def test_draws_come_from_the_generator():
    bins, log_prior = few_of_class_one()
    found = choose(bins, log_prior, n_draws=100)
    first, second, other = (found.draw(64, generator(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, second)
    assert not torch.equal(first, other)


def test_a_batch_shows_a_rare_class_that_plain_ones_hardly_hold():
    bins, log_prior = few_of_class_one(n_rows=10_000, n_rare=3)
    n_rare = int((bins[choose(bins, log_prior, n_draws=1_000).draw(1_000, generator())] == 1).sum())
    # 20 of 1,000 with an error of 4.4; plain draws give 0.3
    assert 5 < n_rare < 40


def test_every_row_is_drawn_where_enough_are_asked_for():
    bins = torch.tensor([0, 2, 2, 0, 2, 4])
    places, share = draw_stratified(bins, 100, torch.Generator().manual_seed(0))
    assert places.tolist() == [0, 1, 2, 3, 4, 5]
    assert share.tolist() == [1.0] * 6


def test_rare_atoms_are_drawn_whole_and_frequent_ones_stand_for_as_many_as_there_are():
    bins = (torch.arange(1000) % 50 > 0).long()  # 20 of bin 0, 980 of bin 1
    generator = torch.Generator().manual_seed(0)
    draws = [draw_stratified(bins, 100, generator) for _ in range(200)]
    for places, share in draws:
        assert places.unique().tolist() == places.tolist()
        assert (bins[places] == 0).sum() == 20
        assert (share[bins[places] == 0] == 1).all()
    # 50 of bin 1, and a rescaling that fills up what bin 0 has left: 20 + 50 / 0.7. One draw has an error of 8
    n_drawn = statistics.fmean(len(places) for places, _ in draws)
    assert n_drawn == pytest.approx(20 + 50 / 0.7, abs=3)
    # 980 rows with an error of 980 * sqrt(0.93 / 71) = 112 a draw, 8 for the mean
    stands_for = statistics.fmean(float((1 / share)[bins[places] == 1].sum()) for places, share in draws)
    assert stands_for == pytest.approx(980, abs=40)


def test_a_draw_is_never_empty():
    for seed in range(20):
        places, share = draw_stratified(torch.zeros(1000, dtype=torch.int64), 1, torch.Generator().manual_seed(seed))
        assert len(places) == len(share) > 0
