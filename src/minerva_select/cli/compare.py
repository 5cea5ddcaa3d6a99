"""``minerva compare``: compare MINERVA with other methods on one table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minerva_select.cli.columns import (
    check_count,
    check_disjoint,
    check_rows,
    check_target,
    parse_columns,
    parse_one_column,
    split_table,
)
from minerva_select.cli.options import (
    METHOD_NAMES,
    AsJson,
    Categorical,
    Data,
    Date,
    Device,
    DropMissingTarget,
    Numeric,
    Quiet,
    Sample,
    Seed,
    Target,
    Verbose,
    Where,
    columns_option,
    integer_option,
    methods_option,
    seconds_option,
    share_option,
    split_list,
)
from minerva_select.cli.output_files import describe_written, prepare_folder, write_files
from minerva_select.cli.preparation import ReadingOptions
from minerva_select.cli.verbosity import log_to_stderr, logger
from minerva_select.io.redaction import without_secrets
from minerva_select.results import Progress

if TYPE_CHECKING:
    from minerva_select.evaluation import Comparison

COMPARISON, MARKDOWN, PAGE = "comparison.json", "comparison.md", "comparison.html"


def compare_command(
    data: Data,
    *,
    target: Target,
    ignore: Annotated[
        list[str] | None,
        columns_option("--ignore", alias="--drop", help="Columns to remove before the fits; no method sees them."),
    ] = None,
    methods: Annotated[
        str | None,
        methods_option(
            "--methods",
            metavar="A,B",
            help=f"Some of {', '.join(METHOD_NAMES)}. Default: all but minerva-paper.",
        ),
    ] = None,
    n_features: Annotated[
        int | None,
        integer_option("--n-features", metavar="K", help="Number of features per method. Default: each decides."),
    ] = None,
    splits: Annotated[
        int, integer_option("--splits", 1, 10_000, metavar="N", help="Number of random splits of the rows.")
    ] = 1,
    held_out: Annotated[float, share_option("--held-out", help="Share of the rows to evaluate on.")] = 0.33,
    time_limit: Annotated[float, seconds_option("--time-limit", help="Seconds for each fit of a method.")] = 300.0,
    date: Date = None,
    numeric: Numeric = None,
    categorical: Categorical = None,
    where: Where = None,
    drop_missing_target: DropMissingTarget = False,
    sample: Sample = None,
    device: Device = "auto",
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Folder for comparison.json, comparison.html, comparison.md and finished fits, from which the same "
            "command continues an interrupted run.",
        ),
    ] = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
) -> None:
    """Select features with several methods and evaluate them on the same held-out rows.

    A method that fails, is not installed or runs out of time is listed with the reason.
    """
    from minerva_select.callbacks import ProgressBar

    folder: Path | None = None
    partial: list[Comparison] = []
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
            from minerva_select.data.preparation import prepare_table

            table = read_table(data)
            named = {
                "--target": parse_one_column(target, table.column_names, "--target"),
                "--ignore": parse_columns(ignore, table.column_names, "--ignore"),
            }
            reading = ReadingOptions(date, numeric, categorical, where, drop_missing_target, sample, seed).parse(
                table.column_names, named["--target"]
            )
            named |= {"--categorical": reading.categorical, "--numeric": reading.numeric}
            check_disjoint({option: named[option] for option in ("--target", "--ignore")})
            for option in ("--categorical", "--numeric"):
                check_disjoint({other: named[other] for other in ("--ignore", option)})
            check_rows(table.num_rows)
            table = prepare_table(table, reading.preparation)
            X, y = split_table(table, named["--target"], named["--ignore"])
            check_count(n_features, X.num_columns)
            check_target(y)
            folder = None if out is None else prepare_folder(out, (COMPARISON, MARKDOWN, PAGE))
            from minerva_select.evaluation import compare

            comparison = compare(
                X,
                y,
                split_list(methods),
                n_splits=splits,
                held_out=held_out,
                n_features=n_features,
                time_limit=time_limit,
                **reading.type_parameters(X.column_names, named["--target"]),
                device=device,
                random_state=seed,
                cache_dir=folder,
                progress=show,
                on_interrupt=partial.append,
            )
    except KeyboardInterrupt:
        _finish_interrupted(partial, folder, as_json=as_json)
        raise
    named_table = {**comparison.settings, "data": without_secrets(data)}
    _finish(dataclasses.replace(comparison, settings=named_table), folder, as_json=as_json, quiet=quiet)


def _finish_interrupted(partial: Sequence[Comparison], folder: Path | None, *, as_json: bool) -> None:
    """Print the finished part, if any, and how to continue."""
    if any(row.answers for comparison in partial for row in comparison.results):
        _finish(partial[0], None, as_json=as_json, quiet=True)
        if folder is None:
            typer.echo("Nothing is saved; with --out DIR an interrupted run can be continued.", err=True)
    if folder is not None:
        typer.echo(f"Finished fits are saved in {str(folder)!r}; run the same command to continue.", err=True)


def _finish(comparison: Comparison, folder: Path | None, *, as_json: bool, quiet: bool) -> None:
    """Write the comparison, then print it."""
    from minerva_select.cli.comparison_view import print_comparison, to_markdown
    from minerva_select.cli.tables import output_console

    written = []
    if folder is not None:
        from minerva_select.report.comparison_page import render_comparisons

        written = write_files(
            {
                folder / COMPARISON: comparison.to_json(),
                folder / PAGE: render_comparisons([comparison]),
                folder / MARKDOWN: to_markdown(comparison),
            }
        )
    if as_json:
        typer.echo(comparison.to_json())
    else:
        print_comparison(comparison, output_console())
    if written and not quiet:
        typer.echo(describe_written(written), err=True)
