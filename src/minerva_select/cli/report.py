"""``minerva report``: the page of a saved selection, drawn again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from minerva_select.cli.options import Quiet
from minerva_select.cli.output_files import REPORT, writable_file, write_text
from minerva_select.errors import InputError
from minerva_select.results import Selection


def report_command(
    selection: Annotated[Path, typer.Argument(metavar="SELECTION", help="A selection.json that a run wrote.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The page to write.")] = Path(REPORT),
    quiet: Quiet = False,
) -> None:
    """Draw the page of a saved selection again."""
    loaded = Selection.load(selection)
    if writable_file(out).exists() and out.samefile(selection):
        raise InputError(f"--out {str(out)!r} is the selection itself; give the page another name.")
    from minerva_select.report import render
    from minerva_select.text.formatting import printable

    try:
        page = render(loaded)
    except (TypeError, ValueError, AttributeError) as error:  # a file edited by hand can hold anything
        raise InputError(f"{str(selection)!r} is not a saved selection: {error}.") from None
    write_text(out, page)
    if not quiet:
        typer.echo(f"Wrote {printable(str(out))}.", err=True)
