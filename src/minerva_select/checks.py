"""Checks of what users pass, with one sentence for what is refused."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeGuard

from minerva_select.errors import InputError, InputTypeError, brief, unknown_name


def is_finite(value: object) -> TypeGuard[float]:
    """Tell whether a value is a number that a float can hold.

    Examples
    --------
    >>> is_finite(3), is_finite(10**400), is_finite(float("nan")), is_finite("3")
    (True, False, False, False)
    """
    try:
        return isinstance(value, numbers.Real) and math.isfinite(value)
    except OverflowError:  # a whole number beyond floats
        return False


def check_whole(name: str, value: object, least: int, most: float = math.inf) -> int:
    """Return a whole number within its limits as an int; a truth value is none.

    Examples
    --------
    >>> check_whole("n_repeats", 0, least=1)
    Traceback (most recent call last):
    minerva_select.errors.InputError: n_repeats must be a whole number of 1 or more, got 0.
    """
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and least <= int(value) <= most:
        return int(value)
    limits = f"of {least} or more" if most == math.inf else f"from {least} to {most:,}"
    raise InputError(f"{name} must be a whole number {limits}, got {brief(value)}.")


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Refuse what is none of the words to choose from.

    Examples
    --------
    >>> check_choice("solver", "papr", ("vetting", "paper"))
    Traceback (most recent call last):
    minerva_select.errors.InputError: There is no solver 'papr'; did you mean 'paper'?
    """
    if not isinstance(value, str) or value not in choices:
        raise unknown_name(name, value, choices)


def check_progress(progress: object, name: str = "progress") -> None:
    """Refuse what cannot be told of progress."""
    if progress is not None and not callable(progress):
        raise InputTypeError(f"{name} must be a function of one argument, or None, got {brief(progress)}.")


def as_path(name: str, path: Any) -> Path:
    """Give a path that a system can have.

    Examples
    --------
    >>> as_path("cache", b"work")
    Traceback (most recent call last):
    minerva_select.errors.InputTypeError: cache must be a path as text, got b'work'.
    """
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        raise InputTypeError(f"{name} must be a path as text, got {brief(path)}.")
    try:
        is_possible = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        is_possible = False
    if not is_possible:
        raise InputError(f"{name} has a character that no path can have, got {brief(text)}; rename it.")
    return Path(text)
