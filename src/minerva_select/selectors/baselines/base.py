"""What the methods to compare with share: a table becomes one matrix, a ranking becomes a selection with reasons."""

from __future__ import annotations

import time
import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import ReasonCode, WarningCode
from minerva_select.errors import InputError, MissingPackageError
from minerva_select.results import FeatureResult, Reason, Selection, SelectionWarning
from minerva_select.results.provenance import versions
from minerva_select.selectors.base import TableSelector
from minerva_select.selectors.baselines.design_matrix import Question, ask
from minerva_select.selectors.fit_context import plain
from minerva_select.selectors.parameters import as_generator, check_count, check_sample_weight, check_settings

MIN_ROWS = 6
LEAST_WEIGHT = 1e-6  # of a column that is kept although it scores nothing, because so many were asked for: 0 is dropped


@dataclass(frozen=True, eq=False)
class Ranking:
    """What a method found: a score for every column of its question, and the columns it keeps.

    Attributes
    ----------
    scores : ndarray of float64, shape (n_columns,)
        The higher the better; the unit is the method's own.
    kept : ndarray of bool, shape (n_columns,)
        The columns to keep, by the method's own rule or because so many were asked for.
    unit : str
        What a score is, with a place for it: ``"{:.3g} nats alone"``.
    why_kept, why_dropped : str
        The rule, seen from either side: ``"above 0.02 of the largest"``.
    marginal_nats : ndarray of float64, shape (n_columns,), optional
        Information of every column alone, where the method measures it.
    warnings : tuple of SelectionWarning
        What a user should know before trusting the answer.
    remarks : tuple of str
        What to say of each column in place of its score, for a method whose answer is more than one number.
    """

    scores: NDArray[np.float64]
    kept: NDArray[np.bool_]
    unit: str
    why_kept: str
    why_dropped: str
    marginal_nats: NDArray[np.float64] | None = None
    warnings: tuple[SelectionWarning, ...] = ()
    remarks: tuple[str, ...] = ()


def keep_best(scores: NDArray[np.float64], n_wanted: int) -> NDArray[np.bool_]:
    """Mask of the highest scores; of equal ones, the first columns.

    Examples
    --------
    >>> keep_best(np.array([0.1, 0.5, 0.5, 0.2]), 2).tolist()
    [False, True, True, False]
    """
    kept = np.zeros(len(scores), dtype=bool)
    kept[np.argsort(-scores, kind="stable")[:n_wanted]] = True
    return kept


def ordinal(number: int) -> str:
    """A place in an order, as said: for methods that choose one column after another.

    Examples
    --------
    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


class BaselineSelector(TableSelector):
    """Base of the methods to compare with.

    A method implements :meth:`_rank`; its ``fit`` calls :meth:`_fit`, with ``sample_weight`` if the method takes it.
    """

    packages: ClassVar[tuple[str, ...]] = ("scikit-learn", "numpy")  # whose versions an answer depends on
    may_be_none: ClassVar[tuple[str, ...]] = ()  # of the settings that are numbers

    scores_: NDArray[np.float64]

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        categorical_features: str | Sequence[str] = "auto",
        target_type: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.categorical_features = categorical_features
        self.target_type = target_type
        self.random_state = random_state

    @abstractmethod
    def _rank(self, question: Question, n_wanted: int | None) -> Ranking:
        """Score the columns, and keep as many as wanted or, if that is None, those the method's own rule keeps."""

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        start = time.monotonic()
        table = self._read(X)
        check_count(self.n_features_to_select, len(table.columns))
        check_settings(self.get_params(deep=False), self.may_be_none)
        weights = check_sample_weight(sample_weight, table.n_rows)
        n_rows = int(np.count_nonzero(weights))
        if n_rows < MIN_ROWS:
            raise InputError(
                f"n_samples={n_rows} rows are too few for {type(self).__name__}; give at least {MIN_ROWS}."
            )
        seed = int(as_generator(self.random_state).integers(2**31))
        question, aside = ask(
            table, y, weights, categorical=self.categorical_features, target=self.target_type, seed=seed
        )
        n_wanted = self.n_features_to_select
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The number of unique classes is greater than 50%")
            ranking = self._rank(question, n_wanted) if question.names else None
        if n_wanted is not None and ranking is not None:
            ranking = replace(ranking, why_kept=f"among the {n_wanted} asked for", why_dropped="not among them")
        self.scores_ = _scores(table.names, question, ranking)
        self._finish(
            Selection(
                target=question.target_name,
                features=_results(table.names, question, ranking, aside),
                mutual_information=None,
                total_information=None,
                n_rows=n_rows,
                warnings=_warnings(question, ranking, n_wanted),
                seconds=time.monotonic() - start,
                settings=plain({"method": type(self).__name__, **self.get_params(deep=False)}),
                versions=versions(self.packages),
            )
        )
        self.weights_: NDArray[np.float64] = np.array([result.weight for result in self.selection_.features])
        return self


def missing_package(method: str, package: str, extra: str = "paper") -> MissingPackageError:
    """Error for a method whose optional package is not installed."""
    return MissingPackageError(
        f"{method} needs the package {package}, which is not installed; "
        f"install it with: pip install 'minerva-select[{extra}]'"
    )


def _scores(names: Sequence[str], question: Question, ranking: Ranking | None) -> NDArray[np.float64]:
    """Scores in the order of the table; NaN for columns that took no part."""
    found = {} if ranking is None else dict(zip(question.names, ranking.scores.tolist(), strict=True))
    return np.array([found.get(name, np.nan) for name in names])


def _results(
    names: Sequence[str], question: Question, ranking: Ranking | None, aside: Mapping[str, ReasonCode]
) -> tuple[FeatureResult, ...]:
    place_of = {name: place for place, name in enumerate(question.names)}
    return tuple(
        FeatureResult(name, False, Reason(aside[name]))
        if ranking is None or name in aside
        else _result(name, place_of[name], ranking)
        for name in names
    )


def _result(name: str, place: int, ranking: Ranking) -> FeatureResult:
    score, selected = float(ranking.scores[place]), bool(ranking.kept[place])
    largest = float(ranking.scores[ranking.kept].max()) if selected else 0.0
    weight = max(LEAST_WEIGHT, score / largest if largest > 0 else 0.0) if selected else 0.0
    found = ranking.remarks[place] if ranking.remarks else ranking.unit.format(score)
    found = f"{found}, {ranking.why_kept if selected else ranking.why_dropped}"
    reason = Reason(ReasonCode.SCORE, values={"score": score, "text": found})
    marginal = None if ranking.marginal_nats is None else float(ranking.marginal_nats[place])
    return FeatureResult(name, selected, reason, weight, marginal)


def _warnings(question: Question, ranking: Ranking | None, n_wanted: int | None) -> tuple[SelectionWarning, ...]:
    if ranking is None:
        return (SelectionWarning(WarningCode.NO_USABLE_COLUMN),)
    if n_wanted is not None and n_wanted > question.n_columns:
        values = {"n_usable": question.n_columns}
        return (*ranking.warnings, SelectionWarning(WarningCode.FEWER_COLUMNS_THAN_REQUESTED, values=values))
    return ranking.warnings
