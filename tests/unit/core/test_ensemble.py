import pytest
import torch

from minerva.core.critics import ClassCritic, ConcatenatedCritic, SeparableCritic
from minerva.core.ensemble import Ensemble
from minerva.core.inputs import Layout, Rows
from minerva.core.networks import BoundedLinear
from minerva.core.runtime import seeded

CPU = torch.device("cpu")
X = Layout(1, (3,), (1, 0))
Y = Layout(0, (2,), (0,))
BUILDERS = {
    "concatenated": lambda: ConcatenatedCritic(X, Y, width=8),
    "separable": lambda: SeparableCritic(X, Y, width=8, n_factors=4),
    "class": lambda: ClassCritic(X, 2, width=8),
}


def block(layout, n_members, n_rows, seed=0):
    generator = torch.Generator().manual_seed(seed)
    ranks = torch.rand(n_members, n_rows, layout.n_continuous, generator=generator)
    codes = [torch.randint(n, (n_members, n_rows), generator=generator) for n in layout.n_levels]
    return Rows(ranks, torch.stack(codes, dim=-1), layout)


def member(rows, k):
    return Rows(rows.ranks[k], rows.codes[k], rows.layout)


def build(name="concatenated", n_members=3, seed=0):
    with seeded(seed, CPU):
        return Ensemble(BUILDERS[name], n_members, CPU)


@pytest.mark.parametrize("n_members", [1, 3])
@pytest.mark.parametrize("name", BUILDERS)
def test_an_ensemble_scores_like_each_member_alone(name, n_members):
    ensemble = build(name, n_members)
    with seeded(0, CPU):
        alone = [BUILDERS[name]() for _ in range(n_members)]
    x, y = block(X, n_members, 7, seed=1), block(Y, n_members, 7, seed=2)
    weights = torch.rand(n_members, 2, generator=torch.Generator().manual_seed(3))
    scores = ensemble(x, y, weights)
    for k, critic in enumerate(alone):
        # Batched products add up in another order than single ones
        torch.testing.assert_close(scores[k], critic(member(x, k), member(y, k), weights[k]), rtol=1e-5, atol=1e-5)


def test_members_learn_only_from_their_own_scores():
    ensemble = build(n_members=3)
    scores = ensemble(block(X, 3, 5), block(Y, 3, 5), torch.ones(3, 2))
    scores[1].sum().backward()
    for value in ensemble.parameters.values():
        assert (value.grad[[0, 2]] == 0).all()
    assert ensemble.parameters["tower.0.weight"].grad[1].abs().max() > 0


def test_gradients_are_clipped_member_by_member():
    ensemble = build(n_members=2)
    gradients = {}
    for name, value in ensemble.parameters.items():
        value.grad = torch.ones_like(value) * torch.tensor([1e3, 1e-4]).view(2, *[1] * (value.dim() - 1))
        gradients[name] = value.grad.clone()
    ensemble.clip_gradients_(max_norm=0.5)
    norms = sum(value.grad.flatten(1).square().sum(1) for value in ensemble.parameters.values()).sqrt()
    assert float(norms[0]) == pytest.approx(0.5, rel=1e-5)
    for name, value in ensemble.parameters.items():
        assert torch.equal(value.grad[1], gradients[name][1])


def test_projection_brings_bounded_layers_back_and_touches_nothing_else():
    ensemble = build(n_members=2)
    layer = ensemble.template.tower[0]
    assert isinstance(layer, BoundedLinear)
    with torch.no_grad():
        for value in ensemble.parameters.values():
            value.mul_(100.0)
    before = ensemble.snapshot()
    ensemble.project_()
    projected = ensemble.parameters["tower.0.weight"].detach()
    assert float(projected.abs().max()) == pytest.approx(layer.limit)
    assert torch.equal(projected, before["tower.0.weight"].clamp(-layer.limit, layer.limit))
    for name, value in ensemble.parameters.items():
        assert name == "tower.0.weight" or torch.equal(value, before[name])


def test_a_snapshot_does_not_change_with_the_ensemble():
    ensemble = build(n_members=1)
    before = ensemble.snapshot()
    kept = {name: value.clone() for name, value in before.items()}
    with torch.no_grad():
        for value in ensemble.parameters.values():
            value.add_(1.0)
    assert all(torch.equal(before[name], kept[name]) for name in kept)


def test_copy_touches_the_marked_members_only():
    ensemble, other = build(n_members=3, seed=0), build(n_members=3, seed=1)
    before, source = ensemble.snapshot(), other.snapshot()
    ensemble.copy_(source, None, torch.tensor([False, True, False]))
    for name, value in ensemble.snapshot().items():
        assert torch.equal(value[1], source[name][1])
        assert torch.equal(value[[0, 2]], before[name][[0, 2]])


def test_dropout_works_while_training_only_and_differs_between_members():
    with seeded(0, CPU):
        ensemble = Ensemble(lambda: ClassCritic(X, 2, width=8, dropout=0.5), 2, CPU)
        ensemble.copy_({name: value.flip(0) for name, value in ensemble.snapshot().items()}, None, torch.tensor([0]))
        x, y = block(X, 1, 9), block(Y, 1, 9)
        twice = Rows(x.ranks.expand(2, -1, -1), x.codes.expand(2, -1, -1), X)
        targets = Rows(y.ranks.expand(2, -1, -1), y.codes.expand(2, -1, -1), Y)
        ensemble.train(False)
        calm = ensemble(twice, targets, torch.ones(2, 2))
        ensemble.train()
        shaken = ensemble(twice, targets, torch.ones(2, 2))
    torch.testing.assert_close(calm[0], calm[1])
    assert not torch.allclose(shaken[0], shaken[1])
