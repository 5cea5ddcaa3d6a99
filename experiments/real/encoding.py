"""Columns as numbers for the judges; everything is learned from training rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

MAX_LEVELS = 250  # of a text column, for boosting; scikit-learn supports 255
MAX_LEVELS_LINEAR = 100  # of a column, for one-hot encoding
MIN_LEVEL_ROWS = 10  # rarer levels of a text column share one code
KNOTS = np.linspace(-2.5, 2.5, 5)[:, None]  # of the splines, on normal scores


@dataclass(frozen=True, eq=False)
class Codes:
    """Training and test rows as numbers, with codes for text; missing numbers are NaN."""

    train: np.ndarray  # (n_train, n_columns)
    test: np.ndarray  # (n_test, n_columns)
    is_text: np.ndarray  # (n_columns,)


def encode_codes(X_train: pd.DataFrame, X_test: pd.DataFrame) -> Codes:
    """Number the levels of text columns, the most frequent first; rare and unknown ones share a code.

    Missing text is a level of its own. Integer codes stay as they are: trees can split them anywhere.
    """
    is_text = np.array([not pd.api.types.is_numeric_dtype(dtype) for dtype in X_train.dtypes], dtype=bool)
    train, test = (np.empty(X.shape, dtype=np.float64) for X in (X_train, X_test))
    for place, name in enumerate(X_train):
        if is_text[place]:
            code_of = _number_levels(X_train[name])
            for matrix, X in ((train, X_train), (test, X_test)):
                matrix[:, place] = _as_text(X[name]).map(code_of).fillna(len(code_of)).to_numpy(dtype=np.float64)
        else:
            for matrix, X in ((train, X_train), (test, X_test)):
                matrix[:, place] = X[name].to_numpy(dtype=np.float64, na_value=np.nan)
    return Codes(train, test, is_text)


def encode_by_target(X_train: pd.DataFrame, X_test: pd.DataFrame, y: np.ndarray, seed: int) -> Codes:
    """Like :func:`encode_codes`, with cross-fitted target means for text and medians for missing numbers."""
    from sklearn.preprocessing import TargetEncoder

    codes = encode_codes(X_train, X_test)
    parts = [_fill_missing(codes.train[:, ~codes.is_text], codes.test[:, ~codes.is_text])]
    if codes.is_text.any():
        encoder = TargetEncoder(shuffle=True, random_state=seed)
        parts.append((
            encoder.fit_transform(codes.train[:, codes.is_text], y),
            encoder.transform(codes.test[:, codes.is_text]),
        ))  # fmt: skip
    train, test = (np.hstack(side).astype(np.float32) for side in zip(*parts, strict=True))
    return Codes(train, test, np.zeros(train.shape[1], dtype=bool))


def encode_linear(X_train: pd.DataFrame, X_test: pd.DataFrame) -> tuple:
    """One-hot columns for categories, cubic splines of normal scores for numbers; as sparse matrices.

    Columns have the types that MinervaSelector infers by default. Missing numbers are the median, with an indicator.
    """
    from scipy import sparse

    from minerva_select.data.frames import as_table
    from minerva_select.preprocessing.column_types import infer_column_types
    from minerva_select.schema import ColumnType

    types = infer_column_types(as_table(X_train))
    numeric = [name for name in X_train if types[name] == ColumnType.NUMERIC]
    categorical = [name for name in X_train if types[name] != ColumnType.NUMERIC]
    parts = []
    if categorical:
        parts.append(_encode_one_hot(*(_as_objects(X, categorical) for X in (X_train, X_test))))
    if numeric:
        parts.append(_encode_splines(*(X[numeric].to_numpy(np.float64, na_value=np.nan) for X in (X_train, X_test))))
    return tuple(sparse.hstack(side, format="csr") for side in zip(*parts, strict=True))


def _encode_one_hot(train: np.ndarray, test: np.ndarray) -> tuple:
    from sklearn.preprocessing import OneHotEncoder

    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", min_frequency=MIN_LEVEL_ROWS, max_categories=MAX_LEVELS_LINEAR
    )
    return encoder.fit_transform(train), encoder.transform(test)


def _encode_splines(train: np.ndarray, test: np.ndarray) -> tuple:
    from scipy import sparse
    from sklearn.preprocessing import QuantileTransformer, SplineTransformer

    missing = np.isnan(train).any(axis=0)
    indicators = [np.isnan(side[:, missing]).astype(np.float64) for side in (train, test)]
    train, test = _fill_missing(train, test)
    scores = QuantileTransformer(
        n_quantiles=min(1000, len(train)), output_distribution="normal", subsample=None, random_state=0
    ).fit(train)
    # One basis for all columns; beyond the outer knots the spline is linear
    splines = SplineTransformer(degree=3, knots=np.tile(KNOTS, train.shape[1]), extrapolation="linear")
    splines.fit(scores.transform(train))
    return tuple(
        sparse.csr_array(np.hstack([splines.transform(scores.transform(side)), flags]))
        for side, flags in zip((train, test), indicators, strict=True)
    )


def _fill_missing(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Replace missing values by the median of the training rows; 0 for a column without values."""
    empty = np.isnan(train).all(axis=0)
    medians = np.nanmedian(np.where(empty, 0.0, train), axis=0)
    return tuple(np.where(np.isnan(side), medians, side) for side in (train, test))


def _number_levels(column: pd.Series) -> dict[str, int]:
    counts = _as_text(column).value_counts()
    frequent = counts[counts >= MIN_LEVEL_ROWS].index[: MAX_LEVELS - 1]
    return {level: code for code, level in enumerate(frequent)}


def _as_text(column: pd.Series) -> pd.Series:
    return column.astype(object).where(column.notna(), "missing").astype(str)


def _as_objects(X: pd.DataFrame, names: Sequence[str]) -> np.ndarray:
    return np.column_stack([_as_text(X[name]).to_numpy(dtype=object) for name in names])
