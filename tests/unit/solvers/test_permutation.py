import copy
import dataclasses
import statistics

import pytest
import torch

from minerva_select.data.encoded_rows import Rows
from minerva_select.mi.bounds import conditional_scores
from minerva_select.mi.cross_fit import Critics, Job
from minerva_select.mi.inference import weigh
from minerva_select.mi.pair_tables import tabulate
from minerva_select.mi.training import Run
from minerva_select.solvers import permutation
from minerva_select.solvers.permutation import falls_on_tune_rows, falls_on_vet_rows

# One job knows features of both kinds, one with many levels, the other has fewer and more units than the first
UNITS = [[[0], [1, 2]], [[4], [3, 1], [2]]]


def roll(length, padded, generator):
    """Instead of a random order of the first places: every one takes the cells of the one before."""
    return torch.cat([torch.arange(length).roll(1), torch.arange(length, padded)])


def with_shuffled_cells(critics, rows, features):
    """The same critics, with these features on these rows taken from the row before."""
    x, other, n_continuous = critics.x, copy.copy(critics), critics.x.layout.n_continuous
    ranks, codes = x.ranks.clone(), x.codes.clone()
    for place in (x.layout.positions.index(critics.features.index(feature)) for feature in features):
        if place < n_continuous:
            ranks[rows, place] = x.ranks[rows.roll(1), place]
        else:
            codes[rows, place - n_continuous] = x.codes[rows.roll(1), place - n_continuous]
    other.x = Rows(ranks, codes, x.layout)
    return other


@pytest.fixture(params=[False, True], ids=["columns", "pairs"])
def two_jobs(two_folds, draw_critics, request):
    """Critics of columns alone, or told of pairs: some within a job, some half of it or none, one within a unit."""
    folds, pairs = two_folds, [(0, 1), (1, 2), (2, 3), (4, 0), (4, 3)]
    if request.param:
        folds = [
            dataclasses.replace(
                fold,
                pairs=tabulate(fold.x, fold.target.atoms, fold.row_weights, torch.cat(fold.train).unique(), pairs),
            )
            for fold in folds
        ]
    return draw_critics(Job(folds[0], [0, 1, 2]), Job(folds[1], [1, 2, 3, 4]))


def test_falls_are_those_of_really_shuffled_columns(two_jobs, monkeypatch):
    monkeypatch.setattr(permutation, "_permutation", roll)
    base = two_jobs.vet_information()
    found = falls_on_vet_rows(two_jobs, UNITS, torch.Generator())
    for k, job in enumerate(two_jobs.jobs):
        assert found[k].shape == (len(UNITS[k]), len(job.fold.vet))
        for fall, features in zip(found[k], UNITS[k], strict=True):
            shuffled = with_shuffled_cells(two_jobs, job.fold.vet, features)
            expected = base[k] - shuffled.vet_information()[k]
            assert expected.abs().max() > 1e-3
            # Sums in another order, of singles of about 1
            torch.testing.assert_close(fall, expected, rtol=0, atol=2e-6)


def test_falls_on_tuning_rows_are_those_of_really_shuffled_columns(two_jobs, monkeypatch):
    monkeypatch.setattr(permutation, "_permutation", roll)
    base = two_jobs.tune_information()
    found = falls_on_tune_rows(two_jobs, UNITS, torch.Generator(), max_rows=1000)
    for k, job in enumerate(two_jobs.jobs):
        assert len(found[k]) == len(UNITS[k])
        for fall, features in zip(found[k], UNITS[k], strict=True):
            shuffled = two_jobs
            for rows in job.fold.tune:  # of every member on its own
                shuffled = with_shuffled_cells(shuffled, rows, features)
            rows = torch.cat(job.fold.tune)
            expected = weigh(base[k] - shuffled.tune_information()[k], two_jobs.row_weights[rows])
            assert abs(expected.mean) > 1e-4
            assert fall.mean == pytest.approx(expected.mean, abs=2e-6)
            assert fall.error == pytest.approx(expected.error, abs=2e-6)


def test_tuning_rows_that_were_drawn_stand_for_those_that_were_not(two_jobs, monkeypatch):
    share, asked = torch.tensor([1.0, 0.5, 0.25, 1.0]), []

    def draw(atoms, n_rows, generator):
        asked.append((len(atoms), n_rows))
        return torch.arange(4), share

    monkeypatch.setattr(permutation, "draw_by_class", draw)
    monkeypatch.setattr(permutation, "_permutation", roll)
    (first, _), (second, _) = falls_on_tune_rows(two_jobs, [[[1], [2]], [[1], [2]]], torch.Generator(), max_rows=8)
    # Four for each of the two members of each job
    assert asked == [(len(rows), 4) for job in two_jobs.jobs for rows in job.fold.tune]
    for k, fall in enumerate((first, second)):
        blocks = [rows[:4] for rows in two_jobs.jobs[k].fold.tune]
        expected = [_fall_by_member(two_jobs, 2 * k + m, rows) for m, rows in enumerate(blocks)]
        weights = two_jobs.row_weights[torch.cat(blocks)] / share.repeat(2)
        assert fall.mean == pytest.approx(weigh(torch.cat(expected), weights).mean, abs=2e-6)


@torch.no_grad()
def _fall_by_member(critics, member, rows):
    """Fall of a member's information on these rows when feature 1 is really shuffled."""
    information = []
    for one in (critics, with_shuffled_cells(critics, rows, [1])):
        scores = one.critic(one.x.take(rows.expand(4, -1)), one.atom_rows, one.masks)[member]
        information.append(conditional_scores(scores, one.atoms[rows], one.log_prior[member]))
    return information[0] - information[1]


def test_size_of_chunks_does_not_change_falls(two_jobs, monkeypatch):
    def falls():
        vet = falls_on_vet_rows(two_jobs, UNITS, torch.Generator().manual_seed(1))
        tune = falls_on_tune_rows(two_jobs, UNITS, torch.Generator().manual_seed(1), max_rows=1000)
        return vet, [fall.mean for job in tune for fall in job]

    vet, tune = falls()
    monkeypatch.setattr(Critics, "chunk", 7)
    vet_by_7, tune_by_7 = falls()
    torch.testing.assert_close(vet_by_7, vet, rtol=0, atol=2e-6)
    assert tune_by_7 == pytest.approx(tune, abs=2e-6)


def test_a_job_without_units_has_no_falls(two_jobs):
    first, second = falls_on_vet_rows(two_jobs, [[], [[4]]], torch.Generator().manual_seed(0))
    assert first.shape == (0, len(two_jobs.jobs[0].fold.vet))
    assert second.abs().max() > 1e-3
    nothing = falls_on_vet_rows(two_jobs, [[], []], torch.Generator())
    assert [fall.shape[0] for fall in nothing] == [0, 0]
    assert falls_on_tune_rows(two_jobs, [[], []], torch.Generator(), max_rows=100) == [[], []]


def test_filling_stays_where_it_is_and_all_else_is_shuffled():
    found = permutation._permutation(50, 60, torch.Generator().manual_seed(0)).tolist()
    assert sorted(found[:50]) == list(range(50))
    assert found[:50] != list(range(50))
    assert found[50:] == list(range(50, 60))


def test_shuffles_come_from_the_generator(two_jobs):
    first, second, other = (falls_on_vet_rows(two_jobs, UNITS, torch.Generator().manual_seed(k)) for k in (1, 1, 2))
    for k in range(2):
        assert torch.equal(first[k], second[k])
        assert not torch.equal(first[k], other[k])


def test_units_are_shuffled_one_by_one_and_not_alike(two_jobs):
    once, again = falls_on_vet_rows(two_jobs, [[[0], [0]], []], torch.Generator().manual_seed(0))[0]
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
    critics = draw_critics(Job(fold, [0, 1, 2]))  # as drawn: its scores depend on all columns
    z = []
    for vet in torch.arange(len(codes)).view(n_tables, n_rows):
        critics.jobs = [Job(dataclasses.replace(fold, vet=vet), [0, 1, 2])]
        ((fall,),) = falls_on_vet_rows(critics, [[unit]], generator)
        assert fall.abs().max() > 1e-3
        z.append(weigh(fall, torch.ones(n_rows)).z)
    # Over 100 tables z is about standard normal: mean 0 with error 0.1, standard deviation 1 with error 0.07
    assert abs(statistics.fmean(z)) < 0.4
    assert statistics.stdev(z) < 1.25


@pytest.mark.reference
def test_a_column_that_informs_falls_by_its_information(table, make_fold, quick, generator):
    fold = make_fold(*table, n_members=2)
    critics = Critics([Job(fold, [0, 1, 2])], width=16)
    critics.fit(quick, Run(generator), stage="learn")
    information = weigh(critics.vet_information()[0], torch.ones(len(fold.vet)))
    (falls,) = falls_on_vet_rows(critics, [[[0], [1]]], generator)
    informs, noise = (weigh(fall, torch.ones(len(fold.vet))) for fall in falls)
    # A critic that is sure of itself and wrong loses more than it had
    assert informs.mean > information.mean > 0.9 * fold.target.entropy
    assert informs.z > 10
    assert abs(noise.mean) < 0.02
    (tuned,) = falls_on_tune_rows(critics, [[[0], [1], [0, 1]]], generator, max_rows=200)
    assert tuned[0].z > 5
    assert tuned[2].z > 5
    assert abs(tuned[1].mean) < 0.02
