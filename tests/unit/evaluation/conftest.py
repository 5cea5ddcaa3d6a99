"""A table to compare methods on, and comparisons whose fits run in this process."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from minerva_select.codes import FailureCode
from minerva_select.evaluation.failures import Failure, attempt
from minerva_select.results import Estimate


@pytest.fixture
def table():
    """Sixty rows; y follows from a, b is noise, c is the sign of a as text, d is half of a."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal(60)
    X = pd.DataFrame({"a": a, "b": rng.standard_normal(60), "c": np.where(a > 0, "up", "down"), "d": a / 2})
    return X, pd.Series(2 * a, name="y")


@pytest.fixture
def ran(monkeypatch):
    """Run fits in this process and estimate at once; list what ran."""
    names = []

    def fit_in_process(fit):
        from minerva_select.evaluation.tasks import fit_method

        names.append(fit.method.name)
        fault = fit.method.settings.get("fault")
        if fault == "sleep":
            return Failure(FailureCode.OUT_OF_TIME, seconds=fit.arguments["time_limit"])
        if fault == "memory":
            return Failure(FailureCode.PROCESS_DIED)
        return attempt(fit_method, fit)

    def mutual_information(X, y, **settings):
        names.append(tuple(X.column_names))
        return Estimate(0.1 * X.num_columns, 0.05, 1.0, n_rows=X.num_rows)

    monkeypatch.setattr("minerva_select.evaluation.tasks.fit_in_process", fit_in_process)
    monkeypatch.setattr("minerva_select.selectors.mutual_information", mutual_information)
    return names
