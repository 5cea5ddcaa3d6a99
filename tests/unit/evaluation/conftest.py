"""A table to compare methods on, and comparisons whose fits run in this process."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from minerva_select.evaluation.worker import DiedError, FailedError, describe
from minerva_select.results import Estimate


@pytest.fixture
def table():
    """Sixty rows; y follows from a, b is noise, c is text that repeats a's sign, d is a's half."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal(60)
    X = pd.DataFrame({"a": a, "b": rng.standard_normal(60), "c": np.where(a > 0, "up", "down"), "d": a / 2})
    return X, pd.Series(2 * a, name="y")


@pytest.fixture
def at_once(monkeypatch):
    """Fits run in this process and estimates take no time; what ran is listed."""
    ran = []

    def fit_apart(fit, time_limit):
        from minerva_select.evaluation.fitting import perform

        ran.append(fit.method.name)
        fault = fit.method.settings.get("fault")
        if fault == "sleep":
            note = f"out of time: stopped after {time_limit:g} s"
            return {"selected": None, "notes": [note], "cut_short": True, "seconds": time_limit, "peak_bytes": None}
        if fault == "memory":
            raise DiedError("the process was killed, as when memory runs out")
        try:
            return perform(fit)
        except ZeroDivisionError as error:
            raise FailedError(describe(error)) from None

    def mutual_information(X, y, **settings):
        ran.append(tuple(X.column_names))
        return Estimate(0.1 * X.num_columns, 0.05, 1.0, n_rows=X.num_rows)

    monkeypatch.setattr("minerva_select.evaluation.fitting.fit_apart", fit_apart)
    monkeypatch.setattr("minerva_select.selectors.mutual_information", mutual_information)
    return ran
