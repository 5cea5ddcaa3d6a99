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
    """Return text on one line, with control characters escaped and the middle cut if it is longer than ``limit``.

    Leading or trailing white space is made visible by quotes.
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
    """Format a number with fixed digits; a dash if it was not measured, and never a negative zero."""
    if value is None or not math.isfinite(value):
        return NOT_MEASURED
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def format_value(values: Mapping[str, Any], name: str, form: str = ".3g") -> str:
    """Format one value of a reason; a dash if a saved file lacks it or has no number there."""
    value = values.get(name)
    return format(value, form) if isinstance(value, int | float) else NOT_MEASURED


def percent(share: float) -> str:
    """Format a share as a percentage; only a full share is 100%."""
    if 0.995 <= share < 0.9995:
        return "over 99%"
    return "under 1%" if 0 < share < 0.005 else f"{share:.0%}"


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Format an interval; empty if an end is unknown."""
    ends = (number(low, digits), number(high, digits))
    return "" if NOT_MEASURED in ends else " to ".join(ends)


def duration(seconds: float) -> str:
    """Format a duration in the units a person would use."""
    if not seconds >= 60:
        return f"{number(seconds, 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def rough_duration(seconds: float) -> str:
    """Format an estimated duration with as many digits as an estimate deserves.

    Examples
    --------
    >>> [rough_duration(seconds) for seconds in (0.4, 13.2, 47, 95, 1000, 10_000)]
    ['1 s', '15 s', '45 s', '2 min', '17 min', '3 h']
    """
    if seconds < 10:
        return f"{max(1, math.ceil(seconds))} s"
    if seconds < 60:
        return f"{5 * round(seconds / 5)} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{round(seconds / 3600)} h"


def join_names(names: Sequence[str], most: int = 6, limit: int | None = LONGEST_NAME) -> str:
    """Join names for a sentence, each cut to ``limit``; names past ``most`` are only counted."""
    shown = [printable(name, limit) or "''" for name in names[:most]]
    last = f"{len(names) - most:,} more" if len(names) > most else shown.pop() if shown else ""
    return f"{', '.join(shown)} and {last}" if shown else last


def list_names(names: Sequence[str], most: int = 4) -> str:
    """Join names with commas, as the members of a set; names past ``most`` are only counted."""
    shown = [printable(name, LONGEST_NAME) or "''" for name in names[:most]]
    return ", ".join([*shown, f"{len(names) - most:,} more"] if len(names) > most else shown)


def count_features(n_features: int) -> str:
    """Count features."""
    return f"{n_features:,} feature" + ("" if n_features == 1 else "s")


def nats_with_interval(nats: float | None, low: float | None, high: float | None, digits: int) -> str:
    """Format nats with their interval, if it is known."""
    ends = interval(low, high, digits)
    return f"{number(nats, digits)} nats" + (f" ({ends})" if ends else "")


def setting(value: Any) -> str:
    """Format the value of a parameter."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return join_names([str(item) for item in value], most=20) or "none"
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, Mapping) else str(value)
