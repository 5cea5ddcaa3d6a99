"""Values of bins, shares and means as short labels: numbers, dates, levels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from minerva_select.codes import BinKind, Conversion
from minerva_select.text.formatting import NOT_MEASURED, printable

if TYPE_CHECKING:
    from minerva_select.results.effects import EffectBin

MISSING = "missing"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE, _HOUR, _DAY, _YEAR = 60.0, 3600.0, 86_400.0, 365.25 * 86_400.0
_LARGE = 1e6  # from here on numbers have a prefix: 1.2M
_PREFIXES = ((1e12, "T"), (1e9, "B"), (1e6, "M"))


def label_bins(bins: Sequence[EffectBin], conversion: Conversion | None = None) -> list[str]:
    """Label of each bin; dates and times of day are readable."""
    scale = Scale.of(_ends(bins), conversion)
    return [_label(one, scale) for one in bins]


def label_edges(bins: Sequence[EffectBin], conversion: Conversion | None = None) -> list[str]:
    """The lower end of each bin of numbers, and the upper end of the last one."""
    scale = Scale.of(_ends(bins), conversion)
    ends = [one.low for one in bins] + [bins[-1].high]
    return [NOT_MEASURED if end is None else scale.format(end) for end in ends]


@dataclass(frozen=True)
class Scale:
    """How the values of a column are written: all with the same digits, as dates, or as times."""

    span: float
    is_whole: bool = False
    conversion: Conversion | None = None

    @classmethod
    def of(cls, values: Sequence[float], conversion: Conversion | None = None) -> Scale:
        """The scale of these values."""
        finite = [value for value in values if math.isfinite(value)] or [0.0]
        whole = all(value == round(value) for value in finite)
        return cls(max(finite) - min(finite), whole, conversion)

    def format(self, value: float) -> str:
        """Format one value."""
        if not math.isfinite(value):
            return NOT_MEASURED
        if self.conversion is Conversion.DATE:
            return _date(value, self.span)
        if self.conversion is Conversion.TIME:
            hours, rest = divmod(round(value), 3600)
            return f"{hours:02d}:{rest // 60:02d}"
        if self.conversion is Conversion.DURATION:
            return _duration(value, self.span)
        return format_number(value, self.span, is_whole=self.is_whole)


def format_number(value: float, span: float, *, is_whole: bool = False) -> str:
    """Format a number with the digits that distinguish values which extend over ``span``.

    Examples
    --------
    >>> format_number(1234.567, 900.0), format_number(0.12345, 0.3), format_number(2_500_000.0, 4e6)
    ('1,235', '0.123', '2.5M')
    """
    size = max(abs(value), span)
    if size >= _LARGE and value == 0:
        return "0"
    if size >= _LARGE:
        unit, prefix = next(((unit, prefix) for unit, prefix in _PREFIXES if size >= unit), (1.0, ""))
        return f"{value / unit + 0.0:.3g}{prefix}" if size < 1e15 else f"{value:.3g}"
    if is_whole:
        return f"{value:,.0f}" if size >= 10_000 else f"{value:.0f}"  # a year has no separator
    if 0 < size < 1e-3:
        return f"{value:.3g}"
    digits = 0 if span <= 0 else min(6, max(0, 2 - math.floor(math.log10(span))))
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def format_outcome(value: float, span: float, *, is_share: bool) -> str:
    """Format the share of a class as a percentage, or the mean of a numeric target."""
    if not is_share:
        return format_number(value, span)
    digits = 0 if span >= 0.1 else 1 if span >= 0.01 else 2
    return f"{round(100 * value, digits) + 0.0:.{digits}f}%"  # never a negative zero


def _ends(bins: Sequence[EffectBin]) -> list[float]:
    return [end for one in bins for end in (one.low, one.high) if end is not None]


def _label(one: EffectBin, scale: Scale) -> str:
    match one.kind:
        case BinKind.MISSING:
            return MISSING
        case BinKind.OTHER:
            return f"{one.n_levels:,} other" + ("s" if one.n_levels > 1 else "")
        case BinKind.LEVEL:
            return printable(one.level or "", 60) or '""'
    if one.low is None or one.high is None:
        return NOT_MEASURED
    low, high = scale.format(one.low), scale.format(one.high)
    return low if low == high else f"{low} to {high}"


def _date(seconds: float, span: float) -> str:
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:  # before year 1 or after year 9999
        return f"{seconds / _YEAR + 1970:.0f}"
    if span > 20 * _YEAR:
        return f"{moment.year}"
    if span > 2 * _DAY:
        return f"{moment:%Y-%m-%d}"
    return f"{moment:%m-%d %H:%M}"


def _duration(seconds: float, span: float) -> str:
    for unit, letters in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if span >= 2 * unit:
            return f"{format_number(seconds / unit, span / unit)} {letters}"
    return f"{format_number(seconds, span)} s"
