import dataclasses

import pytest
import torch

from minerva_select.config import SUBSAMPLE
from minerva_select.solvers import subsample
from minerva_select.solvers.subsample import subsample_folds

N_ROWS = 2000
MAX_TUNE, MAX_HELD_OUT = 100, 150  # of each of two folds


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch):
    """Lower the limits for tables of some hundred rows."""
    small = dataclasses.replace(SUBSAMPLE, max_tuning_rows=2 * MAX_TUNE, max_held_out_rows=2 * MAX_HELD_OUT)
    monkeypatch.setattr(subsample, "SUBSAMPLE", small)


@pytest.fixture
def folds(make_fold, share_tensors):
    """Two folds with unequal row weights: half training, 500 tuning, 500 held-out rows; one in 50 is of class 1."""

    def fold(seed):
        generator = torch.Generator().manual_seed(seed)
        codes = torch.randint(4, (N_ROWS, 2), generator=generator)
        weights = torch.rand(N_ROWS, generator=generator) + 0.5
        return make_fold(codes, (torch.arange(N_ROWS) % 50 == 0).long(), row_weights=weights)

    return share_tensors(fold(0), fold(1))


def subsampled(folds, seed=0):
    return subsample_folds(folds, torch.Generator().manual_seed(seed))


def parts(fold):
    """Tuning and held-out rows of a fold."""
    return {"tune": fold.tune[0], "held_out": fold.held_out}


def test_rows_are_drawn_up_to_the_limit_with_rare_classes_whole(folds):
    for before, after in zip(folds, subsampled(folds), strict=True):
        for (name, rows), limit in zip(parts(after).items(), (MAX_TUNE, MAX_HELD_OUT), strict=True):
            own = parts(before)[name]
            assert {*rows.tolist()} < {*own.tolist()}
            assert len(rows.unique()) == len(rows)
            rare = [{*block[before.target.bins[block] == 1].tolist()} for block in (rows, own)]
            assert rare[0] == rare[1]
            assert len(rare[0]) == 10
            # Rows of the frequent class are drawn independently, with a standard deviation of at most 11
            assert limit / 2 < len(rows) < limit + 50


def test_a_drawn_row_has_the_weight_of_those_it_represents(folds):
    after = subsampled(folds)
    for fold in after:
        for rows, n_to_select in zip(parts(fold).values(), (MAX_TUNE, MAX_HELD_OUT), strict=True):
            frequent = fold.target.bins[rows] == 0
            # Half of the limit for each class; the share of the 490 grows because the other class has only ten
            share = n_to_select / 2 / 490 * n_to_select / (n_to_select / 2 + 10)
            factor = fold.row_weights[rows] / folds[0].row_weights[rows]
            torch.testing.assert_close(factor, torch.where(frequent, 1 / share, 1.0), rtol=1e-5, atol=0)


def test_weighted_means_are_unbiased(folds):
    _, before = folds
    values = torch.randn(2 * N_ROWS, generator=torch.Generator().manual_seed(3)) + 1.0
    n_draws = 200
    found = {name: torch.zeros(n_draws, 2, dtype=torch.float64) for name in ("tune", "held_out")}
    for seed in range(n_draws):
        after = subsampled(folds, seed)[1]
        for name, rows in parts(after).items():
            weights = after.row_weights[rows].double()
            found[name][seed] = torch.stack([weights.sum(), (weights * values[rows]).sum()])
    for name, rows in parts(before).items():
        weights = before.row_weights[rows].double()
        expected = torch.stack([weights.sum(), (weights * values[rows]).sum()])
        error = found[name].std(0) / n_draws**0.5
        assert ((found[name].mean(0) - expected).abs() < 4 * error).all()
        assert (error < 0.02 * expected).all()


def test_training_rows_and_rows_that_were_not_drawn_keep_their_weight(folds):
    after = subsampled(folds)
    drawn = torch.cat([rows for fold in after for rows in parts(fold).values()])
    kept = torch.ones(2 * N_ROWS, dtype=torch.bool)
    kept[drawn] = False
    assert torch.equal(after[0].row_weights[kept], folds[0].row_weights[kept])
    for one, other in zip(folds, after, strict=True):
        assert other.train is one.train
        assert other.x is one.x
        assert other.target is one.target


def test_folds_share_the_new_weights_and_the_old_ones_are_unchanged(folds):
    before = folds[0].row_weights.clone()
    first, second = subsampled(folds)
    assert first.row_weights is second.row_weights
    assert torch.equal(folds[0].row_weights, before)
    assert not torch.equal(first.row_weights, before)


def test_rows_within_the_limit_are_unchanged(folds):
    short = [dataclasses.replace(fold, held_out=fold.held_out[:MAX_HELD_OUT]) for fold in folds]
    for before, after in zip(short, subsampled(short), strict=True):
        assert after.held_out is before.held_out
        assert torch.equal(after.row_weights[after.held_out], before.row_weights[before.held_out])
        assert len(after.tune[0]) < len(before.tune[0])


def test_small_folds_and_folds_with_several_members_are_unchanged(folds):
    small = [
        dataclasses.replace(fold, tune=(fold.tune[0][:MAX_TUNE],), held_out=fold.held_out[:MAX_HELD_OUT])
        for fold in folds
    ]
    several = [dataclasses.replace(fold, train=fold.train * 2, tune=fold.tune * 2) for fold in folds]
    for untouched in (small, several):
        for before, after in zip(untouched, subsampled(untouched), strict=True):
            assert all(one is other for one, other in zip(before.tune, after.tune, strict=True))
            assert after.held_out is before.held_out
            assert torch.equal(after.row_weights, before.row_weights)


def test_the_limit_is_over_all_folds(folds):
    short = [dataclasses.replace(fold, tune=(fold.tune[0][: 2 * MAX_TUNE],)) for fold in folds]
    # 200 rows are the limit of a single fold, and twice that of each of two folds
    assert len(subsampled(short[:1])[0].tune[0]) == 2 * MAX_TUNE
    assert all(len(fold.tune[0]) < 1.5 * MAX_TUNE for fold in subsampled(short))


def test_draws_come_from_the_generator(folds):
    first, second, other = (subsampled(folds, seed)[0].held_out.tolist() for seed in (1, 1, 2))
    assert first == second
    assert first != other
