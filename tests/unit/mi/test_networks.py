import math

import pytest
import torch
from torch import nn

from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.layers import ColumnEmbedding, Dropout, Linear, ResidualBlock, cosine_features, soft_clamp
from minerva_select.mi.networks import MAX_ONE_HOT_LEVELS, FeatureTower, NetworkShape
from minerva_select.runtime.rng import seeded_rng

CPU = torch.device("cpu")
# Features 0 to 3 are: categorical, continuous, categorical, continuous
MIXED = ColumnLayout(2, (4, 3), (1, 3, 0, 2))
LAYOUTS = {
    "mixed": MIXED,
    "nothing missing": ColumnLayout(2, (4, 3), (1, 3, 0, 2), any_missing=False),
    "amounts": ColumnLayout(3, (), (2, 0, 1)),
    "levels": ColumnLayout(0, (2, 1, 5), (1, 2, 0)),
    "many levels": ColumnLayout(1, (4, MAX_ONE_HOT_LEVELS["cpu"] + 1, MAX_ONE_HOT_LEVELS["cpu"], 50), (3, 0, 4, 1, 2)),
    "nothing but many levels": ColumnLayout(0, (MAX_ONE_HOT_LEVELS["cpu"] + 8, MAX_ONE_HOT_LEVELS["cpu"] + 1), (1, 0)),
}
MEMBERS = slice(1, 3)  # some of the three that towers have here


def table(layout=MIXED, n_rows=6, seed=0):
    """Rows of random cells, a third of the quantiles missing where the layout allows it."""
    generator = torch.Generator().manual_seed(seed)
    quantiles = torch.rand(n_rows, layout.n_numeric, generator=generator)
    if layout.any_missing:
        quantiles[1::3] = torch.nan
    codes = [torch.randint(n, (n_rows, 1), generator=generator) for n in layout.n_levels]
    return Rows(quantiles, torch.cat([torch.empty(n_rows, 0, dtype=torch.int64), *codes], dim=1), layout)


def block(rows, n_members=1):
    """The same rows for every member."""
    return rows.take(torch.arange(len(rows)).expand(n_members, -1))


def embedding(layout=MIXED, n_members=1, **arguments):
    with seeded_rng(0, CPU):
        return ColumnEmbedding(layout, n_members, **arguments)


def test_soft_clamp_stays_within_its_limit_and_keeps_order():
    values = torch.tensor([-1e6, -5.0, -1.0, 0.0, 1.0, 5.0, 1e6])
    bent = soft_clamp(values, limit=3.0)
    assert bent.abs().max() <= 3.0
    assert (bent.diff() > 0).all()
    assert bent[-1] == pytest.approx(3.0)


def test_soft_clamp_is_nearly_the_identity_at_zero():
    values = torch.linspace(-0.5, 0.5, 11, dtype=torch.float64)
    # 3 tanh(v / 3) = v - v^3 / 27 + ...: the first term left out bounds the error.
    assert ((soft_clamp(values) - values).abs() <= values.abs() ** 3 / 27 + 1e-12).all()


def test_cosines_are_half_waves_of_falling_size():
    # cos(pi k r) / sqrt(k): at r = 0 all 1, at r = 1/2 zero for odd k, at r = 1 of changing sign.
    found = cosine_features(torch.tensor([0.0, 0.5, 1.0], dtype=torch.float64), 4)
    root = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64).sqrt()
    expected = torch.tensor([[1.0, 1, 1, 1], [0, -1, 0, 1], [-1, 1, -1, 1]], dtype=torch.float64) / root
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("feature", range(4))
def test_a_weight_reaches_its_own_feature_and_no_other(feature):
    embed = embedding(width=3)
    columns = embed(block(table()), torch.eye(4)[feature : feature + 1]).view(6, 4, 3)
    # Embedded columns come in the order of the layout
    place = MIXED.positions.index(feature)
    assert (columns[:, place] != 0).all()
    others = [k for k in range(4) if k != place]
    assert (columns[:, others] == 0).all()


def test_weights_multiply_the_embedded_columns():
    embed, rows = embedding(width=3), block(table())
    torch.testing.assert_close(embed(rows, torch.full((1, 4), 0.5)), 0.5 * embed(rows))


def test_every_member_has_weights_and_vectors_of_its_own():
    embed, rows = embedding(n_members=2, width=3), block(table(), 2)
    first, second = embed(rows, torch.tensor([[1.0] * 4, [0.0] * 4]))
    assert (second == 0).all()
    torch.testing.assert_close(first, embed(rows)[0])
    # Members share the waves of amounts and nothing else
    first, second = embed(rows).view(2, 6, 4, 3)
    same = (first == second).all(-1)
    assert torch.equal(same[:, :2], ~table().quantiles.isnan())
    assert not same[:, 2:].any()


def test_levels_of_different_columns_have_vectors_of_their_own():
    embed = embedding(ColumnLayout(0, (4, 3), (0, 1)), n_members=2, width=2)
    every_level = torch.tensor([[0, 0], [1, 1], [2, 2], [3, 0]])
    for k, columns in enumerate(embed(block(Rows(torch.empty(4, 0), every_level, embed.layout), 2)).view(2, 4, 2, 2)):
        vectors = [*columns[:, 0].tolist(), *columns[:3, 1].tolist()]
        assert vectors == embed.levels[k].tolist()


@pytest.mark.parametrize("clamped", [False, True])
def test_a_missing_value_has_a_signal_of_its_own(clamped):
    embed = embedding(ColumnLayout(1, (), (0,)), width=4, clamped=clamped)
    quantiles = torch.cat([torch.tensor([[torch.nan]]), torch.linspace(0, 1, 101).unsqueeze(1)])
    (found,) = embed(block(Rows(quantiles, torch.empty(102, 0, dtype=torch.int64), embed.layout)))
    missing, *present = found
    expected = soft_clamp(embed.missing[0, 0]) if clamped else embed.missing[0, 0]
    torch.testing.assert_close(missing, expected)
    assert min(float((missing - vector).abs().max().detach()) for vector in present) > 0.01


def test_the_signal_of_missing_values_is_learned():
    embed, rows = embedding(width=4), table(LAYOUTS["nothing missing"])
    rows.quantiles[0, 1] = torch.nan
    embed(block(rows)).sum().backward()
    assert embed.missing.grad.tolist() == [[[0.0] * 4, [1.0] * 4]]
    assert torch.isfinite(embed.levels.grad).all()


def test_clamped_embeddings_stay_bounded_however_large_they_are_learned():
    embed = embedding(width=4, clamped=True)
    with torch.no_grad():
        embed.levels.mul_(1e6)
        embed.missing.mul_(1e6)
    rows = table()
    rows.quantiles[0] = torch.nan
    assert embed(block(rows)).abs().max() <= 3.0


@pytest.mark.parametrize("clamped", [False, True])
@pytest.mark.parametrize("place", range(4))
def test_one_column_embeds_as_it_does_among_all(place, clamped):
    embed, rows = embedding(n_members=3, width=4, clamped=clamped), table()
    index = torch.tensor([[5, 1, 0], [2, 2, 3]])
    taken = rows.take(index)
    values = taken.quantiles[..., place] if place < 2 else taken.codes[..., place - 2]
    found = embed.column(values, place, MEMBERS)
    for k, member in enumerate(range(3)[MEMBERS]):
        everything = embed(rows.take(index[k].expand(3, -1))).view(3, 3, 4, 4)
        torch.testing.assert_close(found[k], everything[member, :, place])


def test_a_layer_multiplies_and_adds_member_by_member():
    with seeded_rng(0, CPU):
        layer, x = Linear(3, 5, 2), torch.randn(3, 7, 5)
    for k in range(3):
        torch.testing.assert_close(layer(x)[k], x[k] @ layer.weight[k] + layer.bias[k])
    assert not torch.equal(layer.weight[0], layer.weight[1])


def test_bounded_layer_is_drawn_within_its_limit():
    with seeded_rng(0, CPU):
        layer = Linear(2, 25, 40, bounded=True)
    assert layer.limit == pytest.approx(1 / math.sqrt(25))
    for drawn in (layer.weight, layer.bias):
        assert 0.9 * layer.limit < drawn.abs().max() <= layer.limit


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_dropout_drops_its_share_and_keeps_the_mean(share):
    dropout = Dropout(share)
    x = torch.full((2, 50_003, 1), 2.0)  # not a whole number of eights
    with seeded_rng(0, CPU):
        found = dropout(x)
    # The share is rounded to a whole number of 256ths; one of 100,006 draws has a standard error of at most 0.0016
    dropped = float((found == 0).float().mean())
    assert dropped == pytest.approx(share, abs=1 / 512 + 0.007)
    kept = found[found != 0]
    assert (kept == kept[0]).all()
    assert float(kept[0]) == pytest.approx(2.0 / (1 - share), rel=0.005)
    # 2 * sqrt(share / (1 - share)) a value: at most 2, that is 0.0064 for the mean
    assert float(found.mean()) == pytest.approx(2.0, abs=0.03)


def test_dropped_values_have_no_gradient_and_kept_ones_grow():
    dropout, x = Dropout(0.5), torch.ones(100, requires_grad=True)
    with seeded_rng(0, CPU):
        found = dropout(x)
    found.sum().backward()
    assert set(x.grad.tolist()) == {0.0, 2.0}
    assert torch.equal(x.grad, found.detach())


def test_dropout_does_nothing_unless_training():
    dropout, x = Dropout(0.5), torch.ones(100)
    with seeded_rng(0, CPU):
        assert not torch.equal(dropout(x), x)
        dropout.eval()
        assert torch.equal(dropout(x), x)


def test_dropout_of_share_zero_does_nothing():
    with seeded_rng(0, CPU):
        assert torch.equal(Dropout(0.0)(torch.ones(5000)), torch.ones(5000))


def test_dropout_draws_from_the_seed():
    def draw(seed):
        with seeded_rng(seed, CPU):
            return Dropout(0.5)(torch.ones(64))

    assert torch.equal(draw(1), draw(1))
    assert not torch.equal(draw(1), draw(2))


def test_residual_block_passes_its_input_on_when_it_has_learned_nothing():
    with seeded_rng(0, CPU):
        block = ResidualBlock(2, 8)
        x = torch.randn(2, 3, 8)
    assert not torch.equal(block(x), x)
    nn.init.zeros_(block.inner[-1].weight)
    nn.init.zeros_(block.inner[-1].bias)
    assert torch.equal(block(x), x)


def test_residual_block_adds_two_layers_of_the_normalised_input():
    with seeded_rng(0, CPU):
        block, x = ResidualBlock(2, 8), torch.randn(2, 3, 8)
        nn.init.normal_(block.scale)
        nn.init.normal_(block.shift)
    first, *_, second = block.inner
    for k in range(2):
        centred = x[k] - x[k].mean(-1, keepdim=True)
        normal = centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        inner = (normal * block.scale[k] + block.shift[k]) @ first.weight[k] + first.bias[k]
        expected = x[k] + (inner * inner.sigmoid()) @ second.weight[k] + second.bias[k]
        torch.testing.assert_close(block(x)[k], expected)


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return LAYOUTS[request.param]


def tower_of(layout, n_members=3):
    """A small tower of doubles, in which sums in another order agree to twelve digits."""
    with seeded_rng(0, CPU):
        return FeatureTower(
            layout, 2, NetworkShape(n_members=n_members, width=6, n_blocks=1, embedding_width=4)
        ).double()


def doubles(rows):
    return Rows(rows.quantiles.double(), rows.codes, rows.layout)


def weights_of(shape, n_rows, n_features):
    """Weights of every kind that a tower takes, some of them zero."""
    if shape == "none":
        return None
    size = (3, n_features) if shape == "a member" else (3, n_rows, n_features)
    generator = torch.Generator().manual_seed(1)
    weights = torch.rand(size, generator=generator, dtype=torch.float64)
    return weights * (torch.rand(size, generator=generator) > 0.3)


@pytest.mark.parametrize("shape", ["none", "a member", "a row"])
def test_the_projection_of_embedded_columns_needs_no_embedding(layout, shape):
    tower = tower_of(layout)
    rows = doubles(table(layout, n_rows=120)).take(torch.arange(120).view(3, 40))  # other rows for every member
    assert rows.quantiles.isnan().any() == (layout.any_missing and layout.n_numeric > 0)
    weights = weights_of(shape, 40, layout.n_features)
    found, expected = tower.hidden(rows, weights), tower.project(tower.embed(rows, weights))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", ["none", "a member", "a row"])
def test_the_projection_learns_as_that_of_embedded_columns_does(layout, shape):
    tower = tower_of(layout)
    rows = doubles(table(layout, n_rows=120)).take(torch.arange(120).view(3, 40))
    weights = weights_of(shape, 40, layout.n_features)
    learned = [tower.project.weight, tower.project.bias]
    learned += [tower.embed.levels] if layout.n_levels else []
    learned += [tower.embed.missing] if rows.quantiles.isnan().any() else []
    learned += [] if weights is None else [weights.requires_grad_()]
    direction = torch.randn(3, 40, 6, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    found = torch.autograd.grad((tower.hidden(rows, weights) * direction).sum(), learned)
    expected = torch.autograd.grad((tower.project(tower.embed(rows, weights)) * direction).sum(), learned)
    for one, other in zip(found, expected, strict=True):
        assert one.abs().max() > 0
        torch.testing.assert_close(one, other, rtol=0, atol=1e-11)


def test_codes_may_be_bytes():
    # Vectors are counted beyond 255, which bytes alone could not
    layout = ColumnLayout(1, (200, 20, 200, 20), (2, 0, 1, 4, 3))
    tower, rows = tower_of(layout), doubles(table(layout, n_rows=60))
    bytewise = Rows(rows.quantiles, rows.codes.to(torch.uint8), layout)
    assert torch.equal(tower.hidden(block(bytewise, 3)), tower.hidden(block(rows, 3)))
    assert torch.equal(tower.embed(block(bytewise, 3)), tower.embed(block(rows, 3)))
    mine, others = torch.arange(60).view(2, 2, 15)
    for feature in range(5):
        found, expected = (tower.hidden_change(own, mine, others, [feature], MEMBERS) for own in (bytewise, rows))
        assert torch.equal(found, expected)
        assert found.abs().max() > 0.1


def test_the_tower_finishes_what_the_projection_begins(layout):
    tower, rows = tower_of(layout), block(doubles(table(layout)), 3)
    weights = weights_of("a member", 6, layout.n_features)
    found = tower(rows, weights)
    assert found.shape == (3, 6, 2)
    expected = tower.project(tower.embed(rows, weights))
    for layer in tower.head:
        expected = layer(expected)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_with_all_features_of_another_row_the_projection_is_that_of_the_other(layout):
    tower, rows = tower_of(layout), doubles(table(layout))
    mine, others = torch.tensor([[[5, 0, 1], [2, 2, 4], [3, 1, 0]], [[0, 1, 2], [5, 2, 3], [4, 0, 3]]])
    found = tower.hidden_change(rows, mine[MEMBERS], others[MEMBERS], list(range(layout.n_features)), MEMBERS)
    expected = (tower.hidden(rows.take(others)) - tower.hidden(rows.take(mine)))[MEMBERS]
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("features", [[0], [1], [2], [3, 0], [4, 1, 2]])
def test_the_projection_changes_as_if_the_features_had_been_exchanged(features):
    layout = LAYOUTS["many levels"]
    tower, rows = tower_of(layout), doubles(table(layout, n_rows=20))
    mine = torch.arange(20).expand(3, -1)
    others = torch.stack([torch.randperm(20, generator=torch.Generator().manual_seed(k)) for k in range(3)])
    taken, changed = rows.take(mine), rows.take(mine)
    for place in (layout.positions.index(feature) for feature in features):
        if place < layout.n_numeric:
            changed.quantiles[..., place] = rows.quantiles[others, place]
        else:
            changed.codes[..., place - 1] = rows.codes[others, place - 1]
    expected = (tower.hidden(changed) - tower.hidden(taken))[MEMBERS]
    assert expected.abs().max() > 0.1
    found = tower.hidden_change(rows, mine[MEMBERS], others[MEMBERS], features, MEMBERS)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_entries_of_features_are_those_of_their_columns():
    tower = tower_of(MIXED)  # embeddings of four
    # Features 1 and 3 are the amounts; features 0 and 2 the names, of four and three levels
    assert tower.column_parameters([2, 3, 0, 1]) == {
        "embed.missing": [1, 0],
        "embed.levels": [4, 5, 6, 0, 1, 2, 3],
        "project.weight": [*range(12, 16), *range(4, 8), *range(8, 12), *range(4)],
    }
    assert tower.column_parameters([0]) == {
        "embed.missing": [],
        "embed.levels": [0, 1, 2, 3],
        "project.weight": [8, 9, 10, 11],
    }
