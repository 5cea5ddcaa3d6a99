"""Options that say how a table is read: types of columns, conditions of rows, a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from minerva_select.cli.columns import check_disjoint, parse_columns
from minerva_select.errors import InputError, unknown_name

if TYPE_CHECKING:
    from minerva_select.data.preparation import Preparation


@dataclass(frozen=True)
class ReadingOptions:
    """What was typed after the options that say how a table is read."""

    date: Sequence[str] | None = None
    numeric: Sequence[str] | None = None
    categorical: Sequence[str] | None = None
    where: Sequence[str] | None = None
    drop_missing_target: bool = False
    sample: int | None = None
    seed: int = 0

    def parse(self, known: Sequence[str], target: Sequence[str]) -> ColumnReading:
        """Columns and conditions of these options, for a table with these columns."""
        from minerva_select.data.preparation import Preparation
        from minerva_select.data.row_filter import parse_conditions

        dates = parse_dates(self.date, known)
        numeric = parse_columns(self.numeric, known, "--numeric")
        categorical = parse_columns(self.categorical, known, "--categorical")
        check_disjoint({"--date": dates, "--numeric": numeric, "--categorical": categorical})
        preparation = Preparation(
            dates=dates,
            numbers=numeric,
            where=parse_conditions(self.where or (), known, "--where"),
            present=tuple(target) if self.drop_missing_target else (),
            n_rows=self.sample,
            seed=self.seed,
        )
        return ColumnReading(preparation, numeric, categorical)


@dataclass(frozen=True)
class ColumnReading:
    """How a table is prepared, and which columns are numeric and categorical on request."""

    preparation: Preparation
    numeric: tuple[str, ...]
    categorical: tuple[str, ...]

    def type_parameters(self, features: Sequence[str], target: Sequence[str]) -> dict[str, Any]:
        """Parameters ``categorical_features`` and ``target_type``; the types of other columns are found by the fit."""
        given = {**dict.fromkeys(self.numeric, False), **dict.fromkeys(self.categorical, True)}
        of_features = {name: given[name] for name in features if name in given}
        of_target = {name: given.get(name) for name in target}
        first = next((name for name in target if of_target[name] is not None), None)
        if first is None:
            return {"categorical_features": of_features or "auto", "target_type": "auto"}
        other = next((name for name in target if of_target[name] != of_target[first]), None)
        option = "--categorical" if of_target[first] else "--numeric"
        if other is not None:
            raise InputError(f"{option} names the target {first!r} but not the target {other!r}; name both or neither.")
        target_type = "discrete" if of_target[first] else "continuous"
        return {"categorical_features": of_features or "auto", "target_type": target_type}


def parse_dates(typed: Sequence[str] | None, known: Sequence[str]) -> Mapping[str, str | None]:
    """Columns of ``--date COL[=FORMAT]`` with their formats; without formats, a comma-separated list is split.

    Examples
    --------
    >>> parse_dates(["when=%b %d, %Y", "opened,closed"], ["when", "opened", "closed"])
    {'when': '%b %d, %Y', 'opened': None, 'closed': None}
    """
    from minerva_select.data.date_text import check_format

    found: dict[str, str | None] = {}
    for value in typed or ():
        if value in known or "=" not in value:
            found.update(dict.fromkeys(parse_columns([value], known, "--date")))
            continue
        ends = [k for k, character in enumerate(value) if character == "=" and value[:k] in known]
        if not ends:
            raise unknown_name("column (in --date)", value.partition("=")[0], known)
        name, date_format = value[: ends[-1]], value[ends[-1] + 1 :]
        check_format(f"--date {name}=", date_format)
        found[name] = date_format
    return found
