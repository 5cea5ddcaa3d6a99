"""Detect text columns whose values look like numbers or dates in a notation that was not parsed."""

from __future__ import annotations

import re

from minerva_select.config import NOTATION
from minerva_select.schema import Array

CURRENCY = "(?:[$€£¥]|AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|SEK|TRY|USD|ZAR)"
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_PLAIN_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)")
_NUMBER = re.compile(
    rf"[-+(]?\s?{CURRENCY}?\s?[-+]?"
    r"(?:\d{1,3}(?:[,.'\u2019\u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d*)?|[.,]\d+)"
    rf"\s?(?:{CURRENCY}|%)?\)?"
)
_DATE = re.compile(
    r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}|\d{1,2}/\d{1,2}/\d{2}"
    rf"|\d{{1,2}}[- ]{_MONTH}[- ]\d{{2,4}}|{_MONTH} \d{{1,2}},? \d{{4}})"
    r"(?:[T, ]+\d{1,2}:\d{2}.*)?",
    re.IGNORECASE,
)


def has_unparsed_notation(levels: Array) -> bool:
    """Return True if nearly all of many sorted levels look like numbers or dates, and some of them are formatted.

    Plain numbers only are categories that the user stored as text, such as postal codes.
    """
    if len(levels) < NOTATION.min_levels:
        return False
    texts = [str(level).strip() for level in levels[:: -(-len(levels) // NOTATION.max_levels_checked)]]
    if all(map(_PLAIN_NUMBER.fullmatch, texts)):
        return False
    n_needed = NOTATION.min_share * len(texts)
    return any(sum(map(bool, map(kind.fullmatch, texts))) >= n_needed for kind in (_NUMBER, _DATE))
