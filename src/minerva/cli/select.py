"""``minerva select``: which features of a table carry information about a target."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from minerva.cli.columns import require_disjoint, resolve, sides, split_categorical
from minerva.cli.files import writable_folder, write_results
from minerva.cli.options import AsJson, Categorical, Data, Device, Seed
from minerva.results import Progress, Selection


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
    solver: Annotated[
        str, typer.Option("--solver", metavar="S", help="vetting, or paper for Algorithm 1 as published.")
    ] = "vetting",
    device: Device = "auto",
    seed: Seed = 0,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="T", help="Seconds after which the fit ends with what it has."),
    ] = None,
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
    from minerva.cli.progress import ProgressBar

    with ProgressBar(quiet=quiet) as progress:
        progress(Progress("read", 0.0))
        from minerva.data import read_table

        table = read_table(data)
        typed = {"--target": target, "--ignore": ignore, "--keep": keep, "--drop": drop, "--categorical": categorical}
        named = _resolve_all(typed, table.column_names)
        X, y = sides(table, named["--target"], named["--ignore"])
        categories, target_kind = split_categorical(named["--categorical"], named["--target"])
        folder = writable_folder(out) if out is not None else None
        from minerva.selectors import MinervaSelector

        selector = MinervaSelector(
            n_features_to_select=n_features,
            categorical=categories,
            target=target_kind,
            keep=named["--keep"],
            drop=named["--drop"],
            solver=solver,
            device=device,
            time_limit=time_limit,
            random_state=seed,
            callbacks=(progress,),
        )
        selection = selector.fit(X, y).selection_
    written = write_results(selection, folder) if folder is not None else ()
    _print(selection, written, as_json=as_json, quiet=quiet)


def _resolve_all(typed: dict[str, list[str] | None], known: Sequence[str]) -> dict[str, tuple[str, ...]]:
    named = {option: resolve(values, known, option) for option, values in typed.items()}
    require_disjoint({option: named[option] for option in ("--target", "--ignore", "--keep", "--drop")})
    require_disjoint({option: named[option] for option in ("--ignore", "--categorical")})
    return named


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
