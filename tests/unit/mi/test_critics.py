import pytest
import torch

from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.critics import ClassCritic, ConcatenatedCritic, SeparableCritic
from minerva_select.mi.networks import NetworkShape
from minerva_select.runtime.rng import seeded_rng

X = ColumnLayout(2, (4, 3), (1, 3, 0, 2))
Y = ColumnLayout(1, (5,), (0, 1))
BUILDERS = {
    "concatenated": lambda: ConcatenatedCritic(X, Y, NetworkShape(n_members=2, width=16)),
    "separable": lambda: SeparableCritic(X, Y, NetworkShape(n_members=2, width=16), n_factors=4),
    "class": lambda: ClassCritic(X, 5, NetworkShape(n_members=2, width=16)),
}
EVERYTHING = torch.ones(2, 4)


def rows_of(layout, n_rows, seed):
    """Different rows for each of two members."""
    generator = torch.Generator().manual_seed(seed)
    quantiles = torch.rand(2, n_rows, layout.n_numeric, generator=generator)
    codes = [torch.randint(n, (2, n_rows), generator=generator) for n in layout.n_levels]
    return Rows(quantiles, torch.stack(codes, dim=-1), layout)


def some(rows, chosen):
    """The chosen rows of every member."""
    return Rows(rows.quantiles[:, chosen], rows.codes[:, chosen], rows.layout)


@pytest.fixture(params=BUILDERS)
def critic(request):
    with seeded_rng(0, torch.device("cpu")):
        return BUILDERS[request.param]()


@pytest.mark.parametrize("feature", range(4))
def test_a_feature_of_weight_zero_is_not_used(critic, feature):
    x, y = rows_of(X, 8, seed=0), rows_of(Y, 8, seed=1)
    weights = EVERYTHING.clone()
    weights[0, feature] = 0.0  # for the first member
    changed = Rows(x.quantiles.clone(), x.codes.clone(), X)
    place = X.positions.index(feature)
    if place < X.n_numeric:
        changed.quantiles[..., place] = torch.nan
    else:
        changed.codes[..., place - X.n_numeric] = (x.codes[..., place - X.n_numeric] + 1) % 3
    before, after = critic(x, y, weights), critic(changed, y, weights)
    assert torch.equal(before[0], after[0])
    # The same change has an effect at any other weight
    assert not torch.allclose(before[1], after[1])
    assert not torch.allclose(critic(x, y, EVERYTHING)[0], critic(changed, y, EVERYTHING)[0])


def test_weights_of_one_change_nothing(critic):
    x, y = rows_of(X, 8, seed=0), rows_of(Y, 8, seed=1)
    torch.testing.assert_close(critic(x, y), critic(x, y, EVERYTHING))


def test_scores_of_a_row_do_not_depend_on_the_other_rows(critic):
    x, y = rows_of(X, 8, seed=0), rows_of(Y, 8, seed=1)
    scores = critic(x, y, EVERYTHING)
    separate = critic(some(x, [5]), some(y, [5]), EVERYTHING)
    expected = scores[:, 5:6, 5:6] if isinstance(critic, SeparableCritic) else scores[:, 5:6]
    # The order of summation depends on the batch size
    torch.testing.assert_close(separate, expected, rtol=1e-5, atol=1e-5)


def test_scores_of_a_member_do_not_depend_on_the_rows_of_the_others(critic):
    x, y, other = rows_of(X, 8, seed=0), rows_of(Y, 8, seed=1), rows_of(X, 8, seed=2)
    mixed = Rows(torch.stack([x.quantiles[0], other.quantiles[1]]), torch.stack([x.codes[0], other.codes[1]]), X)
    scores, found = critic(x, y), critic(mixed, y)
    assert torch.equal(found[0], scores[0])
    assert not torch.allclose(found[1], scores[1])


def test_the_concatenated_critic_scores_pairs_and_the_others_all_combinations():
    x, y = rows_of(X, 8, seed=0), rows_of(Y, 6, seed=1)
    with seeded_rng(0, torch.device("cpu")):
        concatenated, separable, by_class = (build() for build in BUILDERS.values())
    assert concatenated(some(x, slice(6)), y, EVERYTHING).shape == (2, 6)
    assert separable(x, y, EVERYTHING).shape == (2, 8, 6)
    assert by_class(x, y, EVERYTHING).shape == (2, 8, 5)


def test_separable_scores_are_products_of_factors_and_a_term_of_the_target():
    x, y = rows_of(X, 8, seed=0), rows_of(Y, 6, seed=1)
    with seeded_rng(0, torch.device("cpu")):
        critic = BUILDERS["separable"]()
    h, g = critic.tower(x), critic.target(y)
    # Four factors: their products divided by sqrt(4), plus the fifth output of the target
    expected = (h.unsqueeze(2) * g[..., :4].unsqueeze(1)).sum(-1) / 2 + g[..., 4].unsqueeze(1)
    torch.testing.assert_close(critic(x, y), expected, rtol=1e-5, atol=1e-5)


def test_weights_can_differ_between_rows(critic):
    x, y = rows_of(X, 2, seed=0), rows_of(Y, 2, seed=1)
    rows = torch.tensor([[1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0]])
    weights = torch.stack([rows, rows.flip(0)])
    scores = critic(x, y, weights)
    for row in range(2):
        torch.testing.assert_close(scores[:, row], critic(x, y, weights[:, row])[:, row], rtol=1e-5, atol=1e-5)


def test_embeddings_of_the_papers_critic_are_softly_clamped():
    with seeded_rng(0, torch.device("cpu")):
        critic = BUILDERS["concatenated"]()
    rows = {critic.embed_x: rows_of(X, 8, seed=0), critic.embed_y: rows_of(Y, 8, seed=1)}
    for embed, table in rows.items():
        with torch.no_grad():
            embed.levels.mul_(1e6)
        assert embed(table).abs().max() <= 3.0
