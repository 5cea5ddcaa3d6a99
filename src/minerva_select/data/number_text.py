"""Numbers in a notation for people, such as ``$1,200``, ``12,34 EUR`` or ``(3.5%)``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from minerva_select.data.notation import CURRENCY
from minerva_select.data.text_values import distinct_texts, map_texts

_AROUND = re.compile(rf"\s*(?:{CURRENCY}|[%+])\s*|^\s+|\s+$|(?<=^-)\s+")
_GROUPED_BY_SPACE = re.compile(r"(?<=\d)['\u2019\u00a0\u202f ](?=\d{3}(?!\d))")
_DIGITS = r"(?:\d+{point}?\d*|{point}\d+|\d{{1,3}}(?:{group}\d{{3}})+(?:{point}\d*)?)(?:[eE][-+]?\d+)?"
_SEPARATORS = {",": ".", ".": ","}


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of one column are written: its decimal separator; the other one groups digits."""

    decimal: str = "."

    @classmethod
    def of(cls, texts: Iterable[str]) -> NumberFormat:
        """Find the decimal separator of a column: the comma if some value can only be read so.

        Examples
        --------
        >>> NumberFormat.of(["1,200", "13.5"]).decimal, NumberFormat.of(["1.200", "13,5"]).decimal
        ('.', ',')
        """
        return cls("," if any(_has_decimal_comma(text) for text in texts) else ".")

    def read(self, text: str) -> float:
        """Read a number; NaN for any other text.

        Examples
        --------
        >>> [NumberFormat().read(text) for text in ("$1,200.50", "(3%)", "1 000 000", "twelve")]
        [1200.5, -3.0, 1000000.0, nan]
        """
        text = text.strip()
        sign = 1.0
        if text.startswith("(") and text.endswith(")"):
            text, sign = text[1:-1], -1.0
        text = _AROUND.sub("", _GROUPED_BY_SPACE.sub("", text)).replace("\u2212", "-")
        if text.startswith("-"):
            text, sign = text[1:], -sign
        group = _SEPARATORS[self.decimal]
        if not re.fullmatch(_DIGITS.format(point=re.escape(self.decimal), group=re.escape(group)), text):
            return float("nan")
        return sign * float(text.replace(group, "").replace(self.decimal, "."))


def parse_numbers(name: str, column: Any, number_format: NumberFormat | None = None) -> Any:
    """Convert an Arrow column of text to numbers; columns of numbers, dates and times stay as they are."""
    if not is_text(column.type):
        return column.cast(pa.uint8()) if pa.types.is_boolean(column.type) else column
    number_format = NumberFormat.of(distinct_texts(column)) if number_format is None else number_format

    def convert(texts: Sequence[str]) -> NDArray[np.float64]:
        return np.array([number_format.read(text) for text in texts], dtype=np.float64)

    return map_texts(name, column, convert, pa.float64(), "is not a number; replace it, or read the column as text")


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is text, or categories of text."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view())


def _has_decimal_comma(text: str) -> bool:
    """Whether a comma in a number can only be a decimal separator, as in 12,5 or 1.234,56."""
    digits = _AROUND.sub("", text).strip("()-")
    if digits.count(",") != 1:
        return digits.count(".") > 1 and "," not in digits  # 1.234.567 is grouped by points
    whole, _, rest = digits.partition(",")
    if not re.fullmatch(r"[\d.]*", whole) or not re.fullmatch(r"\d+", rest):
        return False
    return "." in whole or len(rest) != 3 or not 1 <= len(whole) <= 3 or whole.startswith("0")
