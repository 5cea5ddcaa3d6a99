"""The samplers' parameters, checked at the door, and what they all share: generators and column names."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from minerva_select.checks import is_finite
from minerva_select.errors import InputError, brief

RandomState = int | np.random.Generator | None


def generator(random_state: RandomState) -> np.random.Generator:
    """Return the generator of a seed; a generator is used as it is, and None draws a seed from the system."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    return np.random.default_rng(whole_number("random_state", random_state, at_least=0))


def whole_number(name: str, value: object, at_least: int, at_most: int | None = None) -> int:
    """Return the value as an int, or raise when it is none or out of range."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        number = int(value)
        if number >= at_least and (at_most is None or number <= at_most):
            return number
    limits = f"of {at_least} or more" if at_most is None else f"from {at_least} to {at_most}"
    raise InputError(f"{name} is {brief(value)}; pass a whole number {limits}.")


def number_above(name: str, value: object, bound: float, below: float = math.inf) -> float:
    """Return the value as a float, or raise when it is not strictly between the bounds."""
    if is_finite(value) and bound < value < below:
        return float(value)
    limits = f"above {bound:g}" if below == math.inf else f"above {bound:g} and below {below:g}"
    raise InputError(f"{name} is {brief(value)}; pass a number {limits}.")


def number_from(name: str, value: object, bound: float, below: float = math.inf) -> float:
    """Return the value as a float, or raise when it is under the first bound or not below the second."""
    if is_finite(value) and bound <= value < below:
        return float(value)
    limits = f"of {bound:g} or more" if below == math.inf else f"of {bound:g} or more and below {below:g}"
    raise InputError(f"{name} is {brief(value)}; pass a number {limits}.")


def positions(name: str, values: Iterable[object], how_many: int, n_features: int) -> tuple[int, ...]:
    """Return distinct column positions in order, or raise when there are others than that."""
    is_list = isinstance(values, Iterable) and getattr(values, "ndim", 1) > 0
    listed = list(values) if is_list else []
    if len(listed) != how_many:
        raise InputError(f"{name} is {brief(values)}; pass {how_many} column positions.")
    found = sorted(whole_number(f"A position in {name}", value, 0, n_features - 1) for value in listed)
    if len(set(found)) != how_many:
        raise InputError(f"{name} is {brief(values)}; pass {how_many} column positions that differ.")
    return tuple(found)


def column_names(n_features: int) -> list[str]:
    """Return the names f0, f1, ... of that many columns."""
    return [f"f{position}" for position in range(n_features)]
