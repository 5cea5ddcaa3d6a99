import math

import pytest
import torch

from minerva.core.inputs import Layout, Rows
from minerva.core.networks import BoundedLinear, ColumnEmbedding, ResidualBlock, cosines, soft_clamp
from minerva.core.runtime import seeded

CPU = torch.device("cpu")
# Features 0 to 3 are: categorical, continuous, categorical, continuous
MIXED = Layout(2, (4, 3), (1, 3, 0, 2))


def mixed_rows(n_rows=6, seed=0):
    generator = torch.Generator().manual_seed(seed)
    ranks = torch.rand(n_rows, 2, generator=generator)
    codes = torch.stack([torch.randint(n, (n_rows,), generator=generator) for n in (4, 3)], dim=1)
    return Rows(ranks, codes, MIXED)


def embedding(layout=MIXED, **arguments):
    with seeded(0, CPU):
        return ColumnEmbedding(layout, **arguments)


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
    found = cosines(torch.tensor([0.0, 0.5, 1.0], dtype=torch.float64), 4)
    root = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64).sqrt()
    expected = torch.tensor([[1.0, 1, 1, 1], [0, -1, 0, 1], [-1, 1, -1, 1]], dtype=torch.float64) / root
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("feature", range(4))
def test_a_weight_reaches_its_own_feature_and_no_other(feature):
    embed = embedding(width=3)
    columns = embed(mixed_rows(), torch.eye(4)[feature]).view(6, 4, 3)
    # Embedded columns come in the order of the layout
    place = MIXED.positions.index(feature)
    assert (columns[:, place] != 0).all()
    others = [k for k in range(4) if k != place]
    assert (columns[:, others] == 0).all()


def test_weights_multiply_the_embedded_columns():
    embed, rows = embedding(width=3), mixed_rows()
    torch.testing.assert_close(embed(rows, torch.full((4,), 0.5)), 0.5 * embed(rows))


def test_levels_of_different_columns_have_vectors_of_their_own():
    embed = embedding(Layout(0, (4, 3), (0, 1)), width=2)
    every_level = torch.tensor([[0, 0], [1, 1], [2, 2], [3, 0]])
    columns = embed(Rows(torch.empty(4, 0), every_level, embed.layout)).view(4, 2, 2)
    vectors = [*columns[:, 0].tolist(), *columns[:3, 1].tolist()]
    assert vectors == embed.levels.weight.tolist()


@pytest.mark.parametrize("clamped", [False, True])
def test_a_missing_value_has_a_signal_of_its_own(clamped):
    embed = embedding(Layout(1, (), (0,)), width=4, clamped=clamped)
    ranks = torch.cat([torch.tensor([[torch.nan]]), torch.linspace(0, 1, 101).unsqueeze(1)])
    missing, *present = embed(Rows(ranks, torch.empty(102, 0, dtype=torch.int64), embed.layout))
    expected = soft_clamp(embed.missing[0]) if clamped else embed.missing[0]
    torch.testing.assert_close(missing, expected)
    assert min(float((missing - vector).abs().max().detach()) for vector in present) > 0.01


def test_the_signal_of_missing_values_is_learned():
    embed, rows = embedding(width=4), mixed_rows()
    rows.ranks[0, 1] = torch.nan
    embed(rows).sum().backward()
    assert embed.missing.grad.tolist() == [[0.0] * 4, [1.0] * 4]
    assert torch.isfinite(embed.levels.weight.grad).all()


def test_clamped_embeddings_stay_bounded_however_large_they_are_learned():
    embed = embedding(width=4, clamped=True)
    with torch.no_grad():
        embed.levels.weight.mul_(1e6)
        embed.missing.mul_(1e6)
    rows = mixed_rows()
    rows.ranks[0] = torch.nan
    assert embed(rows).abs().max() <= 3.0


def test_bounded_layer_is_drawn_within_its_limit():
    with seeded(0, CPU):
        layer = BoundedLinear(25, 40)
    assert layer.limit == pytest.approx(1 / math.sqrt(25))
    assert 0.9 * layer.limit < layer.weight.abs().max() <= layer.limit


def test_residual_block_passes_its_input_on_when_it_has_learned_nothing():
    with seeded(0, CPU):
        block = ResidualBlock(8)
    x = torch.randn(3, 8, generator=torch.Generator().manual_seed(0))
    assert not torch.equal(block(x), x)
    torch.nn.init.zeros_(block.inner[-1].weight)
    torch.nn.init.zeros_(block.inner[-1].bias)
    assert torch.equal(block(x), x)
