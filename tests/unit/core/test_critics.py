import pytest
import torch

from minerva.core.critics import ClassCritic, ConcatenatedCritic, SeparableCritic
from minerva.core.inputs import Layout, Rows
from minerva.core.runtime import seeded

X = Layout(2, (4, 3), (1, 3, 0, 2))
Y = Layout(1, (5,), (0, 1))
BUILDERS = {
    "concatenated": lambda: ConcatenatedCritic(X, Y, width=16),
    "separable": lambda: SeparableCritic(X, Y, width=16, n_factors=4),
    "class": lambda: ClassCritic(X, 5, width=16),
}


def rows_of(layout, n_rows, seed):
    generator = torch.Generator().manual_seed(seed)
    ranks = torch.rand(n_rows, layout.n_continuous, generator=generator)
    codes = [torch.randint(n, (n_rows,), generator=generator) for n in layout.n_levels]
    return Rows(ranks, torch.stack(codes, dim=1), layout)


@pytest.fixture(params=BUILDERS)
def critic(request):
    with seeded(0, torch.device("cpu")):
        return BUILDERS[request.param]()


@pytest.mark.parametrize("feature", range(4))
def test_a_feature_of_weight_zero_is_hidden_completely(critic, feature):
    x, y = rows_of(X, 8, seed=0), rows_of(Y, 8, seed=1)
    weights = torch.ones(4)
    weights[feature] = 0.0
    changed = Rows(x.ranks.clone(), x.codes.clone(), X)
    place = X.positions.index(feature)
    if place < X.n_continuous:
        changed.ranks[:, place] = torch.nan
    else:
        changed.codes[:, place - X.n_continuous] = (x.codes[:, place - X.n_continuous] + 1) % 3
    assert torch.equal(critic(changed, y, weights), critic(x, y, weights))
    # The same change is seen at any other weight
    assert not torch.allclose(critic(changed, y, torch.ones(4)), critic(x, y, torch.ones(4)))


def test_scores_of_a_row_do_not_depend_on_the_other_rows(critic):
    x, y = rows_of(X, 8, seed=0), rows_of(Y, 8, seed=1)
    alone = torch.tensor([5])
    scores = critic(x, y, torch.ones(4))
    separate = critic(x.take(alone), y.take(alone), torch.ones(4))
    expected = scores[5:6, 5:6] if isinstance(critic, SeparableCritic) else scores[5:6]
    # Batches of other sizes add up in another order
    torch.testing.assert_close(separate, expected, rtol=1e-5, atol=1e-5)


def test_concatenated_critic_scores_pairs_and_the_others_all_of_them():
    x, y = rows_of(X, 8, seed=0), rows_of(Y, 6, seed=1)
    with seeded(0, torch.device("cpu")):
        concatenated, separable, by_class = (build() for build in BUILDERS.values())
    assert concatenated(x.take(torch.arange(6)), y, torch.ones(4)).shape == (6,)
    assert separable(x, y, torch.ones(4)).shape == (8, 6)
    assert by_class(x, y, torch.ones(4)).shape == (8, 5)


def test_weights_may_differ_from_row_to_row(critic):
    x, y = rows_of(X, 2, seed=0), rows_of(Y, 2, seed=1)
    weights = torch.tensor([[1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0]])
    scores = critic(x, y, weights)
    for row in range(2):
        torch.testing.assert_close(scores[row], critic(x, y, weights[row])[row], rtol=1e-5, atol=1e-5)


def test_embeddings_of_the_papers_critic_are_softly_clamped():
    with seeded(0, torch.device("cpu")):
        critic = BUILDERS["concatenated"]()
    rows = {critic.embed_x: rows_of(X, 8, seed=0), critic.embed_y: rows_of(Y, 8, seed=1)}
    for embed, table in rows.items():
        with torch.no_grad():
            embed.levels.weight.mul_(1e6)
        assert embed(table).abs().max() <= 3.0
