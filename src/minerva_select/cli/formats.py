"""What ``select`` and ``report`` print for other programs: JSON, CSV or SQL."""

from __future__ import annotations

from dataclasses import dataclass

from minerva_select.errors import InputError
from minerva_select.results import Selection


@dataclass(frozen=True)
class OutputFormat:
    """The options that ask for a format; at most one can be given."""

    as_json: bool = False
    as_csv: bool = False
    sql: str | None = None
    sql_dialect: str = "standard"

    def __post_init__(self) -> None:
        given = self._given()
        if len(given) > 1:
            raise InputError(f"{given[0]} and {given[1]} cannot be combined; give one of them.")
        if self.sql is not None and not all(self.sql.split(".")):
            raise InputError(f"--sql needs the name of a table, such as sales or shop.sales, got {self.sql!r}.")
        if self.sql_dialect != "standard" and self.sql is None:
            raise InputError("--sql-dialect needs --sql, such as --sql sales.")

    @property
    def option(self) -> str | None:
        """The option that asks for a format; None without one."""
        return next(iter(self._given()), None)

    def _given(self) -> list[str]:
        asked = {"--json": self.as_json, "--csv": self.as_csv, "--sql": self.sql is not None}
        return [option for option, is_given in asked.items() if is_given]

    def write(self, selection: Selection) -> str | None:
        """Return the selection in this format; None if none is asked for."""
        if self.as_json:
            return selection.to_json()
        if self.as_csv:
            return selection.to_csv().rstrip("\n")  # not atomic: makes text, not a file
        return None if self.sql is None else f"{selection.to_sql(self.sql, dialect=self.sql_dialect)};"
