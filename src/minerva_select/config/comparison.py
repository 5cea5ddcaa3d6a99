"""How methods are compared, and the settings of the baselines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BaselinesConfig:
    """Settings of the baselines that are not parameters."""

    min_rows: int = 6
    min_weight: float = 1e-6  # of a column that is selected only to reach the requested number

    # Encoding
    max_bins: int = 10  # of a numeric column, for mRMR
    max_levels: int = 32  # of a categorical column, for mRMR and FOCI; rarer ones are merged
    max_levels_linear: int = 50  # the same, for the Lasso

    # Number of features of mRMR, by cross-validated gradient boosting
    cv_counts: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
    max_cv_rows: int = 20_000
    cv_n_trees: int = 40
    cv_learning_rate: float = 0.2
    cv_max_leaf_nodes: int = 15
    cv_max_bins: int = 63
    cv_l2: float = 1.0  # without it boosting diverges where positives are rare
    min_probability: float = 1e-6  # of a class in the log loss

    # Folds
    n_folds_trees: int = 3  # mRMR and recursive elimination
    n_folds_linear: int = 5  # Lasso and HSIC Lasso

    # Tree ensembles of Boruta and recursive elimination
    max_depth: int = 5
    max_rows_per_tree: int = 10_000  # a shallow tree gains little from more rows, and sorts them all

    # HSIC Lasso: balance the classes of each block if the rarest would be in fewer than this share of the blocks
    min_share_of_blocks: float = 0.5

    # Lasso
    max_lasso_rows: int = 50_000
    min_lasso_rows_per_class: int = 200  # even if that makes more than ``max_lasso_rows``
    max_lasso_classes: int = 20  # the most frequent ones, each against the rest
    n_penalties: int = 20
    min_penalty_share: float = 1e-3  # of the smallest penalty at which all coefficients are 0
    penalty_patience: int = 3  # penalties without improvement before cross-validation stops
    min_improvement: float = 1e-4  # of the loss without predictors
    lasso_tol: float = 1e-3


BASELINES = BaselinesConfig()


@dataclass(frozen=True)
class ComparisonConfig:
    """How methods are compared."""

    n_strata: int = 10  # of a numeric target, by which rows are split
    rare_share: float = 0.05  # of positives; below it PR-AUC is reported, since ROC-AUC flatters models of rare events
    n_bootstrap: int = 300  # resamples of the held-out rows for the interval of a score
    leak_share: float = 0.8  # of all information found that one feature carries alone; or
    dominant_share: float = 0.4  # of it, and
    dominant_ratio: float = 2.0  # times what any other feature carries alone: both are pointed out


COMPARISON = ComparisonConfig()
