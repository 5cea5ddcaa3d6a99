"""Arguments and options of the commands: how each is written, what it says of itself, and how a shell completes it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from minerva_select.cli import completion
from minerva_select.errors import InputError

METHOD_NAMES = (
    *("minerva", "minerva-paper", "ksg", "hsic-lasso", "boruta", "rfe", "forest", "foci", "mrmr", "lasso"),
    "boosting",
)
"""Of :data:`minerva_select.evaluation.METHODS`, which takes a fifth of a second to load."""

_LARGEST_SEED = 2**32 - 1


def _check_seed(seed: int) -> int:
    if not 0 <= seed <= _LARGEST_SEED:
        raise InputError(f"--seed must be a whole number from 0 to {_LARGEST_SEED}; it is {seed}.")
    return seed


Data = Annotated[
    str, typer.Argument(metavar="DATA", help="A CSV, Parquet or Feather file, or a folder or glob of Parquet files.")
]

# Columns: several of a table, or one

Target = Annotated[
    str,
    typer.Option(
        "--target", metavar="Y", autocompletion=completion.one_column, help="What the features are about: one column."
    ),
]
Targets = Annotated[
    list[str],
    typer.Option("--target", metavar="Y", autocompletion=completion.columns, help="What the features are about."),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="COL",
        autocompletion=completion.columns,
        help="Columns to take out first, such as identifiers.",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep", metavar="COL", autocompletion=completion.columns, help="Features to select whatever they add."
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="COL",
        autocompletion=completion.columns,
        help="Features to leave out, and list as left out.",
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical",
        metavar="COL",
        autocompletion=completion.columns,
        help="Columns of numbers that are categories; the others are then amounts. Without it, found.",
    ),
]
GroupColumn = Annotated[
    str | None,
    typer.Option(
        "--group-column",
        metavar="COL",
        autocompletion=completion.one_column,
        help="Rows alike here, as of one customer, stay together.",
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        "--time-column",
        metavar="COL",
        autocompletion=completion.one_column,
        help="When rows happened: early ones train, the latest judge.",
    ),
]
WeightColumn = Annotated[
    str | None,
    typer.Option(
        "--weight-column", metavar="COL", autocompletion=completion.one_column, help="How much each row counts."
    ),
]

# The fit

FeatureCount = Annotated[
    int | None, typer.Option("--n-features", metavar="K", help="Select this many; found by itself when not given.")
]
Solver = Annotated[
    str,
    typer.Option(
        "--solver",
        metavar="S",
        autocompletion=completion.one_of("vetting", "paper"),
        help="vetting, or paper for Algorithm 1 as published.",
    ),
]
Device = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="D",
        autocompletion=completion.one_of("auto", "cpu", "cuda", "mps"),
        help="Where to compute: auto, cpu, cuda or cuda:1.",
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", metavar="S", callback=_check_seed, help="Same seed, same data, same answer.")
]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="T", help="Seconds after which the fit ends with what it has."),
]
Memory = Annotated[
    str | None,
    typer.Option("--memory", metavar="M", help="Memory to keep within, such as 4GB; else half of what is free."),
]
Cache = Annotated[
    Path | None,
    typer.Option("--cache", metavar="DIR", help="Folder for encoded rows and unfinished work; else in --out."),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on where the same command was stopped or killed.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder for selection.json and report.html.")]
RepeatCount = Annotated[
    int | None,
    typer.Option(
        "--repeats", metavar="N", help="Fit N times more, with other seeds, and say how often each feature is selected."
    ),
]
Subsample = Annotated[
    float | None,
    typer.Option("--subsample", metavar="SHARE", help="Share of the rows that each repeat draws; without it all rows."),
]
Jobs = Annotated[int, typer.Option("--jobs", metavar="J", help="Repeats at a time, each in a process of its own.")]

# What is told

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else, on standard output.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Log what is done, line by line, on standard error.")]

Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print the answer alone: no progress, and no notes of what was written.")
]
QuietNames = Annotated[bool, typer.Option("--quiet", "-q", help="Print the names of the selected features alone.")]
