"""Share one fit between selectors that differ only in the number of features, as a grid search over it needs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakValueDictionary

import joblib
import numpy as np

from minerva_select.codes import StopCause, WarningCode
from minerva_select.config import FIT_REUSE
from minerva_select.errors import InputError, brief
from minerva_select.results import Selection

_NOT_IN_KEY = ("n_features_to_select", "reuse_fit", "callbacks", "verbose")
FittedAttributes = Mapping[str, Any]  # of a selector, without its data


class FitCache:
    """Fitted attributes by the key of their fit, of this process; the least recently used ones are removed first.

    Threads that need the same fit wait for the one that computes it.
    """

    def __init__(self, max_fits: int, max_bytes: int) -> None:
        self._max_fits, self._max_bytes = max_fits, max_bytes
        self._fits: OrderedDict[str, tuple[FittedAttributes, int]] = OrderedDict()
        self._locks: WeakValueDictionary[str, _KeyLock] = WeakValueDictionary()
        self._lock = threading.Lock()

    def get_or_fit(self, key: str, fit: Callable[[], FittedAttributes]) -> FittedAttributes:
        """The fit of this key, computed by ``fit`` if it is not there."""
        with self._lock:
            own = self._locks.setdefault(key, _KeyLock())
        with own.lock:
            found = self._find(key)
            if found is None:
                found = fit()
                self._add(key, found)
        return found

    def clear(self) -> None:
        """Remove all fits."""
        with self._lock:
            self._fits.clear()

    def __len__(self) -> int:
        return len(self._fits)

    def _find(self, key: str) -> FittedAttributes | None:
        with self._lock:
            if key not in self._fits:
                return None
            self._fits.move_to_end(key)
            return self._fits[key][0]

    def _add(self, key: str, attributes: FittedAttributes) -> None:
        selection: Selection = attributes["selection_"]
        if _was_stopped(selection):
            return
        n_bytes = len(selection.to_json())  # about what it takes in memory
        with self._lock:
            self._fits[key] = attributes, n_bytes
            while len(self._fits) > self._max_fits or sum(size for _, size in self._fits.values()) > self._max_bytes:
                self._fits.popitem(last=False)


class _KeyLock:
    """A lock that is forgotten when nobody uses it; the locks of threading have no weak references."""

    def __init__(self) -> None:
        self.lock = threading.RLock()


SHARED_FITS = FitCache(FIT_REUSE.max_fits, FIT_REUSE.max_bytes)


def fit_key(parameters: Mapping[str, Any], data: tuple[Any, ...]) -> str:
    """Hash of all data, and of all parameters but the number of features and those that do not change the result."""
    X, seed = data[0], parameters["random_state"]
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool):
        raise InputError(
            f"reuse_fit=True needs a whole number as random_state, got {brief(seed)}; give one, such as 0."
        )
    if not hasattr(X, "shape") and not isinstance(X, list | tuple):
        raise InputError("reuse_fit=True needs a table in memory; read it first, or leave reuse_fit out.")
    relevant = {name: value for name, value in parameters.items() if name not in _NOT_IN_KEY}
    relevant["random_state"] = int(seed)
    return str(joblib.hash((sorted(relevant.items()), data)))


def _was_stopped(selection: Selection) -> bool:
    """Whether a callback or Ctrl-C ended the fit: another fit would find more."""
    return any(
        one.code is WarningCode.NOT_CONVERGED and one.values.get("cause") == StopCause.ASKED
        for one in selection.warnings
    )
