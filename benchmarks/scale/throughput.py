"""How many rows a second go through the training step, and how many the machine's memory and arithmetic would allow.

    python benchmarks/scale/throughput.py [--device cuda] [--rows 1000000] [--batches 2048 262144] [--json]

The step is the solver's own: the critic of all columns of card_fraud in the stage "learn", on rows that live on the
device. Two ceilings are printed beside it, from what this device was measured to do:

- bytes: every row of a batch read once as it is stored, with its target, weight and number, and the parameters as often
  as Adam must touch them, at the speed of a large copy;
- operations: the products of the critic forward and backward, at the speed of a large product in the same precision.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from minerva_select.data.frames import as_table, as_target
from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics, Fold
from minerva_select.mi.pair_tables import encoding_part
from minerva_select.mi.training import TrainingContext
from minerva_select.preprocessing import TableEncoder, find_kinds
from minerva_select.problems import card_fraud
from minerva_select.runtime.device import find_device
from minerva_select.selectors.cross_validation import as_rows, divide, informative_rows, make_folds
from minerva_select.selectors.row_metadata import read_origins
from minerva_select.solvers.candidate_search import add_pair_tables, screen_fold
from minerva_select.solvers.fit_config import FitConfig
from minerva_select.solvers.subsample import subsample_folds

BATCHES = (2_048, 8_192, 32_768, 131_072, 262_144)
SAMPLE_ROWS = 100_000  # for the encoders
BYTES_BESIDE = 8 + 8 + 4  # a row's number, target and weight
BYTES_A_PARAMETER = 40  # float32, read forward and backward; gradient written and read; value and two moments both ways
PRECISIONS = {"float32": torch.float32, "tf32": torch.float32, "bfloat16": torch.bfloat16}

Steps = Callable[[int], None]


@dataclass(frozen=True)
class Speeds:
    """What a device was measured to do in a second: bytes copied, and operations of products by precision."""

    bytes: float
    operations: dict[str, float]


def prepare(n_rows: int, n_columns: int, device: torch.device) -> tuple[Fold, FitConfig]:
    """A fold of card_fraud as the solver has it before it learns, its rows packed and on the device."""
    problem = card_fraud(n_rows, n_columns, rate=0.05)  # a plan for many informative rows, from few rows
    table, target = as_table(problem.X), as_target(problem.y, n_rows)
    encoder = TableEncoder(find_kinds(table)).fit(table, np.arange(min(n_rows, SAMPLE_ROWS)))
    x = as_rows(encoder.transform(table), torch.device("cpu")).pack().to(device)
    plan = FitConfig.for_rows(n_rows, informative_rows(target, "auto"))
    divisions = divide(target, "auto", plan, np.random.default_rng(0), read_origins(None, None, n_rows))
    folds = make_folds(x, target, "auto", np.ones(n_rows), None, divisions, device)
    folds = subsample_folds(folds, torch.Generator().manual_seed(0))[:1]
    return add_pair_tables(folds, [screen_fold(fold) for fold in folds], plan.n_pairs)[0], plan


def critics_of(fold: Fold, plan: FitConfig) -> CrossFitCritics:
    return CrossFitCritics([CriticTask(fold, list(range(fold.x.layout.n_features)))], plan.dropout, plan.width)


def trainer(fold: Fold, plan: FitConfig, batch_size: int) -> Steps:
    """Trains for so many steps and looks at the held-out bound once; the one place that knows how a step is made."""
    critics = critics_of(fold, plan)

    def train(n_steps: int) -> None:
        schedule = replace(plan.schedule, batch_size=batch_size, max_steps=n_steps, evaluate_every=n_steps)
        critics.fit(schedule, TrainingContext(torch.Generator().manual_seed(0)), stage="learn")

    return train


def seconds_a_step(train: Steps, device: torch.device, least: float = 0.3) -> float:
    """Seconds of a step: the difference between many and few of them, so that all that is done once falls out."""
    few, many = 5, 10
    _timed(train, few, device)  # the first loads libraries
    while _timed(train, many, device) < least and many < 4000:
        many *= 2
    spent = [min(_timed(train, n_steps, device) for _ in range(3)) for n_steps in (few, many)]
    return (spent[1] - spent[0]) / (many - few)


def bytes_of_step(critics: CrossFitCritics) -> tuple[float, float]:
    """Bytes that a step must move: for every row of its batch, and beside them."""
    a_row = critics.x.n_bytes / len(critics.x) + BYTES_BESIDE
    return a_row * critics.n_members, float(BYTES_A_PARAMETER * critics.ensemble.values.numel())


def operations_of_step(critics: CrossFitCritics) -> tuple[float, float]:
    """Operations of a step's products, forward and backward: for every row of its batch, and beside them."""
    small, large = (_count_operations(critics, n_rows) for n_rows in (256, 512))
    a_row = (large - small) / 256
    return a_row, small - 256 * a_row


def _count_operations(critics: CrossFitCritics, n_rows: int) -> float:
    rows = critics.tasks[0].fold.train[0][:n_rows].expand(critics.n_members, -1)
    counter = FlopCounterMode(display=False)
    with counter:
        scores = critics.critic(critics.x.take(rows), critics.atom_rows, critics.masks, encoding_part(rows))
        scores.sum().backward()
    return float(counter.get_total_flops())


def measure_speeds(device: torch.device) -> Speeds:
    """The device's speed at a large copy, and at large products in the precisions that it has."""
    size = 2**30 if device.type == "cuda" else 2**27
    source = torch.zeros(size, dtype=torch.uint8, device=device)
    sink = torch.empty_like(source)
    copied = 2 * size / _best(lambda: sink.copy_(source), device)
    names = PRECISIONS if device.type == "cuda" else ["float32"]
    return Speeds(copied, {name: _product_speed(name, device) for name in names})


def _product_speed(precision: str, device: torch.device) -> float:
    size = 8192 if device.type == "cuda" else 1024
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    try:
        one = torch.randn(size, size, device=device).to(PRECISIONS[precision])
        return 2 * size**3 / _best(lambda: one @ one, device)
    finally:
        torch.set_float32_matmul_precision(before)


def _best(work: Callable[[], Any], device: torch.device, n_calls: int = 10) -> float:
    """Seconds of one of many calls in a row, the best of three times."""

    def several(n_times: int) -> None:
        for _ in range(n_times):
            work()

    several(2)
    return min(_timed(several, n_calls, device) for _ in range(3)) / n_calls


def _timed(work: Steps, n_times: int, device: torch.device) -> float:
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    wait()
    start = time.perf_counter()
    work(n_times)
    wait()
    return time.perf_counter() - start


def measure(fold: Fold, plan: FitConfig, batches: Sequence[int], precision: str) -> dict[str, Any]:
    """Rows a second at every size of batch, with both ceilings."""
    device, critics, n_train = fold.x.device, critics_of(fold, plan), len(fold.train[0])
    speeds = measure_speeds(device)
    bytes_row, bytes_fixed = bytes_of_step(critics)
    operations_row, operations_fixed = operations_of_step(critics)
    lines = []
    for n_rows in [size for size in batches if size <= n_train]:
        seconds = seconds_a_step(trainer(fold, plan, n_rows), device)
        by_bytes = n_rows * speeds.bytes / (n_rows * bytes_row + bytes_fixed)
        by_operations = n_rows * speeds.operations[precision] / (n_rows * operations_row + operations_fixed)
        rate = n_rows / seconds
        lines.append({
            "batch": n_rows,
            "seconds_a_step": seconds,
            "rows_per_second": rate,
            "ceiling_by_bytes": by_bytes,
            "ceiling_by_operations": by_operations,
            "share_of_ceiling": rate / min(by_bytes, by_operations),
        })  # fmt: skip
    return {
        "lines": lines,
        "best_rows_per_second": max(line["rows_per_second"] for line in lines),
        "precision": precision,
        "bytes_per_second": speeds.bytes,
        "operations_per_second": speeds.operations,
        "bytes_a_row": bytes_row,
        "operations_a_row": operations_row,
        "n_parameters": critics.ensemble.values.numel(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--rows", type=int, default=600_000)
    parser.add_argument("--columns", type=int, default=214)
    parser.add_argument("--batches", type=int, nargs="+", default=BATCHES)
    parser.add_argument("--precision", choices=PRECISIONS, default="tf32", help="in which the step multiplies")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    options = parser.parse_args()
    device = find_device(options.device)
    fold, plan = prepare(options.rows, options.columns, device)
    found = measure(fold, plan, options.batches, options.precision)
    figures = {"n_rows": options.rows, "n_columns": options.columns, "device": str(device), **found}
    print(json.dumps(figures, indent=None if options.json else 1))


if __name__ == "__main__":
    main()
