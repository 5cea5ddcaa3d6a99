"""Claims about the network that the critics share."""

import pytest
import torch

from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.networks import MAX_ONE_HOT_LEVELS, FeatureTower, NetworkShape
from minerva_select.runtime.rng import seeded_rng

CPU = torch.device("cpu")
# Features 0 to 3 are: categorical, continuous, categorical, continuous
MIXED = ColumnLayout(2, (4, 3), (1, 3, 0, 2))
LAYOUTS = {
    "mixed": MIXED,
    "nothing missing": ColumnLayout(2, (4, 3), (1, 3, 0, 2), any_missing=False),
    "numeric": ColumnLayout(3, (), (2, 0, 1)),
    "categorical": ColumnLayout(0, (2, 1, 5), (1, 2, 0)),
    "many levels": ColumnLayout(1, (4, MAX_ONE_HOT_LEVELS["cpu"] + 1, MAX_ONE_HOT_LEVELS["cpu"], 50), (3, 0, 4, 1, 2)),
    "only many levels": ColumnLayout(0, (MAX_ONE_HOT_LEVELS["cpu"] + 8, MAX_ONE_HOT_LEVELS["cpu"] + 1), (1, 0)),
}
MEMBERS = slice(1, 3)  # two of the three members of the towers


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


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return LAYOUTS[request.param]


def tower_of(layout, n_members=3):
    """A small tower in float64, where sums in a different order agree to twelve digits."""
    with seeded_rng(0, CPU):
        return FeatureTower(
            layout, 2, NetworkShape(n_members=n_members, width=6, n_blocks=1, embedding_width=4)
        ).double()


def doubles(rows):
    return Rows(rows.quantiles.double(), rows.codes, rows.layout)


def weights_of(shape, n_rows, n_features):
    """Weights of every shape that a tower takes, some of them zero."""
    if shape == "none":
        return None
    size = (3, n_features) if shape == "by member" else (3, n_rows, n_features)
    generator = torch.Generator().manual_seed(1)
    weights = torch.rand(size, generator=generator, dtype=torch.float64)
    return weights * (torch.rand(size, generator=generator) > 0.3)


@pytest.mark.parametrize("shape", ["none", "by member", "by row"])
def test_the_projection_equals_that_of_embedded_columns(layout, shape):
    tower = tower_of(layout)
    rows = doubles(table(layout, n_rows=120)).take(torch.arange(120).view(3, 40))  # different rows for every member
    assert rows.quantiles.isnan().any() == (layout.any_missing and layout.n_numeric > 0)
    weights = weights_of(shape, 40, layout.n_features)
    found, expected = tower.hidden(rows, weights), tower.project(tower.embed(rows, weights))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", ["none", "by member", "by row"])
def test_the_projection_has_the_gradients_of_embedded_columns(layout, shape):
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


def test_codes_can_be_bytes():
    # There are more than 255 vectors, which uint8 could not index
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


def test_the_outputs_are_the_head_of_the_projection(layout):
    tower, rows = tower_of(layout), block(doubles(table(layout)), 3)
    weights = weights_of("by member", 6, layout.n_features)
    found = tower(rows, weights)
    assert found.shape == (3, 6, 2)
    expected = tower.project(tower.embed(rows, weights))
    for layer in tower.head:
        expected = layer(expected)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_exchanging_all_features_gives_the_projection_of_the_other_row(layout):
    tower, rows = tower_of(layout), doubles(table(layout))
    mine, others = torch.tensor([[[5, 0, 1], [2, 2, 4], [3, 1, 0]], [[0, 1, 2], [5, 2, 3], [4, 0, 3]]])
    found = tower.hidden_change(rows, mine[MEMBERS], others[MEMBERS], list(range(layout.n_features)), MEMBERS)
    expected = (tower.hidden(rows.take(others)) - tower.hidden(rows.take(mine)))[MEMBERS]
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("features", [[0], [1], [2], [3, 0], [4, 1, 2]])
def test_the_change_of_the_projection_is_that_of_exchanged_features(features):
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


def test_column_parameters_are_those_of_the_columns_of_the_features():
    tower = tower_of(MIXED)  # embeddings of width four
    # Features 1 and 3 are numeric; features 0 and 2 are categorical with four and three levels
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
