"""Extrapolate to a billion rows on eight GPUs from the measurements of three million rows on one."""

from collections.abc import Mapping
from typing import Any

N_ROWS, N_COLUMNS, N_GPUS = 1_000_000_000, 214, 8
HOST_BYTES_PER_ROW = 44  # target and weight, as passed and as used, row index, and index among the training rows


def extrapolate(records: Mapping[str, Any]) -> str:
    """Return the table; an empty string if a required measurement is missing."""
    from minerva_select.solvers.screen import SCREEN_CELLS  # imports torch

    required = [records.get(name) for name in ("fraud-gpu", "throughput")]
    if any(record is None or record["error"] for record in required):
        return ""
    fit, step = (record["figures"] for record in required)
    stages, growth = fit["stages"], N_ROWS / fit["n_rows"]
    sampling = stages["encode"][0] - stages["read"][1]
    splitting = stages["screen"][0] - stages["encode"][1]
    training = fit["after_loading_seconds"] - splitting
    cells_per_second = fit["n_rows"] * fit["n_columns"] / fit["encode_seconds"]
    bytes_per_row = fit["cache_bytes"] / fit["n_rows"]
    speed = step["operations_per_second"]["bfloat16"]
    times = {
        "read rows for the sample, one shard per process": (
            f"{sampling:.1f} s x {growth:.0f} / {N_GPUS}",
            sampling * growth / N_GPUS,
        ),
        "encode, one shard per process": (
            f"{N_ROWS:.0e} x {N_COLUMNS} cells / ({cells_per_second:.2g} per second x {N_GPUS})",
            N_ROWS * N_COLUMNS / (cells_per_second * N_GPUS),
        ),
        "split all rows, in every process, at most": (f"{splitting:.1f} s x {growth:.0f}", splitting * growth),
        "count all pairs, at most": (
            f"{SCREEN_CELLS['cuda']:.0e} operations / ({speed:.2g} per second x {N_GPUS})",
            SCREEN_CELLS["cuda"] / (speed * N_GPUS),
        ),
        "train and vet, with the same number of steps and rows": ("unchanged", training),
    }
    lines = [f"| {stage} | {formula} | {format_time(seconds)} |" for stage, (formula, seconds) in times.items()]
    total = format_time(sum(seconds for _, seconds in times.values()))
    table = "\n".join(["| stage | calculation | time |", "| --- | --- | --- |", *lines, f"| total |  | {total} |"])
    gigabytes = bytes_per_row * N_ROWS / 1e9
    return (
        f"{table}\n\nOn disk: {bytes_per_row:.0f} bytes per row, {gigabytes:,.0f} GB; {gigabytes / N_GPUS:,.0f} GB on "
        f"each GPU. In addition every process holds about {HOST_BYTES_PER_ROW} bytes for each of all rows: "
        f"{HOST_BYTES_PER_ROW * N_ROWS / 1e9:.0f} GB."
    )


def format_time(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.1f} s"
