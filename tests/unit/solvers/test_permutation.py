import copy
import dataclasses
import statistics

import pytest
import torch

from minerva_select.data.encoded_rows import Rows
from minerva_select.mi.bounds import pointwise_information
from minerva_select.mi.critic_training import fit_critics
from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics
from minerva_select.mi.inference import estimate_mean
from minerva_select.mi.pair_tables import build_pair_tables
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.solvers import permutation
from minerva_select.solvers.permutation import held_out_importances, tuning_importances

# The first task has features of both types, one with many levels; the second has fewer features and more units
UNITS = [[[0], [1, 2]], [[4], [3, 1], [2]]]


def roll(length, padded, generator):
    """A cyclic shift instead of a random permutation."""
    return torch.cat([torch.arange(length).roll(1), torch.arange(length, padded)])


def with_permuted_cells(critics, rows, features):
    """The same critics, with these features taken from the previous row."""
    x, other, n_numeric = critics.x, copy.copy(critics), critics.x.layout.n_numeric
    quantiles, codes = x.quantiles.clone(), x.codes.clone()
    for place in (x.layout.positions.index(critics.features.index(feature)) for feature in features):
        if place < n_numeric:
            quantiles[rows, place] = x.quantiles[rows.roll(1), place]
        else:
            codes[rows, place - n_numeric] = x.codes[rows.roll(1), place - n_numeric]
    other.x = Rows(quantiles, codes, x.layout)
    return other


@pytest.fixture(params=[False, True], ids=["columns", "pairs"])
def two_tasks(two_folds, draw_critics, request):
    """Critics of columns, without and with encoded pairs: within a task, partly or not in it, and within a unit."""
    folds, pairs = two_folds, [(0, 1), (1, 2), (2, 3), (4, 0), (4, 3)]
    if request.param:
        folds = [
            dataclasses.replace(
                fold,
                pairs=build_pair_tables(
                    fold.x, fold.target.bins, fold.row_weights, torch.cat(fold.train).unique(), pairs
                ),
            )
            for fold in folds
        ]
    return draw_critics(CriticTask(folds[0], [0, 1, 2]), CriticTask(folds[1], [1, 2, 3, 4]))


def test_held_out_importances_are_those_of_permuted_columns(two_tasks, monkeypatch):
    monkeypatch.setattr(permutation, "_permutation", roll)
    base = two_tasks.held_out_information()
    found = held_out_importances(two_tasks, UNITS, torch.Generator())
    for k, task in enumerate(two_tasks.tasks):
        assert found[k].shape == (len(UNITS[k]), len(task.fold.held_out))
        for importance, features in zip(found[k], UNITS[k], strict=True):
            permuted = with_permuted_cells(two_tasks, task.fold.held_out, features)
            expected = base[k] - permuted.held_out_information()[k]
            assert expected.abs().max() > 1e-3
            # Sums of float32 of size 1 in a different order
            torch.testing.assert_close(importance, expected, rtol=0, atol=2e-6)


def test_tuning_importances_are_those_of_permuted_columns(two_tasks, monkeypatch):
    monkeypatch.setattr(permutation, "_permutation", roll)
    base = two_tasks.tuning_information()
    found = tuning_importances(two_tasks, UNITS, torch.Generator(), max_rows=1000)
    for k, task in enumerate(two_tasks.tasks):
        assert len(found[k]) == len(UNITS[k])
        for importance, features in zip(found[k], UNITS[k], strict=True):
            permuted = two_tasks
            for rows in task.fold.tune:  # of each member
                permuted = with_permuted_cells(permuted, rows, features)
            rows = torch.cat(task.fold.tune)
            expected = estimate_mean(base[k] - permuted.tuning_information()[k], two_tasks.row_weights[rows])
            assert abs(expected.mean) > 1e-4
            assert importance.mean == pytest.approx(expected.mean, abs=2e-6)
            assert importance.standard_error == pytest.approx(expected.standard_error, abs=2e-6)


def test_drawn_tuning_rows_are_weighted_for_those_that_were_not_drawn(two_tasks, monkeypatch):
    share, asked = torch.tensor([1.0, 0.5, 0.25, 1.0]), []

    def draw(bins, n_rows, generator):
        asked.append((len(bins), n_rows))
        return torch.arange(4), share

    monkeypatch.setattr(permutation, "draw_stratified", draw)
    monkeypatch.setattr(permutation, "_permutation", roll)
    (first, _), (second, _) = tuning_importances(two_tasks, [[[1], [2]], [[1], [2]]], torch.Generator(), max_rows=8)
    # Four for each of the two members of each task
    assert asked == [(len(rows), 4) for task in two_tasks.tasks for rows in task.fold.tune]
    for k, importance in enumerate((first, second)):
        blocks = [rows[:4] for rows in two_tasks.tasks[k].fold.tune]
        expected = [_importance_for_member(two_tasks, 2 * k + m, rows) for m, rows in enumerate(blocks)]
        weights = two_tasks.row_weights[torch.cat(blocks)] / share.repeat(2)
        assert importance.mean == pytest.approx(estimate_mean(torch.cat(expected), weights).mean, abs=2e-6)


@torch.no_grad()
def _importance_for_member(critics, member, rows):
    """Importance of feature 1 for one member on these rows, by permuting the column."""
    information = []
    for one in (critics, with_permuted_cells(critics, rows, [1])):
        scores = one.critic(one.x.take(rows.expand(4, -1)), one.bin_rows, one.masks)[member]
        information.append(pointwise_information(scores, one.bins[rows], one.log_prior[member]))
    return information[0] - information[1]


def test_the_chunk_size_does_not_change_importances(two_tasks, monkeypatch):
    def importances():
        held_out = held_out_importances(two_tasks, UNITS, torch.Generator().manual_seed(1))
        tune = tuning_importances(two_tasks, UNITS, torch.Generator().manual_seed(1), max_rows=1000)
        return held_out, [importance.mean for task in tune for importance in task]

    held_out, tune = importances()
    monkeypatch.setattr(CrossFitCritics, "chunk", 7)
    held_out_by_7, tune_by_7 = importances()
    torch.testing.assert_close(held_out_by_7, held_out, rtol=0, atol=2e-6)
    assert tune_by_7 == pytest.approx(tune, abs=2e-6)


def test_a_task_without_units_has_no_importances(two_tasks):
    first, second = held_out_importances(two_tasks, [[], [[4]]], torch.Generator().manual_seed(0))
    assert first.shape == (0, len(two_tasks.tasks[0].fold.held_out))
    assert second.abs().max() > 1e-3
    nothing = held_out_importances(two_tasks, [[], []], torch.Generator())
    assert [importance.shape[0] for importance in nothing] == [0, 0]
    assert tuning_importances(two_tasks, [[], []], torch.Generator(), max_rows=100) == [[], []]


def test_padding_stays_in_place_and_all_other_rows_are_permuted():
    found = permutation._permutation(50, 60, torch.Generator().manual_seed(0)).tolist()
    assert sorted(found[:50]) == list(range(50))
    assert found[:50] != list(range(50))
    assert found[50:] == list(range(50, 60))


def test_permutations_come_from_the_generator(two_tasks):
    first, second, other = (held_out_importances(two_tasks, UNITS, torch.Generator().manual_seed(k)) for k in (1, 1, 2))
    for k in range(2):
        assert torch.equal(first[k], second[k])
        assert not torch.equal(first[k], other[k])


def test_each_unit_has_its_own_permutation(two_tasks):
    once, again = held_out_importances(two_tasks, [[[0], [0]], []], torch.Generator().manual_seed(0))[0]
    assert not torch.equal(once, again)


@pytest.fixture(scope="module")
def table():
    """The target is column 0; the other two are independent of everything."""
    codes = torch.randint(3, (1200, 3), generator=torch.Generator().manual_seed(5))
    return codes, (codes[:, 0] == 1).long()


@pytest.mark.parametrize("unit", [[1], [2], [1, 2]])
def test_an_independent_column_has_no_importance_whatever_the_critic(unit, make_fold, draw_critics, generator):
    n_tables, n_rows = 100, 60
    codes = torch.randint(3, (n_tables * n_rows, 3), generator=generator)
    fold = make_fold(codes, (codes[:, 0] == 1).long())
    critics = draw_critics(CriticTask(fold, [0, 1, 2]))  # untrained: its scores depend on all columns
    z = []
    for held_out in torch.arange(len(codes)).view(n_tables, n_rows):
        critics.tasks = [CriticTask(dataclasses.replace(fold, held_out=held_out), [0, 1, 2])]
        ((importance,),) = held_out_importances(critics, [[unit]], generator)
        assert importance.abs().max() > 1e-3
        z.append(estimate_mean(importance, torch.ones(n_rows)).z)
    # Over 100 tables z is about standard normal: mean 0 to 0.1, standard deviation 1 to 0.07
    assert abs(statistics.fmean(z)) < 0.4
    assert statistics.stdev(z) < 1.25


@pytest.mark.reference
def test_the_importance_of_an_informative_column_is_at_least_its_information(table, make_fold, quick, generator):
    fold = make_fold(*table, n_members=2)
    critics = CrossFitCritics([CriticTask(fold, [0, 1, 2])], width=16)
    fit_critics(critics, quick, TrainingContext(generator), stage="learn")
    information = estimate_mean(critics.held_out_information()[0], torch.ones(len(fold.held_out)))
    (importances,) = held_out_importances(critics, [[[0], [1]]], generator)
    informative, noise = (estimate_mean(importance, torch.ones(len(fold.held_out))) for importance in importances)
    # A confident critic loses more than its information on permuted rows
    assert informative.mean > information.mean > 0.9 * fold.target.entropy
    assert informative.z > 10
    assert abs(noise.mean) < 0.02
    (tuned,) = tuning_importances(critics, [[[0], [1], [0, 1]]], generator, max_rows=200)
    assert tuned[0].z > 5
    assert tuned[2].z > 5
    assert abs(tuned[1].mean) < 0.02
