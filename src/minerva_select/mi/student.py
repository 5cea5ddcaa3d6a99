"""Student's law: of a mean over its standard error, where that error was measured from few deviations."""

from __future__ import annotations

import math

AS_GOOD_AS_NORMAL = 1e5  # degrees of freedom: there the two laws agree to 0.2% at five standard errors


def student_tail(t: float, freedom: float) -> float:
    """Probability of more than ``t`` with so many degrees of freedom; by the normal law where they are very many.

    Examples
    --------
    With one degree the law is Cauchy's, with a quarter beyond 1; with many it is the normal law:

    >>> round(student_tail(1.0, 1.0), 6), round(student_tail(1.959964, math.inf), 6)
    (0.25, 0.025)
    """
    if freedom > AS_GOOD_AS_NORMAL:
        return 0.5 * math.erfc(t / math.sqrt(2.0))
    if t < 0:
        return 1.0 - student_tail(-t, freedom)
    square = t * t
    outer, inner = (0.0, 1.0) if math.isinf(square) else (freedom / (freedom + square), square / (freedom + square))
    return 0.5 * _incomplete_beta(0.5 * freedom, 0.5, outer, inner)


def student_quantile(probability: float, freedom: float) -> float:
    """The ``t`` with this probability, below a half, beyond it.

    Examples
    --------
    >>> round(student_quantile(0.025, 4.0), 3)
    2.776
    """
    low, high = 0.0, 1.0
    while student_tail(high, freedom) > probability:
        low, high = high, 2.0 * high
    while high - low > 1e-10 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if student_tail(middle, freedom) > probability else (low, middle)
    return high


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Regularised incomplete beta function; ``rest`` is 1 - x, without its cancellation."""
    if x <= 0.0 or rest <= 0.0:
        return float(x > 0.0)
    if x > (a + 1.0) / (a + b + 2.0):  # where the fraction of the other end converges faster
        return 1.0 - _incomplete_beta(b, a, rest, x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    fraction = 1.0
    for m in range(20 + int(4.0 * math.sqrt(max(a, b))), 0, -1):  # of this depth, for 12 digits; from the inside out
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m - 1) * (a + b + m - 1) * x / ((a + 2 * m - 2) * (a + 2 * m - 1))
        fraction = 1.0 + odd / (1.0 + even / fraction)
    return math.exp(log_front) / (a * fraction)
