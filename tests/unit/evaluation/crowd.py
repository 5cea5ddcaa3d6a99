"""Tasks and a method that tell where they ran; in a module that another process can import."""

from __future__ import annotations

import dataclasses
import os

from correlation import Correlation

from minerva_select.evaluation import Method

LOCATED = Method("located", "LOCATED", f"{__name__}:Located")


class Located(Correlation):
    """Notes the process that it was fitted in."""

    def fit(self, X, y):
        super().fit(X, y)
        self.selection_ = dataclasses.replace(self.selection_, warnings=(str(os.getpid()),))
        return self

    def get_params(self, deep=True):
        return {name: getattr(self, name) for name in ("random_state", "fault")}

    def set_params(self, random_state):
        self.random_state = random_state
        return self


class Parcel:
    """A list that counts how often it is packed, and says that it is large."""

    def __init__(self, values):
        self.values, self.n_packed = values, 0

    def __sizeof__(self):
        return 1_000_000

    def __reduce__(self):
        self.n_packed += 1
        return Parcel, (self.values,)


def total(parcel):
    """The sum of what was sent."""
    return sum(parcel.values)


def fail(parcel):
    """A task with an error of its own."""
    raise ZeroDivisionError("no rows")


def die(parcel):
    """A task that takes its process with it."""
    os._exit(3)
