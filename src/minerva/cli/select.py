"""``minerva select``: which features of a table carry information about a target."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from minerva.cli.columns import (
    column_names,
    require_disjoint,
    resolve,
    resolve_one,
    sides,
    split_categorical,
    take,
    whole,
)
from minerva.cli.files import WORK, writable_folder, write_results
from minerva.cli.options import AsJson, Categorical, Data, Device, Seed
from minerva.cli.processes import Processes, processes
from minerva.cli.progress import ProgressBar
from minerva.data import read_within
from minerva.data.budget import Budget, encoding_seconds, spell_bytes
from minerva.data.paths import check_exists
from minerva.errors import InputError
from minerva.results import Progress, Selection

_OF_ROWS = ("--group-column", "--time-column", "--weight-column")  # options of columns that say something of the rows


def select_command(
    data: Data,
    *,
    target: Annotated[list[str], typer.Option("--target", metavar="Y", help="What the features are about.")],
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="COL", help="Columns to take out first, such as identifiers."),
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option("--keep", metavar="COL", help="Features to select whatever they add.")
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", metavar="COL", help="Features to leave out, and list as left out."),
    ] = None,
    categorical: Categorical = None,
    n_features: Annotated[
        int | None, typer.Option("--n-features", metavar="K", help="Select this many; found by itself when not given.")
    ] = None,
    group_column: Annotated[
        str | None,
        typer.Option("--group-column", metavar="COL", help="Rows alike here, as of one customer, stay together."),
    ] = None,
    time_column: Annotated[
        str | None,
        typer.Option("--time-column", metavar="COL", help="When rows happened: early ones train, the latest judge."),
    ] = None,
    weight_column: Annotated[
        str | None, typer.Option("--weight-column", metavar="COL", help="How much each row counts.")
    ] = None,
    solver: Annotated[
        str, typer.Option("--solver", metavar="S", help="vetting, or paper for Algorithm 1 as published.")
    ] = "vetting",
    device: Device = "auto",
    seed: Seed = 0,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="T", help="Seconds after which the fit ends with what it has."),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option("--memory", metavar="M", help="Memory to keep within, such as 4GB; else half of what is free."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="DIR", help="Folder for encoded rows and unfinished work; else in --out."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where the same command was stopped or killed.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for selection.json and report.html.")
    ] = None,
    as_json: AsJson = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the names of the selected features alone.")
    ] = False,
) -> None:
    """Find the features that carry information about the target, together, and say why.

    Options that name columns can be repeated, or take several names with commas between them.
    """
    check_exists(data)
    typed = {"--target": target, "--ignore": ignore, "--keep": keep, "--drop": drop, "--categorical": categorical}
    of_rows = {"--group-column": group_column, "--time-column": time_column, "--weight-column": weight_column}
    with processes(device) as ranks:
        folder = writable_folder(out) if out is not None else None
        workplace = _workplace(cache, folder, resume)
        options: dict[str, Any] = {
            "n_features_to_select": n_features,
            "solver": solver,
            "device": device,
            "time_limit": time_limit,
            "random_state": seed,
            "memory": memory,
            "cache": workplace,
            "resume": resume,
        }
        with ProgressBar(quiet=quiet or not ranks.leads) as progress:
            progress(Progress("read", 0.0))
            table = read_within(data, Budget.of(memory), workplace)
            named = _resolve_all(typed, of_rows, column_names(table))
            if hasattr(table, "blocks") and ranks.leads and not quiet:
                _announce(table, Budget.of(memory), workplace)
            selection = _fit(table, named, options, progress, ranks)
        written = write_results(selection, folder) if folder is not None and ranks.leads else ()
        ranks.barrier()
        if workplace is not None and workplace != cache and ranks.leads:
            shutil.rmtree(workplace, ignore_errors=True)
    if ranks.leads:
        _print(selection, written, as_json=as_json, quiet=quiet)


def _fit(
    table: Any, named: dict[str, tuple[str, ...]], options: dict[str, Any], progress: ProgressBar, ranks: Processes
) -> Selection:
    """Fit the selector to the columns that the options name."""
    apart = [name for option in ("--ignore", *_OF_ROWS) for name in named[option]]
    X, y = sides(table, named["--target"], apart)
    categories, target_kind = split_categorical(named["--categorical"], named["--target"])
    from minerva.selectors import MinervaSelector

    selector = MinervaSelector(
        categorical=categories,
        target=target_kind,
        keep=named["--keep"],
        drop=named["--drop"],
        callbacks=(progress,),
        **options,
    )
    shared: dict[str, Any] = {"ranks": ranks} if ranks.size > 1 else {}
    return selector.fit(X, y, **_row_columns(table, named), **shared).selection_


def _resolve_all(
    typed: dict[str, list[str] | None], of_rows: dict[str, str | None], known: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Columns of every option; ``of_rows`` are those that say something of the rows, one column each."""
    named = {option: resolve(values, known, option) for option, values in typed.items()}
    named |= {option: resolve_one(value, known, option) for option, value in of_rows.items()}
    require_disjoint({option: named[option] for option in ("--target", "--ignore", "--keep", "--drop")})
    for option in ("--ignore", *of_rows):
        require_disjoint({other: named[other] for other in (option, "--categorical")})
    for option in of_rows:  # these may be named by --ignore and by one another: a day is a time, and a group of rows
        for other in ("--target", "--keep", "--drop"):
            require_disjoint({other: named[other], option: named[option]})
    return named


def _row_columns(table: Any, named: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """What the selector is told of the rows, as arguments of its ``fit``."""
    arguments = {"--group-column": "row_groups", "--time-column": "row_times"}
    columns = {argument: whole(take(table, named[option])) for option, argument in arguments.items() if named[option]}
    if named["--weight-column"]:
        columns["sample_weight"] = whole(take(table, named["--weight-column"])).column(0)
    return columns


def _workplace(cache: Path | None, out: Path | None, resume: bool) -> Path | None:
    """The folder that a killed run leaves its work in: the one that is named, or one beside the results."""
    if resume and cache is None and out is None:
        raise InputError("--resume needs to know where the work was left; give the --out or the --cache of that run.")
    return cache or (None if out is None else out / WORK)


def _announce(source: Any, budget: Budget, workplace: Path | None) -> None:
    """Say that a table is too large for the memory, what is done about it, and how long that takes."""
    size, where = spell_bytes(source.nbytes), "a temporary folder" if workplace is None else repr(str(workplace))
    minutes = encoding_seconds(source.n_rows, len(source.names)) / 60
    typer.echo(
        f"{source.n_rows:,} rows x {len(source.names):,} columns ({size}) do not fit in {spell_bytes(budget.n_bytes)}: "
        f"they are encoded into files in {where} first, in about {max(1, round(minutes))} min.",
        err=True,
    )


def _print(selection: Selection, written: tuple[Path, ...], *, as_json: bool, quiet: bool) -> None:
    from rich.console import Console

    from minerva.cli.render import selection_view
    from minerva.report.text import printable

    if as_json:
        typer.echo(selection.to_json())
    elif quiet:
        for name in selection.selected:
            typer.echo(printable(name))
    else:
        console = Console(highlight=False)
        console.print(selection_view(selection, console.width))
    if written and not quiet:
        typer.echo(f"Wrote {' and '.join(printable(str(path)) for path in written)}.", err=True)
