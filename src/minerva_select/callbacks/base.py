"""Base class of callbacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minerva_select.results import Progress, Selection


class Callback:
    """Base class of callbacks that also need the start and the end of a fit; override the methods you need.

    A plain function of a :class:`.Progress` is a callback too. One object can follow several fits, one after another.
    Public attributes are parameters. Private attributes are the state of the current fit and are not copied by
    scikit-learn's ``clone``, joblib or pickle.

    Examples
    --------
    >>> class StopAbove(Callback):
    ...     def __init__(self, nats):
    ...         self.nats = nats
    ...     def __call__(self, progress):
    ...         return progress.bound is not None and progress.bound > self.nats
    >>> StopAbove(nats=0.4)(Progress("learn", 0.3, bound=0.41))
    True
    """

    def on_begin(self, settings: Mapping[str, Any]) -> None:
        """Receive the parameters of the fit before it starts."""

    def __call__(self, progress: Progress) -> bool | None:
        """Receive the progress of the fit; return True to end it soon with the best selection so far."""
        return None

    def on_end(self, selection: Selection | None) -> None:
        """Receive the selection, or None if the fit failed."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def __repr__(self) -> str:
        parameters = ", ".join(f"{name}={value!r}" for name, value in self.__getstate__().items())
        return f"{type(self).__name__}({parameters})"
