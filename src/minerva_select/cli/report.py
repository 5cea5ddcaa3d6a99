"""``minerva report``: write the report of a saved selection, or the page of saved comparisons."""

from __future__ import annotations

import json
from collections.abc import Sequence
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
    saved: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="A selection.json, or one or several comparison.json for one page."),
    ],
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
    """Write the HTML report of a saved selection, or the page of saved comparisons.

    With --n-features, the names of the best K features are printed too; with --json, --csv or --sql, the selection is
    printed in that format.
    """
    output = OutputFormat(as_json, as_csv, sql, sql_dialect)
    selection = saved[0]
    if len(saved) > 1 or _is_comparison(selection):
        _check_comparisons(saved, n_features, output)
        _report_comparisons(saved, out, quiet=quiet)
        return
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


def _is_comparison(path: Path) -> bool:
    """Whether a file is a saved comparison; what is neither is refused as a selection."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and "all_features" in document


def _check_comparisons(saved: Sequence[Path], n_features: int | None, output: OutputFormat) -> None:
    """Raise for what only a saved selection has."""
    option = "--n-features" if n_features is not None else output.option
    if option is not None:
        raise InputError(f"{option} needs one saved selection; remove the option, or give one selection.json.")
    for path in saved:
        if path.exists() and not _is_comparison(path):
            raise InputError(f"{str(path)!r} is not a saved comparison; only comparisons can share a page.")


def _report_comparisons(saved: Sequence[Path], out: Path, *, quiet: bool) -> None:
    """Write one page of saved comparisons."""
    from minerva_select.evaluation import Comparison
    from minerva_select.report.comparison_page import render_comparisons

    comparisons = [Comparison.load(path) for path in saved]
    if prepare_file(out).exists() and any(out.samefile(path) for path in saved):
        raise InputError(f"--out {str(out)!r} is the comparison itself; choose another name for the page.")
    paths = write_files({out: render_comparisons(comparisons)})
    if not quiet:
        typer.echo(describe_written(paths), err=True)
