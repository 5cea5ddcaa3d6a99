"""Commands of ``minerva``, one module each.

Torch, scikit-learn, pandas and pyarrow are imported only when a command needs them, which keeps ``--help`` fast.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from minerva_select import __version__
from minerva_select.cli.check import check_command
from minerva_select.cli.compare import compare_command
from minerva_select.cli.demo import demo_command
from minerva_select.cli.estimate import estimate_command
from minerva_select.cli.interrupts import INTERRUPTED, TERMINATED, Terminated, raise_on_sigterm
from minerva_select.cli.provenance import remember_arguments
from minerva_select.cli.report import report_command
from minerva_select.cli.reproduce import reproduce_command
from minerva_select.cli.select import select_command
from minerva_select.errors import MinervaError, MinervaWarning

__all__ = ["app", "main"]

BAD_INPUT = 2
_EXAMPLE = "\b\nExample:\n  {}"  # \b keeps the line breaks of the paragraph
_START = """\b
Examples:
  minerva demo                                         example that needs no data
  minerva select sales.csv --target churned            which columns matter, and why
  minerva select sales.csv --target churned --out new  the same, with an HTML report
"""


class _Group(TyperGroup):
    """Commands that report expected errors in one sentence on stderr instead of a traceback."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        remember_arguments(ctx, args)
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def invoke(self, ctx: Any) -> Any:
        try:
            with raise_on_sigterm():
                return super().invoke(ctx)
        except MinervaError as error:
            if not error.reported_elsewhere:  # by another process of a distributed run
                _print_error(str(error))
            raise typer.Exit(BAD_INPUT) from None
        except BrokenPipeError:  # typer exits silently
            raise
        except OSError as error:
            _print_error(_describe_os_error(error))
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt as interrupt:
            terminated = isinstance(interrupt, Terminated)
            _print_error("Terminated." if terminated else "Interrupted.")
            raise typer.Exit(TERMINATED if terminated else INTERRUPTED) from None


def _describe_os_error(error: OSError) -> str:
    if error.strerror is None:
        return str(error)
    what = "The output" if error.filename is None else repr(str(error.filename))
    return f"{what} cannot be read or written: {error.strerror}; check the disk and the folder, then run again."


def _print_error(message: str) -> None:
    from minerva_select.text.formatting import printable

    typer.echo(f"minerva: {printable(message)}", err=True)


app = typer.Typer(
    name="minerva",
    cls=_Group,
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help is faster and shorter
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, _command, _example in (
    ("select", select_command, "minerva select transactions.parquet --target is_fraud --ignore id,batch --out results"),
    ("check", check_command, "minerva check transactions.parquet --target is_fraud"),
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
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Find the features of a table that together carry information about a target."""


def main() -> None:
    """Run the command line: entry point of ``minerva``."""
    _prepare_streams()
    warnings.showwarning = _show_warning
    warnings.simplefilter("ignore", MinervaWarning)  # the commands print them
    app(prog_name="minerva")


def _prepare_streams() -> None:
    """Escape characters that the terminal cannot encode, instead of failing to print the result."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, io.UnsupportedOperation):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one line, without its place in the source."""
    _print_error(f"warning: {message}")
