"""From what was typed to columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from minerva_select.errors import InputError, unknown_name


def resolve(typed: Sequence[str] | None, known: Sequence[str], option: str) -> tuple[str, ...]:
    """Column names from the values of one option.

    An option can be repeated, and each value can hold several names with commas between them. A value that is itself
    the name of a column is that column, commas and all.

    Parameters
    ----------
    typed : sequence of str or None
        The option's values as they were typed.
    known : sequence of str
        The table's column names.
    option : str
        How the option is written, for errors.

    Returns
    -------
    tuple of str
        Distinct names of existing columns, in the order typed.

    Examples
    --------
    >>> resolve(["a, b", "last, first"], ["a", "b", "last, first"], "--keep")
    ('a', 'b', 'last, first')
    """
    names: dict[str, None] = {}
    for value in typed or ():
        found = [value] if value in known else [_known(piece, known) for piece in value.split(",") if piece.strip()]
        if not found:
            raise InputError(f"{option} {value!r} names no column; give the name of one.")
        names.update(dict.fromkeys(found))
    return tuple(names)


def resolve_one(typed: str | None, known: Sequence[str], option: str) -> tuple[str, ...]:
    """Column name from the value of an option that takes one column; none where it was not given.

    Examples
    --------
    >>> resolve_one("a", ["a", "b"], "--time-column"), resolve_one(None, ["a", "b"], "--time-column")
    (('a',), ())
    """
    names = resolve(None if typed is None else [typed], known, option)
    if len(names) > 1:
        raise InputError(f"{option} takes one column, and {typed!r} names {len(names)}; give one of them.")
    return names


def _known(piece: str, known: Sequence[str]) -> str:
    for name in (piece, piece.strip()):
        if name in known:
            return name
    raise unknown_name("column", piece.strip(), known)


def require_disjoint(named: Mapping[str, Iterable[str]]) -> None:
    """Raise when two options name the same column.

    Examples
    --------
    >>> require_disjoint({"--target": ["y"], "--keep": ["a"]})
    >>> require_disjoint({"--target": ["y"], "--keep": ["a", "y"]})
    Traceback (most recent call last):
        ...
    minerva_select.errors.InputError: Column 'y' is named by both --target and --keep; take it out of one of them.
    """
    for (option, names), (other, others) in combinations(named.items(), 2):
        common = [name for name in names if name in set(others)]
        if common:
            raise InputError(f"Column {common[0]!r} is named by both {option} and {other}; take it out of one of them.")


def resolve_all(
    typed: Mapping[str, Sequence[str] | None], of_rows: Mapping[str, str | None], known: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Columns of every option of ``minerva select``, which agree with one another.

    Parameters
    ----------
    typed : mapping
        Options of several columns, with their values.
    of_rows : mapping
        Options of one column that says something of the rows.
    known : sequence of str
        The table's column names.
    """
    named = {option: resolve(values, known, option) for option, values in typed.items()}
    named |= {option: resolve_one(value, known, option) for option, value in of_rows.items()}
    require_disjoint({option: named[option] for option in ("--target", "--ignore", "--keep", "--drop")})
    for option in ("--ignore", *of_rows):
        require_disjoint({other: named[other] for other in (option, "--categorical")})
    for option in of_rows:  # these may be named by --ignore and by one another: a day is a time, and a group of rows
        for other in ("--target", "--keep", "--drop"):
            require_disjoint({other: named[other], option: named[option]})
    return named


def split_categorical(named: Sequence[str], target: Sequence[str]) -> tuple[list[str] | str, str]:
    """Split what ``--categorical`` names into the selector's ``categorical`` and ``target``.

    Examples
    --------
    >>> split_categorical(["country", "grade"], target=["grade"])
    (['country'], 'discrete')
    >>> split_categorical([], target=["grade"])
    ('auto', 'auto')
    """
    inside = [name for name in target if name in named]
    outside = [name for name in target if name not in named]
    if inside and outside:
        raise InputError(
            f"--categorical names {inside[0]!r} of the target and not {outside[0]!r}; name all of the target or none."
        )
    features = [name for name in named if name not in inside]
    return features or "auto", "discrete" if inside else "auto"


def take(table: Any, names: Iterable[str]) -> Any:
    """Columns of an Arrow table or of a source, in the table's order.

    By position, not by name: two columns of one name both come along, and whoever reads the table says so. A source has
    no two of one name.
    """
    wanted = set(names)
    if hasattr(table, "blocks"):
        return table.select([name for name in table.names if name in wanted])
    return table.select([position for position, name in enumerate(table.column_names) if name in wanted])


def require_rows(table: Any) -> None:
    """Refuse an Arrow table or a source that has columns and nothing in them."""
    if (table.n_rows if hasattr(table, "blocks") else table.num_rows) == 0:
        raise InputError("The table has columns and no rows; give data with rows.")


def sides(table: Any, target: Sequence[str], ignore: Sequence[str]) -> tuple[Any, Any]:
    """Split an Arrow table or a source into the features and the target, without the columns to ignore."""
    require_rows(table)
    apart = {*target, *ignore}
    features = [name for name in column_names(table) if name not in apart]
    if not features:
        raise InputError("No feature is left once --target, --ignore and the like are taken out; name fewer columns.")
    return take(table, features), whole(take(table, target))


def column_names(table: Any) -> Sequence[str]:
    """Names of the columns of an Arrow table or of a source."""
    names: Sequence[str] = table.names if hasattr(table, "blocks") else table.column_names
    return names


def whole(table: Any) -> Any:
    """An Arrow table; what a source has is read."""
    return table.read() if hasattr(table, "blocks") else table
