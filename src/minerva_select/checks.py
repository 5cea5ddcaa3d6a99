"""Checks of what users pass; each error is one sentence."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeGuard

from minerva_select.errors import InputError, InputTypeError, brief, unknown_name


def is_finite(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number that a float can represent.

    Examples
    --------
    >>> is_finite(3), is_finite(10**400), is_finite(float("nan")), is_finite("3")
    (True, False, False, False)
    """
    try:
        return isinstance(value, numbers.Real) and math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False


def check_integer(name: str, value: object, minimum: int, maximum: float = math.inf) -> int:
    """Return an integer within its limits as an int; booleans are refused.

    Examples
    --------
    >>> check_integer("n_repeats", 0, minimum=1)
    Traceback (most recent call last):
    minerva_select.errors.InputError: n_repeats must be an integer of at least 1, got 0.
    """
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and minimum <= int(value) <= maximum:
        return int(value)
    limits = f"of at least {minimum}" if maximum == math.inf else f"from {minimum} to {maximum:,}"
    raise InputError(f"{name} must be an integer {limits}, got {brief(value)}.")


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raise unless a value is one of the choices.

    Examples
    --------
    >>> check_choice("solver", "papr", ("vetting", "paper"))
    Traceback (most recent call last):
    minerva_select.errors.InputError: There is no solver 'papr'; did you mean 'paper'?
    """
    if not isinstance(value, str) or value not in choices:
        raise unknown_name(name, value, choices)


def check_feature_count(name: str, value: object, n_columns: float, n_kept: int = 0) -> int:
    """Return a number of features to select as an int; ``n_kept`` are kept on request.

    Examples
    --------
    >>> check_feature_count("n_features", 30, n_columns=20)
    Traceback (most recent call last):
    minerva_select.errors.InputError: n_features is 30, but there are 20 columns; request at most that many.
    """
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or int(value) < 1:
        raise InputError(f"{name} must be a whole number above 0, got {brief(value)}.")
    if int(value) > n_columns:
        raise InputError(
            f"{name} is {brief(int(value))}, but there are {n_columns} columns; request at most that many."
        )
    if int(value) < n_kept:
        raise InputError(
            f"{name} is {value}, but keep names {n_kept} (a group counts as one); request at least as many or keep "
            "fewer."
        )
    return int(value)


def check_callable(function: object, name: str = "progress") -> None:
    """Raise unless a callback is callable or None."""
    if function is not None and not callable(function):
        raise InputTypeError(f"{name} must be a function of one argument, or None, got {brief(function)}.")


def as_path(name: str, path: Any) -> Path:
    """Return a path that is valid on this system.

    Examples
    --------
    >>> as_path("cache_dir", b"work")
    Traceback (most recent call last):
    minerva_select.errors.InputTypeError: cache_dir must be a string or a path, got b'work'.
    """
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        raise InputTypeError(f"{name} must be a string or a path, got {brief(path)}.")
    try:
        is_valid = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        is_valid = False
    if not is_valid:
        raise InputError(f"{name} has a character that is not valid in a path, got {brief(text)}; rename it.")
    return Path(text)
