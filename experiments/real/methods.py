"""The methods of the study: each selects columns on the training rows of a split.

A method is a function of a split, a seed and a number of threads that returns a :class:`Selected`. The baselines are
those of the library; permutation importance is scikit-learn's.
"""

import contextlib
import importlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from cases import Limits, Split, sample_rows
from encoding import encode_codes
from scores import log_loss, r2

OURS = "minerva"
ALL = "all"
GIVEN_K = "gain_k"  # gain told how many columns MINERVA keeps

N_REPEATS = 10  # permutations of each column
VALIDATION_SHARE = 0.25
PACKAGES = ("minerva_select.selectors", "lightgbm", "boruta", "sklearn.ensemble", "sklearn.inspection")
MIN_Z = 2.0  # standard deviations over the repeats that an importance must exceed


@dataclass(frozen=True)
class Selected:
    """Selected columns, in the order of the table, and what else the method found."""

    columns: list[str]
    found: Mapping[str, Any] = field(default_factory=dict)


Method = Callable[[Split, int, str], Selected]  # with the number of threads and the device


def run_method(
    name: str, split: Split, limits: Limits, n_threads: int, device: str, k: int | None = None
) -> tuple[Selected, float, float]:
    """Select columns, from a sample of the training rows if the method has a limit, and measure the time.

    Also return the seconds that it took, and the CPU seconds, which say more on a shared machine.
    """
    rows = sample_rows(
        split.y_train, np.arange(len(split.y_train)), limits.max_rows,
        is_classification=split.is_classification, seed=split.seed,
    )  # fmt: skip
    sample = replace(split, X_train=split.X_train.iloc[rows].reset_index(drop=True), y_train=split.y_train[rows])
    method = partial(select_by_baseline, "boosting", k=k) if name == GIVEN_K else METHODS[name]
    import_packages()
    start, cpu_start = time.perf_counter(), time.process_time()
    selected = method(sample, n_threads, device)
    return selected, time.perf_counter() - start, time.process_time() - cpu_start


def import_packages() -> None:
    """Import what the methods import, outside of the measured time."""
    for package in PACKAGES:
        with contextlib.suppress(ImportError):
            importlib.import_module(package)


def select_all(split: Split, n_threads: int, device: str) -> Selected:
    """Keep every column."""
    return Selected(split.columns)


def select_by_minerva(split: Split, n_threads: int, device: str) -> Selected:
    """MINERVA with default parameters, and the numbers that it reports."""
    from minerva_select import MinervaSelector

    selector = MinervaSelector(random_state=split.seed, device=device).fit(split.X_train, split.y_train)
    return Selected(list(selector.selection_.selected), describe_selection(selector.selection_))


def describe_selection(selection: Any) -> dict[str, Any]:
    """Contributions of the kept columns with their intervals, and the information of the kept and dropped columns."""
    return {
        "contributions": [
            {
                "feature": result.feature,
                "code": str(result.reason.code),
                "nats": result.contribution_nats,
                "low": result.contribution_low,
                "high": result.contribution_high,
            }
            for result in selection.features
            if result.selected
        ],
        "mutual_information": describe_estimate(selection.mutual_information),
        "total_information": describe_estimate(selection.total_information),
        "left_behind": describe_estimate(selection.left_behind),
        "converged": selection.converged,
        "warnings": [str(warning.code) for warning in selection.warnings],
    }


def describe_estimate(estimate: Any) -> dict[str, float] | None:
    """An estimate and its interval, as plain data."""
    return None if estimate is None else {"nats": estimate.nats, "low": estimate.low, "high": estimate.high}


def select_by_baseline(name: str, split: Split, n_threads: int, device: str, *, k: int | None = None) -> Selected:
    """A baseline of the library, with its own number of columns or with k."""
    from minerva_select.evaluation import methods

    if k == 0:
        return Selected([])
    selector = methods.build(name, n_features=k, seed=split.seed)
    if "n_jobs" in selector.get_params():
        selector.set_params(n_jobs=n_threads)
    return Selected(list(selector.fit(split.X_train, split.y_train).selection_.selected))


def select_by_permutation(split: Split, n_threads: int, device: str) -> Selected:
    """Permutation importance of gradient boosting on validation rows, above two standard deviations of its repeats."""
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import train_test_split

    codes = encode_codes(split.X_train, split.X_test.iloc[:0])
    counts = np.bincount(split.y_train) if split.is_classification else np.full(1, 2)
    X_learn, X_validate, y_learn, y_validate = train_test_split(
        codes.train, split.y_train, test_size=VALIDATION_SHARE, random_state=split.seed,
        stratify=split.y_train if split.is_classification and counts[counts > 0].min() >= 2 else None,
    )  # fmt: skip
    model = _make_histogram_boosting(split, codes.is_text).fit(X_learn, y_learn)
    importances = permutation_importance(
        model, X_validate, y_validate, scoring=partial(_score_model, split.is_classification),
        n_repeats=N_REPEATS, random_state=split.seed,
    )  # fmt: skip
    passed = importances.importances_mean > MIN_Z * importances.importances_std
    return Selected([name for name, keep in zip(split.columns, passed, strict=True) if keep])


def _make_histogram_boosting(split: Split, is_text: Sequence[bool]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    model = HistGradientBoostingClassifier if split.is_classification else HistGradientBoostingRegressor
    # Early stopping needs a validation part with every class, so it is off; 100 trees are scikit-learn's default
    return model(l2_regularization=1.0, early_stopping=False, categorical_features=is_text, random_state=split.seed)


def _score_model(is_classification: bool, model: Any, X: np.ndarray, y: np.ndarray) -> float:
    if not is_classification:
        return r2(model.predict(X), y)
    probabilities = np.zeros((len(y), max(int(y.max()), int(model.classes_.max())) + 1))
    probabilities[:, model.classes_] = model.predict_proba(X)
    return -log_loss(probabilities, y)


METHODS: dict[str, Method] = {
    ALL: select_all,
    OURS: select_by_minerva,
    "gain": partial(select_by_baseline, "boosting"),
    "permutation": select_by_permutation,
    "boruta": partial(select_by_baseline, "boruta"),
    "rfe": partial(select_by_baseline, "rfe"),
    "mrmr": partial(select_by_baseline, "mrmr"),
}

# In the order of the page
LABELS = {
    ALL: "all columns", OURS: "MINERVA", "gain_k": "LightGBM gain, given k", "gain": "LightGBM gain above mean",
    "permutation": "permutation importance", "boruta": "Boruta", "rfe": "RFE", "mrmr": "mRMR",
}  # fmt: skip
