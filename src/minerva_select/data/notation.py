"""Text that looks like numbers or dates, written so that no reader takes it for them."""

from __future__ import annotations

import re

from minerva_select.schema import Array

MIN_LEVELS = 21
"""With fewer distinct values, a column may well be names that look like numbers."""

MIN_SHARE = 0.9
"""Of the distinct values that have to look like numbers, or like dates."""

_MOST_LOOKED_AT = 300

_CURRENCY, _MONTH = "[$€£¥]", "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)")
_NUMBER = re.compile(
    rf"[-+(]?\s?{_CURRENCY}?\s?[-+]?"
    r"(?:\d{1,3}(?:[,.'\u2019\u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d*)?|[.,]\d+)"
    rf"\s?(?:{_CURRENCY}|%)?\)?"
)
_DATE = re.compile(
    r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}|\d{1,2}/\d{1,2}/\d{2}"
    rf"|\d{{1,2}}[- ]{_MONTH}[- ]\d{{2,4}}|{_MONTH} \d{{1,2}},? \d{{4}})"
    r"(?:[T, ]+\d{1,2}:\d{2}.*)?",
    re.IGNORECASE,
)


def has_unparsed_notation(levels: Array) -> bool:
    """Whether nearly all of many levels look like numbers, or like dates, of which some are not written plainly.

    Plain numbers alone are names that the user has made text, such as postal codes. A few hundred levels are looked at.

    Parameters
    ----------
    levels : ndarray of str
        Distinct values of a column, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> prices = np.array([f"${amount:,}" for amount in range(0, 90_000, 3_000)], dtype=object)
    >>> prices[4], has_unparsed_notation(prices)
    ('$12,000', True)
    >>> has_unparsed_notation(np.array([f"{code:05}" for code in range(30)], dtype=object))
    False
    """
    if len(levels) < MIN_LEVELS:
        return False
    texts = [str(level).strip() for level in levels[:: -(-len(levels) // _MOST_LOOKED_AT)]]
    if all(map(_PLAIN.fullmatch, texts)):
        return False
    return any(sum(map(bool, map(kind.fullmatch, texts))) >= MIN_SHARE * len(texts) for kind in (_NUMBER, _DATE))
