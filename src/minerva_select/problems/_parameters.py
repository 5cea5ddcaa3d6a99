"""Argument checks, random generators and column names shared by all problems."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from minerva_select.checks import check_integer, is_finite
from minerva_select.errors import InputError, brief

RandomState = int | np.random.Generator | None


def make_generator(random_state: RandomState) -> np.random.Generator:
    """Return a generator for a seed; a generator is returned as it is, None takes entropy from the system."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    return np.random.default_rng(check_integer("random_state", random_state, minimum=0))


def check_number(name: str, value: object, low: float, high: float = math.inf, *, include_low: bool = False) -> float:
    """Return the value as a float; raise unless it is finite and between ``low`` and ``high`` (exclusive)."""
    if is_finite(value) and (low < value or (include_low and value == low)) and value < high:
        return float(value)
    limits = f"of at least {low:g}" if include_low else f"above {low:g}"
    limits += "" if high == math.inf else f" and below {high:g}"
    raise InputError(f"{name} must be a number {limits}, got {brief(value)}.")


def check_positions(name: str, values: Iterable[object], n_positions: int, n_features: int) -> tuple[int, ...]:
    """Return the column positions sorted; raise unless there are ``n_positions`` distinct valid ones."""
    is_list = isinstance(values, Iterable) and getattr(values, "ndim", 1) > 0
    listed = list(values) if is_list else []
    if len(listed) != n_positions:
        raise InputError(f"{name} must have {n_positions} column positions, got {brief(values)}.")
    positions = sorted(check_integer(f"A position in {name}", value, 0, n_features - 1) for value in listed)
    if len(set(positions)) != n_positions:
        raise InputError(f"{name} must have {n_positions} distinct column positions, got {brief(values)}.")
    return tuple(positions)


def column_names(n_features: int) -> list[str]:
    return [f"f{position}" for position in range(n_features)]
