"""The step that all experiments share: one method selects from one table, and the selection is measured."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import pandas as pd

from minerva.evaluation.methods import build
from minerva.evaluation.worker import measured


def select(
    method: str,
    X: pd.DataFrame,
    y: pd.Series | pd.DataFrame,
    *,
    n_features: int | None,
    seed: int,
    parameters: Mapping[str, Any],
) -> dict[str, Any]:
    """Fit a method by its name; return what it selected, the seconds and the most memory its process held meanwhile."""
    warnings.simplefilter("ignore")  # in a process of its own; what a user should know is in the selection
    selector = build(method, n_features=n_features, seed=seed).set_params(**parameters)
    if "n_jobs" in selector.get_params():
        selector.set_params(n_jobs=-1)
    fitted, seconds, peak_bytes = measured(selector.fit, X, y)
    return {"selected": list(fitted.selection_.selected), "seconds": seconds, "peak_bytes": peak_bytes}
