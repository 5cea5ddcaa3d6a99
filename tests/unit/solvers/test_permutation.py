import copy
import dataclasses
import statistics

import pytest
import torch

from minerva_select.data.encoded_rows import Rows
from minerva_select.mi.bounds import pointwise_information
from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics
from minerva_select.mi.inference import estimate_mean
from minerva_select.mi.pair_tables import build_pair_tables
from minerva_select.mi.training import TrainingContext
from minerva_select.solvers import permutation
from minerva_select.solvers.permutation import held_out_importances, tuning_importances

# One task knows features of both kinds, one with many levels, the other has fewer and more units than the first
UNITS = [[[0], [1, 2]], [[4], [3, 1], [2]]]


def roll(length, padded, generator):
    """Instead of a random order of the first places: every one takes the cells of the one before."""
    return torch.cat([torch.arange(length).roll(1), torch.arange(length, padded)])


def with_shuffled_cells(critics, rows, features):
    """The same critics, with these features on these rows taken from the row before."""
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
    """Critics of columns alone, or told of pairs: some within a task, some half of it or none, one within a unit."""
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


def test_falls_are_those_of_really_shuffled_columns(two_tasks, monkeypatch):
    monkeypatch.setattr(permutation, "_permutation", roll)
    base = two_tasks.held_out_information()
    found = held_out_importances(two_tasks, UNITS, torch.Generator())
    for k, task in enumerate(two_tasks.tasks):
        assert found[k].shape == (len(UNITS[k]), len(task.fold.held_out))
        for fall, features in zip(found[k], UNITS[k], strict=True):
            shuffled = with_shuffled_cells(two_tasks, task.fold.held_out, features)
            expected = base[k] - shuffled.held_out_information()[k]
            assert expected.abs().max() > 1e-3
            # Sums in another order, of singles of about 1
            torch.testing.assert_close(fall, expected, rtol=0, atol=2e-6)


def test_falls_on_tuning_rows_are_those_of_really_shuffled_columns(two_tasks, monkeypatch):
    monkeypatch.setattr(permutation, "_permutation", roll)
    base = two_tasks.tuning_information()
    found = tuning_importances(two_tasks, UNITS, torch.Generator(), max_rows=1000)
    for k, task in enumerate(two_tasks.tasks):
        assert len(found[k]) == len(UNITS[k])
        for fall, features in zip(found[k], UNITS[k], strict=True):
            shuffled = two_tasks
            for rows in task.fold.tune:  # of every member on its own
                shuffled = with_shuffled_cells(shuffled, rows, features)
            rows = torch.cat(task.fold.tune)
            expected = estimate_mean(base[k] - shuffled.tuning_information()[k], two_tasks.row_weights[rows])
            assert abs(expected.mean) > 1e-4
            assert fall.mean == pytest.approx(expected.mean, abs=2e-6)
            assert fall.standard_error == pytest.approx(expected.standard_error, abs=2e-6)


def test_tuning_rows_that_were_drawn_stand_for_those_that_were_not(two_tasks, monkeypatch):
    share, asked = torch.tensor([1.0, 0.5, 0.25, 1.0]), []

    def draw(bins, n_rows, generator):
        asked.append((len(bins), n_rows))
        return torch.arange(4), share

    monkeypatch.setattr(permutation, "draw_stratified", draw)
    monkeypatch.setattr(permutation, "_permutation", roll)
    (first, _), (second, _) = tuning_importances(two_tasks, [[[1], [2]], [[1], [2]]], torch.Generator(), max_rows=8)
    # Four for each of the two members of each task
    assert asked == [(len(rows), 4) for task in two_tasks.tasks for rows in task.fold.tune]
    for k, fall in enumerate((first, second)):
        blocks = [rows[:4] for rows in two_tasks.tasks[k].fold.tune]
        expected = [_fall_by_member(two_tasks, 2 * k + m, rows) for m, rows in enumerate(blocks)]
        weights = two_tasks.row_weights[torch.cat(blocks)] / share.repeat(2)
        assert fall.mean == pytest.approx(estimate_mean(torch.cat(expected), weights).mean, abs=2e-6)


@torch.no_grad()
def _fall_by_member(critics, member, rows):
    """Fall of a member's information on these rows when feature 1 is really shuffled."""
    information = []
    for one in (critics, with_shuffled_cells(critics, rows, [1])):
        scores = one.critic(one.x.take(rows.expand(4, -1)), one.bin_rows, one.masks)[member]
        information.append(pointwise_information(scores, one.bins[rows], one.log_prior[member]))
    return information[0] - information[1]


def test_size_of_chunks_does_not_change_falls(two_tasks, monkeypatch):
    def falls():
        vet = held_out_importances(two_tasks, UNITS, torch.Generator().manual_seed(1))
        tune = tuning_importances(two_tasks, UNITS, torch.Generator().manual_seed(1), max_rows=1000)
        return vet, [fall.mean for task in tune for fall in task]

    vet, tune = falls()
    monkeypatch.setattr(CrossFitCritics, "chunk", 7)
    vet_by_7, tune_by_7 = falls()
    torch.testing.assert_close(vet_by_7, vet, rtol=0, atol=2e-6)
    assert tune_by_7 == pytest.approx(tune, abs=2e-6)


def test_a_job_without_units_has_no_falls(two_tasks):
    first, second = held_out_importances(two_tasks, [[], [[4]]], torch.Generator().manual_seed(0))
    assert first.shape == (0, len(two_tasks.tasks[0].fold.held_out))
    assert second.abs().max() > 1e-3
    nothing = held_out_importances(two_tasks, [[], []], torch.Generator())
    assert [fall.shape[0] for fall in nothing] == [0, 0]
    assert tuning_importances(two_tasks, [[], []], torch.Generator(), max_rows=100) == [[], []]


def test_filling_stays_where_it_is_and_all_else_is_shuffled():
    found = permutation._permutation(50, 60, torch.Generator().manual_seed(0)).tolist()
    assert sorted(found[:50]) == list(range(50))
    assert found[:50] != list(range(50))
    assert found[50:] == list(range(50, 60))


def test_shuffles_come_from_the_generator(two_tasks):
    first, second, other = (held_out_importances(two_tasks, UNITS, torch.Generator().manual_seed(k)) for k in (1, 1, 2))
    for k in range(2):
        assert torch.equal(first[k], second[k])
        assert not torch.equal(first[k], other[k])


def test_units_are_shuffled_one_by_one_and_not_alike(two_tasks):
    once, again = held_out_importances(two_tasks, [[[0], [0]], []], torch.Generator().manual_seed(0))[0]
    assert not torch.equal(once, again)


@pytest.fixture(scope="module")
def table():
    """The target is column 0; the two others are independent of everything."""
    codes = torch.randint(3, (1200, 3), generator=torch.Generator().manual_seed(5))
    return codes, (codes[:, 0] == 1).long()


@pytest.mark.parametrize("unit", [[1], [2], [1, 2]])
def test_an_independent_column_falls_by_nothing_whatever_the_critic(unit, make_fold, draw_critics, generator):
    n_tables, n_rows = 100, 60
    codes = torch.randint(3, (n_tables * n_rows, 3), generator=generator)
    fold = make_fold(codes, (codes[:, 0] == 1).long())
    critics = draw_critics(CriticTask(fold, [0, 1, 2]))  # as drawn: its scores depend on all columns
    z = []
    for vet in torch.arange(len(codes)).view(n_tables, n_rows):
        critics.tasks = [CriticTask(dataclasses.replace(fold, held_out=vet), [0, 1, 2])]
        ((fall,),) = held_out_importances(critics, [[unit]], generator)
        assert fall.abs().max() > 1e-3
        z.append(estimate_mean(fall, torch.ones(n_rows)).z)
    # Over 100 tables z is about standard normal: mean 0 with error 0.1, standard deviation 1 with error 0.07
    assert abs(statistics.fmean(z)) < 0.4
    assert statistics.stdev(z) < 1.25


@pytest.mark.reference
def test_a_column_that_informs_falls_by_its_information(table, make_fold, quick, generator):
    fold = make_fold(*table, n_members=2)
    critics = CrossFitCritics([CriticTask(fold, [0, 1, 2])], width=16)
    critics.fit(quick, TrainingContext(generator), stage="learn")
    information = estimate_mean(critics.held_out_information()[0], torch.ones(len(fold.held_out)))
    (falls,) = held_out_importances(critics, [[[0], [1]]], generator)
    informs, noise = (estimate_mean(fall, torch.ones(len(fold.held_out))) for fall in falls)
    # A critic that is sure of itself and wrong loses more than it had
    assert informs.mean > information.mean > 0.9 * fold.target.entropy
    assert informs.z > 10
    assert abs(noise.mean) < 0.02
    (tuned,) = tuning_importances(critics, [[[0], [1], [0, 1]]], generator, max_rows=200)
    assert tuned[0].z > 5
    assert tuned[2].z > 5
    assert abs(tuned[1].mean) < 0.02
