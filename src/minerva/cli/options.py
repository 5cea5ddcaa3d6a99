"""Arguments and options that several commands share, described once."""

from __future__ import annotations

from typing import Annotated

import typer

from minerva.errors import InputError

_LARGEST_SEED = 2**32 - 1


def _check_seed(seed: int) -> int:
    if not 0 <= seed <= _LARGEST_SEED:
        raise InputError(f"--seed must be a whole number from 0 to {_LARGEST_SEED}; it is {seed}.")
    return seed


Data = Annotated[
    str, typer.Argument(metavar="DATA", help="A CSV, Parquet or Feather file, or a folder or glob of Parquet files.")
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical",
        metavar="COL",
        help="Columns of numbers that are categories; the others are then amounts. Without it, found.",
    ),
]
Device = Annotated[str, typer.Option("--device", metavar="D", help="Where to compute: auto, cpu, cuda or cuda:1.")]
Seed = Annotated[
    int, typer.Option("--seed", metavar="S", callback=_check_seed, help="Same seed, same data, same answer.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else, on standard output.")]
