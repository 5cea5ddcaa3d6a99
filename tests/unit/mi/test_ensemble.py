import pytest
import torch

from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.critics import ClassCritic, ConcatenatedCritic, SeparableCritic
from minerva_select.mi.ensemble import Ensemble
from minerva_select.mi.networks import NetworkShape
from minerva_select.mi.optimizer import AdamW
from minerva_select.runtime.rng import seeded_rng

CPU = torch.device("cpu")
X = ColumnLayout(1, (3,), (1, 0))
Y = ColumnLayout(0, (2,), (0,))
BUILDERS = {
    "concatenated": lambda n_members: ConcatenatedCritic(X, Y, NetworkShape(n_members=n_members, width=8)),
    "separable": lambda n_members: SeparableCritic(X, Y, NetworkShape(n_members=n_members, width=8), n_factors=4),
    "class": lambda n_members: ClassCritic(X, 2, NetworkShape(n_members=n_members, width=8)),
}


def block(layout, n_members, n_rows, seed=0):
    generator = torch.Generator().manual_seed(seed)
    quantiles = torch.rand(n_members, n_rows, layout.n_numeric, generator=generator)
    codes = [torch.randint(n, (n_members, n_rows), generator=generator) for n in layout.n_levels]
    return Rows(quantiles, torch.stack(codes, dim=-1), layout)


def of_member(rows, k):
    return Rows(rows.quantiles[k : k + 1], rows.codes[k : k + 1], rows.layout)


def build(name="concatenated", n_members=3, seed=0):
    with seeded_rng(seed, CPU):
        return Ensemble(BUILDERS[name](n_members), CPU)


def copies(ensemble):
    """Copies of all parameters, by name."""
    return {name: value.detach().clone() for name, value in ensemble.parameters.items()}


@pytest.mark.parametrize("n_members", [1, 3])
@pytest.mark.parametrize("name", BUILDERS)
def test_an_ensemble_scores_like_each_member_alone(name, n_members):
    ensemble = build(name, n_members)
    x, y = block(X, n_members, 7, seed=1), block(Y, n_members, 7, seed=2)
    weights = torch.rand(n_members, 2, generator=torch.Generator().manual_seed(3))
    scores = ensemble.critic(x, y, weights)
    for k in range(n_members):
        alone = BUILDERS[name](1)
        for parameter, value in alone.named_parameters():
            value.data = ensemble.parameters[parameter].data[k : k + 1].clone()
        expected = alone(of_member(x, k), of_member(y, k), weights[k : k + 1])
        # Batched and single products differ in the order of summation
        torch.testing.assert_close(scores[k], expected[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", BUILDERS)
def test_parameters_and_gradients_are_views_of_one_tensor_each(name):
    ensemble = build(name)
    assert ensemble.values.numel() == sum(value.numel() for value in ensemble.parameters.values())
    ensemble.values.copy_(torch.linspace(-1, 1, ensemble.values.numel()))
    seen = torch.cat([value.detach().flatten() for value in ensemble.critic.parameters()])
    assert torch.equal(seen, ensemble.values)
    scores = ensemble.critic(block(X, 3, 5), block(Y, 3, 5))
    scores.sum().backward()
    assert ensemble.gradient.abs().max() > 0
    learned = torch.cat([value.grad.flatten() for value in ensemble.critic.parameters()])
    assert torch.equal(learned, ensemble.gradient)


def test_the_ensemble_keeps_the_initial_parameters():
    with seeded_rng(0, CPU):
        alone = BUILDERS["class"](2)
    x, y = block(X, 2, 5), block(Y, 2, 5)
    before = alone(x, y)
    ensemble = build("class", n_members=2)
    assert torch.equal(ensemble.critic(x, y), before)
    assert ensemble.n_members == 2


@pytest.mark.parametrize("name", BUILDERS)
def test_members_learn_only_from_their_own_scores(name):
    ensemble = build(name)
    ensemble.critic(block(X, 3, 5), block(Y, 3, 5), torch.ones(3, 2))[1].sum().backward()
    for value in ensemble.parameters.values():
        assert (value.grad[[0, 2]] == 0).all()
    largest = max(float(value.grad[1].abs().max()) for value in ensemble.parameters.values() if value.numel())
    assert largest > 0


def test_clipping_scales_each_member_on_its_own():
    ensemble = build(n_members=2)
    for value in ensemble.parameters.values():
        value.grad.copy_(torch.tensor([1e3, 1e-4]).view(2, *[1] * (value.dim() - 1)).expand_as(value))
    ensemble.clip_gradients_(max_norm=0.5)
    gradients = torch.cat([value.grad.flatten(1) for value in ensemble.parameters.values()], dim=1)
    assert float(gradients[0].norm()) == pytest.approx(0.5, rel=1e-5)
    assert (gradients[0] == gradients[0, 0]).all()
    assert (gradients[1] == 1e-4).all()


def test_projection_clamps_bounded_layers_and_nothing_else():
    ensemble = build(n_members=2)
    layer = ensemble.critic.tower[0]
    assert layer.bounded
    ensemble.values.mul_(100.0)
    before = copies(ensemble)
    ensemble.project_()
    projected = ensemble.parameters["tower.0.weight"].detach()
    assert float(projected.abs().max()) == pytest.approx(layer.limit)
    assert torch.equal(projected, before["tower.0.weight"].clamp(-layer.limit, layer.limit))
    for name, value in ensemble.parameters.items():
        assert name == "tower.0.weight" or torch.equal(value, before[name])


def test_a_snapshot_is_a_copy():
    ensemble = build(n_members=1)
    kept, snapshot = ensemble.values.clone(), ensemble.snapshot()
    ensemble.values.add_(1.0)
    assert torch.equal(snapshot, kept)
    assert not torch.equal(snapshot, ensemble.values)


def test_a_snapshot_can_be_restored():
    ensemble = build(n_members=2)
    before, snapshot = copies(ensemble), ensemble.snapshot()
    ensemble.values.add_(1.0)
    ensemble.restore_(snapshot)
    for name, value in ensemble.critic.named_parameters():
        assert torch.equal(value, before[name])
    ensemble.values.add_(1.0)  # leaves the snapshot unchanged
    ensemble.restore_(snapshot)
    assert torch.equal(ensemble.parameters["tower.0.weight"], before["tower.0.weight"])


def test_a_snapshot_is_updated_for_the_marked_members_only():
    ensemble = build(n_members=3)
    before, snapshot = copies(ensemble), ensemble.snapshot()
    ensemble.values.add_(1.0)
    after = copies(ensemble)
    ensemble.update_snapshot_(snapshot, torch.tensor([False, True, False]))
    ensemble.restore_(snapshot)
    for name, value in ensemble.parameters.items():
        assert torch.equal(value[1], after[name][1])
        assert torch.equal(value[[0, 2]], before[name][[0, 2]])


def test_a_warm_start_copies_the_given_members_only():
    mine, other = build("class", n_members=4, seed=0), build("class", n_members=3, seed=1)
    before, source = copies(mine), copies(other)
    entries = {"tower.embed.levels": ([2, 0], [0, 1]), "tower.embed.missing": ([], [])}
    mine.warm_start_(other, (slice(1, 3), slice(0, 2)), entries)
    for name, value in mine.parameters.items():
        assert torch.equal(value[[0, 3]], before[name][[0, 3]])
        if name not in entries:
            assert torch.equal(value[1:3], source[name][:2])
        assert torch.equal(other.parameters[name], source[name])
    levels = mine.parameters["tower.embed.levels"]
    assert torch.equal(levels[1:3, [2, 0]], source["tower.embed.levels"][:2, [0, 1]])
    assert torch.equal(levels[1:3, 1], before["tower.embed.levels"][1:3, 1])
    assert torch.equal(mine.parameters["tower.embed.missing"], before["tower.embed.missing"])


def test_members_are_independent_after_a_warm_start():
    mine, other = build("class", n_members=2, seed=0), build("class", n_members=2, seed=1)
    mine.warm_start_(other, (slice(2), slice(2)), {})
    kept = mine.values.clone()
    other.values.add_(1.0)
    assert torch.equal(mine.values, kept)


@pytest.mark.parametrize("weight_decay", [0.0, 0.5])
def test_steps_are_those_of_adamw(weight_decay):
    ensemble = build("class", n_members=2)
    twin = torch.nn.Parameter(ensemble.values.double())
    adamw = torch.optim.AdamW([twin], lr=0.01, weight_decay=weight_decay)
    descent = AdamW(ensemble, 0.01, weight_decay)
    generator = torch.Generator().manual_seed(0)
    start = ensemble.snapshot()
    for step in range(20):
        # Changing gradients from 1e-9 to 10, some of them zero
        sizes = torch.logspace(-9, 1, len(start))
        gradient = torch.randn(len(start), generator=generator) * sizes * (torch.arange(len(start)) % 5 > 0)
        ensemble.gradient.copy_(gradient)
        twin.grad = gradient.double()
        if step == 10:
            descent.rate = adamw.param_groups[0]["lr"] = 0.002
        descent.step()
        adamw.step()
        # float32 has 7 digits, and steps of 0.01 on values up to 3 use the last ones
        torch.testing.assert_close(ensemble.values, twin.detach().float(), rtol=1e-5, atol=1e-6)
    assert (ensemble.values - start).abs().max() > 0.05


def test_dropout_is_active_only_in_training_and_differs_between_members():
    with seeded_rng(0, CPU):
        ensemble = Ensemble(ClassCritic(X, 2, NetworkShape(n_members=2, width=8, dropout=0.5)), CPU)
        ensemble.warm_start_(ensemble, (slice(0, 1), slice(1, 2)), {})
        same = [block(layout, 1, 9).take(torch.tensor([0, 0])) for layout in (X, Y)]  # for both members
        ensemble.train(False)
        calm = ensemble.critic(*same)
        ensemble.train()
        shaken = ensemble.critic(*same)
    torch.testing.assert_close(calm[0], calm[1])
    assert not torch.allclose(shaken[0], shaken[1])
    assert not torch.allclose(shaken[0], calm[0])


def test_a_warm_start_skips_parameters_that_an_ensemble_does_not_have():
    with seeded_rng(1, CPU):
        other = Ensemble(
            SeparableCritic(X, Y, NetworkShape(n_members=3, width=8), n_factors=2), CPU
        )  # a tower for the target too
    ensemble = build("class")
    ensemble.warm_start_(other, (slice(0, 1), slice(2, 3)), {})
    for name, value in ensemble.parameters.items():
        assert torch.equal(value[0], other.parameters[name][2])
