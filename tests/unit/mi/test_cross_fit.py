import dataclasses
import math

import pytest
import torch

from minerva_select.config import Schedule
from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.bounds import pointwise_information
from minerva_select.mi.critic_training import fit_critics
from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.runtime.rng import seeded_rng

CPU = torch.device("cpu")
SHORT = Schedule(max_steps=10, batch_size=32, evaluate_every=5)


def copied_column(n_rows=400, seed=0):
    """Two columns; the first one is the target."""
    codes = torch.randint(2, (n_rows, 2), generator=torch.Generator().manual_seed(seed))
    return codes, codes[:, 0].clone()


def everything(fold):
    return CriticTask(fold, list(range(fold.x.layout.n_features)))


def fitted(fold, schedule=SHORT, seed=0, **arguments):
    """Critics of all features."""
    with seeded_rng(seed, CPU) as generator:
        critics = CrossFitCritics([everything(fold)], width=16)
        fit_critics(critics, schedule, TrainingContext(generator), stage="learn", **arguments)
    return critics


def same(one, other, members=slice(None)):
    pairs = zip(one.ensemble.parameters.values(), other.ensemble.parameters.values(), strict=True)
    return all(torch.equal(mine[members], theirs[members]) for mine, theirs in pairs)


def spoil(fold, rows):
    """The same fold with the two classes swapped on these rows."""
    bins = fold.target.bins.clone()
    bins[rows] = 1 - bins[rows]
    return dataclasses.replace(fold, target=dataclasses.replace(fold.target, bins=bins))


@pytest.mark.reference
def test_information_of_a_copied_target_is_its_entropy(make_fold, quick):
    fold = make_fold(*copied_column(), n_members=2)
    (found,) = fitted(fold, quick).held_out_information()
    # Training stops just below the largest possible bound
    assert float(found.mean()) == pytest.approx(fold.target.entropy, rel=0.03)


def test_information_of_a_row_is_at_most_its_surprisal(make_fold, quick):
    codes, y = copied_column()
    fold = make_fold(codes, y)
    (found,) = fitted(fold, quick).held_out_information()
    surprisal = -fold.target.log_prior[y[fold.held_out]]
    assert (found <= surprisal + 1e-6).all()


def test_the_entropy_of_a_target_is_that_of_its_prior(make_fold):
    codes, _ = copied_column(8)
    target = make_fold(codes, torch.tensor([0, 0, 0, 0, 1, 1, 2, 2])).target
    # Shares 1/2, 1/4, 1/4: half of log 2 and half of log 4
    assert target.entropy == pytest.approx(1.5 * math.log(2), abs=1e-6)


def test_nothing_is_learned_from_held_out_rows(make_fold):
    fold = make_fold(*copied_column(), n_members=2)
    critics = fitted(fold)
    assert same(critics, fitted(spoil(fold, fold.held_out)))
    assert not same(critics, fitted(spoil(fold, fold.train[0])))


def test_nothing_is_learned_from_rows_of_weight_zero(make_fold):
    codes, y = copied_column()
    weights = torch.ones(len(y))
    weights[::2] = 0.0
    fold = make_fold(codes, y, row_weights=weights)
    critics = fitted(fold)
    assert same(critics, fitted(spoil(fold, slice(0, None, 2))))
    assert not same(critics, fitted(spoil(fold, slice(1, None, 2))))


def test_same_seed_same_critics(make_fold):
    fold = make_fold(*copied_column())
    assert same(fitted(fold, seed=3), fitted(fold, seed=3))
    assert not same(fitted(fold, seed=3), fitted(fold, seed=4))


def test_members_learn_from_the_tuning_rows_of_others_but_not_from_their_own(make_fold):
    fold = make_fold(*copied_column(), n_members=3)
    # A single evaluation of the tuning rows selects nothing
    once = Schedule(max_steps=10, batch_size=32, evaluate_every=10)
    critics, other = fitted(fold, once), fitted(spoil(fold, fold.tune[0]), once)
    assert [same(critics, other, members=k) for k in range(3)] == [True, False, False]


def test_a_masked_feature_is_not_used(make_fold, quick):
    fold = make_fold(*copied_column())
    critics = fitted(fold, quick)
    hidden = critics.feature_mask([1])
    assert hidden.tolist() == [0.0, 1.0]
    (seen,), (blind,) = critics.held_out_information(), critics.held_out_information(hidden)
    critics.x.codes[:, 0] = 1 - critics.x.codes[:, 0]
    (seen_turned,), (blind_turned,) = critics.held_out_information(), critics.held_out_information(hidden)
    assert torch.equal(blind_turned, blind)
    assert seen_turned.mean() < 0 < seen.mean()


def test_the_chunk_size_does_not_change_the_tuning_bound(make_fold, monkeypatch):
    fold = make_fold(*copied_column(), n_members=2)

    def half_hidden(n_rows, generator):
        return (torch.rand(n_rows, 2, generator=generator) > 0.5).float()

    def bounds():
        with seeded_rng(0, CPU) as generator:
            critics = CrossFitCritics([everything(fold)], width=16)
            outcome = fit_critics(critics, SHORT, TrainingContext(generator), stage="vet", sample_masks=half_hidden)
        return [record.held_out_bound for record in outcome.records]

    whole = bounds()
    monkeypatch.setattr(CrossFitCritics, "chunk", 7)
    # The order of summation depends on the size
    assert bounds() == pytest.approx(whole, abs=1e-5)


def test_training_ends_when_nothing_is_left_to_learn(make_fold, generator, quick):
    fold = make_fold(*copied_column())
    patient = dataclasses.replace(quick, max_steps=500, patience=1000, patience_at_zero=1000)
    outcome = fit_critics(
        CrossFitCritics([everything(fold)], width=16), patient, TrainingContext(generator), stage="learn"
    )
    assert outcome.converged
    assert outcome.n_steps < 500


def test_tuning_rows_are_scored_by_the_member_that_did_not_train_on_them(make_fold):
    fold = make_fold(*copied_column(), n_members=3)
    critics = fitted(fold)
    (found,) = critics.tuning_information()
    for k, (rows, values) in enumerate(zip(fold.tune, found.split([len(rows) for rows in fold.tune]), strict=True)):
        scores = critics.critic(fold.x.take(rows.expand(3, -1)), critics.bin_rows)[k]
        expected = pointwise_information(scores, fold.target.bins[rows], fold.target.log_prior)
        torch.testing.assert_close(values, expected.detach(), rtol=1e-5, atol=1e-5)


def test_held_out_rows_are_scored_by_the_mean_of_all_members(make_fold):
    fold = make_fold(*copied_column(), n_members=3)
    critics = fitted(fold)
    scores = critics.critic(fold.x.take(fold.held_out.expand(3, -1)), critics.bin_rows).mean(0)
    expected = pointwise_information(scores, fold.target.bins[fold.held_out], fold.target.log_prior)
    (found,) = critics.held_out_information()
    torch.testing.assert_close(found, expected.detach(), rtol=1e-5, atol=1e-5)


@pytest.mark.reference
def test_continuous_targets_are_scored_per_bin(make_fold, quick):
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(2, (600, 2), generator=generator)
    # Eight equally likely bins, the upper four where the first column is 1
    bins = 4 * codes[:, 0] + torch.randint(4, (600,), generator=generator)
    (found,) = fitted(_ordered(make_fold(codes, bins)), quick).held_out_information()
    # The column identifies the half: log 2 nats on nearly every held-out row
    assert float(found.mean()) == pytest.approx(math.log(2), abs=0.07)


def _ordered(fold):
    """The same fold with its classes as bins of a continuous target."""
    n_bins = len(fold.target.log_prior)
    quantiles = (torch.arange(n_bins).unsqueeze(1) + 0.5) / n_bins
    bin_rows = Rows(quantiles, torch.empty(n_bins, 0, dtype=torch.int64), ColumnLayout(1, (), (0,)))
    return dataclasses.replace(fold, target=dataclasses.replace(fold.target, bin_rows=bin_rows, is_discrete=False))


def test_dropout_is_off_after_fitting(make_fold, generator):
    fold = make_fold(*copied_column())
    critics = CrossFitCritics([everything(fold)], dropout=0.5, width=16)
    fit_critics(critics, SHORT, TrainingContext(generator), stage="learn")
    assert torch.equal(critics.held_out_information()[0], critics.held_out_information()[0])
