import dataclasses
from types import SimpleNamespace

import pytest
import torch

from minerva.core.evidence import Evidence
from minerva.core.plan import Plan
from minerva.core.runtime import Deadline, seeded
from minerva.core.solvers import vetting
from minerva.core.solvers.vetting import solve_vetting

CPU = torch.device("cpu")


def singles(n_units):
    return [[unit] for unit in range(n_units)]


@pytest.fixture
def solve(make_fold, quick):
    """The default solver on two folds: the rows as they are, and with the halves exchanged."""

    def run(codes, y, units=None, kept=(), seed=0, **arguments):
        half = len(y) // 2
        fold = make_fold(codes, y)
        rows = torch.arange(len(y))
        first, second = rows[:half], rows[half:]
        cut = 2 * half // 3
        folds = [
            dataclasses.replace(fold, train=(seen[:cut],), tune=(seen[cut:],), vet=vet)
            for seen, vet in ((first, second), (second, first))
        ]
        plan = dataclasses.replace(Plan.for_rows(1000), width=32, dropout=0.0, schedule=quick)
        units = units or singles(codes.shape[1])
        with seeded(seed, CPU) as generator:
            return solve_vetting(folds, units, list(kept), plan, generator, Deadline(None), **arguments)

    return run


@pytest.fixture(scope="module")
def parity():
    """Five columns; y is the exclusive or of columns 1 and 3, one in ten flipped."""
    generator = torch.Generator().manual_seed(3)
    codes = torch.randint(2, (2400, 5), generator=generator)
    flipped = torch.rand(2400, generator=generator) < 0.1
    return codes, codes[:, 1] ^ codes[:, 3] ^ flipped.long()


@pytest.mark.reference
def test_columns_that_inform_together_only_are_selected_and_no_others(parity, solve):
    solution = solve(*parity)
    assert solution.selected == [1, 3]
    assert solution.partners == {1: [3], 3: [1]}
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
    assert solution.information == solution.total == Evidence(0.0, 0.0)


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


def test_a_unit_that_one_fold_did_not_propose_falls_by_nothing_there(
    parity, make_fold, make_workshop, generator, monkeypatch
):
    fold = make_fold(*parity)
    folds = [dataclasses.replace(fold, vet=rows) for rows in (torch.arange(0, 300), torch.arange(300, 400))]
    # Stand-ins for fitted critics: the first fold's say 1 on every row, the second's 2
    proposals = [
        SimpleNamespace(units=units, critics=torch.full((len(units), len(one.vet)), says), local_units=lambda _: [])
        for one, units, says in zip(folds, [[1, 3], [0, 3]], [1.0, 2.0], strict=True)
    ]
    monkeypatch.setattr(vetting, "falls_on_vet_rows", lambda critics, units, generator: critics)
    falls = vetting._shuffle(folds, proposals, make_workshop(singles(5), generator))
    assert {unit: fall.mean for unit, fall in falls.items()} == pytest.approx(
        {0: 2.0 * 100 / 400, 1: 1.0 * 300 / 400, 3: (300 * 1.0 + 100 * 2.0) / 400}
    )


def test_only_falls_beyond_accident_survive_with_every_unit_counted_as_a_test(make_workshop, generator):
    workshop = make_workshop(singles(100), generator)
    evidence = {3: Evidence(0.3, 0.1), 7: Evidence(0.5, 0.1)}  # z of 3 and 5, p of 0.0013 and 3e-7
    screen = None
    # 0.0013 passes at level 0.05 among 2 tests, and not among 100
    assert vetting._survivors(evidence, [], 2, screen, workshop, None) == [3, 7]
    assert vetting._survivors(evidence, [], 100, screen, workshop, None) == [7]
    assert vetting._survivors(evidence, [50], 100, screen, workshop, None) == [7, 50]
