import dataclasses
import math

import numpy as np
import pytest
import torch

from minerva_select.config import JUDGE
from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi import arrays
from minerva_select.mi.arrays import (
    ArrayFit,
    ArrayTarget,
    FoldArrays,
    PermutedRows,
    is_supported,
    n_array_members,
    read_arrays,
    shared_tuning_rows,
)
from minerva_select.mi.fold import Target


@pytest.fixture
def use_config(monkeypatch):
    """Replace some numbers of the judge's configuration, as far as arrays use them."""

    def use(**changes):
        monkeypatch.setattr(arrays, "JUDGE", dataclasses.replace(JUDGE, **changes))

    return use


def target_of(n_bins, is_discrete, n_columns=1, is_numeric=True):
    rows = torch.rand(n_bins, n_columns) if is_numeric else torch.empty(n_bins, 0)
    codes = torch.empty(n_bins, 0, dtype=torch.int64) if is_numeric else torch.arange(n_bins)[:, None]
    layout = ColumnLayout(n_columns, (), tuple(range(n_columns))) if is_numeric else ColumnLayout(0, (n_bins,), (0,))
    return Target(
        torch.arange(n_bins), Rows(rows, codes, layout), torch.full((n_bins,), -math.log(n_bins)), is_discrete
    )


def test_values_have_the_order_of_the_features(two_folds, generator):
    for fold in two_folds:
        found = read_arrays(fold, generator)
        # Features 1 and 3 are numeric, with missing values
        assert found.is_categorical.tolist() == [True, False, True, False, True]
        assert np.isnan(found.values[:, [1, 3]]).any(axis=0).tolist() == [True, True]
        for feature in range(5):
            expected = fold.x.column(feature)[fold.held_out].float().numpy()
            np.testing.assert_array_equal(found.values[found.held_out, feature], expected)
            np.testing.assert_array_equal(found.column(feature, found.held_out), expected)


def test_features_are_read_in_the_order_of_the_question(two_folds, generator):
    found = read_arrays(two_folds[0], generator)
    for features in ([3, 0, 4, 1], [1, 3], [2], []):
        chosen = np.array(features, dtype=np.int64)
        np.testing.assert_array_equal(found.read(chosen), found.values[:, features], strict=True)
        read = found.read(chosen, found.held_out)
        np.testing.assert_array_equal(read, found.values[np.ix_(found.held_out, chosen)], strict=True)


def test_targets_and_weights_follow_their_rows(two_folds, generator):
    for fold in two_folds:
        found = read_arrays(fold, generator)
        parts = [(found.held_out, fold.held_out)]
        for (train, tune), *rows in zip(found.members, fold.train, fold.tune, strict=True):
            parts += zip((train, tune), rows, strict=True)
        for positions, rows in parts:
            np.testing.assert_array_equal(found.target.bins[positions], fold.target.bins[rows].numpy())
            np.testing.assert_allclose(found.weights[positions], fold.row_weights[rows].numpy())


def rare_fold(make_fold):
    """1,600 rows, of which 10 are of class 1; the first half is for training."""
    y = torch.zeros(1600, dtype=torch.int64)
    y[::160] = 1
    return make_fold(torch.randint(2, (1600, 3), generator=torch.Generator().manual_seed(0)), y)


def test_a_sample_of_the_training_rows_keeps_rare_classes_whole(make_fold, generator):
    fold = rare_fold(make_fold)
    found = read_arrays(fold, generator, max_rows=200)
    ((train, tune),) = found.members
    bins = found.target.bins[train]
    n_rare = int((fold.target.bins[fold.train[0]] == 1).sum())
    assert int((bins == 1).sum()) == n_rare == 5
    # Every row is drawn by chance, so that 200 are expected
    assert len(train) == pytest.approx(200, abs=60)
    # Together the drawn rows of a class weigh about as much as all of its rows
    assert found.weights[train][bins == 1].tolist() == [1.0] * n_rare
    assert found.weights[train][bins == 0].sum() == pytest.approx(len(fold.train[0]) - n_rare, rel=0.25)
    # Rows that only measure are all there, with their own weight
    assert (len(tune), len(found.held_out)) == (len(fold.tune[0]), len(fold.held_out))
    assert (found.weights[tune] == 1).all()
    assert (found.weights[found.held_out] == 1).all()
    assert (fold.row_weights == 1).all()


def test_few_training_rows_are_all_used(make_fold, generator):
    fold = rare_fold(make_fold)
    found = read_arrays(fold, generator)
    assert len(found.members[0][0]) == len(fold.train[0])
    assert (found.weights == 1).all()


def test_folds_of_many_rows_use_one_member(make_fold, use_config, generator):
    codes = torch.randint(2, (800, 2), generator=generator)
    fold = make_fold(codes, codes[:, 0].clone(), n_members=3)
    assert n_array_members(fold) == len(read_arrays(fold, generator).members) == 3
    assert len(shared_tuning_rows(fold)) == 3 * len(fold.tune[0])
    use_config(many_rows=600)  # 400 training rows and 200 held-out rows
    assert n_array_members(fold) == len(read_arrays(fold, generator).members) == 1
    assert torch.equal(shared_tuning_rows(fold), fold.tune[0])


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (target_of(2, is_discrete=True, is_numeric=False), True),
        (target_of(24, is_discrete=True, is_numeric=False), True),
        (target_of(25, is_discrete=True, is_numeric=False), False),  # too many classes without order
        (target_of(25, is_discrete=True), True),  # many values of one number
        (target_of(128, is_discrete=False), True),
        (target_of(128, is_discrete=False, n_columns=2), False),
    ],
)
def test_a_few_classes_or_one_number_are_supported(target, expected):
    assert is_supported(target) is expected


def test_a_number_with_missing_values_is_not_supported():
    target = target_of(64, is_discrete=False)
    target.bin_rows.quantiles[7] = torch.nan
    assert not is_supported(target)


def test_edges_and_scores_are_normal_quantiles():
    target = ArrayTarget(np.arange(4), np.log([0.25] * 4), is_discrete=False, is_ordered=True)
    assert target.edges.tolist() == pytest.approx([-np.inf, -0.6745, 0.0, 0.6745, np.inf], abs=1e-4)
    # The middle of each bin: 1/8, 3/8, 5/8, 7/8
    assert target.scores.tolist() == pytest.approx([-1.1503, -0.3186, 0.3186, 1.1503], abs=1e-4)


def arrays_of(bins, *, is_discrete):
    """Rows with these target bins and weights of 2, without columns."""
    target = ArrayTarget(bins, np.log(np.bincount(bins) / len(bins)), is_discrete, is_ordered=not is_discrete)
    nothing = Rows(torch.zeros(len(bins), 0), torch.zeros(len(bins), 0, dtype=torch.uint8), ColumnLayout(0, (), ()))
    return FoldArrays(nothing, np.zeros(0, bool), target, np.full(len(bins), 2.0), (), np.arange(0))


def test_permuted_rows_of_a_number_are_the_same_rows_in_another_order():
    found = arrays_of(np.arange(600) % 128, is_discrete=False)
    drawn = PermutedRows.draw(found, np.arange(100, 600), seed=3, max_rows=100)
    assert len(drawn.rows) == 100
    assert drawn.rows.min() >= 100
    assert sorted(drawn.rows) == sorted(drawn.others)
    assert (drawn.rows != drawn.others).mean() > 0.9
    assert set(drawn.weights) == {2.0}
    np.testing.assert_array_equal(PermutedRows.draw(found, np.arange(100, 600), 3, 100).others, drawn.others)
    assert len(PermutedRows.draw(found, np.arange(50), seed=3, max_rows=100).rows) == 50


def test_permuted_rows_of_classes_have_all_rows_of_a_rare_class_and_values_of_any_row():
    bins = (np.arange(20_000) % 500 == 0).astype(np.int64)  # 40 positives
    drawn = PermutedRows.draw(arrays_of(bins, is_discrete=True), np.arange(20_000), seed=3, max_rows=1_000)
    assert len(drawn.rows) == pytest.approx(1_000, abs=100)  # the negatives are drawn independently
    assert bins[drawn.rows].sum() == 40
    # Weights restore the frequencies: 0.2% positives; the values come from 0.2% positives, 2 of 1,000 rows
    assert np.average(bins[drawn.rows], weights=drawn.weights) == pytest.approx(0.002, rel=0.1)
    assert bins[drawn.others].mean() < 0.01


def test_a_critic_of_nothing_has_no_information():
    nothing = ArrayFit.of_nothing(3, 2, 4)
    assert nothing.tuning.tolist() == [0.0] * 3
    assert nothing.measure().tolist() == [0.0] * 2
    assert nothing.importances().tolist() == [0.0] * 4
