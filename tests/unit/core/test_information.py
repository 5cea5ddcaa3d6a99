import dataclasses
import math

import pytest
import torch

from minerva.core import information as information_module
from minerva.core.information import Critics, pad_rows
from minerva.core.inputs import Layout, Rows
from minerva.core.runtime import Deadline, seeded
from minerva.core.training import Schedule

CPU = torch.device("cpu")
NEVER = Deadline(None)


def copied_column(n_rows=400, seed=0):
    """Two columns of which the first is the target."""
    codes = torch.randint(2, (n_rows, 2), generator=torch.Generator().manual_seed(seed))
    return codes, codes[:, 0].clone()


def fitted(fold, schedule, seed=0):
    with seeded(seed, CPU) as generator:
        critics = Critics(fold, width=16)
        critics.fit(schedule, generator, NEVER, stage="learn")
    return critics


def same(one, other):
    return all(
        torch.equal(one.ensemble.parameters[name], other.ensemble.parameters[name]) for name in one.ensemble.parameters
    )


def test_information_of_a_copied_target_is_its_entropy(make_fold, quick):
    codes, y = copied_column()
    fold = make_fold(codes, y, n_members=2)
    critics = fitted(fold, quick)
    found = critics.information(fold.vet).mean()
    # Training stops near the ceiling, not on it
    assert float(found) == pytest.approx(fold.target.entropy, rel=0.03)


def test_information_of_a_row_is_never_above_its_surprise(make_fold, quick):
    codes, y = copied_column()
    fold = make_fold(codes, y)
    critics = fitted(fold, quick)
    surprise = -fold.target.log_prior[y[fold.vet]]
    assert (critics.information(fold.vet) <= surprise + 1e-6).all()


def test_entropy_is_that_of_the_prior(make_fold):
    codes, _ = copied_column(8)
    target = make_fold(codes, torch.tensor([0, 0, 0, 0, 1, 1, 2, 2])).target
    # Shares 1/2, 1/4, 1/4: half of log 2 and half of log 4
    assert target.entropy == pytest.approx(1.5 * math.log(2), abs=1e-6)


def test_nothing_is_learned_from_vetting_rows(make_fold):
    codes, y = copied_column()
    short = Schedule(max_steps=10, batch_size=32, evaluate_every=5)
    fold = make_fold(codes, y, n_members=2)
    spoiled = dataclasses.replace(fold.target, atoms=y.clone())
    spoiled.atoms[fold.vet] = 1 - spoiled.atoms[fold.vet]
    unseen = fitted(dataclasses.replace(fold, target=spoiled), short)
    assert same(fitted(fold, short), unseen)
    spoiled.atoms[fold.train[0]] = 1 - spoiled.atoms[fold.train[0]]
    assert not same(fitted(dataclasses.replace(fold, target=spoiled), short), unseen)


def test_rows_of_weight_zero_teach_nothing(make_fold):
    codes, y = copied_column()
    short = Schedule(max_steps=10, batch_size=32, evaluate_every=5)
    weights = torch.ones(len(y))
    weights[::2] = 0.0
    fold = make_fold(codes, y, row_weights=weights)
    spoiled = y.clone()
    spoiled[::2] = 1 - spoiled[::2]
    target = dataclasses.replace(fold.target, atoms=spoiled)
    assert same(fitted(fold, short), fitted(dataclasses.replace(fold, target=target), short))


def test_same_seed_same_critics(make_fold):
    fold = make_fold(*copied_column())
    short = Schedule(max_steps=10, batch_size=32, evaluate_every=5)
    assert same(fitted(fold, short, seed=3), fitted(fold, short, seed=3))
    assert not same(fitted(fold, short, seed=3), fitted(fold, short, seed=4))


def test_a_hidden_feature_does_not_inform(make_fold, quick):
    codes, y = copied_column()
    fold = make_fold(codes, y)
    critics = fitted(fold, quick)
    hidden = torch.tensor([0.0, 1.0])
    changed = fold.x.take(fold.vet)
    changed.codes[:, 0] = 1 - changed.codes[:, 0]
    assert torch.equal(critics.information(fold.vet, hidden, changed), critics.information(fold.vet, hidden))
    assert critics.information(fold.vet, x=changed).mean() < 0 < critics.information(fold.vet).mean()


def test_size_of_chunks_does_not_change_information(make_fold, monkeypatch):
    fold = make_fold(*copied_column(), n_members=2)
    critics = fitted(fold, Schedule(max_steps=5, batch_size=32))
    whole, tuned = critics.information(fold.vet), critics.tune_information()
    monkeypatch.setattr(information_module, "_CHUNK", 7)
    # Batches of other sizes add up in another order
    torch.testing.assert_close(critics.information(fold.vet), whole, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(critics.tune_information(), tuned, rtol=1e-5, atol=1e-5)


def test_tuning_rows_are_judged_by_the_member_that_did_not_train_on_them(make_fold):
    fold = make_fold(*copied_column(), n_members=3)
    critics = fitted(fold, Schedule(max_steps=5, batch_size=32))
    found = critics.tune_information().split([len(rows) for rows in fold.tune])
    for k, rows in enumerate(fold.tune):
        x = fold.x.take(rows.expand(3, -1))
        torch.testing.assert_close(found[k], critics.by_member(x, rows.expand(3, -1))[k].detach(), rtol=1e-5, atol=1e-5)


def test_padding_has_no_weight():
    row_weights = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
    padded, weights = pad_rows((torch.tensor([4, 1, 2]), torch.tensor([3])), row_weights)
    assert padded[0].tolist() == [4, 1, 2]
    assert padded[1, 0] == 3
    assert weights.tolist() == [[5.0, 2.0, 3.0], [4.0, 0.0, 0.0]]


def test_continuous_targets_are_scored_atom_by_atom(make_fold, quick):
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(2, (600, 2), generator=generator)
    # Eight levels of equal weight, the upper four where the first column is 1
    atoms = 4 * codes[:, 0] + torch.randint(4, (600,), generator=generator)
    fold = make_fold(codes, atoms)
    ranks = (torch.arange(8).unsqueeze(1) + 0.5) / 8
    atom_rows = Rows(ranks, torch.empty(8, 0, dtype=torch.int64), Layout(1, (), (0,)))
    target = dataclasses.replace(fold.target, atom_rows=atom_rows, is_discrete=False)
    critics = fitted(dataclasses.replace(fold, target=target), quick)
    # The column tells the half: log 2. Each of 150 vetting rows says about that, so the mean is known well
    assert float(critics.information(fold.vet).mean()) == pytest.approx(math.log(2), abs=0.07)
