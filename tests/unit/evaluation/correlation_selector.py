"""A small selector and methods that use it, in a module that another process can import."""

from __future__ import annotations

import time

import numpy as np

from minerva_select.evaluation import Method
from minerva_select.results import FeatureResult, Reason, ReasonCode, Selection


class CorrelationSelector:
    """Keeps the columns that correlate most with the target."""

    def __init__(
        self,
        n_features_to_select=None,
        categorical_features="auto",
        target_type="auto",
        random_state=None,
        marginal_nats=None,
        fault=None,
    ):
        self.n_features_to_select, self.categorical_features = n_features_to_select, categorical_features
        self.target_type, self.random_state = target_type, random_state
        self.marginal_nats, self.fault = marginal_nats, fault

    def fit(self, X, y):
        if self.fault == "sleep":
            time.sleep(600)
        if self.fault:
            raise ZeroDivisionError(self.fault)
        X = X.to_pandas() if hasattr(X, "to_pandas") else X
        numbers = X.apply(lambda column: column.cat.codes if column.dtype == "category" else column)
        target = np.asarray(y.to_pandas().iloc[:, 0], dtype=float)
        scores = np.abs([np.corrcoef(numbers[name], target)[0, 1] for name in numbers])
        kept = (
            scores > 0.5 if self.n_features_to_select is None else scores >= np.sort(scores)[-self.n_features_to_select]
        )
        features = tuple(
            FeatureResult(name, bool(keep), Reason(ReasonCode.SCORE), marginal_nats=self.marginal_nats)
            for name, keep in zip(numbers, kept, strict=True)
        )
        self.selection_ = Selection("y", features, None, None, n_rows=len(X))
        return self


def method(name="corr", **settings):
    """A method that uses the selector above."""
    return Method(name, name.upper(), f"{__name__}:CorrelationSelector", settings)
