"""``minerva compare``: MINERVA and the other methods side by side on one table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minerva_select.cli import completion
from minerva_select.cli.columns import require_disjoint, resolve, sides, split_categorical
from minerva_select.cli.options import (
    METHOD_NAMES,
    AsJson,
    Categorical,
    Data,
    Device,
    Ignore,
    Quiet,
    Seed,
    Target,
    Verbose,
)
from minerva_select.cli.output_files import writable_folder, write_text
from minerva_select.cli.verbosity import log_to_stderr, logger
from minerva_select.results import Progress

if TYPE_CHECKING:
    from minerva_select.evaluation import Comparison

COMPARISON, PAGE = "comparison.json", "comparison.md"


def compare_command(
    data: Data,
    *,
    target: Target,
    ignore: Ignore = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            metavar="A,B",
            autocompletion=completion.several_of(*METHOD_NAMES),
            help=f"Of {', '.join(METHOD_NAMES)}; without it all but minerva-paper.",
        ),
    ] = None,
    n_features: Annotated[
        int | None, typer.Option("--n-features", metavar="K", help="Every method keeps this many; else each decides.")
    ] = None,
    splits: Annotated[int, typer.Option("--splits", metavar="N", help="How often the rows are divided anew.")] = 1,
    held_out: Annotated[
        float, typer.Option("--held-out", metavar="SHARE", help="Share of the rows that judge the selections.")
    ] = 0.33,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="T", help="Seconds for each fit of a method.")
    ] = 300.0,
    categorical: Categorical = None,
    device: Device = "auto",
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Folder for comparison.json and comparison.md. Finished cells are kept there too, so that the same "
            "command goes on where it was stopped.",
        ),
    ] = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
) -> None:
    """Let several methods select features, and judge all of them on the same held-out rows.

    A method that fails, is not installed or runs out of time is a row that says so.
    """
    from minerva_select.callbacks import ProgressBar

    folder: Path | None = None
    so_far: list[Comparison] = []
    try:
        with (
            log_to_stderr(verbose=verbose, quiet=quiet, without_terminal=True),  # it may run for hours
            ProgressBar(quiet=quiet) as bar,
        ):

            def show(progress: Progress) -> None:
                bar(progress)
                logger.info("%3.0f%% %s", 100 * progress.fraction, progress.stage)

            bar(Progress("read", 0.0))
            from minerva_select.data.loading import read_table

            table = read_table(data)
            known = table.column_names
            named = {
                option: resolve(typed, known, option)
                for option, typed in (("--target", [target]), ("--ignore", ignore), ("--categorical", categorical))
            }
            require_disjoint({option: named[option] for option in ("--target", "--ignore")})
            require_disjoint({option: named[option] for option in ("--ignore", "--categorical")})
            X, y = sides(table, named["--target"], named["--ignore"])
            categories, target_kind = split_categorical(named["--categorical"], named["--target"])
            folder = None if out is None else writable_folder(out, (COMPARISON, PAGE))
            from minerva_select.evaluation import compare

            comparison = compare(
                X,
                y,
                None if methods is None else [name.strip() for name in methods.split(",") if name.strip()],
                n_splits=splits,
                held_out=held_out,
                n_features=n_features,
                time_limit=time_limit,
                categorical_features=categories,
                target_type=target_kind,
                device=device,
                random_state=seed,
                cache_dir=folder,
                progress=show,
                on_interrupt=so_far.append,
            )
    except KeyboardInterrupt:
        _break_off(so_far, folder, as_json=as_json)
        raise
    _finish(comparison, folder, as_json=as_json, quiet=quiet)


def _break_off(so_far: Sequence[Comparison], folder: Path | None, *, as_json: bool) -> None:
    """Show what is finished, if anything is, and say how to go on."""
    if any(row.answers for comparison in so_far for row in comparison.standings):
        _finish(so_far[0], None, as_json=as_json, quiet=True)
        if folder is None:
            typer.echo("None of this is kept; with --out DIR the next run goes on where it was stopped.", err=True)
    if folder is not None:
        typer.echo(f"Finished cells are in {str(folder)!r}; the same command goes on from there.", err=True)


def _finish(comparison: Comparison, folder: Path | None, *, as_json: bool, quiet: bool) -> None:
    """Write the results, then print them."""
    from minerva_select.cli.comparison_view import as_markdown, comparison_lines
    from minerva_select.cli.tables import output_console
    from minerva_select.text.formatting import printable

    if folder is not None:
        write_text(folder / COMPARISON, comparison.to_json())
        write_text(folder / PAGE, as_markdown(comparison))
    if as_json:
        typer.echo(comparison.to_json())
    else:
        console = output_console()
        for line in comparison_lines(comparison, console.width):
            console.print(line, soft_wrap=True)
    if folder is not None and not quiet:
        typer.echo(f"Wrote {printable(str(folder / COMPARISON))} and {printable(str(folder / PAGE))}.", err=True)
