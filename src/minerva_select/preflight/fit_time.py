"""Expected time of a fit: an estimate of its work, times the speed of this processor."""

from __future__ import annotations

import math
import operator
import time
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from minerva_select.config import FIT_TIME
from minerva_select.preflight.checked_rows import CheckedRows
from minerva_select.preprocessing.binned_information import plugin_information
from minerva_select.schema import Column


@dataclass(frozen=True)
class FitWork:
    """What the time of a fit depends on."""

    n_rows: int
    n_columns: int
    n_informative: int  # columns that clearly say something about the target alone
    n_outcomes: int  # classes of the target

    @classmethod
    def of(cls, data: CheckedRows, n_rows: int, n_columns: int) -> FitWork:
        """The work of a fit of so many rows and columns like these."""
        share = sum(_is_informative(column, data) for column in data.table.columns) / len(data.table.columns)
        is_discrete = data.target_types.is_discrete
        n_outcomes = len(np.unique(data.classes)) if is_discrete else FIT_TIME.outcomes_of_numbers
        return cls(n_rows, n_columns, round(share * n_columns), n_outcomes)

    @property
    def terms(self) -> tuple[float, ...]:
        """Logarithms of these numbers, of which the estimate is a linear combination."""
        return (
            math.log(min(self.n_rows, FIT_TIME.max_rows)),
            math.log(self.n_columns),
            math.log1p(self.n_informative),
            math.log(max(2, self.n_outcomes)),
        )

    @property
    def seconds(self) -> float:
        """Expected seconds on the processor on which the coefficients were measured."""
        coefficients = (FIT_TIME.of_rows, FIT_TIME.of_columns, FIT_TIME.of_informative, FIT_TIME.of_outcomes)
        logarithm = FIT_TIME.constant + sum(map(operator.mul, coefficients, self.terms))
        return math.exp(logarithm) + self.n_rows * self.n_columns / FIT_TIME.encoded_cells_per_second


def estimate_fit_seconds(data: CheckedRows, n_rows: int, n_columns: int) -> float:
    """Estimate the seconds of a fit on one core of this processor; right within a factor of about 3.

    A fit of columns without any information ends early. Otherwise every column that is informative alone has to be
    judged against the others, by refits.
    """
    return relative_speed() * FitWork.of(data, n_rows, n_columns).seconds


def _is_informative(column: Column, data: CheckedRows) -> bool:
    """Whether a column alone clearly says something about the target (G-test)."""
    bins = data.bins(column)
    freedom = (int(bins.max())) * (int(data.classes.max()))
    statistic = 2 * len(bins) * plugin_information(bins, data.classes)
    return bool(freedom and chi2.sf(statistic, freedom) < FIT_TIME.level)


def relative_speed() -> float:
    """How many times as long as the reference processor this one takes for a few sorts and products of matrices.

    On one thread: ``@`` uses several, and waited up to 40 times as long for the second one on a busy machine.
    """
    generator = np.random.default_rng(0)
    values, matrix = generator.random(100_000), generator.random((110, 110))
    fastest = math.inf
    for _ in range(FIT_TIME.n_trials):
        start = time.perf_counter()
        np.sort(values)
        np.einsum("ij,jk->ik", matrix, matrix)
        fastest = min(fastest, time.perf_counter() - start)
    return fastest / FIT_TIME.reference_seconds
