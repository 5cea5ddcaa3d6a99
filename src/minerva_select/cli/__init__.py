"""The ``minerva`` command: thin, one file a command.

Nothing here loads torch, scikit-learn, pandas or pyarrow before a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from minerva_select import __version__
from minerva_select.cli.compare import compare_command
from minerva_select.cli.demo import demo_command
from minerva_select.cli.estimate import estimate_command
from minerva_select.cli.interrupts import Terminated, exit_code, terminable
from minerva_select.cli.provenance import remember
from minerva_select.cli.report import report_command
from minerva_select.cli.reproduce import reproduce_command
from minerva_select.cli.select import select_command
from minerva_select.errors import MinervaError, MinervaWarning

__all__ = ["app", "main"]

BAD_INPUT = 2
_ROWS = re.compile(r"\bn_samples=(?=\d+ rows)")  # a parameter's name, which scikit-learn's checks ask estimators for
_EXAMPLE = "\b\nExample:\n  {}"  # \b keeps the lines of the paragraph as they are
_START = """\b
Examples:
  minerva demo                                         no data needed: see the point
  minerva select sales.csv --target churned            which columns matter, and why
  minerva select sales.csv --target churned --out new  the same, with a page to keep
"""


class _OneSentenceGroup(TyperGroup):
    """Commands whose foreseen failures end in one sentence on stderr instead of a traceback."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        remember(ctx, args)
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def invoke(self, ctx: Any) -> Any:
        try:
            with terminable():
                return super().invoke(ctx)
        except MinervaError as error:
            if not error.reported_elsewhere:  # by another process of the run
                _complain(_ROWS.sub("", str(error)))
            raise typer.Exit(BAD_INPUT) from None
        except BrokenPipeError:  # whoever read the output has gone, which typer ends in silence
            raise
        except OSError as error:  # a name too long, a folder without permission, a disk that fails
            _complain(_in_one_sentence(error))
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt as interruption:
            _complain("Terminated." if isinstance(interruption, Terminated) else "Interrupted.")
            raise typer.Exit(exit_code(interruption)) from None


def _in_one_sentence(error: OSError) -> str:
    """What the system says of a file, and whom to ask."""
    if error.strerror is None:
        return str(error)
    what = "The output" if error.filename is None else repr(str(error.filename))
    return f"{what} cannot be read or written: {error.strerror}; see to its disk and folder, and start again."


def _complain(message: str) -> None:
    from minerva_select.text.formatting import printable

    typer.echo(f"minerva: {printable(message)}", err=True)


app = typer.Typer(
    name="minerva",
    cls=_OneSentenceGroup,
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help is quicker to print, shorter and easier to read
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, _command, _example in (
    ("select", select_command, "minerva select transactions.parquet --target is_fraud --ignore id,batch --out results"),
    ("compare", compare_command, "minerva compare transactions.parquet --target is_fraud --methods minerva,ksg,boruta"),
    ("estimate", estimate_command, "minerva estimate transactions.parquet --x amount,country --y is_fraud"),
    ("reproduce", reproduce_command, "minerva reproduce a --quick"),
    ("report", report_command, "minerva report results/selection.json --out report.html"),
    ("demo", demo_command, "minerva demo --seed 7"),
):
    app.command(_name, epilog=_EXAMPLE.format(_example))(_command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"minerva {__version__}")
        raise typer.Exit


@app.callback(epilog=_START)
def _minerva(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Find the features of a table that carry information about a target, together."""


def main() -> None:
    """Run the command line; the entry point of ``minerva``."""
    _prepare_streams()
    warnings.showwarning = _show_warning
    warnings.simplefilter("ignore", MinervaWarning)  # the output lists them
    app(prog_name="minerva")


def _prepare_streams() -> None:
    """Spell out what the terminal's encoding lacks: a column name is no reason to lose the answer."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, io.UnsupportedOperation):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning as one line, without the place in the source that raised it."""
    _complain(f"warning: {message}")
