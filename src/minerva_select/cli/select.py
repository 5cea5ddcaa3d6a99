"""``minerva select``: which features of a table carry information about a target."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from minerva_select.cli import options
from minerva_select.cli.columns import column_names, resolve_all
from minerva_select.cli.fits import Fits, RepeatPlan
from minerva_select.cli.interrupts import stoppable
from minerva_select.cli.output_files import WORK, own_folder, writable_folder, write_results
from minerva_select.cli.processes import processes
from minerva_select.cli.provenance import with_command
from minerva_select.cli.verbosity import log_to_stderr, logger
from minerva_select.errors import InputError, MinervaError
from minerva_select.results import Progress, Selection

if TYPE_CHECKING:
    from minerva_select.data.memory_budget import MemoryBudget


def select_command(
    ctx: typer.Context,
    data: options.Data,
    *,
    target: options.Targets,
    ignore: options.Ignore = None,
    keep: options.Keep = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    n_features: options.FeatureCount = None,
    group_column: options.GroupColumn = None,
    time_column: options.TimeColumn = None,
    weight_column: options.WeightColumn = None,
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
    verbose: options.Verbose = False,
    quiet: options.QuietNames = False,
) -> None:
    """Find the features that carry information about the target, together, and say why.

    Options that name columns can be repeated, or take several names with commas between them.
    """
    from minerva_select.callbacks import ProgressBar
    from minerva_select.data.file_discovery import find_files
    from minerva_select.data.loading import open_within
    from minerva_select.data.memory_budget import MemoryBudget

    again = RepeatPlan.asked(repeats, subsample, jobs)
    files = find_files(data)
    typed = {"--target": target, "--ignore": ignore, "--keep": keep, "--drop": drop, "--categorical": categorical}
    of_rows = {"--group-column": group_column, "--time-column": time_column, "--weight-column": weight_column}
    failure: BaseException | None = None
    with log_to_stderr(verbose=verbose, quiet=quiet), processes(device) as ranks:
        folder = writable_folder(out) if out is not None else None
        workplace = _workplace(cache, folder, resume)
        parameters: dict[str, Any] = {
            "n_features_to_select": n_features,
            "device": device,
            "time_limit": time_limit,
            "random_state": seed,
            "max_memory": memory,
            "cache_dir": workplace,
            "resume": resume,
            "verbose": int(verbose and ranks.is_main),
        }
        hidden = quiet or not ranks.is_main
        with _work_is_kept(workplace), ProgressBar(quiet=hidden) as progress:
            progress(Progress("read", 0.0))
            budget = MemoryBudget.from_max_memory(memory)
            table = open_within(files, budget, workplace)
            named = resolve_all(typed, of_rows, column_names(table))
            if again is not None:
                again.check(table, named, ranks)
            if not hidden:
                _announce(table, budget, workplace, time_limit)
            fits = Fits.of(table, named, parameters, solver)
            with stoppable(alone=ranks.size == 1) as stop:
                selection = with_command(fits.answer((progress, stop)), ctx, data)
        if again is not None and not stop.asked:
            selection, failure = _repeat(fits, selection, again, folder, quiet=quiet)
        written, unwritten = _write(selection, folder if ranks.is_main else None)
        ranks.barrier()
        if workplace is not None and workplace != cache and ranks.is_main and not unwritten:
            shutil.rmtree(workplace, ignore_errors=True)
    if ranks.is_main:
        _print(selection, written, as_json=as_json, quiet=quiet)
    if failure := unwritten or failure:
        raise failure
    stop.conclude(selection)


def _repeat(
    fits: Fits, selection: Selection, again: RepeatPlan, folder: Path | None, *, quiet: bool
) -> tuple[Selection, BaseException | None]:
    """The selection with the frequencies of the repeats; if these fail, the selection as it is and the failure."""
    from minerva_select.callbacks import ProgressBar

    try:
        if folder is not None:  # a job that is killed during the repeats leaves the answer
            write_results(selection, folder)
        with ProgressBar(quiet=quiet) as progress:
            return fits.repeat(selection, again, progress), None
    except (KeyboardInterrupt, MinervaError) as failure:
        typer.echo("The repeats were not finished: the answer goes without them.", err=True)
        return selection, failure


def _write(selection: Selection, folder: Path | None) -> tuple[tuple[Path, ...], MinervaError | None]:
    """The files that were written, or why none could be: hours of work are then shown, and lost no more than that."""
    try:
        return (write_results(selection, folder) if folder is not None else ()), None
    except MinervaError as failure:
        return (), failure


def _workplace(cache: Path | None, out: Path | None, resume: bool) -> Path | None:
    """The folder that a killed run leaves its work in: the one that is named, or one beside the results."""
    if resume and cache is None and out is None:
        raise InputError("--resume needs to know where the work was left; give the --out or the --cache of that run.")
    if cache is not None:
        return writable_folder(cache, (), option="--cache", mode=0o700)
    return None if out is None else own_folder(out / WORK)


@contextlib.contextmanager
def _work_is_kept(workplace: Path | None) -> Iterator[None]:
    """Say where an interrupted fit has left its work."""
    try:
        yield
    except KeyboardInterrupt:
        if workplace is not None and workplace.is_dir() and any(workplace.iterdir()):
            where = repr(str(workplace))
            typer.echo(f"Unfinished work is in {where}; the same command with --resume goes on from there.", err=True)
        raise


def _announce(table: Any, budget: MemoryBudget, workplace: Path | None, time_limit: float | None) -> None:
    """Say how large the table is; if too large for the memory, also what is done about it, and how long that takes."""
    from minerva_select.data.memory_budget import estimate_encoding_seconds, format_bytes, rows_within_time_limit

    n_rows, n_columns = table.n_rows, len(table.names)
    if table.fits_in_memory:
        logger.info("read %s rows x %s columns", f"{n_rows:,}", f"{n_columns:,}")
        return
    if rows_within_time_limit(n_rows, n_columns, time_limit) < n_rows:  # of which few are read, and the answer says so
        return
    size, where = format_bytes(table.nbytes), "a temporary folder" if workplace is None else repr(str(workplace))
    minutes = estimate_encoding_seconds(n_rows, n_columns) / 60
    typer.echo(
        f"{n_rows:,} rows x {n_columns:,} columns ({size}) do not fit in {format_bytes(budget.n_bytes)}: "
        f"they are encoded into files in {where} first, in about {max(1, round(minutes))} min.",
        err=True,
    )


def _print(selection: Selection, written: tuple[Path, ...], *, as_json: bool, quiet: bool) -> None:
    from minerva_select.cli.render import print_selection
    from minerva_select.cli.tables import output_console
    from minerva_select.text.formatting import printable

    if as_json:
        typer.echo(selection.to_json())
    elif quiet:
        for name in selection.selected:
            typer.echo(printable(name))
    else:
        console = output_console()
        print_selection(selection, console)
    if written and not quiet:
        typer.echo(f"Wrote {' and '.join(printable(str(path)) for path in written)}.", err=True)
