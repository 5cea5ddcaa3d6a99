"""``minerva report``: write the report of a saved selection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from minerva_select.cli.formats import OutputFormat
from minerva_select.cli.options import AsCsv, AsJson, Quiet, Sql, SqlDialect, integer_option
from minerva_select.cli.output_files import REPORT, describe_written, prepare_file, write_files
from minerva_select.errors import InputError
from minerva_select.results import Selection
from minerva_select.results.resize import resize
from minerva_select.text.formatting import printable


def report_command(
    selection: Annotated[Path, typer.Argument(metavar="SELECTION", help="A selection.json written by a run.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="HTML file to write.")] = Path(REPORT),
    n_features: Annotated[
        int | None,
        integer_option("--n-features", metavar="K", help="Keep the best K features instead, without another fit."),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    sql: Sql = None,
    sql_dialect: SqlDialect = "standard",
    quiet: Quiet = False,
) -> None:
    """Write the HTML report of a saved selection.

    With --n-features, the names of the best K features are printed too; with --json, --csv or --sql, the selection is
    printed in that format.
    """
    output = OutputFormat(as_json, as_csv, sql, sql_dialect)
    loaded = Selection.load(selection)
    if n_features is not None:
        loaded = resize(loaded, n_features, "--n-features")
    if prepare_file(out).exists() and out.samefile(selection):
        raise InputError(f"--out {str(out)!r} is the selection itself; choose another name for the report.")
    from minerva_select.report import render

    try:
        page = render(loaded)
    except (TypeError, ValueError, AttributeError) as error:  # a file edited by hand can contain anything
        raise InputError(f"{str(selection)!r} is not a saved selection: {error}.") from None
    paths = write_files({out: page})
    formatted = output.write(loaded)
    if formatted is not None:
        typer.echo(formatted)
    elif n_features is not None:
        for name in loaded.selected:
            typer.echo(printable(name))
    if not quiet:
        typer.echo(describe_written(paths), err=True)
