import dataclasses
from types import SimpleNamespace

import pytest
import torch

from minerva_select.config import FitConfig
from minerva_select.mi.cross_fit import CriticTask
from minerva_select.mi.inference import MeanEstimate
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.runtime.rng import seeded_rng
from minerva_select.solvers import vetting
from minerva_select.solvers.candidate_search import CandidateSet
from minerva_select.solvers.vetting import solve_vetting

CPU = torch.device("cpu")


def singles(n_units):
    return [[unit] for unit in range(n_units)]


@pytest.fixture
def solve(make_fold, quick):
    """The default solver on two folds that hold out one half of the rows each."""

    def run(codes, y, units=None, required=(), seed=0, n_pairs=0, **arguments):
        half = len(y) // 2
        fold = make_fold(codes, y)
        rows = torch.arange(len(y))
        first, second = rows[:half], rows[half:]
        cut = 2 * half // 3
        folds = [
            dataclasses.replace(fold, train=(seen[:cut],), tune=(seen[cut:],), held_out=held_out)
            for seen, held_out in ((first, second), (second, first))
        ]
        config = dataclasses.replace(FitConfig.for_rows(1000), width=32, dropout=0.0, schedule=quick, n_pairs=n_pairs)
        units = units or singles(codes.shape[1])
        with seeded_rng(seed, CPU) as generator:
            return solve_vetting(folds, units, list(required), config, TrainingContext(generator), **arguments)

    return run


@pytest.fixture(scope="module")
def parity():
    """Five columns; y is the exclusive or of columns 1 and 3, one in ten flipped."""
    generator = torch.Generator().manual_seed(3)
    codes = torch.randint(2, (2400, 5), generator=generator)
    flipped = torch.rand(2400, generator=generator) < 0.1
    return codes, codes[:, 1] ^ codes[:, 3] ^ flipped.long()


@pytest.mark.reference
@pytest.mark.parametrize("n_pairs", [0, 4])
def test_exactly_the_columns_that_are_informative_together_are_selected(parity, solve, n_pairs):
    solution = solve(*parity, n_pairs=n_pairs)
    assert solution.selected == [1, 3]
    assert solution.units.partners == {1: [3], 3: [1]}
    assert solution.units.pairs.keys() == {(1, 3)}
    assert [len(units) for units, _ in solution.path] == [2, 1]
    assert solution.path[0] == ([1, 3], solution.information)
    assert solution.proven == {1, 3}
    assert solution.contributions.keys() == {1, 3}
    # No column is informative alone; 2,400 rows estimate that to 0.001
    assert max(abs(solution.columns.marginal[feature].mean) for feature in range(5)) < 0.01
    # log 2 - H(0.1) is 0.368 nats; 2,400 rows estimate it to 0.014, and the critics do not learn all of it
    assert solution.information.mean == pytest.approx(0.368, abs=0.05)
    assert solution.converged


@pytest.mark.reference
def test_nothing_is_selected_from_noise(solve):
    generator = torch.Generator().manual_seed(4)
    codes = torch.randint(3, (800, 5), generator=generator)
    solution = solve(codes, torch.randint(2, (800,), generator=generator))
    assert solution.selected == []
    assert solution.contributions == {}
    assert solution.proven == frozenset()
    assert solution.path == []
    assert solution.information == MeanEstimate(0.0, 0.0)
    # All columns tell nothing that could be shown on 800 rows
    assert solution.total.mean == max(0.0, solution.left_behind.mean)
    assert solution.left_behind.p_value > 0.05


@pytest.mark.reference
def test_the_requested_number_is_selected_even_from_noise(solve):
    generator = torch.Generator().manual_seed(4)
    codes = torch.randint(3, (400, 5), generator=generator)
    y = torch.randint(2, (400,), generator=generator)
    assert len(solve(codes, y, n_to_select=3).selected) == 3


@pytest.mark.reference
def test_required_units_are_selected_whatever_they_contribute(parity, solve):
    codes, y = parity
    solution = solve(codes, y, required=[0])
    assert solution.selected == [0, 1, 3]


@pytest.mark.reference
def test_the_requested_number_is_selected_with_what_matters_first(parity, solve):
    codes, y = parity
    more, fewer = solve(codes, y, n_to_select=3), solve(codes, y, n_to_select=1, required=[2])
    assert {1, 3} < {*more.selected}
    assert len(more.selected) == 3
    assert more.proven == {1, 3}
    assert fewer.selected == [2]
    # Column 1 or 3 alone adds nothing, both together add 0.368 nats, which the other columns tell
    assert fewer.left_behind.mean > 0.25


@pytest.mark.reference
def test_of_two_copies_one_is_selected_and_the_other_adds_nothing(solve):
    generator = torch.Generator().manual_seed(5)
    first, noise = torch.randint(3, (2, 2400), generator=generator)
    flipped = torch.rand(2400, generator=generator) < 0.1
    solution = solve(torch.stack([first, first, noise], dim=1), (first > 1).long() ^ flipped.long())
    (kept,) = solution.selected
    assert kept in (0, 1)
    assert solution.contributions[kept] == solution.information
    assert solution.additions[1 - kept].mean < 0.02
    assert solution.columns.replaced_by[1 - kept] == [kept]


@pytest.mark.reference
def test_grouped_columns_are_selected_together(parity, solve):
    codes, y = parity
    solution = solve(codes, y, units=[[0, 1], [2], [3, 4]])
    assert solution.selected == [0, 2]


@pytest.mark.reference
def test_same_seed_same_solution(solve):
    generator = torch.Generator().manual_seed(4)
    codes = torch.randint(3, (200, 4), generator=generator)
    y = torch.randint(2, (200,), generator=generator)
    first, second, other = (solve(codes, y, n_to_select=2, seed=seed) for seed in (1, 1, 2))
    assert first.selected == second.selected
    assert first.permutation_importances == second.permutation_importances
    assert first.information == second.information
    assert first.information != other.information


def test_a_unit_has_no_importance_on_folds_whose_candidate_lacks_it(
    parity, make_fold, make_context, generator, monkeypatch
):
    fold = make_fold(*parity)
    folds = [dataclasses.replace(fold, held_out=rows) for rows in (torch.arange(0, 300), torch.arange(300, 400))]
    units = [[[5], [3, 4]], [[0], [3, 4]]]  # features of each fold's candidate

    class Fitted:
        """Fake critics of both folds."""

        tasks = tuple(CriticTask(one, []) for one in folds)

    critics = Fitted()

    def importances(critics, asked, generator, deadline):
        """1 on every row of the first task, 2 on those of the second."""
        assert all(own in ([], units[task]) for task, own in enumerate(asked))
        sizes = [(len(own), len(task.fold.held_out)) for own, task in zip(asked, critics.tasks, strict=True)]
        return [torch.full(size, value) for size, value in zip(sizes, (1.0, 2.0), strict=True)]

    monkeypatch.setattr(vetting, "held_out_importances", importances)
    zero = MeanEstimate(0.0, 0.0)
    candidates = [
        CandidateSet(units, one, critics, task, torch.zeros(0), zero)
        for task, (one, units) in enumerate(zip(folds, [[1, 3], [0, 3]], strict=True))
    ]
    found = vetting._permutation_importances(candidates, make_context([[0], [5], [1, 2], [3, 4]], generator))
    assert {unit: importance.mean for unit, importance in found.items()} == pytest.approx(
        {0: 2.0 * 100 / 400, 1: 1.0 * 300 / 400, 3: (300 * 1.0 + 100 * 2.0) / 400}
    )


def test_significant_units_survive_with_every_unit_counted_as_a_test(make_context, generator):
    importances = {3: MeanEstimate(0.3, 0.1), 7: MeanEstimate(0.5, 0.1)}  # z of 3 and 5, p of 0.0013 and 3e-7

    def survivors(n_units, required=()):
        context = make_context(singles(n_units), generator, required=required)
        return vetting._select_survivors(importances, context)

    # 0.0013 is significant at level 0.025 among 8 tests, but not among 100
    assert survivors(8) == [3, 7]
    assert survivors(100) == [7]
    assert survivors(100, required=[50]) == [7, 50]


@pytest.fixture
def order(make_context, generator, monkeypatch):
    """Order of six columns in five units; ranking sorts by number, descending."""
    context = make_context([[0], [1], [2, 3], [4], [5]], generator)
    importances = {0: MeanEstimate(1.0, 0.1), 1: MeanEstimate(-0.1, 0.1), 4: MeanEstimate(0.1, 0.1)}  # z: 10, -1, 1
    screen = SimpleNamespace(marginal_z=torch.tensor([0.0, 0.0, 1.0, 9.0, 5.0, 0.0]))  # units 2 and 3 have 9 and 5
    monkeypatch.setattr(vetting, "rank_units", lambda judge, always, units: sorted(units, reverse=True))
    monkeypatch.setattr(vetting, "rank_rest", lambda judge, selected, units: sorted(units, reverse=True))
    judge = SimpleNamespace(context=context)

    def tested(everything):
        return vetting._Tested([], list(everything), None, importances, screen)

    def run(selected, ranked=(), everything=()):
        return vetting._order_units(judge, selected, ranked, tested(everything))

    return run


def test_units_are_ordered_by_rank_then_by_importance_and_then_by_the_screen(order):
    assert order([]) == [0, 4, 1, 2, 3]
    assert order([1, 2]) == [2, 1, 0, 4, 3]
    assert order([1, 2], ranked=[3, 2]) == [2, 1, 3, 0, 4]


def test_dropped_units_that_can_be_compared_are_ranked_unless_they_were_before(order):
    assert order([1, 2], everything=range(5)) == [2, 1, 4, 3, 0]
    assert order([1, 2], everything=[1, 2, 3, 4]) == [2, 1, 4, 3, 0]
    assert order([1, 2], everything=[2, 3]) == [2, 1, 3, 0, 4]
    assert order([1, 2], ranked=[3, 2], everything=range(5)) == [2, 1, 3, 0, 4]


@pytest.mark.reference
def test_the_number_to_select_does_not_change_the_ranking(parity, solve):
    codes, y = parity
    free = solve(codes, y)
    assert {*free.ranking.order[:2]} == {*free.selected}
    for size in (1, 2, 4):
        told, filled = solve(codes, y, n_to_select=size), solve(codes, y, min_to_select=size)
        assert told.ranking == filled.ranking == free.ranking
        assert told.selected == sorted(free.ranking.best(size))
        assert filled.selected == (sorted(free.ranking.best(size)) if size > 2 else free.selected)
        assert filled.filled_up == frozenset(filled.selected) - frozenset(free.selected)
        assert told.filled_up == frozenset()


def test_all_units_are_compared_unless_there_are_too_many(make_context, generator, monkeypatch):
    context = make_context(singles(5), generator)
    screen = SimpleNamespace(marginal_z=torch.tensor([1.0, 5.0, 0.0, 9.0, 2.0]))
    assert vetting._comparable_units(screen, [0], context) == [0, 1, 2, 3, 4]
    monkeypatch.setattr(vetting, "SUPPORT", dataclasses.replace(vetting.SUPPORT, max_units=2))
    assert vetting._comparable_units(screen, [0], context) == [0, 1, 3]
