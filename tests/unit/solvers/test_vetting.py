import dataclasses
from types import SimpleNamespace

import pytest
import torch

from minerva_select.mi.cross_fit import CriticTask
from minerva_select.mi.inference import MeanEstimate
from minerva_select.mi.training import Schedule, TrainingContext
from minerva_select.runtime.rng import seeded_rng
from minerva_select.solvers import vetting
from minerva_select.solvers.candidate_search import CandidateSet, fit_candidates
from minerva_select.solvers.fit_config import FitConfig
from minerva_select.solvers.vetting import solve_vetting

CPU = torch.device("cpu")


def singles(n_units):
    return [[unit] for unit in range(n_units)]


@pytest.fixture
def solve(make_fold, quick):
    """The default solver on two folds: the rows as they are, and with the halves exchanged."""

    def run(codes, y, units=None, kept=(), seed=0, n_pairs=0, **arguments):
        half = len(y) // 2
        fold = make_fold(codes, y)
        rows = torch.arange(len(y))
        first, second = rows[:half], rows[half:]
        cut = 2 * half // 3
        folds = [
            dataclasses.replace(fold, train=(seen[:cut],), tune=(seen[cut:],), held_out=vet)
            for seen, vet in ((first, second), (second, first))
        ]
        plan = dataclasses.replace(FitConfig.for_rows(1000), width=32, dropout=0.0, schedule=quick, n_pairs=n_pairs)
        units = units or singles(codes.shape[1])
        with seeded_rng(seed, CPU) as generator:
            return solve_vetting(folds, units, list(kept), plan, TrainingContext(generator), **arguments)

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
def test_columns_that_inform_together_only_are_selected_and_no_others(parity, solve, n_pairs):
    solution = solve(*parity, n_pairs=n_pairs)
    assert solution.selected == [1, 3]
    assert solution.units.partners == {1: [3], 3: [1]}
    assert solution.units.pairs.keys() == {(1, 3)}
    assert [units for units, _ in solution.units.path][-2:] == [[1, 3], [solution.units.path[-1][0][0]]]
    # Neither column tells anything alone; 2,400 rows know that to 0.001
    assert max(abs(solution.columns.marginal[feature].mean) for feature in range(5)) < 0.01
    # log 2 - H(0.1) is 0.368 nats; 2,400 rows know it to 0.014, and the critics fall a little short
    assert solution.information.mean == pytest.approx(0.368, abs=0.05)
    assert solution.converged


@pytest.mark.reference
def test_nothing_is_selected_from_noise(solve):
    generator = torch.Generator().manual_seed(4)
    codes = torch.randint(3, (800, 5), generator=generator)
    solution = solve(codes, torch.randint(2, (800,), generator=generator))
    assert solution.selected == []
    assert solution.elimination is None
    assert solution.information == solution.total == MeanEstimate(0.0, 0.0)


@pytest.mark.reference
def test_the_number_wanted_is_kept_even_from_noise(solve):
    generator = torch.Generator().manual_seed(4)
    codes = torch.randint(3, (400, 5), generator=generator)
    y = torch.randint(2, (400,), generator=generator)
    assert len(solve(codes, y, n_wanted=3).selected) == 3


@pytest.mark.reference
def test_units_kept_on_request_are_selected_whatever_they_say(parity, solve):
    codes, y = parity
    solution = solve(codes, y, kept=[0])
    assert solution.selected == [0, 1, 3]


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
    first, second, other = (solve(codes, y, n_wanted=2, seed=seed) for seed in (1, 1, 2))
    assert first.selected == second.selected
    assert first.permutation_importances == second.permutation_importances
    assert first.information == second.information
    assert first.information != other.information


def test_what_is_known_of_a_set_is_not_estimated_again(parity, make_fold, beside, make_context, records, generator):
    folds = beside(make_fold(*parity), make_fold(*parity))
    context = make_context(singles(5), generator, schedule=Schedule(max_steps=1, batch_size=32))
    candidates = fit_candidates(folds, [[1, 3], [1, 3]], context, "learn")
    found = vetting._information(vetting._fit_to([1, 3], candidates, context))
    assert len(records) == 1
    rows = torch.cat(candidates[0].critics.held_out_information())
    assert found.mean == pytest.approx(float(rows.mean()), abs=1e-6)
    vetting._fit_to([1, 2, 3], candidates, context)
    assert [record.stage for record in records] == ["learn", "estimate"]
    assert vetting._information(vetting._fit_to([], candidates, context)) == MeanEstimate(0.0, 0.0)


def test_a_unit_that_one_fold_did_not_propose_falls_by_nothing_there(
    parity, make_fold, make_context, generator, monkeypatch
):
    fold = make_fold(*parity)
    folds = [dataclasses.replace(fold, held_out=rows) for rows in (torch.arange(0, 300), torch.arange(300, 400))]
    units = [[[5], [3, 4]], [[0], [3, 4]]]  # features of what each fold proposes

    class Fitted:
        """Stands for fitted critics of both folds."""

        tasks = tuple(CriticTask(one, []) for one in folds)

    critics = Fitted()

    def falls(critics, asked, generator, deadline):
        """The first task's rows fall by 1 whatever is shuffled, the second's by 2."""
        assert all(own in ([], units[task]) for task, own in enumerate(asked))
        sizes = [(len(own), len(task.fold.held_out)) for own, task in zip(asked, critics.tasks, strict=True)]
        return [torch.full(size, says) for size, says in zip(sizes, (1.0, 2.0), strict=True)]

    monkeypatch.setattr(vetting, "held_out_importances", falls)
    nothing = MeanEstimate(0.0, 0.0)
    candidates = [
        CandidateSet(units, one, critics, task, torch.zeros(0), nothing)
        for task, (one, units) in enumerate(zip(folds, [[1, 3], [0, 3]], strict=True))
    ]
    found = vetting._shuffle(candidates, make_context([[0], [5], [1, 2], [3, 4]], generator))
    assert {unit: fall.mean for unit, fall in found.items()} == pytest.approx(
        {0: 2.0 * 100 / 400, 1: 1.0 * 300 / 400, 3: (300 * 1.0 + 100 * 2.0) / 400}
    )


def test_only_falls_beyond_accident_survive_with_every_unit_counted_as_a_test(make_context, generator):
    context = make_context(singles(100), generator)
    evidence = {3: MeanEstimate(0.3, 0.1), 7: MeanEstimate(0.5, 0.1)}  # z of 3 and 5, p of 0.0013 and 3e-7
    screen = None
    # 0.0013 passes at level 0.05 among 2 tests, and not among 100
    assert vetting._survivors(evidence, [], 2, screen, context, None) == [3, 7]
    assert vetting._survivors(evidence, [], 100, screen, context, None) == [7]
    assert vetting._survivors(evidence, [50], 100, screen, context, None) == [7, 50]


def test_the_number_wanted_is_filled_by_falls_first_and_by_the_screen_then(make_context, generator):
    context = make_context([[0], [1], [2, 3], [4], [5]], generator)
    evidence = {0: MeanEstimate(1.0, 0.1), 1: MeanEstimate(-0.1, 0.1), 4: MeanEstimate(0.1, 0.1)}  # z of 10, -1 and 1
    screen = SimpleNamespace(marginal_z=torch.tensor([0.0, 0.0, 1.0, 9.0, 5.0, 0.0]))  # units 2 and 3 have 9 and 5
    found = [vetting._survivors(evidence, [], 5, screen, context, n_wanted) for n_wanted in (1, 2, 3, 4, 5)]
    assert found == [[0], [0, 4], [0, 1, 4], [0, 1, 2, 4], [0, 1, 2, 3, 4]]
