import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from minerva_select.data.encoded_rows import ColumnLayout, Rows, join_rows
from minerva_select.mi.bounds import donsker_varadhan, pointwise_information
from minerva_select.mi.feature_weights import FeatureWeights
from minerva_select.mi.inference import estimate_mean, holm_bonferroni
from minerva_select.mi.layers import soft_clamp
from minerva_select.mi.networks import MAX_ONE_HOT_LEVELS, FeatureTower, NetworkShape
from minerva_select.mi.objective import norm_drift, sparsity_ratio
from minerva_select.mi.pair_tables import N_CELLS, N_PARTS, PairTables
from minerva_select.runtime.rng import seeded_rng

# The first call of a torch function takes longer than the deadline of hypothesis
UNTIMED = settings(deadline=None)
SCORES = st.floats(-30, 30)
HUGE = st.floats(-1e4, 1e4)
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@st.composite
def scored_rows(draw):
    """Scores of rows with every class, the class of each row, and the exact prior."""
    n_rows, n_bins = draw(st.integers(1, 12)), draw(st.integers(2, 5))
    scores = draw(hnp.arrays(np.float64, (n_rows, n_bins), elements=SCORES))
    bins = draw(hnp.arrays(np.int64, n_rows, elements=st.integers(0, n_bins - 1)))
    weights = draw(hnp.arrays(np.float64, n_bins, elements=st.floats(0.01, 1)))
    return scores, bins, weights / weights.sum()


@UNTIMED
@given(hnp.arrays(np.float64, st.integers(1, 20), elements=HUGE), st.floats(-1e3, 1e3))
def test_bound_of_any_scores_is_finite_and_ignores_constants(scores, constant):
    joint, marginal = torch.tensor(scores), torch.tensor(scores[::-1].copy())
    bound = donsker_varadhan(joint, marginal)
    assert torch.isfinite(bound)
    # The mean is never above the logarithm of the mean of exponentials (Jensen)
    assert bound <= 1e-9
    # float64 near 1e4 is exact to 1e-11
    torch.testing.assert_close(donsker_varadhan(joint + constant, marginal + constant), bound, rtol=0, atol=1e-8)


@UNTIMED
@given(scored_rows())
def test_exact_bound_is_never_below_donsker_varadhan_of_the_same_critic(rows):
    scores, bins, prior = rows
    exact = pointwise_information(torch.tensor(scores), torch.tensor(bins), torch.tensor(np.log(prior))).mean()
    joint = scores[np.arange(len(bins)), bins]
    # Product of the empirical distribution of x with the exact prior: E_x sum_k p(k) exp T(x, k)
    partition = (np.exp(scores) * prior).sum(1).mean()
    assert float(exact) >= joint.mean() - np.log(partition) - 1e-9


@UNTIMED
@given(scored_rows())
def test_information_of_a_row_is_at_most_the_surprisal_of_its_target(rows):
    scores, bins, prior = rows
    by_row = pointwise_information(torch.tensor(scores), torch.tensor(bins), torch.tensor(np.log(prior)))
    assert (by_row.numpy() <= -np.log(prior[bins]) + 1e-9).all()


@UNTIMED
@given(st.integers(2, 4), st.data())
def test_no_critic_exceeds_the_true_information(n_levels, data):
    # The distribution of Experiment A: every pair of levels once, y = 1 where they are equal
    first, second = np.indices((n_levels, n_levels)).reshape(2, -1)
    y = (first == second).astype(int)
    critic = data.draw(hnp.arrays(np.float64, (n_levels**2, 2), elements=SCORES))
    every_pair = torch.tensor(critic[:, y])
    truth = (n_levels - 1) / n_levels * np.log(n_levels / (n_levels - 1)) + np.log(n_levels) / n_levels
    prior = np.array([(n_levels - 1) / n_levels, 1 / n_levels])
    assert float(donsker_varadhan(every_pair.diagonal(), every_pair)) <= truth + 1e-9
    by_row = pointwise_information(torch.tensor(critic), torch.tensor(y), torch.tensor(np.log(prior)))
    assert float(by_row.mean()) <= truth + 1e-9


@UNTIMED
@given(hnp.arrays(np.float64, st.integers(1, 20), elements=st.floats(0.01, 100)), st.floats(0.001, 1000))
def test_sparsity_ratio_lies_between_one_and_the_root_of_the_number(weights, scale):
    ratio = float(sparsity_ratio(torch.tensor(weights)))
    assert 1 - 1e-9 <= ratio <= np.sqrt(len(weights)) + 1e-9
    np.testing.assert_allclose(float(sparsity_ratio(torch.tensor(weights * scale))), ratio, rtol=1e-9)


@UNTIMED
@given(hnp.arrays(np.float64, st.integers(1, 20), elements=st.floats(0.01, 100)))
def test_norm_drift_is_zero_only_at_the_target_norm(weights):
    norm = float(np.sqrt((weights**2).sum()))
    assert float(norm_drift(torch.tensor(weights), norm)) <= 1e-18 * norm**2
    assert float(norm_drift(torch.tensor(weights), norm + 1)) > 0.9


@UNTIMED
@given(
    hnp.arrays(np.float32, 5, elements=st.floats(-100, 100, width=32)),
    hnp.arrays(np.float32, 5, elements=st.floats(0, 10, width=32)),
    st.floats(0.001, 1),
)
def test_a_weight_step_is_projected_onto_the_nearest_non_negative_weights(gradient, start, rate):
    weights = FeatureWeights(range(5), torch.device("cpu"))
    with torch.no_grad():
        weights.values.copy_(torch.tensor(start))
    weights.values.grad = torch.tensor(gradient)
    weights.step_(rate)
    expected = np.maximum(0, start.astype(np.float64) - rate * gradient.astype(np.float64))
    # float32: 7 digits of numbers up to 110
    np.testing.assert_allclose(weights.values.detach().numpy(), expected, rtol=1e-5, atol=1e-4)
    assert (weights.values >= 0).all()


@UNTIMED
@given(hnp.arrays(np.float64, 6, elements=st.floats(-1e300, 1e300)), st.floats(0.1, 10))
def test_soft_clamp_is_bounded_odd_and_never_enlarges(values, limit):
    bent = soft_clamp(torch.tensor(values), limit)
    assert (bent.abs() <= limit).all()
    assert (bent.abs() <= torch.tensor(values).abs() * (1 + 1e-12) + 1e-300).all()
    assert torch.equal(soft_clamp(-torch.tensor(values), limit), -bent)


@st.composite
def mixed_rows(draw):
    """Rows whose cells are the index of their feature, with columns of both types in any order."""
    is_continuous = draw(st.lists(st.booleans(), min_size=1, max_size=8))
    positions = [f for f, c in enumerate(is_continuous) if c] + [f for f, c in enumerate(is_continuous) if not c]
    n_numeric = sum(is_continuous)
    quantiles = torch.tensor(positions[:n_numeric], dtype=torch.float32).expand(3, -1)
    codes = torch.tensor(positions[n_numeric:], dtype=torch.int64).expand(3, -1)
    levels = tuple(100 + f for f in positions[n_numeric:])
    return Rows(quantiles, codes, ColumnLayout(n_numeric, levels, tuple(positions))), is_continuous


def in_feature_order(rows):
    """Cells of one row and the number of levels (None for numeric columns), by feature."""
    said = [*rows.quantiles[0].long().tolist(), *rows.codes[0].tolist()]
    levels = [None] * rows.layout.n_numeric + list(rows.layout.n_levels)
    places = [rows.layout.positions.index(k) for k in range(rows.layout.n_features)]
    return [(said[place], levels[place]) for place in places]


@UNTIMED
@given(mixed_rows(), st.data())
def test_select_keeps_the_given_features_in_the_given_order(case, data):
    rows, is_continuous = case
    wanted = data.draw(st.permutations(range(len(is_continuous))))[: data.draw(st.integers(0, len(is_continuous)))]
    found = rows.select(list(wanted))
    expected = [(f, None if is_continuous[f] else 100 + f) for f in wanted]
    assert in_feature_order(found) == expected
    assert len(found) == 3
    assert found.layout.n_numeric == sum(is_continuous[f] for f in wanted)


@UNTIMED
@given(mixed_rows(), st.data())
def test_selecting_twice_is_selecting_once(case, data):
    rows, is_continuous = case
    first = data.draw(st.permutations(range(len(is_continuous))))[: data.draw(st.integers(1, len(is_continuous)))]
    second = data.draw(st.permutations(range(len(first))))[: data.draw(st.integers(1, len(first)))]
    twice = rows.select(list(first)).select(list(second))
    assert in_feature_order(twice) == in_feature_order(rows.select([first[k] for k in second]))


@UNTIMED
@given(mixed_rows(), st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_joined_tables_keep_their_rows_and_all_levels(case, lengths, data):
    table, _ = case
    tables = []
    for length in lengths:
        n_levels = tuple(data.draw(st.integers(n, n + 3)) for n in table.layout.n_levels)
        layout = ColumnLayout(
            table.layout.n_numeric, n_levels, table.layout.positions, any_missing=data.draw(st.booleans())
        )
        codes = table.codes[:1].expand(length, -1) + len(tables)
        tables.append(Rows(table.quantiles[:1].expand(length, -1) + len(tables), codes, layout))
    joined = join_rows(tables)
    assert len(joined) == sum(lengths)
    start = 0
    for part in tables:
        rows = torch.arange(start, start + len(part))
        assert torch.equal(joined.take(rows).codes, part.codes)
        assert torch.equal(joined.take(rows).quantiles, part.quantiles)
        start += len(part)
    assert joined.layout.positions == table.layout.positions
    assert joined.layout.any_missing == any(part.layout.any_missing for part in tables)
    for k, n_levels in enumerate(joined.layout.n_levels):
        assert n_levels == max(part.layout.n_levels[k] for part in tables)


@st.composite
def columns(draw):
    """Rows of two members with columns of both types, few and many levels, any order, and weights of any shape."""
    n_numeric = draw(st.integers(0, 3))
    n_levels = draw(st.lists(st.integers(1, MAX_ONE_HOT_LEVELS["cpu"] + 3), min_size=0 if n_numeric else 1, max_size=4))
    n_features, n_rows = n_numeric + len(n_levels), draw(st.integers(1, 5))
    any_missing = draw(st.booleans())
    layout = ColumnLayout(n_numeric, tuple(n_levels), tuple(draw(st.permutations(range(n_features)))), any_missing)
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32 - 1)))
    quantiles = torch.rand(2, n_rows, n_numeric, generator=generator, dtype=torch.float64)
    if any_missing:
        quantiles[torch.rand(quantiles.shape, generator=generator) < 0.3] = torch.nan
    codes = torch.rand(2, n_rows, len(n_levels), generator=generator) * torch.tensor(n_levels)
    shape = draw(st.sampled_from([None, (2, n_features), (2, n_rows, n_features)]))
    weights = None if shape is None else torch.rand(shape, generator=generator, dtype=torch.float64)
    return Rows(quantiles, codes.long(), layout), weights


@UNTIMED
@given(columns(), st.integers(0, 2**32 - 1))
def test_the_projection_equals_that_of_embedded_columns(case, seed):
    rows, weights = case
    with seeded_rng(seed, torch.device("cpu")), torch.no_grad():
        tower = FeatureTower(rows.layout, 1, NetworkShape(n_members=2, width=3, n_blocks=0, embedding_width=2)).double()
        found, expected = tower.hidden(rows, weights), tower.project(tower.embed(rows, weights))
    # Sums of float64 in a different order
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


@UNTIMED
@given(columns(), st.integers(0, 2**32 - 1), st.data())
def test_exchanged_features_change_the_projection_like_their_weights(case, seed, data):
    rows, _ = case
    n_features, n_rows = rows.layout.n_features, rows.codes.shape[1]
    features = data.draw(st.lists(st.integers(0, n_features - 1), min_size=1, unique=True))
    weights = torch.ones(2, n_features, dtype=torch.float64)
    weights[:, features] = 0.0
    # The table of both members' rows; each member has its own
    table = Rows(rows.quantiles.flatten(0, 1), rows.codes.flatten(0, 1), rows.layout)
    mine = torch.arange(2 * n_rows).view(2, n_rows)
    others = mine.flip(0)  # each member gets cells of the other's rows
    with seeded_rng(seed, torch.device("cpu")), torch.no_grad():
        tower = FeatureTower(rows.layout, 1, NetworkShape(n_members=2, width=3, n_blocks=0, embedding_width=2)).double()
        parts = tower.hidden(table.take(others)) - tower.hidden(table.take(others), weights)
        parts -= tower.hidden(rows) - tower.hidden(rows, weights)
        found = tower.hidden_change(table, mine, others, features, slice(None))
    torch.testing.assert_close(found, parts, rtol=0, atol=1e-12)


def exchanged(table, mine, others, features):
    """Rows ``mine`` of a table with these features taken from the rows ``others``."""
    taken, other, n_numeric = table.take(mine), table.take(others), table.layout.n_numeric
    for place in (table.layout.positions.index(feature) for feature in features):
        if place < n_numeric:
            taken.quantiles[..., place] = other.quantiles[..., place]
        else:
            taken.codes[..., place - n_numeric] = other.codes[..., place - n_numeric]
    return taken


@UNTIMED
@given(columns(), st.integers(0, 2**32 - 1), st.data())
def test_exchanged_features_change_their_columns_and_pairs(case, seed, data):
    rows, _ = case
    n_features, n_rows = rows.layout.n_features, rows.codes.shape[1]
    feature = st.integers(0, n_features - 1)
    features = data.draw(st.lists(feature, min_size=1, unique=True))
    pairs = tuple(data.draw(st.lists(st.tuples(feature, feature), max_size=4, unique=True)))
    table = Rows(rows.quantiles.flatten(0, 1), rows.codes.flatten(0, 1), rows.layout)
    mine = torch.arange(2 * n_rows).view(2, n_rows)
    with seeded_rng(seed, torch.device("cpu")), torch.no_grad():
        tables = [PairTables(pairs, torch.randn(N_PARTS + 1, len(pairs), N_CELLS, 2)) for _ in range(2)]
        tower = FeatureTower(
            rows.layout, 1, NetworkShape(n_members=2, width=3, n_blocks=0, embedding_width=2), pairs=tables
        ).double()
        others = torch.randint(2 * n_rows, mine.shape)
        expected = tower.hidden(exchanged(table, mine, others, features)) - tower.hidden(rows)
        found = tower.hidden_change(table, mine, others, features, slice(None))
        second = tower.hidden_change(table, mine[1:], others[1:], features, slice(1, 2))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    torch.testing.assert_close(second, expected[1:], rtol=0, atol=1e-12)


@UNTIMED
@given(P_VALUES, st.floats(0.01, 0.2), st.integers(0, 20))
def test_holm_rejects_the_smallest_p_values_and_at_least_those_of_bonferroni(p_values, level, n_more):
    n_tests = len(p_values) + n_more
    rejected = holm_bonferroni(p_values, level, n_tests)
    for p_value, fell in zip(p_values, rejected, strict=True):
        assert fell or p_value > level / n_tests
        assert not fell or p_value <= level
    stood = [p_value for p_value, fell in zip(p_values, rejected, strict=True) if not fell]
    assert all(p_value <= min(stood, default=1.0) for p_value, fell in zip(p_values, rejected, strict=True) if fell)


@UNTIMED
@given(P_VALUES, st.randoms(use_true_random=False))
def test_holm_does_not_depend_on_the_order_of_tests(p_values, random):
    order = list(range(len(p_values)))
    random.shuffle(order)
    rejected = holm_bonferroni(p_values, 0.05)
    assert holm_bonferroni([p_values[k] for k in order], 0.05) == [rejected[k] for k in order]


@UNTIMED
@given(hnp.arrays(np.float64, st.integers(2, 20), elements=st.floats(-10, 10)), st.integers(0, 2**32 - 1))
def test_integer_weights_have_the_mean_of_repeated_rows(values, seed):
    counts = np.random.default_rng(seed).integers(1, 4, size=len(values))
    found = estimate_mean(torch.tensor(values), torch.tensor(counts))
    np.testing.assert_allclose(found.mean, np.repeat(values, counts).mean(), rtol=1e-9, atol=1e-12)
    # A row of weight two is one observation, so the standard error is at least that of two rows
    repeated = estimate_mean(torch.tensor(np.repeat(values, counts)), torch.ones(int(counts.sum())))
    assert found.standard_error >= repeated.standard_error - 1e-12
