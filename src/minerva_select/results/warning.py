"""What a user should know before trusting a selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from minerva_select.codes import WarningCode
from minerva_select.text.warnings import describe_warning


@dataclass(frozen=True)
class SelectionWarning:
    """A warning as a code with its columns and values; ``str`` gives the sentence.

    Attributes
    ----------
    code : WarningCode
        The code, to compare with.
    columns : tuple of str
        Columns that the warning names.
    values : mapping
        Numbers that the warning names.

    Examples
    --------
    >>> warning = SelectionWarning(WarningCode.FEW_ROWS, values={"n_rows": 60})
    >>> print(warning)
    60 rows are few: only strong relations can be found.
    """

    code: WarningCode
    columns: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return describe_warning(self)
