"""``minerva estimate``: the mutual information of anything with anything."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from minerva_select.cli import completion
from minerva_select.cli.columns import require_disjoint, require_rows, resolve, split_categorical, take
from minerva_select.cli.options import AsJson, Categorical, Data, Device, Seed, Verbose
from minerva_select.cli.verbosity import log_to_stderr, logger
from minerva_select.results import Estimate


def estimate_command(
    data: Data,
    *,
    x: Annotated[
        list[str],
        typer.Option(
            "--x",
            metavar="A,B",
            autocompletion=completion.columns,
            help="One side: one column, or several taken together.",
        ),
    ],
    y: Annotated[
        list[str],
        typer.Option(
            "--y", metavar="C", autocompletion=completion.columns, help="The other side: one column, or several."
        ),
    ],
    given: Annotated[
        list[str] | None,
        typer.Option("--given", metavar="D", autocompletion=completion.columns, help="Columns that are known already."),
    ] = None,
    categorical: Categorical = None,
    device: Device = "auto",
    seed: Seed = 0,
    as_json: AsJson = False,
    verbose: Verbose = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the number of nats alone.")] = False,
) -> None:
    """Estimate how much two sets of columns tell about each other, in nats, with a 95% interval."""
    with log_to_stderr(verbose=verbose, quiet=quiet):
        from minerva_select.data.loading import read_table

        table = read_table(data)
        logger.info("read %s rows x %s columns", f"{table.num_rows:,}", f"{table.num_columns:,}")
        sides = {
            option: resolve(typed, table.column_names, option)
            for option, typed in (("--x", x), ("--y", y), ("--given", given))
        }
        require_disjoint(sides)
        require_rows(table)
        in_use = [name for names in sides.values() for name in names]
        categories, target_kind = split_categorical(resolve(categorical, in_use, "--categorical"), sides["--y"])
        from minerva_select.selectors import mutual_information

        estimate = mutual_information(
            take(table, sides["--x"]),
            take(table, sides["--y"]),
            given=take(table, sides["--given"]) if sides["--given"] else None,
            target_type=target_kind,
            categorical_features=categories,
            device=device,
            random_state=seed,
        )
    if as_json:
        typer.echo(as_document(estimate, sides))
    else:
        typer.echo(f"{estimate.nats:.6g}" if quiet else in_words(estimate, sides))


def in_words(estimate: Estimate, sides: dict[str, tuple[str, ...]]) -> str:
    """Give an estimate as a line of text.

    Examples
    --------
    >>> print(in_words(Estimate(0.6931, 0.68, 0.70, n_rows=1000), {"--x": ("a", "b"), "--y": ("c",), "--given": ()}))
    I(a, b; c) = 0.693 nats (95% interval 0.680 to 0.700), 1.000 bits, from 1,000 rows
    """
    from minerva_select.text.formatting import interval, number, printable
    from minerva_select.text.metadata import describe_estimate_note

    def listed(names: tuple[str, ...]) -> str:
        return ", ".join(map(printable, names))

    condition = f" | {listed(sides['--given'])}" if sides["--given"] else ""
    what = f"I({listed(sides['--x'])}; {listed(sides['--y'])}{condition})"
    nats = f"{number(estimate.nats)} nats (95% interval {interval(estimate.low, estimate.high)})"
    line = f"{what} = {nats}, {number(estimate.bits)} bits, from {estimate.n_rows:,} rows"
    note = describe_estimate_note(estimate)
    return f"{line}\n{note}" if note else line


def as_document(estimate: Estimate, sides: dict[str, tuple[str, ...]]) -> str:
    """Give an estimate as JSON text."""
    document = {
        "x": sides["--x"],
        "y": sides["--y"],
        "given": sides["--given"],
        "nats": estimate.nats,
        "low": estimate.low,
        "high": estimate.high,
        "bits": estimate.bits,
        "n_rows": estimate.n_rows,
        "note": estimate.note,
    }
    return json.dumps(document, indent=1, allow_nan=False)
