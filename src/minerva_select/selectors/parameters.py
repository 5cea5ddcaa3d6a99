"""Check the parameters of selectors, before any work is done."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from minerva_select.checks import check_choice, check_feature_count, check_integer, is_finite
from minerva_select.errors import InputError, brief
from minerva_select.preprocessing.column_names import check_categorical
from minerva_select.preprocessing.rescale import rescale_extremes
from minerva_select.schema import Table

CHOICES: Mapping[str, tuple[str, ...]] = {
    "target_type": ("auto", "discrete", "continuous"),
    "redundant": ("drop", "keep"),
}
NOT_NEGATIVE = ("sparsity", "norm_drift", "target_norm", "threshold")
POSITIVE = ("learning_rate", "time_limit")
_MIN_WEIGHT_RATIO = 1e-20  # smaller weights count as 0
_MAX_COUNT = 1_000_000  # trees, iterations or permutations
_MIN_COUNTS = {"n_estimators": 1, "n_iterations": 1, "n_permutations": 1, "block_size": 2}
_MAX_JOBS = 1024
_MAX_COEFFICIENT = 1e30  # training uses single precision, which overflows soon after


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Check the parameters of MinervaSelector or PaperSelector."""
    for name, choices in CHOICES.items():
        check_choice(name, parameters[name], choices)
    for name in (*NOT_NEGATIVE, *POSITIVE):
        value = parameters.get(name)
        if value is None and (name == "time_limit" or name not in parameters):
            continue
        if not is_finite(value):
            raise InputError(f"{name} must be a finite number, got {brief(value)}.")
        if value < 0 or (name in POSITIVE and value == 0):
            raise InputError(f"{name} must be {'above 0' if name in POSITIVE else '0 or more'}, got {brief(value)}.")
        if name != "time_limit" and value > _MAX_COEFFICIENT:
            raise InputError(f"{name} must be at most {_MAX_COEFFICIENT:g}, got {brief(value)}; give a smaller one.")
    for name in ("resume", "verbose", "proven_only", "reuse_fit"):
        if name in parameters and not isinstance(parameters[name], bool | np.bool_ | numbers.Integral):
            raise InputError(f"{name} must be True or False, got {brief(parameters[name])}.")
    check_categorical(parameters.get("categorical_features"))
    callbacks = parameters["callbacks"]
    if not isinstance(callbacks, Sequence) or not all(callable(callback) for callback in callbacks):
        raise InputError(f"callbacks must be a list of functions, got {brief(callbacks)}.")


def check_settings(parameters: Mapping[str, Any], may_be_none: Sequence[str] = ()) -> None:
    """Check the parameters that several baselines have in common."""
    for name in _MIN_COUNTS.keys() & parameters.keys():
        if parameters[name] is not None or name not in may_be_none:
            check_integer(name, parameters[name], _MIN_COUNTS[name], _MAX_COUNT)
    check_jobs(parameters.get("n_jobs"))
    check_categorical(parameters.get("categorical_features"))


def check_jobs(n_jobs: Any) -> None:
    """Raise for a number of workers that joblib does not accept."""
    if n_jobs is not None and check_integer("n_jobs", n_jobs, -_MAX_JOBS, _MAX_JOBS) == 0:
        raise InputError("n_jobs must be None or a whole number other than 0, got 0; give -1 for all cores.")


def check_count(count: Any, n_columns: float) -> None:
    """Raise unless ``count`` is None or a possible number of features."""
    if count is not None:
        check_feature_count("n_features_to_select", count, n_columns)


def check_minimum(minimum: Any, count: int | None, n_columns: float) -> None:
    """Raise unless ``minimum`` is a possible smallest number of features; ``count`` is the requested number."""
    check_integer("min_features_to_select", minimum, 0)
    if minimum > n_columns:
        raise InputError(
            f"min_features_to_select is {brief(int(minimum))}, but there are {n_columns} columns; give at most as many."
        )
    if count is not None and minimum > count:
        raise InputError(
            f"min_features_to_select is {minimum}, but n_features_to_select is {count}; give only one of them."
        )


def check_sample_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    """Return row weights as floats; None means one for every row."""
    if sample_weight is None:
        return np.broadcast_to(np.float64(1.0), (n_rows,))  # takes the memory of one number
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind in "cMm":  # NumPy would convert these to numbers
            raise TypeError
        weights = given.astype(np.float64)
    except Exception:  # arrays of other libraries have many exception types
        raise InputError("sample_weight must be numbers, one per row.") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise InputError(f"sample_weight has shape {weights.shape} and X has {n_rows} rows; give one weight per row.")
    if not np.isfinite(weights).all():
        raise InputError("sample_weight has missing or infinite values; every weight must be a finite number.")
    if (weights < 0).any():
        n_negative = int((weights < 0).sum())
        raise InputError(f"sample_weight has {n_negative} negative values; every weight must be 0 or more.")
    if not (weights > 0).any():
        raise InputError("sample_weight is zero in every row; some weight must be above zero.")
    weights = rescale_extremes(weights)
    # Beside the largest these count for nothing, and in single precision a batch of them would add up to zero
    return np.where(weights < _MIN_WEIGHT_RATIO * weights.max(), 0.0, weights)


def check_still_varies(target: Table) -> None:
    """Raise if the target varies only in rows of weight 0."""
    for column in target.columns:
        if (column.values == column.values[0]).all():
            raise InputError(
                f"The target {column.name!r} has only one value in the rows with a positive sample_weight; "
                "give rows with other values a positive weight."
            )


def as_generator(random_state: Any) -> np.random.Generator:
    """Return the generator of all random draws of a fit."""
    try:
        return np.random.default_rng(check_random_state(random_state).randint(2**31))
    except ValueError:
        raise InputError(
            f"random_state must be a whole number from 0 to {2**32 - 1}, a RandomState or None, "
            f"got {brief(random_state)}."
        ) from None
