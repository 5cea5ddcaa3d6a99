"""What a callback is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minerva_select.results import Progress, Selection


class Callback:
    """Base of callbacks that want to know how a fit begins and ends; override what is needed.

    A plain function of a :class:`.Progress` is a callback too. One object may follow many fits, one
    after another. Public attributes are its parameters, and private ones the state of the fit under way: copies that
    scikit-learn's ``clone`` or joblib make have the parameters alone.

    Examples
    --------
    >>> class Enough(Callback):
    ...     def __init__(self, nats):
    ...         self.nats = nats
    ...     def __call__(self, progress):
    ...         return progress.bound is not None and progress.bound > self.nats
    >>> Enough(nats=0.4)(Progress("learn", 0.3, bound=0.41))
    True
    """

    def on_begin(self, settings: Mapping[str, Any]) -> None:
        """Hear which parameters the fit has, before any work is done."""

    def __call__(self, progress: Progress) -> bool | None:
        """Hear where the fit is; True asks it to end soon with the best answer so far."""
        return None

    def on_end(self, selection: Selection | None) -> None:
        """Hear what the fit has found; None: it has failed."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.__getstate__().items())
        return f"{type(self).__name__}({given})"
