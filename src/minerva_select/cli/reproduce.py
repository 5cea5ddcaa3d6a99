"""``minerva reproduce``: the paper's tables, ours beside theirs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minerva_select.cli import completion
from minerva_select.cli.output_files import writable_folder, write_text
from minerva_select.errors import InputError, unknown_name
from minerva_select.results import Progress

if TYPE_CHECKING:
    from minerva_select.evaluation.paper import Configuration, FigureTable

EVERYTHING = "all"
EXPERIMENTS = ("a", "b", "fraud", "mine", EVERYTHING)
_FILES = {"a": Path("paper") / "experiment_a.parquet", "fraud": Path("real") / "creditcard_ulb.parquet"}


def reproduce_command(
    experiment: Annotated[
        str,
        typer.Argument(
            metavar="EXPERIMENT",
            autocompletion=completion.one_of(*EXPERIMENTS),
            help="a, b, fraud, mine (the paper's section 2), or all.",
        ),
    ],
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rows and shorter searches: minutes.")] = False,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="PATH",
            help="A file of payments, or of the authors' data, or a folder with both; also MINERVA_DATA. "
            "Without it rows are generated.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for records and tables; finished rows are kept.")
    ] = Path("reproduction"),
) -> None:
    """Compute the paper's tables again, with its figures beside ours.

    Every row is kept as soon as it is finished: the same command goes on where it was stopped.
    """
    from minerva_select.evaluation.paper import NAMES, read_configuration

    if experiment not in (*NAMES, EVERYTHING):
        raise unknown_name("experiment", experiment, (*NAMES, EVERYTHING))
    names = NAMES if experiment == EVERYTHING else (experiment,)
    runs = [(name, find_data(name, data)) for name in names]
    if experiment == EVERYTHING and ("fraud", None) not in runs:
        runs.append(("fraud", None))  # on simulated payments too, whose truth is known
    plans = [(read_configuration(name, quick=quick), source) for name, source in runs]
    stems = [record_name(configuration, source) for configuration, source in plans]
    folder = writable_folder(out, [f"{stem}{ending}" for stem in stems for ending in (".jsonl", ".md", ".png")])
    for configuration, source in plans:
        _reproduce(configuration, source, folder)


def find_data(experiment: str, given: Path | None) -> Path | None:
    """The data of an experiment: the file that is given, or its own file in the folder that is."""
    given = given or (Path(os.environ["MINERVA_DATA"]) if os.environ.get("MINERVA_DATA") else None)
    if given is None or experiment not in _FILES:
        return None
    if not given.exists():
        raise InputError(f"There is no file or folder {str(given)!r}; --data needs one.")
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
    write_text(folder / f"{stem}.md", "\n\n".join(table.to_markdown() for table in tables) + "\n")
    if configuration.name == "mine":
        from minerva_select.evaluation.paper.mine import plot

        plot(found, folder / f"{stem}.png")
    _print(tables)
    name = printable(str(folder / stem))
    typer.echo(f"Wrote {name}.md, from the records in {name}.jsonl.", err=True)


def record_name(configuration: Configuration, data: Path | None) -> str:
    """Stem of the files of one experiment on some data.

    Examples
    --------
    >>> from minerva_select.evaluation.paper import read_configuration
    >>> record_name(read_configuration("fraud", quick=True), Path("creditcard_ulb.parquet"))
    'fraud-creditcard_ulb-quick'
    """
    parts = [configuration.name, data.stem if data is not None and configuration.name == "fraud" else ""]
    return "-".join(part for part in (*parts, "quick" if configuration.is_quick else "") if part)


def _print(tables: list[FigureTable]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from minerva_select.cli.tables import output_console

    console = output_console()
    for figures in tables:
        drawn = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for place, header in enumerate(figures.header):
            drawn.add_column(header, justify="left" if place == 0 else "right", overflow="fold")
        for row in figures.rows:
            drawn.add_row(*(Text(cell) for cell in row))
        console.print(Text(figures.title, style="bold"), drawn, *(Text(note) for note in figures.notes), Text())
