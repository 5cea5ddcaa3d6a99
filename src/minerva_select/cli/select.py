"""``minerva select``: select the features of a table that carry information about a target."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from minerva_select.cli import options
from minerva_select.cli.check import check_opened, print_notes, without_repetitions
from minerva_select.cli.fits import Fit, check_repeatable
from minerva_select.cli.formats import OutputFormat
from minerva_select.cli.interrupts import stop_on_ctrl_c
from minerva_select.cli.opened_table import OpenedTable
from minerva_select.cli.output_files import check_own_folder, describe_written, prepare_folder, write_results
from minerva_select.cli.preparation import ReadingOptions
from minerva_select.cli.provenance import with_command
from minerva_select.cli.verbosity import log_to_stderr, logger
from minerva_select.errors import InputError, MinervaError
from minerva_select.results import Finding, Progress, Selection

if TYPE_CHECKING:
    from minerva_select.data.memory_budget import MemoryBudget

CACHE = ".minerva"  # folder inside --out for encoded rows and checkpoints


def select_command(
    ctx: typer.Context,
    data: options.Data,
    *,
    target: options.Targets,
    ignore: options.Ignore = None,
    keep: options.Keep = None,
    drop: options.Drop = None,
    date: options.Date = None,
    numeric: options.Numeric = None,
    categorical: options.Categorical = None,
    where: options.Where = None,
    drop_missing_target: options.DropMissingTarget = False,
    sample: options.Sample = None,
    n_features: options.FeatureCount = None,
    group_column: options.GroupColumn = None,
    time_column: options.TimeColumn = None,
    weight_column: options.WeightColumn = None,
    proven_only: options.ProvenOnly = False,
    solver: options.Solver = "vetting",
    device: options.Device = "auto",
    seed: options.Seed = 0,
    time_limit: options.TimeLimit = None,
    repeats: options.RepeatCount = None,
    subsample: options.Subsample = None,
    jobs: options.Jobs = 1,
    memory: options.Memory = None,
    cache: options.Cache = None,
    resume: options.Resume = False,
    out: options.Out = None,
    as_json: options.AsJson = False,
    as_csv: options.AsCsv = False,
    sql: options.Sql = None,
    sql_dialect: options.SqlDialect = "standard",
    verbose: options.Verbose = False,
    quiet: options.QuietNames = False,
) -> None:
    """Select the features that together carry information about the target, and explain why.

    Options that name columns can be repeated, or take a comma-separated list.
    """
    from minerva_select.callbacks import ProgressBar
    from minerva_select.data.file_discovery import find_files

    _check_dependent_options(repeats=repeats, subsample=subsample, jobs=jobs, resume=resume, cache=cache, out=out)
    if proven_only and solver == "paper":
        raise InputError("--proven-only cannot be combined with --solver paper, which proves nothing; remove one.")
    output = OutputFormat(as_json, as_csv, sql, sql_dialect)
    files = find_files(data)
    from minerva_select.data.memory_budget import MemoryBudget

    typed = {"--target": target, "--ignore": ignore, "--keep": keep, "--drop": drop}
    of_rows = {"--group-column": group_column, "--time-column": time_column, "--weight-column": weight_column}
    reading = ReadingOptions(date, numeric, categorical, where, drop_missing_target, sample, seed)
    failure: BaseException | None = None
    written: list[Path] = []
    with log_to_stderr(verbose=verbose, quiet=quiet), _process_group(device) as group:
        is_main, n_processes = (True, 1) if group is None else (group.is_main, group.size)
        folder = None if out is None else prepare_folder(out)
        cache_dir = _prepare_cache(cache, folder)
        parameters: dict[str, Any] = {
            "n_features_to_select": n_features,
            "device": device,
            "time_limit": time_limit,
            "random_state": seed,
            "max_memory": memory,
            "cache_dir": cache_dir,
            "resume": resume,
            "verbose": int(verbose and is_main),
        }
        if proven_only:  # PaperSelector has no such parameter
            parameters["proven_only"] = True
        hidden = quiet or not is_main
        with _report_checkpoint(cache_dir), ProgressBar(quiet=hidden) as bar:
            bar(Progress("read", 0.0))
            budget = MemoryBudget.from_max_memory(memory)
            table = OpenedTable.open(files, typed, of_rows, reading, budget, cache_dir)
            if repeats is not None:
                check_repeatable(table, n_processes)
            fit = Fit.from_options(table, parameters, solver)
            noted = () if hidden else _describe_table(table, fit, budget, bar)
            with stop_on_ctrl_c(single_process=n_processes == 1) as stop:
                selection = with_command(fit.run((bar, stop)), ctx, data)
        if repeats is not None and not stop.requested:
            selection, failure = _repeat(fit, selection, folder, repeats, subsample, jobs, quiet=quiet)
        if folder is not None and is_main:
            try:
                written = write_results(selection, folder)
            except MinervaError as error:  # raised after the selection is printed, which may have taken hours
                failure = error
        if group is not None:
            group.barrier()
        if written and cache_dir is not None and cache is None:
            shutil.rmtree(cache_dir, ignore_errors=True)
    if is_main:
        _print(selection, written, output, noted, quiet=quiet)
    if failure is not None:
        raise failure
    stop.exit_if_requested(selection)


def _repeat(
    fit: Fit,
    selection: Selection,
    folder: Path | None,
    n_fits: int,
    subsample: float | None,
    n_jobs: int,
    *,
    quiet: bool,
) -> tuple[Selection, BaseException | None]:
    """Return the selection with the frequencies of the repeats, or without them and the error that ended them."""
    from minerva_select.callbacks import ProgressBar

    try:
        if folder is not None:  # written now in case the process is killed during the repeats
            write_results(selection, folder)
        with ProgressBar(quiet=quiet) as bar:
            return fit.repeat(selection, n_fits=n_fits, subsample=subsample, n_jobs=n_jobs, show=bar), None
    except (KeyboardInterrupt, MinervaError) as error:
        typer.echo("The repeats were not finished; the selection is shown without them.", err=True)
        return selection, error


def _check_dependent_options(
    *, repeats: int | None, subsample: float | None, jobs: int, resume: bool, cache: Path | None, out: Path | None
) -> None:
    """Raise if an option lacks the one that it depends on."""
    for option, is_given in (("--subsample", subsample is not None), ("--jobs", jobs != 1)):
        if is_given and repeats is None:
            raise InputError(f"{option} needs --repeats, such as --repeats 10.")
    if resume and cache is None and out is None:
        raise InputError("--resume needs the folder of the checkpoint; give the --out or --cache of the earlier run.")


def _process_group(device: str) -> contextlib.AbstractContextManager[Any]:
    """Processes that torchrun started; None for a single process, which need not import torch yet."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return contextlib.nullcontext()
    from minerva_select.runtime.distributed import joined

    return joined(device)


def _prepare_cache(cache: Path | None, out: Path | None) -> Path | None:
    """Folder for encoded rows and checkpoints: ``--cache``, or one inside ``--out``."""
    if cache is not None:
        return prepare_folder(cache, (), option="--cache", mode=0o700)
    return None if out is None else check_own_folder(out / CACHE)


@contextlib.contextmanager
def _report_checkpoint(cache_dir: Path | None) -> Iterator[None]:
    """After an interrupt, print how to resume."""
    try:
        yield
    except KeyboardInterrupt:
        if cache_dir is not None and cache_dir.is_dir() and any(cache_dir.iterdir()):
            typer.echo(f"Checkpoint saved in {str(cache_dir)!r}; run the same command with --resume.", err=True)
        raise


def _describe_table(
    table: OpenedTable, fit: Fit, budget: MemoryBudget, show: Callable[[Progress], object]
) -> tuple[Finding, ...]:
    """Print the size of a table, what is wrong with it, and how long the fit will take; return what was printed."""
    time_limit = fit.parameters["time_limit"]
    _report_size(table.source, budget, fit.parameters["cache_dir"], time_limit)
    show(Progress("check", 0.0))
    return print_notes(check_opened(table, fit.X, fit.y), time_limit)


def _report_size(table: Any, budget: MemoryBudget, cache_dir: Path | None, time_limit: float | None) -> None:
    """Log the size of a table; print it if the table does not fit in memory and has to be encoded first."""
    from minerva_select.data.memory_budget import estimate_encoding_seconds, format_bytes, rows_within_time_limit

    n_rows, n_columns = table.n_rows, len(table.names)
    if table.fits_in_memory:
        logger.info("read %s rows x %s columns", f"{n_rows:,}", f"{n_columns:,}")
    elif rows_within_time_limit(n_rows, n_columns, time_limit) == n_rows:  # otherwise a warning says how many are used
        folder = "a temporary folder" if cache_dir is None else repr(str(cache_dir))
        minutes = max(1, round(estimate_encoding_seconds(n_rows, n_columns) / 60))
        typer.echo(
            f"{n_rows:,} rows x {n_columns:,} columns ({format_bytes(table.nbytes)}) do not fit in "
            f"{format_bytes(budget.n_bytes)}; encoding them to files in {folder}, about {minutes} min.",
            err=True,
        )


def _print(
    selection: Selection, written: list[Path], output: OutputFormat, noted: Sequence[Finding], *, quiet: bool
) -> None:
    from minerva_select.cli.render import print_selection
    from minerva_select.cli.tables import output_console
    from minerva_select.text.formatting import printable

    formatted = output.write(selection)
    if formatted is not None:
        typer.echo(formatted)
    elif quiet:
        for name in selection.selected:
            typer.echo(printable(name))
    else:
        on_one_screen = sys.stdout.isatty() and sys.stderr.isatty()
        print_selection(without_repetitions(selection, noted) if on_one_screen else selection, output_console())
    if written and not quiet:
        typer.echo(describe_written(written), err=True)
