"""What the dropped features together add to the kept ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minerva_select.text.feature_order import digits_for
from minerva_select.text.formatting import nats_with_interval, number

if TYPE_CHECKING:
    from minerva_select.results import Selection


def describe_left_behind(selection: Selection) -> str:
    """Say what the dropped features still add, as a clause; empty if nothing was dropped or it was not measured."""
    left, n_dropped = selection.left_behind, len(selection.features) - len(selection.selected)
    if left is None or n_dropped == 0:
        return ""
    digits = digits_for(selection)
    nats = nats_with_interval(left.nats, left.low, left.high, digits) if adds_information(selection) else ""
    if not selection.selected:
        carry = "together they carry" if n_dropped > 1 else "it carries"
        return f"{carry} {f'at least {nats}' if nats else nothing_measurable(left.high, digits)}"
    add = f"the other {n_dropped:,} together add" if n_dropped > 1 else "the other one adds"
    return f"{add} {nats or nothing_measurable(left.high, digits)}"


def adds_information(selection: Selection) -> bool:
    """Whether the interval of what the dropped features add is above zero."""
    return selection.left_behind is not None and selection.left_behind.low > 0


def nothing_measurable(high: float, digits: int) -> str:
    """Describe an interval that includes zero by its upper end."""
    return f"nothing measurable (at most {upper_end(high, digits)} nats)"


def upper_end(high: float, digits: int) -> str:
    """Format the upper end of an interval that includes zero; an end that rounds to zero is rounded up."""
    return number(max(high, 10.0**-digits), digits)
