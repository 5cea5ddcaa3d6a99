"""Several processes joined as torchrun joins them, and how they end."""

import os
import re
import signal
import time

import numpy as np
import pytest
import torch
import torch.distributed as dist

from minerva_select.data.encoded_rows import Layout, Rows
from minerva_select.errors import InputError
from minerva_select.mi.bounds import donsker_varadhan, log_mean_exp, pointwise_information
from minerva_select.mi.critics import ClassCritic, ConcatenatedCritic
from minerva_select.mi.ensemble import Ensemble
from minerva_select.runtime.device import seeded
from minerva_select.runtime.distributed import alone, joined
from rank_processes import run_ranks

CPU = torch.device("cpu")
X, Y = Layout(2, (4,), (0, 1, 2)), Layout(0, (3,), (0,))
N_ROWS = 48
SHARES = {2: (11, 37), 3: (5, 0, 43)}  # rows of each rank
TOLERANCE = {torch.float32: 1e-6, torch.float64: 1e-14}  # sums of 48 rows, in two orders


def share_of(ranks):
    """The rows of the batch that a rank has."""
    shares = SHARES.get(ranks.size, (N_ROWS,))
    return torch.arange(N_ROWS).split(shares)[ranks.rank]


def batch(dtype):
    """Rows, classes, weights, and partners for shuffled pairs."""
    generator = torch.Generator().manual_seed(1)
    amounts = torch.rand(N_ROWS, 2, generator=generator, dtype=dtype)
    x = Rows(amounts, torch.randint(4, (N_ROWS, 1), generator=generator), X)
    y = torch.randint(3, (N_ROWS,), generator=generator)
    weights = torch.rand(N_ROWS, generator=generator, dtype=dtype) + 0.1
    return x, y, weights, torch.randperm(N_ROWS, generator=generator)


def draw(build, dtype):
    with seeded(0, CPU):
        return Ensemble(build().to(dtype), CPU)


def shuffled_bound(ranks, dtype):
    """Donsker-Varadhan's bound of the paper's critic, and its gradient."""
    ensemble = draw(lambda: ConcatenatedCritic(X, Y, width=8, embedding_width=4), dtype)
    x, y, _, partners = batch(dtype)
    y_rows = Rows(torch.empty(N_ROWS, 0, dtype=dtype), y.unsqueeze(1), Y)
    mine = share_of(ranks).unsqueeze(0)
    joint = ensemble.critic(x.take(mine), y_rows.take(mine))
    marginal = ensemble.critic(x.take(partners[mine]), y_rows.take(mine))
    bound = donsker_varadhan(joint, marginal, ranks if ranks.size > 1 else None)
    bound.backward()
    return bound.detach().numpy(), ranks.sum_(ensemble.gradient).numpy()


def exact_bound(ranks, dtype):
    """The weighted conditional bound of two members, and its gradient."""
    ensemble = draw(lambda: ClassCritic(X, 3, n_members=2, width=8), dtype)
    x, y, weights, _ = batch(dtype)
    mine = share_of(ranks).expand(2, -1)
    log_prior = torch.tensor([0.2, 0.3, 0.5], dtype=dtype).log()
    information = pointwise_information(ensemble.critic(x.take(mine), None), y[mine], log_prior)
    if ranks.size > 1:
        bounds = ranks.mean(information, weights[mine])
    else:
        bounds = (information * weights).sum(1) / weights.sum()
    bounds.sum().backward()
    return bounds.detach().numpy(), ranks.sum_(ensemble.gradient).numpy()


def both_bounds(ranks):
    return [bound(ranks, dtype) for bound in (shuffled_bound, exact_bound) for dtype in TOLERANCE]


@pytest.mark.parametrize("size", SHARES)
def test_bounds_and_gradients_of_several_ranks_are_those_of_one_process_on_the_joined_batch(size):
    expected = both_bounds(alone(CPU))
    found = run_ranks(both_bounds, size)
    for of_rank in found:
        for (value, gradient), (right_value, right_gradient), tolerance in zip(
            of_rank, expected, [*TOLERANCE.values()] * 2, strict=True
        ):
            np.testing.assert_allclose(value, right_value, rtol=0, atol=tolerance)
            np.testing.assert_allclose(gradient, right_gradient, rtol=0, atol=tolerance)
            assert np.abs(gradient).max() > 0.01  # there is a gradient to get wrong
        for mine, leading in zip(of_rank, found[0], strict=True):
            assert all(np.array_equal(*pair) for pair in zip(mine, leading, strict=True))


def exchange(ranks):
    mine = torch.arange(ranks.rank, 7, ranks.size)
    return {
        "joined": ranks.join_rows(torch.stack([mine, -mine], dim=1), mine, 7).tolist(),
        "gaps": ranks.sum_(torch.full((2, 3), ranks.rank + 1.0)[:, :2]).tolist(),
        "gathered": ranks.gather({"rank": ranks.rank, "leads": ranks.leads}),
        "same": ranks.same(f"from rank {ranks.rank}"),
        "huge": float(ranks.log_mean_exp(torch.tensor([1e4, -1e4][: ranks.rank + 1]))),
    }


def test_every_rank_gets_the_same_whole():
    first, second = run_ranks(exchange, 2)
    assert first == second
    assert first["joined"] == [[k, -k] for k in range(7)]
    assert first["gaps"] == [[3.0, 3.0], [3.0, 3.0]]
    assert first["gathered"] == [{"rank": 0, "leads": True}, {"rank": 1, "leads": False}]
    assert first["same"] == "from rank 0"
    # Scores 1e4 on the one, 1e4 and -1e4 on the other; one step of a float32 near 1e4 is 0.001
    assert first["huge"] == pytest.approx(1e4 + np.log(2 / 3), abs=2e-3)


def die_on_the_second(ranks):
    ranks.barrier()
    if ranks.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    ranks.mean(torch.ones(3))


def test_a_killed_rank_ends_the_others_with_its_name():
    first, killed, third = run_ranks(die_on_the_second, 3)
    assert killed is None
    for name, message, _, seconds in (first, third):
        assert name == "RankError"
        # On a busy machine one that lives may answer the roll call too late, and is counted among those gone
        assert re.match(r"Rank 1 of 3 is gone \(|Ranks (0, 1|1, 2) of 3 are gone \(", message)
        assert message.endswith("); start the run again with --resume to go on where it was.")
        assert seconds < 18  # of 20 until the timeout
    assert (first[2], third[2]) == (True, False)  # told once


def refuse_on_the_second(ranks):
    with ranks.together():
        if ranks.rank == 1:
            raise InputError("Column 'amount' has 3 infinite values; replace them or drop the column.")
        ranks.gather("what the others wait for may be anything")


def test_an_input_error_of_one_rank_is_raised_by_all_and_told_once():
    ends = run_ranks(refuse_on_the_second, 3)
    message = "Column 'amount' has 3 infinite values; replace them or drop the column."
    assert [end[:3] for end in ends] == [("InputError", message, rank == 0) for rank in range(3)]


def fail_on_the_leading(ranks):
    if ranks.leads:
        1 / 0  # noqa: B018
    ranks.barrier()


def test_an_unforeseen_error_stays_what_it_is_and_is_named_to_the_others():
    leading, other = run_ranks(fail_on_the_leading, 2)
    assert leading[0] == "ZeroDivisionError"
    assert other[:2] == (
        "RankError",
        "Rank 0 of 2 stopped with ZeroDivisionError: division by zero; see its own output.",
    )


def refuse_then_be_ended(ranks):
    """The second refuses; the launcher then ends the first, which is at work and waits for nobody."""
    ranks.barrier()
    if ranks.rank == 1:
        raise InputError("The table has no rows.")
    while not ranks._board.store.check(["rank 1"]):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)


def test_a_rank_that_the_launcher_ends_says_what_ended_the_other():
    leading, _ = run_ranks(refuse_then_be_ended, 2)
    assert leading[:3] == ("InputError", "The table has no rows.", True)


def add_what_cannot_be_added(ranks):
    ranks.sum_(torch.zeros(3, dtype=torch.int16))


def test_a_mistake_in_the_call_is_not_blamed_on_a_rank():
    assert [end[0] for end in run_ranks(add_what_cannot_be_added, 2)] == ["RuntimeError", "RuntimeError"]


def test_one_process_alone_computes_locally():
    ranks = alone(CPU)
    scores = torch.randn(2, 5, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(ranks.log_mean_exp(scores), log_mean_exp(scores), rtol=0, atol=0)
    torch.testing.assert_close(ranks.mean(scores), scores.mean(1))
    assert ranks.sum_(scores) is scores
    assert ranks.gather("mine") == ["mine"]
    assert ranks.same("mine") == "mine"
    with ranks.together():
        ranks.barrier()
    with pytest.raises(InputError, match="as it is"), ranks.together():
        raise InputError("as it is")


def test_without_torchrun_a_process_is_alone(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    with joined("cpu") as ranks:
        assert (ranks.rank, ranks.size, ranks.device) == (0, 1, CPU)
    assert not dist.is_initialized()


def test_several_processes_refuse_a_device_that_cannot_join_them(monkeypatch):
    for name, value in {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match="'cpu' or 'cuda', not on 'mps'"), joined("mps"):
        pass
