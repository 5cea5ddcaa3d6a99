"""Format names and numbers for the terminal, the page and the notebook."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

NOT_MEASURED = "–"
LONGEST_NAME = 40  # characters of a name in a sentence

# Direction overrides can make one name look like another, so they are escaped like control characters.
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})


def printable(text: str, limit: int | None = None) -> str:
    r"""Return text on one line, with control characters escaped and the middle cut if it is longer than ``limit``.

    Leading or trailing white space is made visible by quotes.

    Examples
    --------
    >>> print(printable("two\nlines"))
    two\nlines
    >>> print(printable("amount "))
    'amount '
    >>> printable("a_very_long_column_name", limit=11)
    'a_ver…_name'
    """
    text = escape(text)
    if text != text.strip():
        text = f"'{text}'"
    if limit is None or len(text) <= limit:
        return text
    tail = (limit - 1) // 2
    return text[: limit - 1 - tail] + "…" + text[len(text) - tail :]


def escape(text: str) -> str:
    r"""Escape control characters."""
    return text if text.isprintable() else "".join(map(_escape, text))


def _escape(character: str) -> str:
    if unicodedata.category(character) in _UNPRINTABLE or character in _DIRECTIONS:
        return character.encode("unicode_escape").decode("ascii")
    return character


def number(value: float | None, digits: int = 3) -> str:
    """Format a number with fixed digits; a dash if it was not measured, and never a negative zero.

    Examples
    --------
    >>> number(0.49961), number(-0.00001), number(None)
    ('0.500', '0.000', '–')
    """
    if value is None or not math.isfinite(value):
        return NOT_MEASURED
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def format_value(values: Mapping[str, Any], name: str, form: str = ".3g") -> str:
    """Format one value of a reason; a dash if a saved file lacks it or has no number there.

    Examples
    --------
    >>> format_value({"nats": 0.08712}, "nats"), format_value({"nats": None}, "nats")
    ('0.0871', '–')
    """
    value = values.get(name)
    return format(value, form) if isinstance(value, int | float) else NOT_MEASURED


def percent(share: float) -> str:
    """Format a share as a percentage; only a full share is 100%.

    Examples
    --------
    >>> percent(0.974), percent(0.998), percent(1.0), percent(0.002)
    ('97%', 'over 99%', '100%', 'under 1%')
    """
    if 0.995 <= share < 0.9995:
        return "over 99%"
    return "under 1%" if 0 < share < 0.005 else f"{share:.0%}"


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Format an interval; empty if an end is unknown.

    Examples
    --------
    >>> interval(0.48, 0.52)
    '0.480 to 0.520'
    >>> interval(None, 0.52)
    ''
    """
    ends = (number(low, digits), number(high, digits))
    return "" if NOT_MEASURED in ends else " to ".join(ends)


def duration(seconds: float) -> str:
    """Format a duration in the units a person would use.

    Examples
    --------
    >>> duration(4.21), duration(250), duration(7500)
    ('4.2 s', '4 min 10 s', '2 h 5 min')
    """
    if not seconds >= 60:
        return f"{number(seconds, 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def join_names(names: Sequence[str], most: int = 6, limit: int | None = LONGEST_NAME) -> str:
    """Join names for a sentence, each cut to ``limit``; names past ``most`` are only counted.

    Examples
    --------
    >>> join_names(["a", "b", "c"]), join_names(["a", "b", "c", "d"], most=2)
    ('a, b and c', 'a, b and 2 more')
    """
    shown = [printable(name, limit) or "''" for name in names[:most]]
    last = f"{len(names) - most:,} more" if len(names) > most else shown.pop() if shown else ""
    return f"{', '.join(shown)} and {last}" if shown else last


def count_features(n_features: int) -> str:
    """Count features."""
    return f"{n_features:,} feature" + ("" if n_features == 1 else "s")


def nats_with_interval(nats: float | None, low: float | None, high: float | None, digits: int) -> str:
    """Format nats with their interval, if it is known.

    Examples
    --------
    >>> nats_with_interval(0.5, 0.48, 0.52, 3), nats_with_interval(0.5, None, None, 3)
    ('0.500 nats (0.480 to 0.520)', '0.500 nats')
    """
    ends = interval(low, high, digits)
    return f"{number(nats, digits)} nats" + (f" ({ends})" if ends else "")


def setting(value: Any) -> str:
    """Format the value of a parameter.

    Examples
    --------
    >>> setting(None), setting(True), setting(["a", "b"]), setting([]), setting({"g": ["a"]})
    ('not set', 'yes', 'a and b', 'none', '{"g": ["a"]}')
    """
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return join_names([str(item) for item in value], most=20) or "none"
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, Mapping) else str(value)
