"""A selector of a few lines, and methods made of it; in a module that another process can import."""

from __future__ import annotations

import time

import numpy as np

from minerva_select.evaluation import Method
from minerva_select.results import FeatureResult, Reason, ReasonCode, Selection


class Correlation:
    """Keeps the columns that correlate most with the target: a selector of a few lines."""

    def __init__(
        self,
        n_features_to_select=None,
        categorical_features="auto",
        target_type="auto",
        random_state=None,
        alone=None,
        fault=None,
    ):
        self.n_features_to_select, self.categorical_features = n_features_to_select, categorical_features
        self.target_type, self.random_state = target_type, random_state
        self.alone, self.fault = alone, fault

    def fit(self, X, y):
        if self.fault == "sleep":
            time.sleep(600)
        if self.fault:
            raise ZeroDivisionError(self.fault)
        X = X.to_pandas() if hasattr(X, "to_pandas") else X
        numbers = X.apply(lambda column: column.cat.codes if column.dtype == "category" else column)
        answer = np.asarray(y.to_pandas().iloc[:, 0], dtype=float)
        scores = np.abs([np.corrcoef(numbers[name], answer)[0, 1] for name in numbers])
        kept = (
            scores > 0.5 if self.n_features_to_select is None else scores >= np.sort(scores)[-self.n_features_to_select]
        )
        features = tuple(
            FeatureResult(
                name, bool(keep), Reason(ReasonCode.SCORE), marginal_nats=None if self.alone is None else self.alone
            )
            for name, keep in zip(numbers, kept, strict=True)
        )
        self.selection_ = Selection("y", features, None, None, n_rows=len(X))
        return self


def method(name="corr", **settings):
    """A method of ours, by the class above."""
    return Method(name, name.upper(), f"{__name__}:Correlation", settings)
