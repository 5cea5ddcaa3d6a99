"""Claims about critics of several tasks: each has its own features, rows and prior, and none affects another."""

import copy

import pytest
import torch

from minerva_select.config import Schedule
from minerva_select.data.encoded_rows import Rows
from minerva_select.mi.critic_training import fit_critics, warm_start
from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.runtime.rng import seeded_rng

CPU = torch.device("cpu")
SHORT = Schedule(max_steps=10, batch_size=32, evaluate_every=5)
EVERYTHING = [0, 1, 2, 3, 4]


def with_table(critics, x):
    """The same critics with another table."""
    other = copy.copy(critics)
    other.x = x.select(critics.features)
    return other


def changed(x, feature):
    """The same table with other values of a categorical feature."""
    place = x.layout.positions.index(feature) - x.layout.n_numeric
    codes = x.codes.clone()
    codes[:, place] = (codes[:, place] + 1) % x.layout.n_levels[place]
    return Rows(x.quantiles, codes, x.layout)


def test_critics_have_the_features_of_all_tasks_in_order(two_folds, draw_critics):
    first, second = two_folds
    critics = draw_critics(CriticTask(first, [4, 1]), CriticTask(second, [4, 2]))
    assert critics.features == [1, 2, 4]
    assert critics.x.layout.n_features == 3
    assert critics.n_members == 4
    assert [critics.members_of(task) for task in range(2)] == [slice(0, 2), slice(2, 4)]
    assert critics.feature_mask([4, 1]).tolist() == [1.0, 0.0, 1.0]


def test_features_of_other_tasks_do_not_change_the_scores_of_a_task(two_folds, draw_critics):
    first, second = two_folds
    critics = draw_critics(CriticTask(first, [0, 1, 3]), CriticTask(second, [1, 2, 4]))
    before = critics.held_out_information(), critics.tuning_information()
    for feature, seen_by in ((0, [True, False]), (2, [False, True]), (4, [False, True])):
        other = with_table(critics, changed(first.x, feature))
        for old, new in zip(before, (other.held_out_information(), other.tuning_information()), strict=True):
            assert [not torch.equal(a, b) for a, b in zip(old, new, strict=True)] == seen_by


def test_a_task_has_the_same_scores_alone_and_with_others(two_folds, draw_critics):
    first, second = two_folds
    tasks = CriticTask(first, [3, 0, 2]), CriticTask(second, [4, 1, 2])
    together, alone = draw_critics(*tasks, seed=1), [draw_critics(task, seed=2 + k) for k, task in enumerate(tasks)]
    for k, critics in enumerate(alone):
        warm_start(together, k, critics, 0)
    for ask in (CrossFitCritics.held_out_information, CrossFitCritics.tuning_information):
        for found, (expected,) in zip(ask(together), map(ask, alone), strict=True):
            assert expected.std() > 1e-3
            torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    assert [len(values) for values in together.held_out_information()] == [len(fold.held_out) for fold in two_folds]


def test_each_task_can_score_other_rows(two_folds, draw_critics):
    critics = draw_critics(*(CriticTask(fold, EVERYTHING) for fold in two_folds))
    vet = critics.held_out_information()
    found = critics.information([two_folds[0].held_out[[3, 1]], two_folds[1].held_out[[0, 5, 2]]])
    torch.testing.assert_close(found[0], vet[0][[3, 1]], rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(found[1], vet[1][[0, 5, 2]], rtol=1e-5, atol=1e-5)


def test_a_warm_start_copies_common_features_and_leaves_other_features_and_tasks(two_folds, draw_critics):
    first, second = two_folds
    mine = draw_critics(CriticTask(first, [0, 3, 4]), CriticTask(second, [0, 1, 2, 3]), seed=1)  # features 0 to 4
    other = draw_critics(CriticTask(second, [3]), CriticTask(first, [2, 4]), seed=2)  # features 2, 3 and 4
    before = {name: value.detach().clone() for name, value in mine.ensemble.parameters.items()}
    theirs = {name: value.detach().clone() for name, value in other.ensemble.parameters.items()}
    warm_start(mine, 0, other, 1)
    for name, value in mine.ensemble.parameters.items():
        assert torch.equal(value[2:], before[name][2:])
        if name not in ("tower.embed.missing", "tower.embed.levels", "tower.project.weight"):
            assert torch.equal(value[:2], theirs[name][2:])

    def expect(name, entries):
        """Check which entries along the second dimension are copied from which others; None: unchanged."""
        value = mine.ensemble.parameters[name]
        assert value.shape[1] == len(entries)
        for k, source in enumerate(entries):
            expected = before[name][:2, k] if source is None else theirs[name][2:, source]
            assert torch.equal(value[:2, k], expected)

    # Numeric: own 1 and 3, other 3. Categorical: own 0, 2 and 4 with 4, 40 and 3 levels, other 2 and 4
    expect("tower.embed.missing", [None, 0])
    expect("tower.embed.levels", [None] * 4 + list(range(43)))
    # Own columns: 1, 3, 0, 2, 4; others: 3, 2, 4; eight entries each
    expect("tower.project.weight", [None] * 8 + list(range(8)) + [None] * 8 + list(range(8, 24)))


def test_the_loss_of_a_task_has_gradients_only_for_its_own_members(two_folds, draw_critics):
    first, second = two_folds
    critics = draw_critics(CriticTask(first, [0, 1, 3]), CriticTask(second, [1, 2, 4]))
    rows = torch.stack([fold.held_out[:8] for fold in two_folds])
    scores = critics.critic(critics.x.take(critics.repeat_for_members(rows)), critics.bin_rows, critics.masks)
    critics.task_information(scores, rows)[1].sum().backward()
    for value in critics.ensemble.parameters.values():
        assert (value.grad[:2] == 0).all()
    weight = critics.ensemble.parameters["tower.project.weight"].grad[2:]
    # Columns 1, 3, 0, 2, 4 with eight entries each: the second task lacks 3 and 0
    moved = weight.unflatten(1, (5, 8)).abs().amax(dim=(0, 2, 3)) > 0
    assert moved.tolist() == [True, False, False, True, True]


def test_the_chunk_size_does_not_change_information(two_folds, draw_critics, monkeypatch):
    critics = draw_critics(*(CriticTask(fold, EVERYTHING) for fold in two_folds))
    vetted, tuned = critics.held_out_information(), critics.tuning_information()
    monkeypatch.setattr(CrossFitCritics, "chunk", 7)
    # The order of summation depends on the size
    torch.testing.assert_close(critics.held_out_information(), vetted, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(critics.tuning_information(), tuned, rtol=1e-5, atol=1e-5)


def copied_column(make_fold, which=0, seed=0):
    """A fold with two members and two columns; one of them is the target."""
    codes = torch.randint(2, (400, 2), generator=torch.Generator().manual_seed(seed))
    return make_fold(codes, codes[:, which].clone(), n_members=2)


def fitted(*tasks, schedule=SHORT):
    with seeded_rng(0, CPU) as generator:
        critics = CrossFitCritics(tasks, width=16)
        fit_critics(critics, schedule, TrainingContext(generator), stage="learn")
    return critics


def test_nothing_is_learned_from_the_rows_of_another_task(make_fold, share_tensors):
    # Only the targets of the second fold differ, so that all draws are the same
    runs = []
    for which in (0, 1):
        folds = share_tensors(copied_column(make_fold), copied_column(make_fold, which, seed=1))
        runs.append(fitted(*(CriticTask(fold, [0, 1]) for fold in folds)))
    for one, two in zip(*(run.ensemble.parameters.values() for run in runs), strict=True):
        assert torch.equal(one[:2], two[:2])
    first, second = zip(*(run.held_out_information() for run in runs), strict=True)
    assert torch.equal(*first)
    assert not torch.equal(*second)


@pytest.mark.reference
def test_each_task_learns_its_own_features(make_fold, share_tensors, quick):
    folds = share_tensors(copied_column(make_fold, 0), copied_column(make_fold, 1, seed=1))
    informed = fitted(CriticTask(folds[0], [0]), CriticTask(folds[1], [1]), schedule=quick)
    blind = fitted(CriticTask(folds[0], [1]), CriticTask(folds[1], [0]), schedule=quick)
    for fold, values in zip(folds, informed.held_out_information(), strict=True):
        # Training stops just below the largest possible bound
        assert float(values.mean()) == pytest.approx(fold.target.entropy, rel=0.03)
    for values in blind.held_out_information():
        assert float(values.mean()) < 0.01


def test_records_have_the_largest_number_of_features(make_fold, share_tensors, generator):
    one, two = share_tensors(copied_column(make_fold), copied_column(make_fold, seed=1))
    critics = CrossFitCritics([CriticTask(one, [0]), CriticTask(two, [0, 1])], width=16)
    noted = []
    outcome = fit_critics(critics, SHORT, TrainingContext(generator, on_record=noted.append), stage="screen")
    assert list(outcome.records) == noted
    assert {(record.stage, record.n_features) for record in noted} == {("screen", 2)}
    assert outcome.tuning_bound.shape == (4,)
