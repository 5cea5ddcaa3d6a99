"""What is wrong with a table before a fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from minerva_select.codes import FindingCode
from minerva_select.results.json_format import dump_json
from minerva_select.text.findings import describe_check, describe_finding


@dataclass(frozen=True)
class Finding:
    """Something to look at before a fit, as a code with its columns and values; ``str`` gives the sentence.

    ``options`` are the arguments of ``minerva select`` that change it, if there are any.

    Attributes
    ----------
    code : FindingCode
        The code, to compare with.
    columns : tuple of str
        Columns that it is about.
    values : mapping
        Numbers and names in the sentence.
    options : tuple of str
        Arguments of ``minerva select`` that change it, if there are any.

    Examples
    --------
    >>> finding = Finding(FindingCode.CONSTANT, ("currency",), options=("--drop", "currency"))
    >>> print(finding)
    'currency' is constant; the fit leaves it out.
    """

    code: FindingCode
    columns: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        return describe_finding(self)


@dataclass(frozen=True)
class TableCheck:
    """Result of :func:`minerva_select.check_table`: what was found, and how long a fit will take.

    Attributes
    ----------
    target : str
        Name of the target.
    n_rows, n_columns : int
        Size of the table, without the target.
    n_rows_checked, n_columns_checked : int
        Rows and columns that were read; fewer if the table is large.
    findings : tuple of Finding
        Most serious ones first.
    fit_seconds : float
        Expected time of a fit on the CPU, right within a factor of about 3.

    Examples
    --------
    >>> from minerva_select import check_table
    >>> check = check_table([["EUR", amount] for amount in range(60)], [0, 1] * 30)
    >>> check.of(FindingCode.CONSTANT)[0].columns
    ('x0',)
    """

    target: str
    n_rows: int
    n_columns: int
    n_rows_checked: int
    n_columns_checked: int
    findings: tuple[Finding, ...]
    fit_seconds: float

    def of(self, code: FindingCode) -> tuple[Finding, ...]:
        """The findings of one kind."""
        return tuple(finding for finding in self.findings if finding.code is code)

    def to_json(self) -> str:
        """Return the check as JSON, with its schema version."""
        return dump_json(self)

    def __str__(self) -> str:
        """Describe everything that was found, in sentences."""
        return describe_check(self)
