"""``minerva estimate``: mutual information of two sets of columns."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from minerva_select.cli.columns import (
    check_disjoint,
    check_rows,
    parse_columns,
    select_columns,
)
from minerva_select.cli.options import (
    AsJson,
    Categorical,
    Data,
    Date,
    Device,
    DropMissingTarget,
    EstimatorName,
    Numeric,
    Sample,
    Seed,
    Verbose,
    Where,
    columns_option,
)
from minerva_select.cli.preparation import ReadingOptions
from minerva_select.cli.verbosity import log_to_stderr, logger
from minerva_select.codes import Estimator
from minerva_select.errors import InputError
from minerva_select.results import Estimate


def estimate_command(
    data: Data,
    *,
    x: Annotated[list[str], columns_option("--x", "A,B", help="First column or set of columns.")],
    y: Annotated[list[str], columns_option("--y", "C", help="Second column or set of columns.")],
    given: Annotated[list[str] | None, columns_option("--given", "D", help="Columns to condition on.")] = None,
    estimator: EstimatorName = "auto",
    date: Date = None,
    numeric: Numeric = None,
    categorical: Categorical = None,
    where: Where = None,
    drop_missing_target: DropMissingTarget = False,
    sample: Sample = None,
    device: Device = "auto",
    seed: Seed = 0,
    as_json: AsJson = False,
    verbose: Verbose = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the number of nats.")] = False,
) -> None:
    """Estimate the mutual information of two sets of columns in nats, with a 95% interval."""
    if categorical and estimator != Estimator.AUTO:
        raise InputError(
            f"--categorical cannot be combined with --estimator {estimator}, which reads all columns as numbers; "
            "remove one."
        )
    with log_to_stderr(verbose=verbose, quiet=quiet):
        from minerva_select.data.loading import read_table
        from minerva_select.data.preparation import prepare_table

        table = read_table(data)
        logger.info("read %s rows x %s columns", f"{table.num_rows:,}", f"{table.num_columns:,}")
        named = {
            option: parse_columns(typed, table.column_names, option)
            for option, typed in (("--x", x), ("--y", y), ("--given", given))
        }
        check_disjoint(named)
        check_rows(table.num_rows)
        reading = ReadingOptions(date, numeric, categorical, where, drop_missing_target, sample, seed).parse(
            table.column_names, named["--y"]
        )
        used = [name for names in named.values() for name in names]
        parse_columns(reading.categorical, used, "--categorical")  # others may be converted for --where
        table = prepare_table(table, reading.preparation)
        from minerva_select.selectors import mutual_information

        estimate = mutual_information(
            select_columns(table, named["--x"]),
            select_columns(table, named["--y"]),
            given=select_columns(table, named["--given"]) if named["--given"] else None,
            **reading.type_parameters([*named["--x"], *named["--given"]], named["--y"]),
            estimator=estimator,
            device=device,
            random_state=seed,
        )
    if as_json:
        typer.echo(to_json(estimate, named))
    else:
        typer.echo(f"{estimate.nats:.6g}" if quiet else describe(estimate, named))


def describe(estimate: Estimate, named: dict[str, tuple[str, ...]]) -> str:
    """Describe an estimate in one line, with its note and its doubt on lines of their own."""
    from minerva_select.text.formatting import interval, number, printable
    from minerva_select.text.metadata import describe_estimate_doubt, describe_estimate_note

    x, y, given = (", ".join(map(printable, named[option])) for option in ("--x", "--y", "--given"))
    nats = f"{number(estimate.nats)} nats (95% interval {interval(estimate.low, estimate.high)})"
    line = f"I({x}; {y}{f' | {given}' if given else ''}) = {nats}"
    remarks = (describe_estimate_note(estimate), describe_estimate_doubt(estimate))
    first = f"{line}, {number(estimate.bits)} bits, from {estimate.n_rows:,} rows"
    return "\n".join([first, *(remark for remark in remarks if remark)])


def to_json(estimate: Estimate, named: dict[str, tuple[str, ...]]) -> str:
    """Convert an estimate to JSON."""
    columns = {option[2:]: names for option, names in named.items()}
    numbers = {
        name: getattr(estimate, name) for name in ("nats", "low", "high", "bits", "n_rows", "note", "reliable", "doubt")
    }
    return json.dumps(columns | numbers, indent=1, allow_nan=False)
