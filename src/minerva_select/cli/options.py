"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from minerva_select.checks import check_choice, check_integer, is_finite
from minerva_select.cli import completion
from minerva_select.codes import Estimator
from minerva_select.errors import InputError, brief

METHOD_NAMES = (
    *("minerva", "minerva-paper", "ksg", "hsic-lasso", "boruta", "rfe", "forest", "foci", "mrmr", "lasso"),
    "boosting",
)
"""Keys of :data:`minerva_select.evaluation.METHODS`, which takes 0.2 s to import."""

SQL_DIALECTS = ("standard", "mysql", "sqlserver")
SOLVERS = ("vetting", "paper")
DEVICES = ("auto", "cpu", "cuda", "mps", "xpu")
MAX_JOBS = 1024


def integer_option(name: str, minimum: int = 1, maximum: float = float("inf"), **rest: Any) -> Any:
    """Option that takes an integer within limits."""

    def check(value: int | None) -> int | None:
        return None if value is None else check_integer(name, value, minimum, maximum)

    return typer.Option(name, callback=check, **rest)


def share_option(name: str, **rest: Any) -> Any:
    """Option that takes a number between 0 and 1."""

    def check(value: float | None) -> float | None:
        if value is not None and not 0 < value < 1:
            raise InputError(f"{name} must be between 0 and 1, got {value:g}.")
        return value

    return typer.Option(name, metavar="SHARE", callback=check, **rest)


def seconds_option(name: str, **rest: Any) -> Any:
    """Option that takes a positive number of seconds."""

    def check(value: float | None) -> float | None:
        if value is not None and not (is_finite(value) and value > 0):
            raise InputError(f"{name} must be a number of seconds above 0, got {value:g}.")
        return value

    return typer.Option(name, metavar="T", callback=check, **rest)


def choice_option(name: str, choices: tuple[str, ...], **rest: Any) -> Any:
    """Option that takes one of a few words."""

    def check(value: str) -> str:
        check_choice(name, value, choices)
        return value

    return typer.Option(name, callback=check, autocompletion=completion.one_of(*choices), **rest)


def device_option(name: str, **rest: Any) -> Any:
    """Option that takes a device; whether this machine has it is known only when torch is loaded."""

    def check(value: str) -> str:
        kind, colon, index = value.partition(":")
        if kind not in DEVICES or (colon and not (kind in ("cuda", "xpu") and index.isdecimal())):
            raise InputError(f"{name} must be one of {', '.join(DEVICES)}, or such as cuda:1, got {brief(value)}.")
        return value

    return typer.Option(name, callback=check, autocompletion=completion.one_of(*DEVICES), **rest)


def memory_option(name: str, **rest: Any) -> Any:
    """Option that takes an amount of memory."""

    def check(value: str | None) -> str | None:
        if value is not None:
            from minerva_select.data.memory_budget import parse_memory

            parse_memory(value, name)
        return value

    return typer.Option(name, callback=check, **rest)


def methods_option(name: str, **rest: Any) -> Any:
    """Option that takes a comma-separated list of methods."""

    def check(value: str | None) -> str | None:
        methods = split_list(value)
        for method in methods or ():
            check_choice(f"method (in {name})", method, METHOD_NAMES)
        if methods == []:
            raise InputError(f"{name} {value!r} names no method; name at least one.")
        return value

    return typer.Option(name, callback=check, autocompletion=completion.several_of(*METHOD_NAMES), **rest)


def split_list(value: str | None) -> list[str] | None:
    """Split a comma-separated list; None stays None."""
    return None if value is None else [part.strip() for part in value.split(",") if part.strip()]


def columns_option(name: str, metavar: str = "COL", *, alias: str = "", one: bool = False, **rest: Any) -> Any:
    """Option that takes columns of the table, or one of them."""
    complete: Callable[..., list[str]] = completion.one_column if one else completion.columns
    return typer.Option(name, *filter(None, [alias]), metavar=metavar, autocompletion=complete, **rest)


Data = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV, Parquet or Feather file, or a folder or glob of Parquet files.")
]
Target = Annotated[str, columns_option("--target", "Y", one=True, help="Target column.")]
Targets = Annotated[
    list[str], columns_option("--target", "Y", help="Target column; several columns form one joint target.")
]
Ignore = Annotated[
    list[str] | None, columns_option("--ignore", help="Columns to remove before the fit, such as identifiers.")
]
Keep = Annotated[list[str] | None, columns_option("--keep", help="Features that are always selected.")]
Drop = Annotated[list[str] | None, columns_option("--drop", help="Features that are never selected.")]
Categorical = Annotated[
    list[str] | None,
    columns_option("--categorical", help="Columns to read as categories. The types of all others are detected."),
]
Numeric = Annotated[
    list[str] | None,
    columns_option("--numeric", help="Columns to read as numbers, also text such as $1,200 or 12,5."),
]
Date = Annotated[
    list[str] | None,
    columns_option("--date", "COL[=FORMAT]", help="Columns of text to read as dates, such as day=%d/%m/%Y."),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="COMPARISON",
        help="Rows to use, such as \"amount > 0 and country = 'NL'\".",
    ),
]
DropMissingTarget = Annotated[
    bool, typer.Option("--drop-missing-target", help="Leave out rows without a value of the target.")
]
Sample = Annotated[
    int | None, integer_option("--sample", metavar="N", help="Number of rows to draw at random. Default: all.")
]
GroupColumn = Annotated[
    str | None,
    columns_option("--group-column", one=True, help="Rows with the same value, such as a customer, stay in one split."),
]
TimeColumn = Annotated[
    str | None,
    columns_option("--time-column", one=True, help="Time of each row: early rows train, the latest are held out."),
]
WeightColumn = Annotated[str | None, columns_option("--weight-column", one=True, help="Weight of each row.")]

FeatureCount = Annotated[
    int | None,
    integer_option("--n-features", metavar="K", help="Number of features to select. Default: found by the fit."),
]
ProvenOnly = Annotated[
    bool,
    typer.Option("--proven-only", help="Keep only features whose own contribution is proven, no supporting ones."),
]
Solver = Annotated[
    str, choice_option("--solver", SOLVERS, metavar="S", help="vetting, or paper for Algorithm 1 as published.")
]
EstimatorName = Annotated[
    str,
    choice_option("--estimator", tuple(Estimator), metavar="E", help="auto, or a baseline: ksg, cca, infonce or mine."),
]
Device = Annotated[str, device_option("--device", metavar="D", help="Device to compute on: auto, cpu, cuda or cuda:1.")]
Seed = Annotated[
    int,
    integer_option("--seed", 0, 2**32 - 1, metavar="S", help="Random seed; the same seed gives the same result."),
]
TimeLimit = Annotated[
    float | None,
    seconds_option("--time-limit", help="Seconds after which the fit ends with the best selection so far."),
]
Memory = Annotated[
    str | None,
    memory_option("--memory", metavar="M", help="Memory limit, such as 4GB. Default: half of the free memory."),
]
Cache = Annotated[
    Path | None,
    typer.Option("--cache", metavar="DIR", help="Folder for encoded rows and checkpoints. Default: inside --out."),
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue an interrupted run of the same command.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder for selection.json and report.html.")]
RepeatCount = Annotated[
    int | None,
    integer_option(
        "--repeats", metavar="N", help="Repeat the fit N times and report how often each feature is selected."
    ),
]
Subsample = Annotated[float | None, share_option("--subsample", help="Share of the rows per repeat. Default: all.")]
Jobs = Annotated[
    int, integer_option("--jobs", 1, MAX_JOBS, metavar="J", help="Number of repeats that run in parallel.")
]

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else, to standard output.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print the table of features as CSV, and nothing else.")]
Sql = Annotated[
    str | None,
    typer.Option("--sql", metavar="TABLE", help="Print a SELECT of the kept features of this table, and nothing else."),
]
SqlDialect = Annotated[
    str,
    choice_option(
        "--sql-dialect", SQL_DIALECTS, metavar="D", help="How --sql quotes names: standard, mysql, sqlserver."
    ),
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print log lines to standard error.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result, without progress and notes.")]
QuietNames = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the names of the selected features.")]
