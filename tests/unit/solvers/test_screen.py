"""Claims about the screen and the units and pairs that pass it."""

import dataclasses

import pytest
import torch

from minerva_select.mi.pair_tables import build_pair_tables
from minerva_select.mi.pairwise_mi import PairwiseInformation
from minerva_select.runtime.deadline import Deadline
from minerva_select.solvers import screen
from minerva_select.solvers.screen import add_pair_tables, screen_fold, select_screened_units


def parity(first, second, seed=0):
    """Eight columns; y is the exclusive or of two of them, one in ten flipped: log 2 - H(0.1) = 0.368 nats."""
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(2, (1600, 8), generator=generator)
    flipped = torch.rand(1600, generator=generator) < 0.1
    return codes, codes[:, first] ^ codes[:, second] ^ flipped.long()


@pytest.fixture(scope="module")
def table():
    """Columns 2 and 5 are informative as a pair."""
    return parity(2, 5)


@pytest.fixture
def two_tables(make_fold, share_tensors):
    """Two folds that share tensors; columns 2 and 5 are informative in the first, 1 and 6 in the second."""
    return share_tensors(make_fold(*parity(2, 5, seed=0)), make_fold(*parity(1, 6, seed=1)))


def singles(n_units):
    return [[unit] for unit in range(n_units)]


def test_the_screen_ignores_held_out_rows(table, make_fold):
    codes, y = table
    fold = make_fold(codes, y)
    spoiled = fold.x.take(torch.arange(len(y)))
    spoiled.codes[fold.held_out] = 1 - spoiled.codes[fold.held_out]
    clean, changed = screen_fold(fold), screen_fold(dataclasses.replace(fold, x=spoiled))
    assert torch.equal(clean.marginal_z, changed.marginal_z)
    assert torch.equal(clean.pair_z, changed.pair_z)


def test_the_screen_of_a_fold_uses_only_its_own_rows(two_tables, make_fold):
    for fold, (codes, y) in zip(two_tables, (parity(2, 5, seed=0), parity(1, 6, seed=1)), strict=True):
        found, alone = screen_fold(fold), screen_fold(make_fold(codes, y))
        assert torch.equal(found.marginal_z, alone.marginal_z)
        assert torch.equal(found.pairs, alone.pairs)


def test_a_screen_with_little_time_counts_fewer_rows(make_fold, monkeypatch):
    codes = torch.randint(2, (12_000, 8), generator=torch.Generator().manual_seed(0))
    fold = make_fold(codes, codes[:, 2] ^ codes[:, 5])
    whole, ample = screen_fold(fold), screen_fold(fold, Deadline(1000.0))
    monkeypatch.setitem(screen._CELLS_PER_SECOND, "cpu", 1.0)
    little = screen_fold(fold, Deadline(1000.0))
    assert ample.pair_z[0] == whole.pair_z[0] > 2 * little.pair_z[0]
    assert sorted(little.pairs[0].tolist()) == [2, 5]


def test_columns_that_are_informative_in_pairs_pass_the_screen(table, make_fold):
    found = screen_fold(make_fold(*table))
    assert set(select_screened_units(found, singles(8), [])) >= {2, 5}
    # Unit 0 holds column 2, unit 1 column 5
    assert set(select_screened_units(found, [[2, 7], [5], [0, 1, 3, 4, 6]], [])) >= {0, 1}


def test_required_units_pass_the_screen(table, make_fold):
    found = screen_fold(make_fold(*table))
    assert set(select_screened_units(found, singles(8), [0])) >= {0, 2, 5}


def test_little_of_pure_noise_passes_the_screen(make_fold, generator):
    codes = torch.randint(3, (1600, 40), generator=generator)
    y = torch.randint(2, (1600,), generator=generator)
    found = screen_fold(make_fold(codes, y))
    # 40 columns and 780 pairs, each with a threshold that their null maximum rarely exceeds
    assert len(select_screened_units(found, singles(40), [])) <= 4


def screened(n_columns, **z_of_pairs):
    """A screen with these pairs, named by their two digits."""
    pairs = [[int(digit) for digit in name[1:]] for name in z_of_pairs]
    zeros = torch.zeros(n_columns)
    return PairwiseInformation(zeros, zeros, torch.tensor(pairs).view(-1, 2), torch.tensor([*z_of_pairs.values()]))


def test_folds_encode_the_significant_pairs_of_all_folds_strongest_first(two_tables):
    # The threshold for 28 pairs is sqrt(2 log 28) + 2 = 4.58
    screens = [screened(8, p25=9.0, p13=4.5, p04=6.0), screened(8, p16=30.0, p25=5.0)]
    assert [fold.pairs.pairs for fold in add_pair_tables(two_tables, screens, 10)] == [((1, 6), (2, 5), (0, 4))] * 2
    assert add_pair_tables(two_tables, screens, 1)[0].pairs.pairs == ((1, 6),)


def test_the_order_within_a_pair_does_not_matter(two_tables):
    screens = [screened(8, p25=9.0), screened(8, p52=7.0, p61=8.0)]
    for fold in add_pair_tables(two_tables, screens, 10):
        assert [{*pair} for pair in fold.pairs.pairs] == [{2, 5}, {1, 6}]


def test_folds_stay_unchanged_without_significant_pairs_or_with_a_limit_of_zero(two_tables):
    weak, strong = ([screened(8, p25=z)] * 2 for z in (4.0, 40.0))
    assert add_pair_tables(two_tables, weak, 10) == two_tables
    assert add_pair_tables(two_tables, strong, 0) == two_tables


def test_pairs_are_encoded_from_training_rows_only(two_tables):
    screens = [screened(8, p25=9.0, p16=8.0)] * 2
    found = add_pair_tables(two_tables, screens, 10)
    for before, after in zip(two_tables, found, strict=True):
        classes, pairs = before.target.bins, [(2, 5), (1, 6)]
        expected = build_pair_tables(before.x, classes, before.row_weights, before.train[0], pairs)
        assert torch.equal(after.pairs.tables, expected.tables)
        spoiled = classes.clone()
        others = torch.cat([before.held_out, before.tune[0]])
        spoiled[others] = 1 - classes[others]
        other = dataclasses.replace(before, target=dataclasses.replace(before.target, bins=spoiled))
        assert torch.equal(add_pair_tables([other], screens[:1], 10)[0].pairs.tables, expected.tables)
    assert not torch.equal(found[0].pairs.tables, found[1].pairs.tables)


@pytest.mark.parametrize(("n_rows", "n_classes", "n_bins"), [(256, 2, 8), (255, 2, 4), (1024, 8, 8), (555, 8, 4)])
def test_few_rows_are_counted_in_fewer_bins(n_rows, n_classes, n_bins):
    assert screen._n_bins(n_rows, n_classes) == n_bins
