"""What a model loses with the kept columns alone, in the usual measures of models."""

from __future__ import annotations

from dataclasses import dataclass

from minerva_select.codes import ScoreMetric, ScoreModel
from minerva_select.results.parsing import ParseError
from minerva_select.text.cost import describe_cost


@dataclass(frozen=True)
class ScoreEstimate:
    """A score, or a difference of scores, with its 95% interval.

    Attributes
    ----------
    value : float
        The score, or the difference.
    low, high : float
        Ends of the 95% interval.

    Examples
    --------
    >>> ScoreEstimate(-0.001, low=-0.004, high=0.002).value
    -0.001
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class ModelCost:
    """Scores of a model of all columns and of one of the kept columns, on rows that neither was trained on.

    Attributes
    ----------
    metric : ScoreMetric
        What is measured.
    model : ScoreModel
        Which model is scored.
    all_columns, kept : ScoreEstimate
        Scores with all columns and with the kept ones.
    difference : ScoreEstimate
        Kept minus all columns.
    n_usable : int
        Number of columns that can be used.
    n_columns : int
        Of those, columns of the model of all columns: of very many, the strongest and the kept ones.
    n_kept : int
        Number of kept columns.
    n_training_rows : int
        Rows that each model is trained on.
    n_rows : int
        Rows that are scored.

    Examples
    --------
    >>> scores = ScoreEstimate(0.912, 0.905, 0.919), ScoreEstimate(0.911, 0.904, 0.918)
    >>> difference = ScoreEstimate(-0.001, -0.004, 0.002)
    >>> print(ModelCost(ScoreMetric.ROC_AUC, ScoreModel.LIGHTGBM, *scores, difference, 214, 214, 4, 6667, 10_000))
    AUC 0.912 with all 214 columns, 0.911 with the 4 kept (difference -0.001, 95% interval -0.004 to 0.002)
    """

    metric: ScoreMetric
    model: ScoreModel
    all_columns: ScoreEstimate
    kept: ScoreEstimate
    difference: ScoreEstimate  # kept minus all columns
    n_usable: int  # columns that can be used
    n_columns: int  # of those, columns of the model of all columns: of very many, the strongest and the kept ones
    n_kept: int
    n_training_rows: int  # of each model
    n_rows: int  # that are scored

    def __str__(self) -> str:
        return describe_cost(self)


def check_cost(cost: ModelCost | None) -> None:
    """Raise if numbers of columns do not agree."""
    if cost is not None and not 0 <= cost.n_kept <= cost.n_columns <= cost.n_usable:
        raise ParseError("cost.n_kept must be at most cost.n_columns, and that at most cost.n_usable")
