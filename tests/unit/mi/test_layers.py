"""Claims about the layers of the critics."""

import math

import pytest
import torch
from torch import nn

from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.layers import ColumnEmbedding, Dropout, Linear, ResidualBlock, cosine_features, soft_clamp
from minerva_select.runtime.rng import seeded_rng

CPU = torch.device("cpu")
# Features 0 to 3 are: categorical, continuous, categorical, continuous
MIXED = ColumnLayout(2, (4, 3), (1, 3, 0, 2))
COMPLETE = ColumnLayout(2, (4, 3), (1, 3, 0, 2), any_missing=False)
MEMBERS = slice(1, 3)  # two of three members


def table(layout=MIXED, n_rows=6, seed=0):
    """Random rows, with missing values if the layout allows them."""
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
    # 3 tanh(v / 3) = v - v^3 / 27 + ...: the first omitted term bounds the error.
    assert ((soft_clamp(values) - values).abs() <= values.abs() ** 3 / 27 + 1e-12).all()


def test_cosine_features_are_half_waves_of_decreasing_size():
    # cos(pi k r) / sqrt(k): 1 at r = 0, zero at r = 1/2 for odd k, of alternating sign at r = 1.
    found = cosine_features(torch.tensor([0.0, 0.5, 1.0], dtype=torch.float64), 4)
    root = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64).sqrt()
    expected = torch.tensor([[1.0, 1, 1, 1], [0, -1, 0, 1], [-1, 1, -1, 1]], dtype=torch.float64) / root
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("feature", range(4))
def test_a_weight_affects_only_its_own_feature(feature):
    embed = embedding(width=3)
    columns = embed(block(table()), torch.eye(4)[feature : feature + 1]).view(6, 4, 3)
    # Embedded columns are in the order of the layout
    place = MIXED.positions.index(feature)
    assert (columns[:, place] != 0).all()
    others = [k for k in range(4) if k != place]
    assert (columns[:, others] == 0).all()


def test_weights_multiply_the_embedded_columns():
    embed, rows = embedding(width=3), block(table())
    torch.testing.assert_close(embed(rows, torch.full((1, 4), 0.5)), 0.5 * embed(rows))


def test_members_have_their_own_weights_and_vectors():
    embed, rows = embedding(n_members=2, width=3), block(table(), 2)
    first, second = embed(rows, torch.tensor([[1.0] * 4, [0.0] * 4]))
    assert (second == 0).all()
    torch.testing.assert_close(first, embed(rows)[0])
    # Members share only the cosine features
    first, second = embed(rows).view(2, 6, 4, 3)
    same = (first == second).all(-1)
    assert torch.equal(same[:, :2], ~table().quantiles.isnan())
    assert not same[:, 2:].any()


def test_columns_have_their_own_vectors_for_levels():
    embed = embedding(ColumnLayout(0, (4, 3), (0, 1)), n_members=2, width=2)
    every_level = torch.tensor([[0, 0], [1, 1], [2, 2], [3, 0]])
    for k, columns in enumerate(embed(block(Rows(torch.empty(4, 0), every_level, embed.layout), 2)).view(2, 4, 2, 2)):
        vectors = [*columns[:, 0].tolist(), *columns[:3, 1].tolist()]
        assert vectors == embed.levels[k].tolist()


@pytest.mark.parametrize("clamped", [False, True])
def test_missing_values_have_their_own_vector(clamped):
    embed = embedding(ColumnLayout(1, (), (0,)), width=4, clamped=clamped)
    quantiles = torch.cat([torch.tensor([[torch.nan]]), torch.linspace(0, 1, 101).unsqueeze(1)])
    (found,) = embed(block(Rows(quantiles, torch.empty(102, 0, dtype=torch.int64), embed.layout)))
    missing, *present = found
    expected = soft_clamp(embed.missing[0, 0]) if clamped else embed.missing[0, 0]
    torch.testing.assert_close(missing, expected)
    assert min(float((missing - vector).abs().max().detach()) for vector in present) > 0.01


def test_the_vector_of_missing_values_is_learned():
    embed, rows = embedding(width=4), table(COMPLETE)
    rows.quantiles[0, 1] = torch.nan
    embed(block(rows)).sum().backward()
    assert embed.missing.grad.tolist() == [[[0.0] * 4, [1.0] * 4]]
    assert torch.isfinite(embed.levels.grad).all()


def test_clamped_embeddings_are_bounded_for_parameters_of_any_size():
    embed = embedding(width=4, clamped=True)
    with torch.no_grad():
        embed.levels.mul_(1e6)
        embed.missing.mul_(1e6)
    rows = table()
    rows.quantiles[0] = torch.nan
    assert embed(block(rows)).abs().max() <= 3.0


@pytest.mark.parametrize("clamped", [False, True])
@pytest.mark.parametrize("place", range(4))
def test_a_single_column_has_the_same_embedding_as_among_all(place, clamped):
    embed, rows = embedding(n_members=3, width=4, clamped=clamped), table()
    index = torch.tensor([[5, 1, 0], [2, 2, 3]])
    taken = rows.take(index)
    values = taken.quantiles[..., place] if place < 2 else taken.codes[..., place - 2]
    found = embed.column(values, place, MEMBERS)
    for k, member in enumerate(range(3)[MEMBERS]):
        everything = embed(rows.take(index[k].expand(3, -1))).view(3, 3, 4, 4)
        torch.testing.assert_close(found[k], everything[member, :, place])


def test_a_linear_layer_is_an_affine_map_per_member():
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
    x = torch.full((2, 50_003, 1), 2.0)  # not a multiple of eight
    with seeded_rng(0, CPU):
        found = dropout(x)
    # The share is rounded to 256ths; its standard error over 100,006 draws is at most 0.0016
    dropped = float((found == 0).float().mean())
    assert dropped == pytest.approx(share, abs=1 / 512 + 0.007)
    kept = found[found != 0]
    assert (kept == kept[0]).all()
    assert float(kept[0]) == pytest.approx(2.0 / (1 - share), rel=0.005)
    # The standard deviation of a value is 2 * sqrt(share / (1 - share)), at most 2, which is 0.0064 for the mean
    assert float(found.mean()) == pytest.approx(2.0, abs=0.03)


def test_dropped_values_have_no_gradient_and_kept_ones_are_scaled_up():
    dropout, x = Dropout(0.5), torch.ones(100, requires_grad=True)
    with seeded_rng(0, CPU):
        found = dropout(x)
    found.sum().backward()
    assert set(x.grad.tolist()) == {0.0, 2.0}
    assert torch.equal(x.grad, found.detach())


def test_dropout_is_inactive_outside_of_training():
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


def test_an_untrained_residual_block_is_the_identity():
    with seeded_rng(0, CPU):
        block = ResidualBlock(2, 8)
        x = torch.randn(2, 3, 8)
    assert not torch.equal(block(x), x)
    nn.init.zeros_(block.inner[-1].weight)
    nn.init.zeros_(block.inner[-1].bias)
    assert torch.equal(block(x), x)


def test_a_residual_block_adds_two_layers_of_the_normalized_input():
    with seeded_rng(0, CPU):
        block, x = ResidualBlock(2, 8), torch.randn(2, 3, 8)
        nn.init.normal_(block.scale)
        nn.init.normal_(block.shift)
    first, *_, second = block.inner
    for k in range(2):
        centered = x[k] - x[k].mean(-1, keepdim=True)
        normal = centered / (centered.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        inner = (normal * block.scale[k] + block.shift[k]) @ first.weight[k] + first.bias[k]
        expected = x[k] + (inner * inner.sigmoid()) @ second.weight[k] + second.bias[k]
        torch.testing.assert_close(block(x)[k], expected)
