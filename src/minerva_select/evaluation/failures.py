"""Why a task has no result, as data."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

from minerva_select.codes import FailureCode
from minerva_select.errors import MinervaError
from minerva_select.text.comparison import describe_failure

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Failure:
    """A task without a result; ``str`` gives the sentence.

    Attributes
    ----------
    code : FailureCode
        The cause.
    message : str
        The error in one line, or the command that installs a missing package.
    seconds : float or None
        Time after which a task was stopped.
    step : str
        What failed: "selection", "information" or "score".
    """

    code: FailureCode
    message: str = ""
    seconds: float | None = None
    step: str = "selection"

    def __str__(self) -> str:
        return describe_failure(self)


def attempt(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R | Failure:
    """Call a function, and return an error as a failure."""
    from joblib import parallel_config  # noqa: PLC0415 - takes 0.1 s, only needed when methods run

    try:
        with parallel_config(backend="threading"):  # a worker process should not start processes of its own
            return function(*args, **kwargs)
    except Exception as error:
        return Failure(FailureCode.ERROR, describe_error(error))


def describe_error(error: BaseException) -> str:
    """Describe an error in one line: the message of our own errors; type, message and location of others."""
    if isinstance(error, MinervaError):
        return str(error)
    text = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    location = traceback.extract_tb(error.__traceback__)[-1:]
    return "".join([text, *(f" ({Path(frame.filename).name}:{frame.lineno})" for frame in location)])
