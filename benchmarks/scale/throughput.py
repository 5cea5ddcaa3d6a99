"""Measure the throughput of the training step in rows per second, and compare it with the limits of the device.

    python benchmarks/scale/throughput.py [--device cuda] [--rows 1000000] [--batches 2048 262144] [--json]

The step is that of the solver: the critic of all columns of card_fraud in the stage "learn", with rows on the device.
Steps are timed in blocks, on a GPU between CUDA events. A figure is the median of the blocks; where their quartiles are
more than 10% of the median apart, no figure is given.
Two limits (a roofline) are computed from the measured speed of the device:

- memory: the time to read every row of a batch once as it is stored, with its target, weight and index, and to read and
  write the parameters as often as Adam must, at the speed of a large copy;
- compute: the time of the matrix products of the critic, forward and backward, at the speed of a large product in the
  same precision.
"""

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from minerva_select.config import FitConfig
from minerva_select.data.frames import as_table, as_target
from minerva_select.mi.critic_training import make_batch_loss
from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics
from minerva_select.mi.fold import Fold
from minerva_select.mi.pair_tables import encoding_part
from minerva_select.mi.sampling import make_sampler
from minerva_select.mi.training_state import TrainingState
from minerva_select.preprocessing.column_types import infer_column_types, infer_target_types
from minerva_select.preprocessing.table_encoder import TableEncoder
from minerva_select.problems import card_fraud
from minerva_select.runtime.device import find_device
from minerva_select.runtime.distributed import SINGLE_PROCESS
from minerva_select.selectors.fold_splits import as_rows, informative_rows, make_folds, split_into_folds
from minerva_select.selectors.row_metadata import read_row_metadata
from minerva_select.solvers.screen import add_pair_tables, screen_fold
from minerva_select.solvers.subsample import subsample_folds

BATCHES = (2_048, 8_192, 32_768, 131_072, 262_144)
SAMPLE_ROWS = 100_000  # for the encoders
EXTRA_BYTES_PER_ROW = 8 + 8 + 4  # index, target and weight
BYTES_PER_PARAMETER = 40  # float32: 2 reads, 1 write and 1 read of the gradient, 3 reads and 3 writes by Adam
PRECISIONS = {"float32": torch.float32, "tf32": torch.float32, "bfloat16": torch.bfloat16}

N_WARM_UP = 10
N_BLOCKS = 9
BLOCK_SECONDS = 0.2
MAX_SPREAD = 0.1


@dataclass(frozen=True)
class Timing:
    """Median of repeated measurements, and the distance of their quartiles relative to it."""

    median: float
    spread: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Timing":
        low, median, high = statistics.quantiles(seconds, n=4, method="inclusive")
        return cls(median, (high - low) / median)

    @property
    def is_reliable(self) -> bool:
        return self.spread <= MAX_SPREAD


@dataclass(frozen=True)
class Speeds:
    """Measured speed of a device per second: bytes copied, and operations of matrix products by precision."""

    bytes: float
    operations: dict[str, float]


def prepare(n_rows: int, n_columns: int, device: torch.device) -> tuple[Fold, FitConfig]:
    """Prepare a fold of card_fraud as before the first training step, with packed rows on the device."""
    problem = card_fraud(n_rows, n_columns, rate=0.05)  # many informative rows in a small table
    table, target = as_table(problem.X), as_target(problem.y, n_rows)
    encoder = TableEncoder(infer_column_types(table)).fit(table, np.arange(min(n_rows, SAMPLE_ROWS)))
    x = as_rows(encoder.transform(table), torch.device("cpu")).pack().to(device)
    target_types = infer_target_types(target)
    config = FitConfig.for_rows(n_rows, informative_rows(target, target_types))
    splits = split_into_folds(
        target, target_types, config, np.random.default_rng(0), read_row_metadata(None, None, n_rows)
    )
    folds = make_folds(x, target, target_types, np.ones(n_rows), None, splits, device)
    folds = subsample_folds(folds, torch.Generator().manual_seed(0))[:1]
    return add_pair_tables(folds, [screen_fold(fold) for fold in folds], config.n_pairs)[0], config


def build_critics(fold: Fold, config: FitConfig) -> CrossFitCritics:
    return CrossFitCritics([CriticTask(fold, list(range(fold.x.layout.n_features)))], config.dropout, config.width)


def make_step(critics: CrossFitCritics, config: FitConfig, batch_size: int) -> Callable[[], Any]:
    """Return the training step of the solver, with a batch drawn anew each time."""
    schedule = replace(config.schedule, batch_size=batch_size)
    train = [rows for task in critics.tasks for rows in task.fold.train]
    sampler = make_sampler(
        train,
        critics.bins,
        critics.row_weights,
        critics.log_prior,
        is_discrete=critics.is_discrete,
        n_draws=batch_size * schedule.max_steps,
    )
    batch_loss = make_batch_loss(critics, sampler, batch_size, torch.Generator().manual_seed(0))
    return TrainingState(critics.ensemble, batch_loss, schedule, SINGLE_PROCESS, {}).take_step


def time_calls(work: Callable[[], Any], device: torch.device) -> Timing:
    """Time a call in blocks of many, after a warm-up that includes the capture of a CUDA graph."""
    for _ in range(N_WARM_UP):
        work()
    n_calls = max(1, math.ceil(BLOCK_SECONDS / _time(work, N_WARM_UP, device)))
    return Timing.of([_time(work, n_calls, device) for _ in range(N_BLOCKS)])


def _time(work: Callable[[], Any], n_calls: int, device: torch.device) -> float:
    """Seconds per call."""
    if device.type != "cuda":
        start = time.perf_counter()
        for _ in range(n_calls):
            work()
        return (time.perf_counter() - start) / n_calls
    torch.cuda.synchronize()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(n_calls):
        work()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1000 / n_calls


def bytes_of_step(critics: CrossFitCritics) -> tuple[float, float]:
    """Bytes that a step must move, per row of its batch and fixed."""
    per_row = critics.x.n_bytes / len(critics.x) + EXTRA_BYTES_PER_ROW
    return per_row * critics.n_members, float(BYTES_PER_PARAMETER * critics.ensemble.values.numel())


def operations_of_step(critics: CrossFitCritics) -> tuple[float, float]:
    """Operations of the matrix products of a step, per row of its batch and fixed."""
    small, large = (_count_operations(critics, n_rows) for n_rows in (256, 512))
    per_row = (large - small) / 256
    return per_row, small - 256 * per_row


def _count_operations(critics: CrossFitCritics, n_rows: int) -> float:
    rows = critics.tasks[0].fold.train[0][:n_rows].expand(critics.n_members, -1)
    counter = FlopCounterMode(display=False)
    with counter:
        scores = critics.critic(critics.x.take(rows), critics.bin_rows, critics.masks, encoding_part(rows))
        scores.sum().backward()
    return float(counter.get_total_flops())


def measure_speeds(device: torch.device) -> Speeds:
    """Measure the speed of a large copy, and of large matrix products in every precision of the device."""
    size = 2**30 if device.type == "cuda" else 2**27
    source = torch.zeros(size, dtype=torch.uint8, device=device)
    sink = torch.empty_like(source)
    copied = 2 * size / time_calls(lambda: sink.copy_(source), device).median
    names = PRECISIONS if device.type == "cuda" else ["float32"]
    return Speeds(copied, {name: _product_speed(name, device) for name in names})


def _product_speed(precision: str, device: torch.device) -> float:
    size = 8192 if device.type == "cuda" else 1024
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    try:
        one = torch.randn(size, size, device=device).to(PRECISIONS[precision])
        return 2 * size**3 / time_calls(lambda: one @ one, device).median
    finally:
        torch.set_float32_matmul_precision(before)


def measure(fold: Fold, config: FitConfig, batch_sizes: Sequence[int], precision: str) -> dict[str, Any]:
    """Measure rows per second for every batch size, with both limits."""
    device, critics, n_train = fold.x.device, build_critics(fold, config), len(fold.train[0])
    speeds = measure_speeds(device)
    bytes_row, bytes_fixed = bytes_of_step(critics)
    operations_row, operations_fixed = operations_of_step(critics)
    lines = []
    for n_rows in [size for size in batch_sizes if size <= n_train]:
        timing = time_calls(make_step(build_critics(fold, config), config, n_rows), device)
        memory_limit = n_rows * speeds.bytes / (n_rows * bytes_row + bytes_fixed)
        compute_limit = n_rows * speeds.operations[precision] / (n_rows * operations_row + operations_fixed)
        rate = n_rows / timing.median if timing.is_reliable else None
        lines.append({
            "batch_size": n_rows,
            "seconds_per_step": timing.median if timing.is_reliable else None,
            "spread": timing.spread,
            "rows_per_second": rate,
            "memory_limit": memory_limit,
            "compute_limit": compute_limit,
            "share_of_limit": None if rate is None else rate / min(memory_limit, compute_limit),
        })  # fmt: skip
    rates = [line["rows_per_second"] for line in lines if line["rows_per_second"] is not None]
    return {
        "lines": lines,
        "best_rows_per_second": max(rates, default=0.0),
        "precision": precision,
        "bytes_per_second": speeds.bytes,
        "operations_per_second": speeds.operations,
        "bytes_per_row": bytes_row,
        "operations_per_row": operations_row,
        "n_parameters": critics.ensemble.values.numel(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--rows", type=int, default=600_000)
    parser.add_argument("--columns", type=int, default=214)
    parser.add_argument("--batches", type=int, nargs="+", default=BATCHES)
    parser.add_argument("--precision", choices=PRECISIONS, default="tf32", help="of the matrix products of the step")
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    options = parser.parse_args()
    device = find_device(options.device)
    fold, config = prepare(options.rows, options.columns, device)
    measured = measure(fold, config, options.batches, options.precision)
    figures = {"n_rows": options.rows, "n_columns": options.columns, "device": str(device), **measured}
    print(json.dumps(figures, indent=None if options.json else 1))


if __name__ == "__main__":
    main()
