"""``minerva demo``: an example in which two features matter only together."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minerva_select.cli.interrupts import stop_on_ctrl_c
from minerva_select.cli.options import Device, QuietNames, Seed, Verbose
from minerva_select.cli.output_files import describe_written, prepare_folder, write_results
from minerva_select.cli.provenance import with_command
from minerva_select.cli.verbosity import log_to_stderr
from minerva_select.results import Selection

if TYPE_CHECKING:
    from minerva_select.evaluation.ground_truth import SelectionScore
    from minerva_select.problems import Problem

NOT_EXACT = 1


def demo_command(
    ctx: typer.Context,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for selection.json and report.html.")
    ] = Path("minerva-demo"),
    device: Device = "auto",
    seed: Seed = 0,
    verbose: Verbose = False,
    quiet: QuietNames = False,
) -> None:
    """Run MINERVA on generated data whose two relevant features carry no information alone."""
    folder = prepare_folder(out)

    from minerva_select.callbacks import ProgressBar
    from minerva_select.cli.render import print_selection
    from minerva_select.cli.tables import output_console
    from minerva_select.evaluation import score_selection
    from minerva_select.problems import equality

    console = output_console(quiet=quiet)
    started = time.perf_counter()
    with log_to_stderr(verbose=verbose, quiet=quiet):
        problem = equality(random_state=seed)
        console.print(describe_problem(problem), style="bold", soft_wrap=True)
        console.print("\n" + describe_marginals(marginal_information(problem), problem.relevant), soft_wrap=True)
        with ProgressBar(quiet=quiet) as bar, stop_on_ctrl_c() as stop:
            from minerva_select.selectors import MinervaSelector

            selector = MinervaSelector(device=device, random_state=seed, verbose=int(verbose), callbacks=(bar, stop))
            selection = with_command(selector.fit(problem.X, problem.y).selection_, ctx)
    console.print("\nMINERVA, all features together:")
    print_selection(selection, console)
    result = score_selection(selection.selected, problem.relevant)
    color = "green" if result.is_exact else "red"
    console.print("\n" + describe_result(selection, problem, result), style=color, soft_wrap=True)
    paths = write_results(selection, folder)
    console.print(f"{time.perf_counter() - started:.1f} s in total. {describe_written(paths)}", soft_wrap=True)
    if quiet:
        typer.echo("\n".join(selection.selected))
    stop.exit_if_requested(selection)
    if not result.is_exact:
        raise typer.Exit(NOT_EXACT)


def describe_problem(problem: Problem) -> str:
    """Describe the problem in three lines."""
    n_samples, n_features = problem.X.shape
    levels = int(problem.X.to_numpy().max())
    first, second = problem.relevant
    return (
        f"{n_samples:,} rows with {n_features} features, each a random number from 1 to {levels}.\n"
        f"y is 1 where {first} equals {second} and 0 elsewhere; the other {n_features - 2} features are noise.\n"
        "Can a method find out which features matter, and how many?"
    )


def marginal_information(problem: Problem) -> dict[str, float]:
    """Mutual information of each single feature with y in nats, by scikit-learn."""
    from sklearn.feature_selection import mutual_info_classif

    scores = mutual_info_classif(problem.X, problem.y, discrete_features=True)
    return dict(zip(problem.X.columns, map(float, scores), strict=True))


def describe_marginals(scores: Mapping[str, float], relevant: tuple[str, ...]) -> str:
    """Describe what a method finds that looks at one feature at a time."""
    order = sorted(scores, key=lambda name: scores[name], reverse=True)
    places = " and ".join(f"{name} is number {order.index(name) + 1}" for name in relevant)
    return (
        "One feature at a time, with mutual_info_classif of scikit-learn:\n"
        f"the best of {len(scores)} is {order[0]} with {scores[order[0]]:.4f} nats; {places}."
    )


def describe_result(selection: Selection, problem: Problem, result: SelectionScore) -> str:
    """Compare the selection with the relevant features."""
    line = f"Relevant are {' and '.join(problem.relevant)}; the selection is {result}."
    found, entropy = selection.mutual_information, problem.mutual_information
    if not result.is_exact or found is None:
        return line
    return (
        f"{line}\nAlone each carries about 0 nats; together they carry {found.nats:.3f} of the {entropy:.3f} nats of y."
    )
