"""What can go wrong, each as one clear sentence: the rule, the value, the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class MinervaError(Exception):
    """Base of every error that MINERVA raises on purpose."""

    reported_elsewhere = False  # another process of the same run tells the user


class InputError(MinervaError, ValueError):
    """The data or the parameters cannot be used as they are."""


class InputTypeError(MinervaError, TypeError):
    """A value is of a type that cannot be used."""


class DivergenceError(MinervaError, RuntimeError):
    """Training left the finite numbers; says at which step and what the last finite bound was."""


class RankError(MinervaError, RuntimeError):
    """Another process of the run is gone, so that this one cannot go on."""


class MissingPackageError(MinervaError, ImportError):
    """An optional package is needed and not installed."""


class MinervaWarning(UserWarning):
    """Something a user should check before trusting a selection: a leak, a near-copy, a fit that did not converge."""


def unknown_name(what: str, name: object, known: Iterable[object]) -> InputError:
    """Error for a name that does not exist, with the nearest one that does.

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
    """Give a value as one short line, for a sentence: a table in place of a number would be many.

    Examples
    --------
    >>> brief("red"), brief([1, 2]), len(brief(10**400))
    ("'red'", '[1, 2]', 80)
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a whole number of too many digits, or an object that cannot say what it is
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:76]}...{text[-1]}"
