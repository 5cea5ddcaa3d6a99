"""Base of all selectors: tables of mixed columns in scikit-learn's selector interface."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from minerva_select.data.frames import as_table
from minerva_select.data.materialize import materialize
from minerva_select.errors import InputError, InputTypeError
from minerva_select.results import Selection
from minerva_select.schema import Table


class TableSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of selectors for tables of mixed columns.

    A subclass implements ``fit``, which calls :meth:`_read` first and :meth:`_finish` last.
    """

    selection_: Selection
    support_: NDArray[np.bool_]

    def _read(self, X: Any) -> Table:
        """Read the table to fit on; stores its column names and width."""
        X = materialize(X)
        table = as_table(X)
        self._validate(X, reset=True)
        return table

    def _validate(self, X: Any, *, reset: bool) -> None:
        """Let scikit-learn store the names and width of a table, or compare them with those of the fit."""
        try:
            validate_data(self, X, skip_check_array=True, reset=reset)
        except TypeError:
            raise InputTypeError(
                "Some column names of X are text and some are not; make all of them text, for example with "
                "X.columns = X.columns.astype(str)."
            ) from None
        except ValueError as error:  # scikit-learn's checks require its own message
            raise InputError(str(error)) from None

    def _remember(self, X: Any, names: Sequence[str]) -> None:
        """Store the names and width of a table that is not read completely."""
        self.n_features_in_ = len(names)
        if isinstance(X, np.ndarray):
            self.__dict__.pop("feature_names_in_", None)
        else:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _finish(self, selection: Selection) -> None:
        """Store the result of a fit."""
        self.selection_ = selection
        self.support_ = np.array([result.selected for result in selection.features], dtype=bool)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """Return the selected columns of X; with ``set_output`` they keep their types."""
        check_is_fitted(self)
        try:
            frame = nw.from_native(materialize(X), eager_only=True, pass_through=True)
        except DuplicateError:
            raise InputError("X has duplicate column names; rename the columns so that all differ.") from None
        if not isinstance(frame, nw.DataFrame):
            return self._transform_array(np.asarray(X) if isinstance(X, np.matrix) else X)
        self._validate(frame.to_native(), reset=False)
        if not self.support_.any():
            _warn_about_empty_selection()
            return np.empty((len(frame), 0))  # a narwhals frame without columns loses its rows
        chosen = frame[:, np.flatnonzero(self.support_).tolist()]
        wanted = _get_output_config("transform", estimator=self)["dense"]
        if wanted not in ("pandas", "polars"):
            return _as_array(chosen)
        try:
            return chosen.to_pandas() if wanted == "pandas" else chosen.to_polars()
        except Exception as error:  # Arrow and polars have many exception types
            reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
            raise InputError(
                f"The selected columns of X cannot be converted to {wanted}: {reason}; convert them first, "
                "or choose another output with set_output."
            ) from None

    def _transform_array(self, X: Any) -> Any:
        try:
            return super().transform(X)
        except (RuntimeError, TypeError, ValueError) as error:
            as_table(X)  # raises a clear error if X is not a table
            raise InputError(str(error)) from None

    def _repr_html_inner(self) -> str:
        """scikit-learn's diagram of the estimator and, once fitted, the selection."""
        return str(super()._repr_html_inner()) + self._selection_html()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] += self._selection_html()
        return bundle

    def _selection_html(self) -> str:
        return self.selection_._repr_html_() if hasattr(self, "selection_") else ""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags


def _as_array(frame: nw.DataFrame[Any]) -> NDArray[Any]:
    try:
        return frame.to_numpy()
    except Exception:  # no common type, such as numbers and Arrow dates, or 128-bit integers
        array = np.empty(frame.shape, dtype=object)
        for position in range(frame.shape[1]):
            array[:, position] = frame[:, position].to_list()
        return array


def _warn_about_empty_selection() -> None:
    warnings.warn("No features were selected: the result has no columns.", UserWarning, stacklevel=3)
