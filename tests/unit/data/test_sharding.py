"""Several ranks with sharded rows compute the same as one process with all rows."""

import dataclasses

import numpy as np
import pytest
import torch

from minerva_select.config import FitConfig, PaperSettings, Schedule
from minerva_select.data.encoded_rows import ColumnLayout, Rows, join_rows
from minerva_select.data.sharding import UNSHARDED, Sharding
from minerva_select.mi.critic_training import fit_critics
from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics
from minerva_select.mi.fold import Fold, Target
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.runtime.deadline import Deadline
from minerva_select.runtime.distributed import ProcessGroup
from minerva_select.runtime.rng import network_generator, seeded_rng
from minerva_select.solvers.candidate_search import SearchContext, fit_candidates
from minerva_select.solvers.elimination import eliminate
from minerva_select.solvers.judge import Judge
from minerva_select.solvers.masked_critics import make_mask_sampler
from minerva_select.solvers.paper import solve_paper
from minerva_select.solvers.permutation import held_out_importances, tuning_importances
from minerva_select.solvers.screen import add_pair_tables, screen_fold
from minerva_select.solvers.vetting import solve_vetting
from rank_processes import run_ranks

CPU = torch.device("cpu")
N_ROWS = 3000
OWN = {1: (3000,), 2: (1100, 1900), 3: (700, 0, 2300)}  # rows of each rank
UNITS = [[feature] for feature in range(6)]  # 1 and 4 are equal or not, which is what 2 and 5 are about
SHORT = Schedule(max_steps=20, batch_size=256, evaluate_every=10, max_gradient_norm=float("inf"))
CONFIG = FitConfig(
    1, 1, 5, 16, 0.0, Schedule(max_steps=60, batch_size=128, learning_rate=1e-2, evaluate_every=20), n_pairs=2
)
WITH_DROPOUT = dataclasses.replace(CONFIG, n_folds=3, dropout=0.1)


def table(is_discrete):
    """Features and target, with the rows sorted by the target."""
    generator = torch.Generator().manual_seed(1)
    codes = torch.randint(3, (N_ROWS, 4), generator=generator, dtype=torch.uint8)
    quantiles = torch.rand(N_ROWS, 2, generator=generator)
    quantiles[::17, 0] = torch.nan
    equal = (codes[:, 0] == codes[:, 2]).long()
    for column, n_wrong in ((1, 0.25), (3, 0.3)):
        codes[:, column] = equal ^ (torch.rand(N_ROWS, generator=generator) < n_wrong)
    if is_discrete:
        bins = equal ^ (torch.rand(N_ROWS, generator=generator) < 0.1)
        bin_rows = Rows(torch.empty(2, 0), torch.arange(2).unsqueeze(1), ColumnLayout(0, (2,), (0,)))
    else:
        bins = 6 * equal + torch.randint(9, (N_ROWS,), generator=generator)
        bin_rows = Rows(
            (torch.arange(15).unsqueeze(1) + 0.5) / 15, torch.empty(15, 0).long(), ColumnLayout(1, (), (0,))
        )
    x = Rows(quantiles, codes, ColumnLayout(2, (3,) * 4, (0, 3, 1, 2, 4, 5)))
    order = bins.argsort(stable=True)
    log_prior = (torch.bincount(bins) / N_ROWS).log()
    return x.take(order), Target(bins[order], bin_rows, log_prior, is_discrete)


def make_folds(ranks, is_discrete, n_folds=1):
    """Folds over the rows of a rank: encoded per fold if discrete, else once for all folds."""
    x, target = table(is_discrete)
    generator = torch.Generator().manual_seed(2)
    weights = torch.rand(N_ROWS, generator=generator) + 0.5
    parts = torch.randperm(N_ROWS, generator=generator).tensor_split(5)
    sharding = Sharding.of_ranks(ranks, OWN[ranks.size][ranks.rank])
    own = x.take(torch.arange(*sharding.own_range))
    return [
        Fold(
            x=join_rows([own] * (n_folds if is_discrete else 1)),
            target=dataclasses.replace(target, bins=target.bins.repeat(n_folds)),
            row_weights=weights.repeat(n_folds),
            train=(torch.cat([parts[(k + j) % 5] for j in range(3)]) + k * N_ROWS,),
            tune=(parts[(k + 3) % 5] + k * N_ROWS,),
            held_out=parts[(k + 4) % 5] + k * N_ROWS,
            clusters=(torch.arange(N_ROWS) // 2).repeat(n_folds),
            sharding=sharding,
        )
        for k in range(n_folds)
    ]


def solver_steps(ranks, is_discrete):
    """Results of each step of the solver."""
    folds = make_folds(ranks, is_discrete, 2)
    found = screen_fold(folds[0])
    folds = add_pair_tables(folds, [found], 2)
    with seeded_rng(0, CPU) as generator:
        run = TrainingContext(generator)
        tasks = [CriticTask(folds[0], [0, 1, 2, 4]), CriticTask(folds[1], [1, 3, 4])]
        critics = CrossFitCritics(tasks, width=16)
        fit_critics(critics, dataclasses.replace(SHORT, max_steps=1), run, stage="learn")
        gradient = critics.ensemble.gradient.clone()
        outcome = fit_critics(critics, SHORT, run, stage="learn")
        masked = CrossFitCritics(tasks, width=16)
        fit_critics(
            masked, dataclasses.replace(SHORT, max_steps=1), run, stage="vet", sample_masks=make_mask_sampler(UNITS[:5])
        )
        units = [[[0], [1, 4]], [[3]]]
        tuned = tuning_importances(critics, units, generator, max_rows=500)
        return {
            "screen": [value.numpy() for value in vars(found).values()],
            "tables": folds[0].pairs.tables.numpy(),
            "gradient": gradient.numpy(),
            "masked gradient": masked.ensemble.gradient.numpy(),
            "parameters": relevant_parameters(critics).numpy(),
            "losses": np.array([record.bound for record in outcome.records]),
            "held-out bound": outcome.tuning_bound.numpy(),
            "tuning information": torch.cat(critics.tuning_information()).numpy(),
            "held-out information": torch.cat(critics.held_out_information(critics.feature_mask([1, 4]))).numpy(),
            "held-out importances": torch.cat(
                [one.flatten() for one in held_out_importances(critics, units, generator)]
            ).numpy(),
            "tuning importances": np.array([(one.mean, one.standard_error) for task in tuned for one in task]),
            "next draws": [torch.rand(3, generator=one).tolist() for one in (network_generator(), generator)],
        }


def relevant_parameters(critics):
    """All but the last bias of the target's tower, which shifts the scores of all bins alike."""
    parameters = critics.ensemble.parameters.items()
    return torch.cat([value.detach().flatten() for name, value in parameters if name != "target.head.2.bias"])


def solve(ranks, is_discrete, config):
    """Selected units and their information."""
    with seeded_rng(0, CPU) as generator:
        folds = make_folds(ranks, is_discrete, config.n_folds)
        run = TrainingContext(generator, Deadline(1000.0, ranks.broadcast))
        solution = solve_vetting(folds, UNITS, [], config, run)
    return solution.selected, solution.information.mean, solution.information.standard_error


def eliminate_units(ranks, is_discrete):
    """Kept units, and the others in the order in which they were dropped."""
    with seeded_rng(0, CPU) as generator:
        context = SearchContext(UNITS, [], CONFIG, TrainingContext(generator))
        folds = make_folds(ranks, is_discrete)
        everything = fit_candidates(folds, [list(range(6))], context, "learn")
        # Critics of so few steps differ by chance, so the stricter level
        found = eliminate(Judge(folds, everything, context), list(range(6)), [], proven_only=True)
    return found.kept, list(found.dropped)


def run_paper_solver(ranks):
    """A few steps of each stage."""
    x, target = table(is_discrete=True)
    y = target.bin_rows.take(target.bins)
    seen, held_out = torch.randperm(N_ROWS, generator=torch.Generator().manual_seed(0)).tensor_split([2500])
    settings = PaperSettings(batch_size=101, max_steps_learn=10, max_steps_sparsify=10)
    given = x.take(seen), y.take(seen), (x.take(held_out), y.take(held_out)), range(6), settings
    with seeded_rng(0, CPU) as generator:
        solution = solve_paper(*given, TrainingContext(generator, ranks=ranks))
    bounds = [(record.bound, record.sparsity_term, record.drift_term) for record in solution.records]
    kept = solution.kept
    return {"weights": solution.weights.numpy(), "bounds": np.array([*bounds, (kept.mean, kept.standard_error, 0.0)])}


def run_steps(ranks):
    torch.set_num_threads(1)
    return {
        "steps": [solver_steps(ranks, is_discrete) for is_discrete in (True, False)],
        "eliminations": [eliminate_units(ranks, is_discrete) for is_discrete in (True, False)],
        "paper": run_paper_solver(ranks),
        # By its own clock rank 1 has no time left
        "expired": Deadline(1000.0 * (ranks.rank != 1), ranks.broadcast).fraction(0.5).expired,
    }


def run_all(ranks):
    solutions = [solve(ranks, is_discrete, CONFIG) for is_discrete in (True, False)]
    return run_steps(ranks) | {"solutions": solutions, "with dropout": solve(ranks, True, WITH_DROPOUT)}


@pytest.fixture(scope="module")
def expected():
    before = torch.get_num_threads()
    found = run_all(ProcessGroup(CPU))
    torch.set_num_threads(before)
    return found


@pytest.fixture(scope="module")
def of_two():
    return run_ranks(run_all, 2)


@pytest.fixture(scope="module", params=[2, 3])
def found(request):
    return run_ranks(run_steps, request.param)


# Sums of float32 in another order; Adam divides by the size of the gradient, which amplifies its error
TOLERANCE = {
    "tables": 1e-6,
    "gradient": 1e-6,
    "masked gradient": 1e-6,
    "parameters": 1e-4,
    "losses": 1e-5,
    "held-out bound": 1e-5,
    "tuning information": 1e-4,
    "held-out information": 1e-4,
    "held-out importances": 1e-4,
    "tuning importances": 1e-5,
}


@pytest.mark.parametrize("what", TOLERANCE)
def test_each_step_equals_that_of_one_process(found, expected, what):
    for of_rank in found:
        for mine, right in zip(of_rank["steps"], expected["steps"], strict=True):
            assert np.abs(right[what]).max() > 0.01
            np.testing.assert_allclose(mine[what], right[what], rtol=0, atol=TOLERANCE[what])


def test_counts_are_exactly_those_of_one_process(found, expected):
    for of_rank in found:
        for mine, right in zip(of_rank["steps"], expected["steps"], strict=True):
            assert all(np.array_equal(*pair) for pair in zip(mine["screen"], right["screen"], strict=True))


def test_all_ranks_have_the_same_bits_and_random_numbers(found, expected):
    for of_rank in found:
        for mine, main, right in zip(of_rank["steps"], found[0]["steps"], expected["steps"], strict=True):
            assert all(np.array_equal(mine[what], main[what]) for what in TOLERANCE)
            assert mine["next draws"] == main["next draws"] == right["next draws"]


def test_units_are_eliminated_in_the_order_of_one_process(found, expected):
    for of_rank in found:
        assert of_rank["eliminations"] == expected["eliminations"]
    for kept, gone in expected["eliminations"]:
        assert {1, 4} <= {*kept}
        assert {2, 3} <= {*gone}


@pytest.mark.slow  # two ranks that fit trees beside other tests are slow enough to lose each other
def test_the_selection_equals_that_of_one_process(of_two, expected):
    assert of_two[0]["solutions"] == of_two[1]["solutions"]
    for solution, right in zip(of_two[0]["solutions"], expected["solutions"], strict=True):
        assert solution[0] == right[0] == [1, 4]
        assert solution[1:] == pytest.approx(right[1:], abs=1e-3)  # nats


@pytest.mark.slow
def test_the_selection_with_dropout_equals_that_of_one_process(of_two, expected):
    assert of_two[0]["with dropout"] == of_two[1]["with dropout"]
    assert of_two[0]["with dropout"][0] == expected["with dropout"][0] == [1, 4]


def test_the_paper_solver_takes_the_steps_of_one_process(found, expected):
    for of_rank in found:
        for what, right in expected["paper"].items():
            np.testing.assert_allclose(of_rank["paper"][what], right, rtol=0, atol=1e-4)


def test_the_clock_of_rank_0_counts(found):
    assert [of_rank["expired"] for of_rank in found] == [False] * len(found)


def sharding_of(rank):
    """Rows 0 to 3 on rank 0, row 4 on rank 1, rows 5 to 9 on rank 2."""
    return Sharding(ProcessGroup(CPU, rank, 3), (0, 4, 5, 10))


def test_every_row_number_has_one_owner():
    rows = torch.tensor([0, 3, 4, 5, 9, 10, 14, 29])
    owners = torch.stack([sharding_of(rank).owns(rows) for rank in range(3)]).long().argmax(0)
    assert owners.tolist() == [0, 0, 1, 2, 2, 0, 1, 2]
    last = sharding_of(2)
    assert last.select_own(rows).tolist() == [5, 9, 29]
    assert last.positions(last.select_own(rows), n_held=15).tolist() == [0, 4, 14]  # five rows per fold
    assert last.positions(last.select_own(rows), n_held=5).tolist() == [0, 4, 4]  # the same five rows for all folds
    assert last.positions(rows, n_held=5).tolist() == [0, 0, 0, 0, 4, 0, 0, 4]


def test_shorter_lines_of_a_shard_are_padded():
    rows = torch.tensor([[7, 0, 9, 5], [1, 6, 2, 4]])
    shard = sharding_of(2).shard(rows)
    assert shard.rows[0].tolist() == [7, 9, 5]
    assert shard.rows[1, 0] == 6
    values = torch.arange(8).view(2, 4)
    assert shard.select(values).tolist() == [[0, 2, 3], [5, 0, 0]]
    by_column = shard.select(torch.stack([values, -values], dim=-1))
    assert by_column.tolist() == [[[0, 0], [2, -2], [3, -3]], [[5, -5], [0, 0], [0, 0]]]
    assert sharding_of(1).shard(rows[:1]).rows.shape == (1, 0)


def test_unsharded_rows_are_not_copied():
    rows = torch.tensor([[2, 0], [1, 2]])
    shard = UNSHARDED.shard(rows)
    assert shard.rows is rows
    assert shard.select(rows) is rows
    assert shard.gather(rows) is rows
    assert UNSHARDED.positions(rows, n_held=3) is rows
    assert UNSHARDED.select_own(rows[0]).tolist() == [2, 0]
