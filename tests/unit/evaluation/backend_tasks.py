"""Tasks and a method that record where they ran, in a module that another process can import."""

from __future__ import annotations

import dataclasses
import os

from correlation_selector import CorrelationSelector

from minerva_select.evaluation import Method
from minerva_select.results import SelectionWarning, WarningCode

LOCATED = Method("located", "LOCATED", f"{__name__}:LocatedSelector")


class LocatedSelector(CorrelationSelector):
    """Has the process in which it was fitted as the value of a warning."""

    def fit(self, X, y):
        super().fit(X, y)
        process = SelectionWarning(WarningCode.FEW_ROWS, values={"n_rows": os.getpid()})
        self.selection_ = dataclasses.replace(self.selection_, warnings=(process,))
        return self

    def get_params(self, deep=True):
        return {name: getattr(self, name) for name in ("random_state", "fault")}

    def set_params(self, random_state):
        self.random_state = random_state
        return self


def process_of(result):
    """The process that a LocatedSelector was fitted in."""
    return result.warnings[0].values["n_rows"]


class CountedPickles:
    """A list that counts how often it is pickled, and claims to be large."""

    def __init__(self, values):
        self.values, self.n_pickled = values, 0

    def __sizeof__(self):
        return 1_000_000

    def __reduce__(self):
        self.n_pickled += 1
        return CountedPickles, (self.values,)


def total(data):
    return sum(data.values)


def fail(data):
    raise ZeroDivisionError("no rows")


def die(data):
    os._exit(3)
