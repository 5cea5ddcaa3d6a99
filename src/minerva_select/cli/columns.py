"""Parse the options that name columns, and split a table into features and target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from minerva_select.errors import InputError, unknown_name
from minerva_select.text.formatting import count_features

ROW_OPTIONS = ("--group-column", "--time-column", "--weight-column")
"""Options that name one column with a property of each row."""


def parse_columns(typed: Sequence[str] | None, known: Sequence[str], option: str) -> tuple[str, ...]:
    """Column names in the values of one option, without repetitions.

    An option can be repeated, and each value can be a comma-separated list. A value that is itself a column name is
    not split.
    """
    names: dict[str, None] = {}
    for value in typed or ():
        found = [value] if value in known else [_find(part, known) for part in value.split(",") if part.strip()]
        if not found:
            raise InputError(f"{option} {value!r} contains no column name; give one.")
        names.update(dict.fromkeys(found))
    return tuple(names)


def _find(typed: str, known: Sequence[str]) -> str:
    for name in (typed, typed.strip()):
        if name in known:
            return name
    raise unknown_name("column", typed.strip(), known)


def parse_one_column(value: str | None, known: Sequence[str], option: str) -> tuple[str, ...]:
    """The column in the value of an option that takes one; nothing without a value."""
    found = parse_columns(None if value is None else [value], known, option)
    if len(found) > 1:
        raise InputError(f"{option} takes one column, got {value!r}; give one of them.")
    return found


def parse_select_options(
    typed: Mapping[str, Sequence[str] | None], of_rows: Mapping[str, str | None], known: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Columns of every option of ``minerva select``; raise if options contradict each other."""
    named = {option: parse_columns(values, known, option) for option, values in typed.items()}
    named.update({option: parse_one_column(value, known, option) for option, value in of_rows.items()})
    check_disjoint({option: named[option] for option in ("--target", "--ignore", "--keep", "--drop")})
    for option in ("--ignore", *of_rows):
        for other in ("--categorical", "--numeric"):
            check_disjoint({option: named[option], other: named[other]})
    for option in of_rows:  # the same column can be ignored, and be both a time and a group
        for other in ("--target", "--keep", "--drop"):
            check_disjoint({other: named[other], option: named[option]})
    return named


def check_disjoint(named: Mapping[str, Iterable[str]]) -> None:
    """Raise if two options name the same column."""
    for (option, names), (other, others) in combinations(named.items(), 2):
        common = [name for name in names if name in set(others)]
        if common:
            raise InputError(f"Column {common[0]!r} is named by both {option} and {other}; remove it from one of them.")


def split_table(table: Any, target: Sequence[str], excluded: Sequence[str]) -> tuple[Any, Any]:
    """Features and target of an Arrow table or a source."""
    features = [name for name in table.schema.names if name not in {*target, *excluded}]
    if not features:
        raise InputError("No feature is left after --target, --ignore and the other options; name fewer columns.")
    return select_columns(table, features), select_columns(table, target)


def select_columns(table: Any, names: Iterable[str]) -> Any:
    """Columns of an Arrow table or a source, in the order of the table."""
    from minerva_select.data.columns import check_unique_names

    check_unique_names(table.schema.names)
    return table.select([name for name in table.schema.names if name in set(names)])


def check_count(n_features: int | None, n_columns: int, keep: Sequence[str] = ()) -> None:
    """Raise for a number of features that the table or ``--keep`` does not allow."""
    if n_features is None:
        return
    if n_features > n_columns:
        raise InputError(
            f"--n-features is {n_features}, but there {'is' if n_columns == 1 else 'are'} {count_features(n_columns)}; "
            "request at most that many."
        )
    if n_features < len(keep):
        raise InputError(
            f"--n-features is {n_features}, but --keep names {len(keep)} features; request at least as many or keep "
            "fewer."
        )


def check_target(target: Any) -> None:
    """Raise if a target, an Arrow table, has missing values."""
    from pyarrow import compute

    for name in target.column_names:
        n_missing = int(compute.sum(compute.is_null(target.column(name), nan_is_null=True)).as_py() or 0)
        if n_missing:
            raise InputError(
                f"The target {name!r} has {n_missing:,} missing value{'' if n_missing == 1 else 's'}; leave those rows "
                "out with --drop-missing-target, or fill them."
            )


def check_rows(n_rows: int) -> None:
    """Raise if the table is empty."""
    if n_rows == 0:
        raise InputError("The table has columns but no rows; give data with rows.")
