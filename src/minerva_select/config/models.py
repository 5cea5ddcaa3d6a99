"""How information is estimated: critics, counts, the other families of the judge, and inference."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class InferenceConfig:
    """Tests and confidence intervals over rows."""

    normal_quantile: float = 1.959964  # half width of a 95% interval in standard errors, when the error is known
    clear_z: float = 3.0  # z-score from which a mean counts as clearly above 0
    min_degrees_of_freedom: float = 1e-3  # below, one cluster has nearly all the weight and the error is unknown
    max_half_width: float = 1e3  # nats to either side of a mean; JSON cannot hold infinity
    few_rows: int = 30  # effective rows below which the standard error is itself uncertain


INFERENCE = InferenceConfig()


@dataclass(frozen=True)
class DiscretizationConfig:
    """Codes of columns and targets whose joint counts are kept."""

    max_levels: int = 24  # levels of a categorical column; rarer ones share the last code
    n_bins: int = 8  # bins of a numeric column
    n_classes: int = 8  # classes of the target


DISCRETIZATION = DiscretizationConfig()


@dataclass(frozen=True)
class PluginConfig:
    """Information of one or two columns from counts, measured on held-out rows."""

    max_counted_rows: int = 100_000  # training rows that are counted, over all folds
    hurried_counted_rows: int = 10_000  # the same when the time limit has passed
    max_classes: int = 32  # classes of a continuous target
    bin_counts: tuple[int, ...] = (8, 32, 128)  # numbers of bins tried for a single column
    n_pair_bins: int = 12  # bins of each of two columns
    prior_rows: tuple[float, ...] = (1.0, 8.0, 64.0)  # rows of the prior mixed into each cell, tried in turn


PLUGIN = PluginConfig()


@dataclass(frozen=True)
class CriticConfig:
    """Shape of the critics."""

    width: int = 128  # of the hidden layers
    n_blocks: int = 2  # residual blocks
    embedding_width: int = 8  # of each column
    target_embedding_width: int = 16  # of each target column in the separable critic
    target_n_blocks: int = 1  # residual blocks of its target network, which has half the width
    n_factors: int = 32  # products that the separable critic sums
    clamp_limit: float = 3.0  # bound on embedding entries of the paper's critic
    n_encoding_parts: int = 4  # parts of the training rows for out-of-fold encoding of column pairs


CRITIC = CriticConfig()


@dataclass(frozen=True)
class SamplingConfig:
    """Batches that show rare classes more often than they occur."""

    max_visits: int = 10  # times that one training shows a row of a rare class; more would memorize it
    max_share: float = 0.02  # share of a batch up to which a class counts as rare
    max_total_share: float = 0.5  # share of a batch that all rare classes together may take
    log_never: float = -80.0  # log prior of a class that does not occur


SAMPLING = SamplingConfig()


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train."""

    max_steps: int = 1000  # of the optimizer
    batch_size: int = 1024  # rows per member
    learning_rate: float = 2e-3  # of AdamW
    weight_decay: float = 0.01  # of AdamW
    evaluate_every: int = 25  # steps between evaluations on the tuning rows
    patience: int = 4  # evaluations in a row without a better bound on the tuning rows
    patience_at_zero: int = 8  # the same on a plateau at 0, after which interactions may be found
    n_decays: int = 0  # times to continue at a fifth of the learning rate after patience has run out
    max_gradient_norm: float = 5.0  # per member; larger gradients are scaled down


@dataclass(frozen=True)
class StoppingConfig:
    """When a training has converged or diverged."""

    min_relative_rise: float = 5e-3  # of the bound, below which an evaluation counts as no better
    min_scale: float = 1e-2  # nats; a smaller bound is judged as if it were this large, or as
    ceiling_scale: float = 0.1  # this share of the largest possible bound, if that is at most 1 nat
    max_scale: float = 1e9  # nats; keeps the comparison finite
    above_zero: float = 1e-3  # nats from which a bound counts as above 0
    plateau_share: float = 0.1  # of the largest bound: training rows with more are learned, so this is no plateau, and
    fall_share: float = 0.1  # of the best bound is the fall by overfitting that makes an evaluation count twice, and
    min_fall: float = 0.02  # the least such fall in nats
    ceiling_share: float = 0.998  # of the largest possible bound, where nothing is left to learn
    decay_factor: float = 0.2  # of the learning rate at each decay
    diverged_nats: float = 1e3  # loss above which a training has diverged


STOPPING = StoppingConfig()


@dataclass(frozen=True)
class JudgeConfig:
    """Critics of several families, cross-fitted on the same folds and combined."""

    max_training_rows: int = 40_000  # of each fold, for critics that are not neural; rare classes stay whole
    rows_per_second: float = 500.0  # the same under a time limit, over all folds, but at least
    min_training_rows: int = 2_000
    max_classes: int = 24  # of a target without order; with more, only the neural critic is used
    weight_prior_rows: float = 1.0  # rows that each model has in its favor before the tuning rows are seen
    min_family_gain: float = 0.01  # share of the bound that a family must add to the others on tuning rows, and
    min_family_z: float = 2.0  # its z-score, for the neural critic, which costs most
    max_critics_at_once: int = 32  # neural critics trained side by side
    importance_rows: int = 1_000  # tuning rows of a permutation importance
    max_refit_rows: int = 10_000  # up to which they are fitted once more, to all rows that are not held out
    many_rows: int = 2_000  # from here on, one member per fold of the critics that are not neural is enough

    # Boosted trees
    tree_learning_rate: float = 0.2
    tree_max_rounds: int = 400  # of boosting
    brief_rounds: int = 100  # of trees for comparisons of many sets, which more rounds would not decide otherwise
    tree_patience: int = 16  # rounds without a better bound on the tuning rows
    max_trees: int = 4000  # rounds times classes
    tree_leaves: tuple[tuple[int, int], ...] = ((0, 5), (2_000, 10), (10_000, 24))  # from so many training rows on
    tree_max_bins: int = 128
    tree_min_leaf_rows: int = 10
    tree_l2: float = 3.0
    tree_column_share: float = 0.6  # columns that a split may use, if there are at least
    tree_sampled_columns: int = 8  # so many: of few, a split needs all
    second_row_share: float = 0.8  # of the rows for each tree of a second model of the same columns

    # Penalized additive model
    max_linear_rows: int = 20_000  # training rows
    max_linear_steps: int = 60  # of its optimizer
    max_linear_terms: int = 3_000  # columns of its design matrix
    linear_strengths: tuple[float, ...] = (
        0.01,
        0.05,
        0.25,
        1.0,
        4.0,
    )  # inverse penalties that the tuning rows choose from
    linear_knots: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)  # quantiles where the slope of a column may change
    min_level_rows: int = 4  # training rows of a level that has its own coefficient

    # Distribution of a continuous target around a prediction
    scale_neighbors: float = 0.1  # share of the tuning rows whose residuals give the local scale
    wide_share: float = 0.03  # weight of a wide normal distribution, for residuals beyond those seen


JUDGE = JudgeConfig()


@dataclass(frozen=True)
class ConditionalTestConfig:
    """Test of categorical columns given the kept ones, by residuals of all rows."""

    level: float = 0.05  # divided by the number of candidates
    min_share: float = 0.002  # of the information of the kept columns that a column must add
    max_columns: int = 300  # categorical ones
    max_rows: int = 20_000
    max_cells: int = 30_000_000  # of the design matrix: rows times terms
    n_folds: int = 5  # of the regression of the target
    penalties: tuple[float, ...] = tuple(10.0 ** (k / 2) for k in range(-2, 9))  # of the regressions of columns
    min_products: float = 5.0  # sum of squared products of residuals of two levels; with less they are left out
    min_eigenvalue: float = 0.01  # of their correlations


CONDITIONAL_TEST = ConditionalTestConfig()
