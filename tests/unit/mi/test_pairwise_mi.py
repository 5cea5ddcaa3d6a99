import dataclasses
import itertools

import numpy as np
import pytest
import torch

from minerva_select.mi import pairwise_mi
from minerva_select.mi.pairwise_mi import count_information
from minerva_select.runtime.deadline import Deadline

N_ROWS = 500
N_LEVELS = (2, 3, 2, 5, 4, 1, 7)  # the sixth column is constant
ALL_PAIRS = 100


def entropy(*columns):
    """Joint plug-in entropy of the columns in nats."""
    _, counts = np.unique(np.stack(columns), axis=1, return_counts=True)
    shares = counts / counts.sum()
    return -(shares * np.log(shares)).sum()


def information(y, *columns):
    return entropy(*columns) + entropy(y) - entropy(y, *columns)


@pytest.fixture(scope="module")
def table():
    """Independent columns; y is a noisy exclusive or of columns 0 and 2, shifted by column 3."""
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(n, size=N_ROWS) for n in N_LEVELS], axis=1)
    clean = (codes[:, 0] ^ codes[:, 2]) + (codes[:, 3] == 1)
    return codes, np.where(rng.random(N_ROWS) < 0.3, rng.integers(3, size=N_ROWS), clean)


def run(table, n_pairs=ALL_PAIRS):
    codes, y = table
    return count_information(torch.tensor(codes), torch.tensor(y), n_pairs=n_pairs)


def by_pair(found):
    return {tuple(sorted(pair)): z for pair, z in zip(found.pairs.tolist(), found.pair_z.tolist(), strict=True)}


def test_the_planted_pair_stands_out_most(table):
    found = run(table)
    assert sorted(found.pairs[0].tolist()) == [0, 2]
    assert found.pair_z[0] > 10
    assert found.pair_z[1] < 5
    # Neither column is informative alone
    assert found.marginal_z[[0, 2]].max() < 3 < found.marginal_z[3]


def test_marginals_are_bias_corrected_plug_in_information(table):
    codes, y = table
    found = run(table)
    n_classes = len(np.unique(y))
    for j, column in enumerate(codes.T):
        freedom = (len(np.unique(column)) - 1) * (n_classes - 1)
        plug_in = information(y, column)
        # The result is in float32
        assert float(found.marginal_nats[j]) == pytest.approx(max(0.0, plug_in - freedom / (2 * N_ROWS)), abs=1e-6)
        # 2 n I is chi-squared under independence: mean freedom, variance 2 freedom
        z = (2 * N_ROWS * plug_in - freedom) / np.sqrt(2 * freedom) if freedom else 0.0
        assert float(found.marginal_z[j]) == pytest.approx(z, abs=1e-4)


def test_pairs_are_scored_by_their_synergy(table):
    codes, y = table
    found = by_pair(run(table))
    for i, j in itertools.combinations(range(len(N_LEVELS)), 2):
        first, second = codes[:, i], codes[:, j]
        synergy = information(y, first, second) - information(y, first) - information(y, second)
        cells = len({*zip(first.tolist(), second.tolist(), strict=True)})
        freedom = max(1, cells - len(set(first)) - len(set(second)) + 1) * (len(set(y)) - 1)
        # Counts are summed in float32: n log n of 500 rows is 3,000, exact to 0.0002
        expected = (2 * N_ROWS * synergy - freedom) / np.sqrt(2 * freedom)
        assert found[i, j] == pytest.approx(expected, abs=5e-3)


def test_every_pair_is_listed_once_the_strongest_first(table):
    found = run(table)
    pairs = [tuple(sorted(pair)) for pair in found.pairs.tolist()]
    assert sorted(pairs) == list(itertools.combinations(range(len(N_LEVELS)), 2))
    assert torch.isfinite(found.pair_z).all()
    assert (found.pair_z.diff() <= 0).all()


def test_a_shorter_list_has_the_strongest_pairs(table):
    short, long = run(table, n_pairs=3), run(table)
    assert short.pairs.tolist() == long.pairs[:3].tolist()
    assert torch.equal(short.pair_z, long.pair_z[:3])


@pytest.mark.parametrize("cells", [1, 10, 20])
def test_block_size_does_not_change_the_answer(table, monkeypatch, cells):
    whole = run(table)
    monkeypatch.setitem(pairwise_mi._BLOCK_CELLS, "cpu", cells)
    in_blocks = run(table)
    assert torch.equal(in_blocks.marginal_z, whole.marginal_z)
    # Sums of float32 in a different order
    assert by_pair(in_blocks) == pytest.approx(by_pair(whole), abs=5e-3)


def test_the_coding_of_levels_and_classes_does_not_matter(table):
    codes, y = table
    renamed = np.stack([np.random.default_rng(j).permutation(30)[column] for j, column in enumerate(codes.T)], axis=1)
    found, expected = run((renamed, np.array([9, 0, 4])[y])), run(table)
    torch.testing.assert_close(found.marginal_z, expected.marginal_z)
    assert by_pair(found) == pytest.approx(by_pair(expected), abs=5e-3)


def test_permuting_columns_permutes_the_result(table):
    codes, y = table
    order = np.random.default_rng(1).permutation(len(N_LEVELS))
    found, expected = run((codes[:, order], y)), run(table)
    torch.testing.assert_close(found.marginal_z, expected.marginal_z[torch.tensor(order)])
    back = {tuple(sorted(order[list(pair)].tolist())): z for pair, z in by_pair(found).items()}
    assert back == pytest.approx(by_pair(expected), abs=5e-3)


def test_a_single_class_gives_no_information_and_no_nan(table):
    codes, y = table
    found = run((codes, np.zeros_like(y)))
    assert (found.marginal_nats == 0).all()
    assert found.marginal_z.abs().max() <= 1e-6
    assert torch.isfinite(found.pair_z).all()
    assert found.pair_z.max() <= 1e-3


def test_after_the_deadline_columns_are_counted_but_pairs_are_not():
    codes = torch.randint(3, (500, 4), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    classes = codes[:, 0].long()
    whole, cut = (
        count_information(codes, classes, n_pairs=4),
        count_information(codes, classes, n_pairs=4, deadline=Deadline(0.0)),
    )
    assert torch.equal(whole.marginal_nats, cut.marginal_nats)
    assert len(whole.pairs) == 4
    assert len(cut.pairs) == 0


def test_pairs_are_counted_on_part_of_a_class_that_nearly_all_rows_have():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=(60_000, 5))
    rare = (codes[:, 1] == codes[:, 4]) & (rng.random(len(codes)) < 0.005)  # 100 of 60,000 rows, by a pair alone
    found = run((codes, rare.astype(int)))
    everything = pairwise_mi.SEARCH.majority_ratio * len(codes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise_mi, "SEARCH", dataclasses.replace(pairwise_mi.SEARCH, majority_ratio=everything))
        whole = run((codes, rare.astype(int)))
    assert torch.equal(found.marginal_nats, whole.marginal_nats)
    assert torch.equal(found.marginal_z, whole.marginal_z)
    assert not torch.equal(found.pair_z, whole.pair_z)
    assert found.pairs[0].sort().values.tolist() == whole.pairs[0].sort().values.tolist() == [1, 4]
    assert found.pair_z[0] == pytest.approx(whole.pair_z[0].item(), rel=0.1)
