import dataclasses
import math

import pytest
import torch

from minerva_select.config import DISCRETIZATION, Schedule
from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi import critic_training, pair_tables
from minerva_select.mi.bounds import pointwise_information
from minerva_select.mi.critic_training import fit_critics, warm_start
from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics
from minerva_select.mi.networks import FeatureTower, NetworkShape
from minerva_select.mi.pair_tables import (
    N_CELLS,
    N_PARTS,
    PairEncoding,
    PairTables,
    build_pair_tables,
    encoding_part,
)
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.runtime.rng import seeded_rng

CPU = torch.device("cpu")
# Features 0 to 4 are: categorical, continuous, categorical with many levels, continuous, categorical
MIXED = ColumnLayout(2, (4, 40, 3), (1, 3, 0, 2, 4))
PAIRS = ((0, 1), (4, 2), (1, 3), (2, 0))
MEMBERS = slice(1, 3)  # two of the three members of the towers
STILL = Schedule(max_steps=1, batch_size=32, learning_rate=0.0)  # leaves every parameter at its initial value


def levels(codes):
    """Rows of categorical columns."""
    return Rows(
        torch.empty(len(codes), 0),
        codes,
        ColumnLayout(0, (DISCRETIZATION.max_levels,) * codes.shape[1], tuple(range(codes.shape[1]))),
    )


def mixed(n_rows=60, seed=0):
    """Rows with columns of both types and missing values."""
    generator = torch.Generator().manual_seed(seed)
    quantiles = torch.rand(n_rows, 2, generator=generator)
    quantiles[torch.rand(n_rows, 2, generator=generator) < 0.2] = torch.nan
    codes = [torch.randint(n, (n_rows,), generator=generator) for n in MIXED.n_levels]
    return Rows(quantiles, torch.stack(codes, dim=1), MIXED)


def draw_tables(seed=0, n_values=2, chosen=PAIRS):
    """Random tables in which all cells differ."""
    size = (N_PARTS + 1, len(chosen), N_CELLS, n_values)
    return PairTables(tuple(chosen), torch.randn(size, generator=torch.Generator().manual_seed(seed)))


# Tables


@pytest.fixture
def counted():
    """Three columns with few levels, three classes of unequal size, integer weights, whose sums are exact."""
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(3, (120, 3), generator=generator)
    classes = torch.tensor([0, 1, 1, 1, 2, 1]).repeat(20)
    return levels(codes), classes, torch.randint(1, 4, (120,), generator=generator).float()


def test_a_table_compares_the_share_of_a_class_in_a_cell_with_that_of_all_rows():
    # Cell (0, 0) has 3 of the weight 4 of class 1, and 5 of the weight 10 of all rows
    codes = torch.tensor([[0, 0], [0, 0], [2, 1], [0, 0], [2, 1]])
    classes, weights = torch.tensor([1, 1, 1, 0, 0]), torch.tensor([1.0, 2.0, 1.0, 2.0, 4.0])
    found = build_pair_tables(levels(codes), classes, weights, torch.arange(5), [(0, 1)])
    assert found.tables.shape == (N_PARTS + 1, 1, DISCRETIZATION.max_levels**2, 1)
    ratios = found.tables[N_PARTS, 0, :, 0]
    # One pseudo-row of class 1 is added to both: (3/4 + 1/4) / (5/10 + 1/4), and (1/4 + 1/4) / (5/10 + 1/4)
    assert float(ratios[0]) == pytest.approx(math.log(4 / 3), abs=1e-6)
    assert float(ratios[2 * DISCRETIZATION.max_levels + 1]) == pytest.approx(math.log(2 / 3), abs=1e-6)
    # Empty cells have a log ratio of 0
    assert ratios.count_nonzero() == 2


def test_every_part_is_encoded_by_the_counts_of_the_others(counted):
    x, classes, weights = counted
    rows, chosen = torch.arange(5, 110), [(0, 1), (2, 0)]
    found = build_pair_tables(x, classes, weights, rows, chosen)
    assert found.pairs == tuple(chosen)
    for part in (*range(N_PARTS), N_PARTS):
        known = [row for row in rows.tolist() if int(encoding_part(torch.tensor(row))) != part]
        total = sum(float(weights[row]) for row in known)
        for k, (a, b) in enumerate(chosen):
            for first, second in ((0, 0), (1, 2), (2, 0)):
                inside = [row for row in known if x.codes[row, [a, b]].tolist() == [first, second]]
                # Class 1 is the most frequent one and has no input
                for value, of_class in enumerate((0, 2)):
                    whole = sum(float(weights[row]) for row in known if classes[row] == of_class)
                    own = sum(float(weights[row]) for row in inside if classes[row] == of_class)
                    everything = sum(float(weights[row]) for row in inside)
                    expected = math.log((own / whole + 1 / whole) / (everything / total + 1 / whole))
                    ratio = float(found.tables[part, k, first * DISCRETIZATION.max_levels + second, value])
                    assert ratio == pytest.approx(expected, abs=1e-6)


def test_the_encoding_of_a_row_does_not_depend_on_its_own_class_and_cells(counted):
    x, classes, weights = counted
    rows, chosen = torch.arange(120), [(0, 1), (1, 2)]
    before = build_pair_tables(x, classes, weights, rows, chosen).tables
    for row in range(0, 120, 7):
        mine = int(encoding_part(torch.tensor(row)))
        other_class, other_cells = classes.clone(), x.codes.clone()
        other_class[row] = (classes[row] + 1) % 3
        other_cells[row] = (x.codes[row] + 1) % 3
        for after in (
            build_pair_tables(x, other_class, weights, rows, chosen).tables,
            build_pair_tables(levels(other_cells), classes, weights, rows, chosen).tables,
        ):
            assert torch.equal(after[mine], before[mine])
            assert not any(torch.equal(after[part], before[part]) for part in range(N_PARTS + 1) if part != mine)


def test_only_training_rows_are_counted(counted):
    x, classes, weights = counted
    rows = torch.arange(0, 120, 2)
    other_classes, other_cells, other_weights = classes.clone(), x.codes.clone(), weights.clone()
    other_classes[1::2], other_cells[1::2], other_weights[1::2] = 2, 2, 50.0
    before = build_pair_tables(x, classes, weights, rows, [(0, 2)])
    after = build_pair_tables(levels(other_cells), other_classes, other_weights, rows, [(0, 2)])
    assert torch.equal(before.tables, after.tables)


def test_the_encoding_of_noise_is_independent_of_a_rows_own_class():
    generator = torch.Generator().manual_seed(1)
    codes, classes = torch.randint(24, (2000, 2), generator=generator), torch.randint(2, (2000,), generator=generator)
    rows = torch.arange(2000)
    tables = build_pair_tables(levels(codes), classes, torch.ones(2000), rows, [(0, 1)]).tables[:, 0, :, 0]
    cells = codes[:, 0] * DISCRETIZATION.max_levels + codes[:, 1]
    gaps = []
    for inputs in (tables[encoding_part(rows), cells], tables[N_PARTS, cells]):
        groups = [inputs[classes == k] for k in range(2)]
        error = math.sqrt(sum(float(group.var()) / len(group) for group in groups))
        gaps.append(float(groups[0].mean() - groups[1].mean()) / error)
    assert abs(gaps[0]) < 3.5
    # A table that counts the row itself reveals its class, with 3.5 rows per cell
    assert abs(gaps[1]) > 15


def test_missing_values_and_rare_levels_have_their_own_cells():
    quantiles = torch.tensor([[torch.nan], [0.0], [0.999], [0.5]])
    x = Rows(quantiles, torch.tensor([[0], [23], [31], [39]]), ColumnLayout(1, (40,), (1, 0)))
    found = build_pair_tables(x, torch.tensor([1, 0, 1, 0]), torch.ones(4), torch.arange(4), [(1, 0)])
    # Feature 1 is numeric: one bin for missing values, then eight; levels from 23 on are merged
    occur = found.tables[N_PARTS, 0, :, 0].nonzero().flatten().tolist()
    assert {*occur} <= {0, 1 * 24 + 23, 8 * 24 + 23, 5 * 24 + 23}
    assert len(occur) == 4


def test_tables_are_finite_with_an_empty_class_or_empty_other_parts():
    codes = torch.randint(3, (40, 2), generator=torch.Generator().manual_seed(0))
    classes = torch.arange(40) % 3
    no_class_two = (classes < 2).nonzero().squeeze(1)
    one_part = (encoding_part(torch.arange(40)) == 1).nonzero().squeeze(1)
    for rows in (no_class_two, one_part):
        found = build_pair_tables(levels(codes), classes, torch.ones(40), rows, [(0, 1)])
        assert found.tables.isfinite().all()
    # Rows of the only part are encoded without any other row
    assert found.tables[1].count_nonzero() == 0
    assert found.tables[N_PARTS].count_nonzero() > 0


def test_the_chunk_size_does_not_change_tables(counted, monkeypatch):
    whole = build_pair_tables(*counted, torch.arange(120), [(0, 1)])
    monkeypatch.setattr(pair_tables, "_CHUNK", 7)
    assert torch.equal(build_pair_tables(*counted, torch.arange(120), [(0, 1)]).tables, whole.tables)


def test_packed_rows_give_the_same_tables():
    packed, classes = mixed(200).pack(), torch.arange(200) % 7 % 2
    unpacked = packed.take(torch.arange(200))
    rows = torch.arange(3, 190)
    found, expected = (build_pair_tables(x, classes, torch.ones(200), rows, PAIRS) for x in (packed, unpacked))
    assert torch.equal(found.tables, expected.tables)


def test_parts_have_equal_size_and_depend_on_the_row_only():
    rows = torch.arange(100_000)
    parts = encoding_part(rows)
    share = torch.bincount(parts, minlength=N_PARTS) / len(rows)
    assert share.tolist() == pytest.approx([1 / N_PARTS] * N_PARTS, abs=0.001)
    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(0))
    assert torch.equal(encoding_part(order), parts[order])
    assert {*encoding_part(torch.tensor([10**9, 3 * 10**9])).tolist()} <= {*range(N_PARTS)}


def test_pairs_among_features_are_renumbered():
    tables = draw_tables(chosen=((1, 4), (2, 0), (4, 2)))
    found = tables.among([2, 4, 0])
    # Feature 1 is missing; features 2, 4 and 0 become 0, 1 and 2
    assert found.pairs == ((0, 2), (1, 0))
    assert torch.equal(found.tables, tables.tables[:, 1:])
    assert tables.among([1, 2]).pairs == ()
    assert tables.among([1, 2]).n_values == tables.n_values


# Inputs


def test_inputs_are_those_of_the_members_table_and_the_part():
    tables = [draw_tables(seed) for seed in range(3)]
    with seeded_rng(0, CPU):
        inputs = PairEncoding(tables, width=5).double()
    codes = torch.randint(3, (6, 5), generator=torch.Generator().manual_seed(1))
    part = torch.randint(N_PARTS, (3, 6), generator=torch.Generator().manual_seed(2))
    rows = levels(codes).take(torch.arange(6).expand(3, -1))
    for parts, found in ((part, inputs(rows, part=part)), (torch.full((3, 6), N_PARTS), inputs(rows))):
        for member in range(3):
            for row in range(6):
                cells = [int(codes[row, a] * DISCRETIZATION.max_levels + codes[row, b]) for a, b in PAIRS]
                table = tables[member].tables[parts[member, row]]
                values = torch.cat([table[k, cell] for k, cell in enumerate(cells)]).double()
                expected = values @ inputs.weight[member]
                torch.testing.assert_close(found[member, row], expected, rtol=0, atol=1e-12)


def tower_of(dtype=torch.float64, chosen=PAIRS, n_values=2):
    """A tower of three members, each with its own table."""
    tables = [draw_tables(seed, n_values, chosen) for seed in range(3)]
    with seeded_rng(0, CPU):
        return FeatureTower(MIXED, 2, NetworkShape(n_members=3, width=6, embedding_width=4), pairs=tables).to(dtype)


def exchanged(rows, mine, others, features):
    """Rows ``mine`` with these features taken from the rows ``others``."""
    taken, other = rows.take(mine), rows.take(others)
    for place in (MIXED.positions.index(feature) for feature in features):
        if place < 2:
            taken.quantiles[..., place] = other.quantiles[..., place]
        else:
            taken.codes[..., place - 2] = other.codes[..., place - 2]
    return taken


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("features", [[0], [1], [2], [3], [4], [0, 1], [4, 1], [3, 4]])
def test_the_change_of_the_projection_is_that_of_exchanged_features(features, dtype):
    tower, rows = tower_of(dtype), mixed()
    rows = Rows(rows.quantiles.to(dtype), rows.codes, MIXED)
    mine = torch.arange(60).expand(3, -1)
    others = torch.stack([torch.randperm(60, generator=torch.Generator().manual_seed(k)) for k in range(3)])
    with torch.no_grad():
        before, after = tower.hidden(rows.take(mine)), tower.hidden(exchanged(rows, mine, others, features))
        found = tower.hidden_change(rows, mine[MEMBERS], others[MEMBERS], features, MEMBERS)
        tower.pairs = None
        of_columns = tower.hidden_change(rows, mine[MEMBERS], others[MEMBERS], features, MEMBERS)
    # Sums of about 20 numbers of size 1 in a different order
    tolerance = {torch.float32: 1e-5, torch.float64: 1e-12}[dtype]
    torch.testing.assert_close(found, (after - before)[MEMBERS], rtol=0, atol=tolerance)
    # Every feature is in some pair
    assert (found - of_columns).abs().max() > 0.1


@pytest.mark.parametrize("features", [[0], [2, 4]])
def test_a_pair_with_a_masked_column_does_not_change(features):
    tower, rows = tower_of(), mixed()
    rows = Rows(rows.quantiles.double(), rows.codes, MIXED)
    mine, others = torch.arange(60).view(3, 20), torch.arange(60).flip(0).view(3, 20)
    weights = torch.ones(3, 5, dtype=torch.float64)
    weights[2, [1, 3]] = 0.0  # for the last member, and not among the features
    with torch.no_grad():
        changed = exchanged(rows, mine, others, features)
        expected = (tower.hidden(changed, weights) - tower.hidden(rows.take(mine), weights))[MEMBERS]
        found = tower.hidden_change(rows, mine[MEMBERS], others[MEMBERS], features, MEMBERS, weights)
        plain = tower.hidden_change(rows, mine[MEMBERS], others[MEMBERS], features, MEMBERS)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    # Feature 0 has a pair with feature 1; no pair of features 2 and 4 is masked
    differs = (found - plain).abs().amax(dim=(1, 2)) > 0.1
    assert differs.tolist() == [False, features == [0]]


def test_features_without_a_pair_change_only_their_own_columns():
    tower, rows = tower_of(chosen=((0, 1),)), mixed()
    mine, others = torch.arange(40).view(2, 20), torch.arange(20, 60).view(2, 20)
    with torch.no_grad():
        found = tower.hidden_change(rows, mine, others, [2, 4], MEMBERS)
        tower.pairs = None
        assert torch.equal(found, tower.hidden_change(rows, mine, others, [2, 4], MEMBERS))


@pytest.mark.parametrize("by_row", [False, True], ids=["by member", "by row"])
@pytest.mark.parametrize("hidden", [0, 1, 2, 4])
def test_masking_either_column_of_a_pair_masks_the_pair(hidden, by_row):
    tower, rows = tower_of(), mixed(12).take(torch.arange(12).expand(3, -1))
    rows = Rows(rows.quantiles.double(), rows.codes, MIXED)
    weights = torch.ones(3, 12, 5) if by_row else torch.ones(3, 1, 5)
    weights[..., hidden] = 0.0
    left = [k for k, pair in enumerate(PAIRS) if hidden not in pair]
    assert 0 < len(left) < len(PAIRS)
    with torch.no_grad():
        found = tower.hidden(rows, weights if by_row else weights.squeeze(1))
        encoding = tower.pairs
        weight = encoding.weight.unflatten(1, (len(PAIRS), 2))
        weight[:, [k for k in range(len(PAIRS)) if k not in left]] = 0.0
        of_the_others = encoding(rows)
        tower.pairs = None
        expected = tower.hidden(rows, weights if by_row else weights.squeeze(1)) + of_the_others
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_the_weight_of_a_pair_is_the_product_of_its_columns_weights():
    tower, rows = tower_of(chosen=((0, 2),)), levels(torch.randint(3, (9, 5))).take(torch.arange(9).expand(3, -1))
    encoding = tower.pairs
    weights = torch.tensor([0.5, 1.0, 0.25, 1.0, 0.0], dtype=torch.float64).expand(3, 1, -1)
    with torch.no_grad():
        torch.testing.assert_close(encoding(rows, weights), encoding(rows) / 8, rtol=1e-12, atol=0)


def test_a_tower_without_pairs_among_its_features_has_no_pair_inputs():
    none = [draw_tables().among([3])] * 3
    with seeded_rng(0, CPU):
        tower = FeatureTower(MIXED, 2, NetworkShape(n_members=3, width=6), pairs=none)
    assert tower.pairs is None
    assert not any(name.startswith("pairs") for name, _ in tower.named_parameters())
    assert tower.pair_parameters([]) == {}


def test_pair_parameters_are_those_of_the_pairs_inputs():
    tower = tower_of(n_values=3)
    assert tower.pair_parameters([(1, 3), (0, 1)]) == {"pairs.weight": [6, 7, 8, 0, 1, 2]}
    assert tower.pair_parameters([]) == {"pairs.weight": []}


# Critics


def encoded(fold, chosen=PAIRS):
    """The fold with pair tables of its training rows."""
    rows = torch.cat(fold.train).unique()
    tables = build_pair_tables(fold.x, fold.target.bins, fold.row_weights, rows, chosen)
    return dataclasses.replace(fold, pairs=tables)


@pytest.fixture
def encoded_folds(two_folds):
    return [encoded(fold) for fold in two_folds]


def test_critics_encode_the_pairs_among_their_features_by_the_table_of_their_fold(encoded_folds, draw_critics):
    critics = draw_critics(CriticTask(encoded_folds[0], [2, 4]), CriticTask(encoded_folds[1], [0, 4]))
    # Features 0, 2 and 4 become 0 to 2; the pairs (4, 2) and (2, 0) remain
    inputs = critics.critic.tower.pairs
    assert inputs.pairs == ((2, 1), (1, 0))
    by_member = inputs.tables.unflatten(0, (4, N_PARTS + 1, 2, N_CELLS))
    for member in range(4):
        assert torch.equal(by_member[member], encoded_folds[member // 2].pairs.tables[:, [1, 3]])


def test_training_rows_are_encoded_by_the_other_parts_and_all_other_rows_by_all(
    encoded_folds, draw_critics, monkeypatch
):
    critics = draw_critics(*(CriticTask(fold, [0, 1, 2, 4]) for fold in encoded_folds))
    log_prior = critics.log_prior + torch.tensor([0.1, 0.2, -0.3])
    rows = torch.stack([rows[:8] for fold in encoded_folds for rows in fold.train])

    class RowSample:
        """Batches of the same rows with another prior."""

        def __init__(self):
            self.log_prior = log_prior

        def draw(self, n_batch, generator):
            return rows

    asked = []
    monkeypatch.setattr(critic_training, "make_sampler", lambda *_, **named: asked.append(named) or RowSample())
    outcome = fit_critics(
        critics,
        dataclasses.replace(STILL, batch_size=8, max_steps=3),
        TrainingContext(torch.Generator()),
        stage="learn",
    )
    assert asked == [{"is_discrete": encoded_folds[0].target.is_discrete, "n_draws": 3 * 8}]

    def bound(part, prior):
        with torch.no_grad():
            scores = critics.critic(critics.x.take(rows), critics.bin_rows, None, part)
        values = pointwise_information(scores, critics.bins[rows], prior)
        weights = critics.row_weights[rows]
        return float(((values * weights).sum(1) / weights.sum(1)).mean())

    assert outcome.records[0].bound == pytest.approx(bound(encoding_part(rows), log_prior), abs=1e-6)
    assert abs(bound(None, log_prior) - outcome.records[0].bound) > 1e-4
    (found,) = critics.information([encoded_folds[0].held_out[:8], encoded_folds[1].held_out[:8]])[:1]
    vet = torch.stack([encoded_folds[0].held_out[:8]] * 2 + [encoded_folds[1].held_out[:8]] * 2)
    with torch.no_grad():
        scores = critics.critic(critics.x.take(vet), critics.bin_rows)[:2].mean(0)
    expected = pointwise_information(scores, critics.bins[vet[0]], critics.log_prior[0])
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


def test_a_warm_start_copies_the_weights_of_common_pairs(encoded_folds, draw_critics):
    first, second = encoded_folds
    mine = draw_critics(CriticTask(first, [0, 1, 2]), CriticTask(second, [0, 1, 2]), seed=1)  # pairs (0, 1) and (2, 0)
    other = draw_critics(CriticTask(second, [0, 2, 4]), CriticTask(first, [0, 2, 4]), seed=2)  # pairs (4, 2) and (2, 0)
    name = "tower.pairs.weight"
    before, theirs = (one.ensemble.parameters[name].detach().clone() for one in (mine, other))
    warm_start(mine, 0, other, 1)
    weight = mine.ensemble.parameters[name]
    # Two inputs per pair: two of three classes
    assert torch.equal(weight[:2, 2:], theirs[2:, 2:])
    assert torch.equal(weight[:2, :2], before[:2, :2])
    assert torch.equal(weight[2:], before[2:])


@pytest.mark.parametrize("features", [[0, 1, 2], [0, 2], [1, 2]], ids=["two pairs", "one pair", "no pair"])
def test_critics_of_fewer_features_continue_from_those_of_more(features, encoded_folds, draw_critics):
    fold = encoded_folds[0]
    larger = draw_critics(CriticTask(fold, [0, 1, 2, 3, 4]), seed=1)
    smaller = draw_critics(CriticTask(fold, features), seed=2)
    warm_start(smaller, 0, larger, 0)
    # A network with a masked feature is the same as one without it
    (expected,) = larger.held_out_information(larger.feature_mask(features))
    (found,) = smaller.held_out_information()
    assert expected.std() > 1e-3
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


def test_critics_with_pairs_continue_from_those_without(encoded_folds, draw_critics):
    smaller, larger = (draw_critics(CriticTask(encoded_folds[0], features), seed=1) for features in ([1, 2], [0, 1, 2]))
    before = larger.ensemble.parameters["tower.pairs.weight"].detach().clone()
    warm_start(larger, 0, smaller, 0)
    assert torch.equal(larger.ensemble.parameters["tower.pairs.weight"], before)
    (found,), (expected,) = larger.held_out_information(larger.feature_mask([1, 2])), smaller.held_out_information()
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


def test_a_critic_learns_faster_with_an_encoded_pair(make_fold):
    # Two columns of 24 levels, unequal in one row of twenty; half of those rows are of the rare class
    generator = torch.Generator().manual_seed(0)
    n_rows = 8000
    first = torch.randint(24, (n_rows,), generator=generator)
    differs = torch.rand(n_rows, generator=generator) < 0.05
    second = torch.where(differs, (first + torch.randint(1, 24, (n_rows,), generator=generator)) % 24, first)
    y = (differs & (torch.rand(n_rows, generator=generator) < 0.5)).long()
    fold = make_fold(torch.stack([first, second], dim=1), y, n_levels=(24, 24))
    schedule = Schedule(max_steps=50, batch_size=256, learning_rate=5e-3, evaluate_every=25)
    reached = {}
    for name, own in (("plain", fold), ("encoded", encoded(fold, [(0, 1)]))):
        with seeded_rng(0, CPU) as generator:
            critics = CrossFitCritics([CriticTask(own, [0, 1])], width=32)
            fit_critics(critics, schedule, TrainingContext(generator), stage="learn")
        reached[name] = float(critics.held_out_information()[0].mean())
    # The information is H(0.025) - 0.05 log 2 = 0.082 nats; 2,000 held-out rows estimate it to about 0.01
    assert reached["encoded"] > 0.05
    assert reached["encoded"] > reached["plain"] + 0.02
