"""Base classes of the baselines: a table becomes a design matrix, and scores become a selection with reasons."""

from __future__ import annotations

import time
import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import ReasonCode, ScoreMeasure, ScoreRule, WarningCode
from minerva_select.config import BASELINES
from minerva_select.errors import InputError, MissingPackageError
from minerva_select.preprocessing.column_types import CategoricalFeatures
from minerva_select.results import FeatureResult, Reason, Selection, SelectionWarning
from minerva_select.results.provenance import versions
from minerva_select.selectors.base import TableSelector
from minerva_select.selectors.baselines.design_matrix import DesignMatrix, make_design_matrix
from minerva_select.selectors.fit_context import plain
from minerva_select.selectors.parameters import as_generator, check_count, check_sample_weight, check_settings


@dataclass(frozen=True, eq=False)
class FeatureScores:
    """Scores of the columns of a design matrix, and the columns that the method selects."""

    scores: NDArray[np.float64]  # (n_columns,), higher is better
    selected: NDArray[np.bool_]  # (n_columns,), by the method's own rule or to reach the requested number
    measure: ScoreMeasure
    rule: ScoreRule  # the method's own
    rule_values: Mapping[str, Any] = field(default_factory=dict)  # such as its threshold
    details: Sequence[Mapping[str, Any]] = ()  # further values of the reason of each column, or empty
    marginal_nats: NDArray[np.float64] | None = None  # (n_columns,) if the method estimates it
    warnings: tuple[SelectionWarning, ...] = ()


def select_highest(scores: NDArray[np.float64], n_to_select: int) -> NDArray[np.bool_]:
    """Mask of the highest scores; among equal scores, the first columns."""
    selected = np.zeros(len(scores), dtype=bool)
    selected[np.argsort(-scores, kind="stable")[:n_to_select]] = True
    return selected


def missing_package(method: str, package: str) -> MissingPackageError:
    """Error for a method whose optional package is not installed."""
    return MissingPackageError(
        f"{method} needs the package {package}, which is not installed; "
        "install it with: pip install 'minerva-select[paper]'"
    )


@dataclass(repr=False, eq=False)  # writes __init__; its signature is what scikit-learn reads the parameters from
class BaselineSelector(TableSelector):
    """Base class of the baselines; a method implements :meth:`_score_columns`."""

    packages: ClassVar[tuple[str, ...]] = ("scikit-learn", "numpy")  # whose versions the result depends on
    may_be_none: ClassVar[tuple[str, ...]] = ()  # numeric parameters that accept None

    n_features_to_select: int | None = None
    _: KW_ONLY
    categorical_features: CategoricalFeatures = "auto"
    target_type: str = "auto"
    random_state: int | np.random.RandomState | None = None

    @abstractmethod
    def _score_columns(self, data: DesignMatrix, n_to_select: int | None) -> FeatureScores:
        """Score the columns; select ``n_to_select`` of them or, if it is None, those that the method's rule selects."""

    def fit(self, X: Any, y: Any) -> Self:
        """Score the columns of X against y and select the best."""
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        start = time.monotonic()
        table = self._read(X)
        n_to_select = self.n_features_to_select
        check_count(n_to_select, len(table.columns))
        check_settings(self.get_params(deep=False), self.may_be_none)
        sample_weight = check_sample_weight(sample_weight, table.n_rows)
        n_rows = int(np.count_nonzero(sample_weight))
        if n_rows < BASELINES.min_rows:
            raise InputError(
                f"{n_rows} samples are too few for {type(self).__name__}; give at least {BASELINES.min_rows}."
            )
        data, unused = make_design_matrix(
            table,
            y,
            sample_weight,
            categorical_features=self.categorical_features,
            target_type=self.target_type,
            seed=int(as_generator(self.random_state).integers(2**31)),
        )
        found, results = None, {name: FeatureResult(name, False, Reason(code)) for name, code in unused.items()}
        if data.names:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="The number of unique classes is greater than 50%")
                found = self._score_columns(data, n_to_select)
            if n_to_select is not None:
                found = replace(found, rule=ScoreRule.REQUESTED_COUNT, rule_values={"n_requested": n_to_select})
            results |= {name: _make_result(name, column, found) for column, name in enumerate(data.names)}
        self.scores_: NDArray[np.float64] = np.full(len(table.names), np.nan)
        if found is not None:
            self.scores_[[name not in unused for name in table.names]] = found.scores
        self._finish(
            Selection(
                target=data.target_name,
                features=tuple(results[name] for name in table.names),
                mutual_information=None,
                total_information=None,
                n_rows=n_rows,
                warnings=_collect_warnings(data, found, n_to_select),
                seconds=time.monotonic() - start,
                settings=plain({"method": type(self).__name__, **self.get_params(deep=False)}),
                versions=versions(self.packages),
            )
        )
        self.weights_: NDArray[np.float64] = np.array([result.weight for result in self.selection_.features])
        return self


class WeightedBaselineSelector(BaselineSelector):
    """Base class of the baselines that accept weights of rows."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Score the columns of X against y and select the best; rows of weight 0 are left out."""
        return self._fit(X, y, sample_weight)


def _make_result(name: str, column: int, found: FeatureScores) -> FeatureResult:
    score, selected = float(found.scores[column]), bool(found.selected[column])
    largest = float(found.scores[found.selected].max()) if selected else 0.0
    weight = max(BASELINES.min_weight, score / largest if largest > 0 else 0.0) if selected else 0.0
    values = {"measure": found.measure, "score": score, "rule": found.rule, "passed": selected, **found.rule_values}
    details = found.details[column] if found.details else {}
    marginal = None if found.marginal_nats is None else float(found.marginal_nats[column])
    return FeatureResult(name, selected, Reason(ReasonCode.SCORE, values={**values, **details}), weight, marginal)


def _collect_warnings(
    data: DesignMatrix, found: FeatureScores | None, n_to_select: int | None
) -> tuple[SelectionWarning, ...]:
    if found is None:
        return (SelectionWarning(WarningCode.NO_USABLE_COLUMN),)
    if n_to_select is not None and n_to_select > data.n_columns:
        values = {"n_usable": data.n_columns}
        return (*found.warnings, SelectionWarning(WarningCode.FEWER_COLUMNS_THAN_REQUESTED, values=values))
    return found.warnings
