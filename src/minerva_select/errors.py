"""Exceptions and warnings, and helpers for their messages: one sentence with the rule, the value and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class MinervaError(Exception):
    """Base of every error that MINERVA raises on purpose."""

    reported_elsewhere = False  # whether another process of the same run prints it


class InputError(MinervaError, ValueError):
    """The data or the parameters cannot be used as they are."""


class InputTypeError(MinervaError, TypeError):
    """A value is of a type that cannot be used."""


class DivergenceError(MinervaError, RuntimeError):
    """Training diverged; the message has the step and the last finite bound."""


class RankError(MinervaError, RuntimeError):
    """Another process of the run is lost, so that this one cannot continue."""


class MissingPackageError(MinervaError, ImportError):
    """An optional package is needed but not installed."""


class MinervaWarning(UserWarning):
    """Something a user should check before trusting a selection: a leak, a near-copy, a fit that did not converge."""


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
