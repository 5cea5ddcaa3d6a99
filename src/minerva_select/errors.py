"""Exceptions and warnings, and helpers for their messages: one sentence with the rule, the value and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class MinervaError(Exception):
    """Base of every error that MINERVA raises on purpose.

    Examples
    --------
    >>> try:
    ...     raise InputError("Column 'amount' has 3 infinite values; replace them or drop the column.")
    ... except MinervaError as error:
    ...     print(error)
    Column 'amount' has 3 infinite values; replace them or drop the column.
    """

    reported_elsewhere = False  # whether another process of the same run prints it


class InputError(MinervaError, ValueError):
    """The data or the parameters cannot be used as they are.

    Examples
    --------
    >>> from minerva_select import MinervaSelector
    >>> MinervaSelector(n_features_to_select=0).fit([[1], [2]], [0, 1])
    Traceback (most recent call last):
    ...
    minerva_select.errors.InputError: n_features_to_select must be ...
    """


class InputTypeError(MinervaError, TypeError):
    """A value is of a type that cannot be used.

    Examples
    --------
    >>> from minerva_select import Selection
    >>> Selection.from_json(1)
    Traceback (most recent call last):
    ...
    minerva_select.errors.InputTypeError: A saved selection must be text, got 1; ...
    """


class DivergenceError(MinervaError, RuntimeError):
    """Training diverged; the message has the step and the last finite bound.

    Examples
    --------
    >>> issubclass(DivergenceError, MinervaError) and issubclass(DivergenceError, RuntimeError)
    True
    """


class RankError(MinervaError, RuntimeError):
    """Another process of the run is lost, so that this one cannot continue.

    Examples
    --------
    >>> issubclass(RankError, MinervaError) and issubclass(RankError, RuntimeError)
    True
    """


class MissingPackageError(MinervaError, ImportError):
    """An optional package is needed but not installed.

    Examples
    --------
    >>> issubclass(MissingPackageError, MinervaError) and issubclass(MissingPackageError, ImportError)
    True
    """


class MinervaWarning(UserWarning):
    """Something a user should check before trusting a selection: a leak, a near-copy, a fit that did not converge.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", MinervaWarning)  # such a warning becomes an error
    """


def unknown_name(what: str, name: object, known: Iterable[object]) -> InputError:
    """Error for an unknown name that suggests the most similar one.

    Examples
    --------
    >>> print(unknown_name("column", "amout", ["amount", "country"]))
    There is no column 'amout'; did you mean 'amount'?
    """
    names = [str(candidate) for candidate in known]
    wanted = name if isinstance(name, str) else brief(name)
    close = difflib.get_close_matches(wanted, names, n=1, cutoff=0.5)
    if close:
        return InputError(f"There is no {what} {brief(wanted)}; did you mean {close[0]!r}?")
    shown = ", ".join(repr(candidate) for candidate in names[:8]) + (", ..." if len(names) > 8 else "")
    return InputError(f"There is no {what} {brief(wanted)}; choose from {shown or 'none'}.")


def brief(value: object) -> str:
    """Show a value on one short line, whatever it is.

    Examples
    --------
    >>> brief("red"), brief([1, 2]), len(brief(10**400))
    ("'red'", '[1, 2]', 80)
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer with too many digits, or an object with a broken __repr__
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:76]}...{text[-1]}"


def first_line(error: BaseException) -> str:
    """First sentence of an error of another library, at most 200 characters, without a period."""
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0].split(". ")[0][:200].rstrip(". ")
