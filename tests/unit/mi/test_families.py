"""Boosted trees and penalized additive models as critics, by the same claims."""

import dataclasses
import math

import numpy as np
import pytest
import torch

from minerva_select.config import JUDGE
from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi import additive_model, families
from minerva_select.mi.additive_model import AdditiveDesign
from minerva_select.mi.arrays import read_arrays
from minerva_select.mi.families import ARRAY_FAMILIES, ArrayCritics, ByFold, Family, join_folds
from minerva_select.mi.fold import Fold, Target
from minerva_select.mi.stacking import stack

FLIPPED = math.log(2) + 0.1 * math.log(0.1) + 0.9 * math.log(0.9)  # log 2 - H(0.1) = 0.368

each_family = pytest.mark.parametrize("family", ARRAY_FAMILIES)


def flipped_class(n_rows=1600, n_columns=4, informative=2, seed=0):
    """Binary columns; y is one of them, one in ten flipped."""
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(2, (n_rows, n_columns), generator=generator)
    return codes, codes[:, informative] ^ (torch.rand(n_rows, generator=generator) < 0.1).long()


def numeric_fold(quantiles, y, n_bins=None):
    """A fold of numeric columns; y are classes, or numbers in ``n_bins`` bins."""
    n_rows, n_features = quantiles.shape
    bins = y if n_bins is None else y.argsort().argsort() * n_bins // n_rows
    prior = torch.bincount(bins).float() / n_rows
    middles = (prior.cumsum(0) - prior / 2)[:, None]
    bin_rows = Rows(middles, torch.empty(len(prior), 0, dtype=torch.int64), ColumnLayout(1, (), (0,)))
    x = Rows(
        quantiles,
        torch.empty(n_rows, 0, dtype=torch.int64),
        ColumnLayout(n_features, (), tuple(range(n_features))),
    )
    train, tune, held_out = torch.arange(n_rows).tensor_split([n_rows // 2, 3 * n_rows // 4])
    target = Target(bins, bin_rows, prior.log(), is_discrete=n_bins is None)
    return Fold(x, target, torch.ones(n_rows), (train,), (tune,), held_out)


def fit(fold, family, features, seed=0):
    (found,) = ArrayCritics([fold], torch.Generator().manual_seed(seed)).fit(family, features)
    return found


@each_family
def test_the_information_of_a_flipped_class_is_known(family, make_fold):
    fold = make_fold(*flipped_class())
    found = fit(fold, family, range(4))
    # Standard error 0.66 / sqrt(400) = 0.033, and a little is lost to noise in three other columns
    assert float(found.held_out.mean()) == pytest.approx(FLIPPED, abs=0.08)
    assert float(found.tuning.mean()) == pytest.approx(FLIPPED, abs=0.08)
    assert (len(found.tuning), len(found.held_out)) == (len(fold.tune[0]), len(fold.held_out))


@each_family
def test_members_are_averaged_on_held_out_rows(family, make_fold):
    fold = make_fold(*flipped_class(800), n_members=3)
    found = fit(fold, family, [2])
    assert len(found.tuning) == 3 * len(fold.tune[0])
    assert len(found.held_out) == len(fold.held_out)
    assert float(found.held_out.mean()) == pytest.approx(FLIPPED, abs=0.12)  # standard error 0.047


@each_family
def test_importances_rank_the_informative_column_first(family, make_fold):
    found = fit(make_fold(*flipped_class()), family, [3, 2, 0]).importances()
    # In the order in which the features were given
    assert int(found.argmax()) == 1
    assert float(found[1]) > 0.2
    assert found[[0, 2]].abs().max() < 0.05


@each_family
@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_the_information_of_a_gaussian_pair_is_known(family, correlation):
    generator = torch.Generator().manual_seed(0)
    x, noise, other = torch.randn(3, 3200, generator=generator, dtype=torch.float64)
    y = correlation * x + math.sqrt(1 - correlation**2) * noise
    quantiles = torch.special.ndtr(torch.stack([other, x], dim=1)).float()
    found = fit(numeric_fold(quantiles, y, n_bins=32), family, [0, 1])
    expected = -0.5 * math.log(1 - correlation**2)
    # Standard error 0.025; trees lose up to a tenth to their steps and to noise
    assert float(found.held_out.mean()) == pytest.approx(expected, abs=0.11)
    if correlation:
        assert found.importances().argmax() == 1


@each_family
def test_noise_has_no_information_in_the_stack(family, make_fold):
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(3, (1600, 6), generator=generator)
    fold = make_fold(codes, torch.randint(2, (1600,), generator=generator))
    found = stack([[fit(fold, family, range(6))]], [torch.ones(len(fold.tune[0]))], [len(fold.held_out)])
    # The prior takes over; what is left is chance on 400 tuning rows
    assert float(found.held_out.mean()) == pytest.approx(0.0, abs=0.01)


@each_family
def test_missing_values_are_accepted_and_informative(family):
    generator = torch.Generator().manual_seed(0)
    quantiles = torch.rand(1600, 2, generator=generator)
    y = torch.randint(2, (1600,), generator=generator)
    quantiles[(y == 1) ^ (torch.rand(1600, generator=generator) < 0.1), 1] = torch.nan
    found = fit(numeric_fold(quantiles, y), family, [0, 1])
    assert float(found.held_out.mean()) == pytest.approx(FLIPPED, abs=0.08)


@each_family
def test_more_levels_than_bins_are_accepted(family, make_fold):
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(300, (1600, 2), generator=generator)
    codes[:, 0] = codes[:, 0].square() // 300  # low codes are frequent, as in an encoded table
    y = (codes[:, 0] < 20) ^ (torch.rand(1600, generator=generator) < 0.1)
    found = fit(make_fold(codes, y.long(), n_levels=(300, 300)), family, [0, 1])
    assert np.isfinite(found.held_out.numpy()).all()
    # About half of what there is, since levels are rare
    assert float(found.held_out.mean()) > 0.1


@pytest.mark.parametrize(
    "family",
    [
        Family.TREES,
        Family.ADDITIVE,
    ],
)
def test_levels_that_are_all_rare_are_accepted(family, make_fold):
    # No level has enough rows for a coefficient of its own
    generator = torch.Generator().manual_seed(0)
    codes = torch.randperm(400, generator=generator)[:, None]
    fold = make_fold(codes, torch.randint(2, (400,), generator=generator), n_levels=(400,))
    found = fit(fold, family, [0])
    assert np.isfinite(found.held_out.numpy()).all()
    assert float(found.held_out.mean()) == pytest.approx(0.0, abs=0.2)


@each_family
def test_a_training_part_with_a_single_class_gives_zeros(family, make_fold):
    codes, y = flipped_class(400)
    y[: len(y) // 2] = 0  # the training rows
    found = fit(make_fold(codes, y), family, [0, 2])
    assert found.tuning.tolist() == [0.0] * 100
    assert found.held_out.tolist() == [0.0] * 100
    assert found.importances().tolist() == [0.0, 0.0]


@each_family
def test_a_class_that_is_missing_in_training_is_accepted(family, make_fold):
    codes, y = flipped_class(800)
    y[-5:] = 2  # held-out rows only
    found = fit(make_fold(codes, y), family, [2])
    assert np.isfinite(found.held_out.numpy()).all()
    assert float(found.held_out[:-5].mean()) == pytest.approx(FLIPPED, abs=0.15)


@each_family
def test_several_classes_are_accepted(family, make_fold):
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(5, (1600, 2), generator=generator)
    found = fit(make_fold(codes, codes[:, 1].clone()), family, [0, 1])
    # The whole entropy of five equal classes; boosting and penalties stop a little short of certainty
    assert float(found.held_out.mean()) == pytest.approx(math.log(5), rel=0.1)


@each_family
def test_row_weights_count(family, make_fold):
    codes, y = flipped_class(1600)
    # Rows of weight zero say the opposite
    spoiled = torch.arange(1600) % 2 == 0
    y = torch.where(spoiled, 1 - y, y)
    weights = torch.where(spoiled, 0.0, 2.0)
    fold = make_fold(codes, y, row_weights=weights)
    found = fit(fold, family, [2])
    counted = found.held_out[weights[fold.held_out] > 0]
    assert float(counted.mean()) == pytest.approx(FLIPPED, abs=0.12)  # standard error 0.047


@each_family
def test_the_same_seed_gives_the_same_information(family, make_fold):
    fold = make_fold(*flipped_class(400, n_columns=10))
    one, same = fit(fold, family, range(10)), fit(fold, family, range(10))
    assert torch.equal(one.held_out, same.held_out)
    assert torch.equal(one.importances(), same.importances())


def test_trees_find_an_interaction_that_an_additive_model_cannot(make_fold):
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(3, (1600, 2), generator=generator)
    fold = make_fold(codes, (codes[:, 0] == codes[:, 1]).long())
    assert float(fit(fold, Family.TREES, [0, 1]).held_out.mean()) > 0.4  # of 0.64
    assert float(fit(fold, Family.ADDITIVE, [0, 1]).held_out.mean()) < 0.05


def test_targets_without_order_and_with_many_classes_have_no_array_critics(make_fold):
    codes = torch.randint(2, (400, 2), generator=torch.Generator().manual_seed(0))
    many = make_fold(codes, torch.arange(400) % (JUDGE.max_classes + 1))
    few = make_fold(codes, torch.arange(400) % JUDGE.max_classes)
    assert ArrayCritics([many], torch.Generator()).families == ()
    assert ArrayCritics([few], torch.Generator()).families == ARRAY_FAMILIES


def test_the_first_set_decides_the_strongest_penalty_of_all_sets(make_fold):
    critics = ArrayCritics([make_fold(*flipped_class(400))], torch.Generator().manual_seed(0))
    critics.fit(Family.ADDITIVE, range(4))
    (strengths,) = critics._strengths.values()
    assert strengths == JUDGE.linear_strengths[-len(strengths) :]
    critics.fit(Family.ADDITIVE, [0])
    assert critics._strengths == {(0, 0): strengths}


def sum_and_parts(seed, n_rows=1500, n_noise=60):
    """Three columns, their sum, on which y depends, and noise."""
    generator = torch.Generator().manual_seed(seed)
    parts, noise = (torch.rand(n, n_rows, generator=generator) for n in (3, n_noise))
    total = parts.sum(0)
    y = (total + 0.3 * torch.randn(n_rows, generator=generator) > 1.5).long()
    return torch.stack([*parts, total, *noise]).argsort(1).argsort(1).T.float() / n_rows, y


def test_parts_of_a_sum_add_nothing_to_the_additive_model():
    gains = []
    for seed in range(3):
        critics = ArrayCritics([numeric_fold(*sum_and_parts(seed))], torch.Generator().manual_seed(0))
        critics.fit(Family.ADDITIVE, range(64))
        with_parts, alone = (critics.fit(Family.ADDITIVE, of)[0].held_out for of in (range(4), [3]))
        gains.append(float((with_parts - alone).mean()))
    # A penalty as strong as that of 64 columns costs the sum more than four columns that share it: 0.011 nats
    assert sum(gains) / 3 < 0.005  # standard error 0.003


def test_a_sample_of_training_rows_keeps_the_information(make_fold, monkeypatch):
    monkeypatch.setattr(families, "JUDGE", dataclasses.replace(JUDGE, max_training_rows=300))
    fold = make_fold(*flipped_class(3200))
    for family in ARRAY_FAMILIES:
        assert float(fit(fold, family, [2]).held_out.mean()) == pytest.approx(FLIPPED, abs=0.06)  # standard error 0.023


def test_a_time_limit_shortens_the_training_rows(make_fold):
    # 4,400 rows, of which 2,200 are for training; even in no time, 2,000 are used
    codes, y = flipped_class(4400)
    for seconds, n_rows in ((math.inf, 2200), (0.0, JUDGE.min_training_rows)):
        critics = ArrayCritics([make_fold(codes, y)], torch.Generator().manual_seed(0), seconds)
        ((train, _),) = critics.folds[0].members
        assert len(train) == pytest.approx(n_rows, rel=0.05)  # drawn by chance


def test_thinned_rows_of_an_additive_model_keep_both_classes(make_fold, monkeypatch):
    monkeypatch.setattr(additive_model, "JUDGE", dataclasses.replace(JUDGE, max_linear_rows=200))
    codes, _ = flipped_class(800)
    y = torch.zeros(800, dtype=torch.int64)
    y[1::200] = 1  # odd rows only, and every other row is used
    found = fit(make_fold(codes, y), Family.ADDITIVE, [0, 2])
    assert np.isfinite(found.held_out.numpy()).all()


def test_the_design_has_a_curve_per_number_and_an_indicator_per_level(two_folds, generator):
    found = read_arrays(two_folds[1], generator)
    train = np.arange(len(found.values))
    design = AdditiveDesign(found, np.array([1, 4]), train)
    x = design.transform(train)
    # Normal score, hinges and missing indicator; three levels
    assert x.shape == (80, len(JUDGE.linear_knots) + 2 + 3)
    assert np.isfinite(x).all()
    np.testing.assert_allclose(x.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(x[:, : len(JUDGE.linear_knots) + 2].std(axis=0), 1.0)


def test_terms_beyond_the_limit_are_left_out(two_folds, generator, monkeypatch):
    monkeypatch.setattr(additive_model, "JUDGE", dataclasses.replace(JUDGE, max_linear_terms=8))
    found = read_arrays(two_folds[0], generator)
    design = AdditiveDesign(found, np.array([1, 3]), np.arange(len(found.values)))
    assert [feature for feature, _ in design.terms] == [1]


@each_family
def test_few_rows_are_fitted_once_more_together_with_the_tuning_rows(family, make_fold, monkeypatch):
    found = []
    for limit in (0, JUDGE.max_refit_rows):
        monkeypatch.setattr(families, "JUDGE", dataclasses.replace(JUDGE, max_refit_rows=limit))
        one = fit(make_fold(*flipped_class(200)), family, range(4))
        found.append((one.tuning, one.held_out))
    (tuning, without), (same_tuning, refitted) = found
    assert torch.equal(tuning, same_tuning)
    # The member was fitted to 100 rows, the refit to 150
    assert 0 < float((without - refitted).abs().mean()) < 0.2


def test_sets_that_are_the_same_in_all_folds_are_one_set():
    assert join_folds([[1, 2], [1, 2]]) == (1, 2)
    assert join_folds([[1, 2], [1, 3]]) == ByFold(((1, 2), (1, 3)))


@each_family
def test_every_fold_may_have_columns_of_its_own(family, make_fold, share_tensors):
    folds = share_tensors(make_fold(*flipped_class()), make_fold(*flipped_class(informative=1)))
    own, other = (
        [float(fit.held_out.mean()) for fit in ArrayCritics(folds, torch.Generator().manual_seed(0)).fit(family, sets)]
        for sets in (ByFold(((0, 2), (1, 3))), ByFold(((1, 3), (0, 2))))
    )
    assert own == pytest.approx([FLIPPED, FLIPPED], abs=0.08)
    assert other == pytest.approx([0.0, 0.0], abs=0.02)


def test_trees_of_many_rounds_are_short_in_comparisons(make_fold, monkeypatch):
    critics = ArrayCritics([make_fold(*flipped_class())], torch.Generator().manual_seed(0))
    used = (Family.NEURAL, Family.TREES, Family.ADDITIVE)
    critics.fit(Family.TREES, [0, 1, 2])
    assert critics.shorten(used) == used
    monkeypatch.setattr(families, "JUDGE", dataclasses.replace(JUDGE, brief_rounds=1))
    assert critics.shorten(used) == (Family.NEURAL, Family.BRIEF_TREES, Family.ADDITIVE)
    (brief,), (whole,) = (critics.fit(family, [0, 1, 2]) for family in (Family.BRIEF_TREES, Family.TREES))
    assert 0.0 < float(brief.tuning.mean()) < float(whole.tuning.mean())
