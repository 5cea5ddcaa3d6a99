"""What a billion rows on eight GPUs would take, from what was measured at three million on one."""

from collections.abc import Mapping
from typing import Any

N_ROWS, N_COLUMNS, N_GPUS = 1_000_000_000, 214, 8
BYTES_BESIDE = 44  # a row: its target and its weight as given and as used, its number, and that among training rows


def calculation(measured: Mapping[str, Any]) -> str:
    """The table of the calculation; nothing where a figure that it needs was not measured."""
    from minerva_select.solvers.candidate_search import SCREEN_CELLS  # loads torch

    records = [measured.get(name) for name in ("fraud-gpu", "throughput")]
    if any(record is None or record["error"] for record in records):
        return ""
    fit, step = (record["figures"] for record in records)
    stages, growth = fit["stages"], N_ROWS / fit["n_rows"]
    sampling = stages["encode"][0] - stages["read"][1]
    dividing = stages["screen"][0] - stages["encode"][1]
    training = fit["after_loading_seconds"] - dividing
    cells = fit["n_rows"] * fit["n_columns"] / fit["encode_seconds"]
    a_row = fit["cache_bytes"] / fit["n_rows"]
    speed = step["operations_per_second"]["bfloat16"]
    times = {
        "reading for the sample, a part each": (
            f"{sampling:.1f} s x {growth:.0f} / {N_GPUS}",
            sampling * growth / N_GPUS,
        ),
        "encoding, a part each": (
            f"{N_ROWS:.0e} x {N_COLUMNS} cells / ({cells:.2g} a second x {N_GPUS})",
            N_ROWS * N_COLUMNS / (cells * N_GPUS),
        ),
        "dividing the rows, every process for itself, at most": (f"{dividing:.1f} s x {growth:.0f}", dividing * growth),
        "counting all pairs, at most": (
            f"{SCREEN_CELLS['cuda']:.0e} operations / ({speed:.2g} a second x {N_GPUS})",
            SCREEN_CELLS["cuda"] / (speed * N_GPUS),
        ),
        "training and vetting: as many steps and rows as before": ("the same", training),
    }
    lines = [f"| {what} | {how} | {spell(spent)} |" for what, (how, spent) in times.items()]
    total = spell(sum(spent for _, spent in times.values()))
    whole = "\n".join(["| what | how | takes |", "| --- | --- | --- |", *lines, f"| in all |  | {total} |"])
    n_bytes = a_row * N_ROWS / 1e9
    return (
        f"{whole}\n\nOn the disk: {a_row:.0f} bytes a row, {n_bytes:,.0f} GB; {n_bytes / N_GPUS:,.0f} GB on each GPU. "
        f"Beside them every process holds about {BYTES_BESIDE} bytes for each of all rows: "
        f"{BYTES_BESIDE * N_ROWS / 1e9:.0f} GB."
    )


def spell(spent: float) -> str:
    return f"{spent / 60:.0f} min" if spent >= 120 else f"{spent:.1f} s"
