"""``minerva reproduce``: recompute the tables of the paper."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minerva_select.checks import check_choice
from minerva_select.cli import completion
from minerva_select.cli.output_files import prepare_folder, write_files
from minerva_select.errors import InputError
from minerva_select.results import Progress

if TYPE_CHECKING:
    from minerva_select.evaluation.paper import Configuration, ResultTable

EVERYTHING = "all"
EXPERIMENTS = ("a", "b", "fraud", "mine", EVERYTHING)
_FILES = {"a": Path("paper") / "experiment_a.parquet", "fraud": Path("real") / "creditcard_ulb.parquet"}


def reproduce_command(
    experiment: Annotated[
        str,
        typer.Argument(
            metavar="EXPERIMENT",
            autocompletion=completion.one_of(*EXPERIMENTS),
            help="a, b, fraud, mine (section 2 of the paper), or all.",
        ),
    ],
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rows and shorter searches; takes minutes.")] = False,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="PATH",
            help="Data file of the experiment, or a folder that contains it; also MINERVA_DATA. "
            "Default: generated rows.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for records and tables.")] = Path(
        "reproduction"
    ),
) -> None:
    """Recompute the tables of the paper and show the published numbers next to ours.

    Every row is saved when it is finished; the same command continues an interrupted run.
    """
    check_choice("experiment", experiment, EXPERIMENTS)
    from minerva_select.evaluation.paper import EXPERIMENT_NAMES, read_configuration

    names = EXPERIMENT_NAMES if experiment == EVERYTHING else (experiment,)
    runs = [(name, find_data(name, data)) for name in names]
    if experiment == EVERYTHING and ("fraud", None) not in runs:
        runs.append(("fraud", None))  # also on simulated payments, whose relevant features are known
    plans = [(read_configuration(name, quick=quick), source) for name, source in runs]
    stems = [record_name(configuration, source) for configuration, source in plans]
    folder = prepare_folder(out, [f"{stem}{ending}" for stem in stems for ending in (".jsonl", ".md", ".png")])
    for configuration, source in plans:
        _reproduce(configuration, source, folder)


def find_data(experiment: str, given: Path | None) -> Path | None:
    """Data file of an experiment: the given file, or the experiment's file in the given folder."""
    given = given or (Path(os.environ["MINERVA_DATA"]) if os.environ.get("MINERVA_DATA") else None)
    if given is None or experiment not in _FILES:
        return None
    if not given.exists():
        raise InputError(f"There is no file or folder {str(given)!r}; check --data.")
    if given.is_file():
        return given
    places = (given / _FILES[experiment], given / _FILES[experiment].name)
    return next((place for place in places if place.is_file()), None)


def _reproduce(configuration: Configuration, data: Path | None, folder: Path) -> None:
    from minerva_select.callbacks import ProgressBar
    from minerva_select.evaluation.paper import reproduce
    from minerva_select.evaluation.records import Records
    from minerva_select.text.formatting import printable

    stem = record_name(configuration, data)
    records = Records(folder / f"{stem}.jsonl")
    with ProgressBar() as bar:
        tables, found = reproduce(configuration, records, data, lambda label, done: bar(Progress(label, done)))
    write_files({folder / f"{stem}.md": "\n\n".join(table.to_markdown() for table in tables) + "\n"})
    if configuration.name == "mine":
        from minerva_select.evaluation.paper.mine import plot

        plot(found, folder / f"{stem}.png")
    _print(tables)
    name = printable(str(folder / stem))
    typer.echo(f"Wrote {name}.md, from the records in {name}.jsonl.", err=True)


def record_name(configuration: Configuration, data: Path | None) -> str:
    """File name, without extension, of the results of an experiment."""
    parts = [configuration.name, data.stem if data is not None and configuration.name == "fraud" else ""]
    return "-".join(part for part in (*parts, "quick" if configuration.is_quick else "") if part)


def _print(tables: list[ResultTable]) -> None:
    from rich.text import Text

    from minerva_select.cli.tables import new_table, output_console

    console = output_console()
    for figures in tables:
        table = new_table(console)
        for place, header in enumerate(figures.header):
            table.add_column(header, justify="left" if place == 0 else "right", overflow="fold")
        for row in figures.rows:
            table.add_row(*(Text(cell) for cell in row))
        console.print(Text(figures.title, style="bold"), table, *(Text(note) for note in figures.notes), Text())
