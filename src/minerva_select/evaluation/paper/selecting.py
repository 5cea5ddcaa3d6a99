"""The step that all experiments share: one method selects from one table, and the selection is measured."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import pandas as pd

from minerva_select.evaluation.methods import build
from minerva_select.evaluation.worker import measured


def select(task: Mapping[str, Any], X: pd.DataFrame, y: pd.Series | pd.DataFrame, **more: Any) -> dict[str, Any]:
    """Fit the task's method; return what it selected, the seconds and the most memory its process held meanwhile.

    Parameters
    ----------
    task : mapping
        With ``method``, ``seed``, ``parameters`` of its class and, where the method is told how many, ``told``.
    X, y : table and target
        The rows to select from.
    **more
        Parameters of the class that follow from the rows.
    """
    warnings.simplefilter("ignore")  # in a process of its own; what a user should know is in the selection
    selector = build(task["method"], n_features=task.get("told"), seed=task["seed"])
    selector.set_params(**more, **task["parameters"])
    if "n_jobs" in selector.get_params():
        selector.set_params(n_jobs=-1)
    fitted, seconds, peak_bytes = measured(selector.fit, X, y)
    return {"selected": list(fitted.selection_.selected), "seconds": seconds, "peak_bytes": peak_bytes}
