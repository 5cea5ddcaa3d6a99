"""Processes joined as by torchrun: collective operations and errors."""

import os
import re
import signal
import time

import numpy as np
import pytest
import torch
import torch.distributed as dist

from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.errors import InputError
from minerva_select.mi.bounds import donsker_varadhan, log_mean_exp, pointwise_information
from minerva_select.mi.critics import ClassCritic, ConcatenatedCritic
from minerva_select.mi.ensemble import Ensemble
from minerva_select.mi.networks import NetworkShape
from minerva_select.runtime.distributed import SINGLE_PROCESS, ProcessGroup, current, joined
from minerva_select.runtime.rng import seeded_rng
from rank_processes import run_ranks

CPU = torch.device("cpu")
X, Y = ColumnLayout(2, (4,), (0, 1, 2)), ColumnLayout(0, (3,), (0,))
N_ROWS = 48
ROWS_PER_RANK = {2: (11, 37), 3: (5, 0, 43)}
TOLERANCE = {torch.float32: 1e-6, torch.float64: 1e-14}  # sums of 48 rows in different orders


def own_rows(ranks):
    """Rows of the batch that a rank has."""
    n_rows = ROWS_PER_RANK.get(ranks.size, (N_ROWS,))
    return torch.arange(N_ROWS).split(n_rows)[ranks.rank]


def batch(dtype):
    """Rows, classes, weights, and a permutation."""
    generator = torch.Generator().manual_seed(1)
    quantiles = torch.rand(N_ROWS, 2, generator=generator, dtype=dtype)
    x = Rows(quantiles, torch.randint(4, (N_ROWS, 1), generator=generator), X)
    y = torch.randint(3, (N_ROWS,), generator=generator)
    weights = torch.rand(N_ROWS, generator=generator, dtype=dtype) + 0.1
    return x, y, weights, torch.randperm(N_ROWS, generator=generator)


def draw(build, dtype):
    with seeded_rng(0, CPU):
        return Ensemble(build().to(dtype), CPU)


def permutation_bound(ranks, dtype):
    """Donsker-Varadhan bound of the paper's critic, and its gradient."""
    ensemble = draw(lambda: ConcatenatedCritic(X, Y, NetworkShape(width=8, embedding_width=4)), dtype)
    x, y, _, permutation = batch(dtype)
    y_rows = Rows(torch.empty(N_ROWS, 0, dtype=dtype), y.unsqueeze(1), Y)
    mine = own_rows(ranks).unsqueeze(0)
    joint = ensemble.critic(x.take(mine), y_rows.take(mine))
    marginal = ensemble.critic(x.take(permutation[mine]), y_rows.take(mine))
    bound = donsker_varadhan(joint, marginal, ranks if ranks.size > 1 else None)
    bound.backward()
    return bound.detach().numpy(), ranks.sum_(ensemble.gradient).numpy()


def exact_bound(ranks, dtype):
    """Weighted conditional bound of two members, and its gradient."""
    ensemble = draw(lambda: ClassCritic(X, 3, NetworkShape(n_members=2, width=8)), dtype)
    x, y, weights, _ = batch(dtype)
    mine = own_rows(ranks).expand(2, -1)
    log_prior = torch.tensor([0.2, 0.3, 0.5], dtype=dtype).log()
    information = pointwise_information(ensemble.critic(x.take(mine), None), y[mine], log_prior)
    if ranks.size > 1:
        bounds = ranks.mean(information, weights[mine])
    else:
        bounds = (information * weights).sum(1) / weights.sum()
    bounds.sum().backward()
    return bounds.detach().numpy(), ranks.sum_(ensemble.gradient).numpy()


def both_bounds(ranks):
    return [bound(ranks, dtype) for bound in (permutation_bound, exact_bound) for dtype in TOLERANCE]


@pytest.mark.parametrize("size", ROWS_PER_RANK)
def test_bounds_and_gradients_equal_those_of_one_process_on_the_whole_batch(size):
    expected = both_bounds(ProcessGroup(CPU))
    found = run_ranks(both_bounds, size)
    for of_rank in found:
        for (value, gradient), (right_value, right_gradient), tolerance in zip(
            of_rank, expected, [*TOLERANCE.values()] * 2, strict=True
        ):
            np.testing.assert_allclose(value, right_value, rtol=0, atol=tolerance)
            np.testing.assert_allclose(gradient, right_gradient, rtol=0, atol=tolerance)
            assert np.abs(gradient).max() > 0.01
        for mine, main in zip(of_rank, found[0], strict=True):
            assert all(np.array_equal(*pair) for pair in zip(mine, main, strict=True))


def exchange(ranks):
    mine = torch.arange(ranks.rank, 7, ranks.size)
    return {
        "rows": ranks.gather_rows(torch.stack([mine, -mine], dim=1), mine, 7).tolist(),
        "strided": ranks.sum_(torch.full((2, 3), ranks.rank + 1.0)[:, :2]).tolist(),
        "gathered": ranks.gather({"rank": ranks.rank, "is_main": ranks.is_main}),
        "broadcast": ranks.broadcast(f"from rank {ranks.rank}"),
        "current": current() is ranks,
        "huge": float(ranks.log_mean_exp(torch.tensor([1e4, -1e4][: ranks.rank + 1]))),
    }


def test_collective_operations_give_every_rank_the_same_result():
    first, second = run_ranks(exchange, 2)
    assert first == second
    assert first["rows"] == [[k, -k] for k in range(7)]
    assert first["strided"] == [[3.0, 3.0], [3.0, 3.0]]
    assert first["gathered"] == [{"rank": 0, "is_main": True}, {"rank": 1, "is_main": False}]
    assert first["broadcast"] == "from rank 0"
    assert first["current"]
    # Scores 1e4 on one rank, 1e4 and -1e4 on the other; float32 has steps of 0.001 near 1e4
    assert first["huge"] == pytest.approx(1e4 + np.log(2 / 3), abs=2e-3)


def kill_rank_1(ranks):
    ranks.barrier()
    if ranks.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    ranks.mean(torch.ones(3))


def test_a_killed_rank_is_named_by_the_others():
    first, killed, third = run_ranks(kill_rank_1, 3)
    assert killed is None
    for name, message, _, seconds in (first, third):
        assert name == "RankError"
        # On a busy machine a live rank may report too late and count as gone
        assert re.match(r"Rank 1 of 3 is gone \(|Ranks (0, 1|1, 2) of 3 are gone \(", message)
        assert "--resume" in message
        assert seconds < 18  # the timeout is 20
    assert (first[2], third[2]) == (True, False)  # reported once


def refuse_on_rank_1(ranks):
    with ranks.fail_together():
        if ranks.rank == 1:
            raise InputError("Column 'amount' has 3 infinite values; replace them or drop the column.")
        ranks.gather("any collective operation")


def test_an_input_error_of_one_rank_is_raised_by_all_and_reported_once():
    ends = run_ranks(refuse_on_rank_1, 3)
    message = "Column 'amount' has 3 infinite values; replace them or drop the column."
    assert [end[:3] for end in ends] == [("InputError", message, rank == 0) for rank in range(3)]


def fail_on_rank_0(ranks):
    if ranks.is_main:
        1 / 0  # noqa: B018
    ranks.barrier()


def test_an_unexpected_error_is_named_by_the_others():
    main, other = run_ranks(fail_on_rank_0, 2)
    assert main[0] == "ZeroDivisionError"
    assert other[0] == "RankError"
    assert "Rank 0 of 2 stopped with ZeroDivisionError: division by zero" in other[1]


def refuse_then_terminate(ranks):
    """Rank 1 raises; the launcher then terminates rank 0, which waits for nothing."""
    ranks.barrier()
    if ranks.rank == 1:
        raise InputError("The table has no rows.")
    while not ranks._reports.store.check(["rank 1"]):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)


def test_a_terminated_rank_raises_the_error_of_the_other():
    main, _ = run_ranks(refuse_then_terminate, 2)
    assert main[:3] == ("InputError", "The table has no rows.", True)


def sum_unsupported_type(ranks):
    ranks.sum_(torch.zeros(3, dtype=torch.int16))


def test_a_wrong_call_is_not_reported_as_a_lost_rank():
    assert [end[0] for end in run_ranks(sum_unsupported_type, 2)] == ["RuntimeError", "RuntimeError"]


def test_a_single_process_computes_locally():
    ranks = ProcessGroup(CPU)
    scores = torch.randn(2, 5, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(ranks.log_mean_exp(scores), log_mean_exp(scores), rtol=0, atol=0)
    torch.testing.assert_close(ranks.mean(scores), scores.mean(1))
    assert ranks.sum_(scores) is scores
    assert ranks.gather("mine") == ["mine"]
    assert ranks.broadcast("mine") == "mine"
    with ranks.fail_together():
        ranks.barrier()
    with pytest.raises(InputError, match="as it is"), ranks.fail_together():
        raise InputError("as it is")


def test_without_torchrun_a_process_is_rank_0_of_1(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    with joined("cpu") as ranks:
        assert (ranks.rank, ranks.size, ranks.device) == (0, 1, CPU)
        assert current() is ranks
    assert current() is SINGLE_PROCESS
    assert not dist.is_initialized()


def test_a_distributed_run_refuses_other_devices(monkeypatch):
    for name, value in {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match="'mps'"), joined("mps"):
        pass
