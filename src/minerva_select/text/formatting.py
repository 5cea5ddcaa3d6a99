"""How names and numbers are shown to people, on the screen and on the page."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

NOT_MEASURED = "–"
LONGEST_NAME = 40  # characters of a name within a sentence

# Direction overrides can make a name read as another one, so they are spelled out like control characters.
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})


def printable(text: str, limit: int | None = None) -> str:
    r"""Text on one line: control characters spelled out, and the middle left out where it is longer than ``limit``.

    White space at an end is shown by quotes: a name that ends in a space is not the one without it.

    Examples
    --------
    >>> print(printable("two\nlines"))
    two\nlines
    >>> print(printable("amount "))
    'amount '
    >>> printable("a_very_long_column_name", limit=11)
    'a_ver…_name'
    """
    text = spelled(text)
    if text != text.strip():
        text = f"'{text}'"
    if limit is None or len(text) <= limit:
        return text
    tail = (limit - 1) // 2
    return text[: limit - 1 - tail] + "…" + text[len(text) - tail :]


def spelled(text: str) -> str:
    r"""Text with its control characters spelled out.

    Examples
    --------
    >>> print(spelled("two\nlines "), end="|")
    two\nlines |
    """
    return text if text.isprintable() else "".join(map(_spelled, text))


def _spelled(character: str) -> str:
    if unicodedata.category(character) in _UNPRINTABLE or character in _DIRECTIONS:
        return character.encode("unicode_escape").decode("ascii")
    return character


def amount(value: float | None, digits: int = 3) -> str:
    """Give a number with fixed digits, a dash where it was not measured, and never a minus zero.

    Examples
    --------
    >>> amount(0.49961), amount(-0.00001), amount(None)
    ('0.500', '0.000', '–')
    """
    if value is None or not math.isfinite(value):
        return NOT_MEASURED
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def percent(share: float) -> str:
    """Give a share as said: all is 100%, nearly all is not.

    Examples
    --------
    >>> percent(0.974), percent(0.998), percent(1.0), percent(0.002)
    ('97%', 'over 99%', '100%', 'under 1%')
    """
    if 0.995 <= share < 0.9995:
        return "over 99%"
    return "under 1%" if 0 < share < 0.005 else f"{share:.0%}"


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Give the ends of an interval, or nothing where an end is not known.

    Examples
    --------
    >>> interval(0.48, 0.52)
    '0.480 to 0.520'
    >>> interval(None, 0.52)
    ''
    """
    ends = (amount(low, digits), amount(high, digits))
    return "" if NOT_MEASURED in ends else " to ".join(ends)


def duration(seconds: float) -> str:
    """Give a length of time in the units a person would use.

    Examples
    --------
    >>> duration(4.21), duration(250), duration(7500)
    ('4.2 s', '4 min 10 s', '2 h 5 min')
    """
    if not seconds >= 60:
        return f"{amount(seconds, 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def listing(names: tuple[str, ...], most: int = 6) -> str:
    """Give names with commas between them, and only the count of those past ``most``.

    Examples
    --------
    >>> listing(("a", "b", "c"), most=2)
    'a, b and 1 more'
    """
    shown = ", ".join(printable(name, limit=60) for name in names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def spoken(names: Sequence[str], most: int = 6, limit: int | None = LONGEST_NAME) -> str:
    """Give names as a sentence has them, each cut to ``limit``, and only the count of those past ``most``.

    Examples
    --------
    >>> spoken(["a", "b", "c"]), spoken(["a", "b", "c", "d"], most=2)
    ('a, b and c', 'a, b and 2 more')
    """
    shown = [printable(name, limit) or "''" for name in names[:most]]
    last = f"{len(names) - most:,} more" if len(names) > most else shown.pop() if shown else ""
    return f"{', '.join(shown)} and {last}" if shown else last
