"""What is measured: MINERVA and three other methods, each with its default settings."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from speed.catalog import BORUTA, GAIN, OURS, PERMUTATION

LABELS = {OURS: "MINERVA", GAIN: "LightGBM gain", BORUTA: "Boruta", PERMUTATION: "permutation importance"}
N_REPEATS = 10  # permutations of each column
MAX_LEVELS = 255  # of a categorical column of scikit-learn's gradient boosting; of more, codes are numbers

Select = Callable[[Any, Any, int, str], list[str]]  # X, y, seed and device to the kept columns


def import_packages() -> None:
    """Import what the methods use, so that it is not measured."""
    for package in ("minerva_select.selectors", "minerva_select.report", "lightgbm", "boruta", "sklearn.inspection"):
        try:
            importlib.import_module(package)
        except ImportError:
            continue


def select_by_minerva(X: Any, y: Any, seed: int, device: str) -> list[str]:
    """A fit with default settings, and its report."""
    from minerva_select import MinervaSelector

    selection = MinervaSelector(random_state=seed, device=device).fit(X, y).selection_
    with tempfile.TemporaryDirectory() as folder:
        selection.report(Path(folder) / "report.html")
    return list(selection.selected)


def select_by_gain(X: Any, y: Any, seed: int, device: str) -> list[str]:
    """Gain importances of LightGBM above their mean."""
    from minerva_select.selectors import GradientBoostingSelector

    return list(GradientBoostingSelector(random_state=seed).fit(X, y).selection_.selected)


def select_by_boruta(X: Any, y: Any, seed: int, device: str) -> list[str]:
    """Boruta with a random forest."""
    from minerva_select.selectors import BorutaSelector

    return list(BorutaSelector(random_state=seed).fit(X, y).selection_.selected)


def select_by_permutation(X: Any, y: Any, seed: int, device: str) -> list[str]:
    """scikit-learn's permutation importance of its gradient boosting, above two standard deviations of its repeats."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import train_test_split

    is_text = [not pd.api.types.is_numeric_dtype(dtype) for dtype in X.dtypes]
    codes = np.column_stack(
        [
            X[name].astype("category").cat.codes if text else X[name].to_numpy(np.float64)
            for name, text in zip(X.columns, is_text, strict=True)
        ]
    )
    categorical = [text and codes[:, k].max() < MAX_LEVELS for k, text in enumerate(is_text)]
    y = np.asarray(y)
    is_discrete = y.dtype.kind in "iub"
    train, validate, y_train, y_validate = train_test_split(
        codes, y, test_size=0.25, random_state=seed, stratify=y if is_discrete else None
    )
    kind = HistGradientBoostingClassifier if is_discrete else HistGradientBoostingRegressor
    model = kind(early_stopping=False, categorical_features=categorical, random_state=seed).fit(train, y_train)
    scoring = "neg_log_loss" if is_discrete else "r2"
    found = permutation_importance(model, validate, y_validate, scoring=scoring, n_repeats=N_REPEATS, random_state=seed)
    passed = found.importances_mean > 2.0 * found.importances_std
    return [name for name, keep in zip(X.columns, passed, strict=True) if keep]


METHODS: dict[str, Select] = {
    OURS: select_by_minerva,
    GAIN: select_by_gain,
    BORUTA: select_by_boruta,
    PERMUTATION: select_by_permutation,
}
