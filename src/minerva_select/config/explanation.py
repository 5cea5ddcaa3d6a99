"""What is reported about a selection."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DiagnosticsConfig:
    """When a column is reported as suspicious."""

    leak_share: float = 0.8  # of the target's entropy that a column explains alone
    dominant_share: float = 1 / 3  # of all information found that one column carries alone, and
    dominant_ratio: float = 2.0  # times what any other column carries alone, when
    min_informative_columns: int = 5  # columns carry information alone: among fewer, one is easily far ahead
    few_rows: int = 100  # with fewer rows only strong relations stand out from chance


DIAGNOSTICS = DiagnosticsConfig()


@dataclass(frozen=True)
class AttributionConfig:
    """How the role of a feature is decided."""

    alone_z: float = 3.0  # standard errors by which marginal information must exceed zero to count
    alone_share: float = 0.05  # of its contribution that a feature must carry alone; with less it matters only together
    replaced_z: float = 2.0  # standard errors of marginal information before a replacement is named
    negligible_nats: float = 0.002  # upper end of an interval below which a dropped feature adds nothing, or
    negligible_share: float = 0.01  # of the information of all columns
    substitute_share: float = 0.5  # of the marginal information of its replacement that makes a substitute


ATTRIBUTION = AttributionConfig()


@dataclass(frozen=True)
class ExplanationConfig:
    """What is reported about single columns, pairs and nested subsets."""

    max_interacting_units: int = 16  # units whose pairs are all measured; pairs grow with the square
    max_refitted_units: int = 5  # up to which trees and additive models are refitted, if no neural critic is in use;
    max_refitted_units_additive: int = 8  # the same for additive models alone, which are fitted fast
    max_interaction_rows: int = 10_000  # held-out rows that they are measured on, over all folds, but for many pairs
    interaction_work: int = 400_000  # so many rows in all, but at least
    min_interaction_rows: int = 4_000
    max_marginal: int = 100  # columns whose marginal information is measured on held-out rows
    max_curves: int = 24  # of them that a curve of a numeric target is fitted to, apart from informative ones
    max_redundant: int = 100  # dropped columns for which a replacement is searched
    hurried_redundant: int = 10  # the same when the time limit has passed
    max_replacements: int = 16  # selected columns that are compared with each dropped one
    max_path_points: int = 12  # number of nested subsets; of more units,
    small_path_sizes: int = 5  # all small sizes, and geometric steps
    max_additions: int = 6  # dropped units whose contribution is measured by a refit
    path_ratio: float = 0.75  # size of each nested subset relative to the one before
    near_copy_similarity: float = 0.9  # normalized mutual information of near-copies
    max_pair_estimates: int = (
        24  # numeric columns whose information about a numeric target is estimated by density ratios
    )
    max_joint_columns: int = 60  # kept columns, likewise
    max_pair_rows: int = 10_000  # rows for either; of more, a sample
    replaced_share: float = 0.8  # of a column's information that its replacement also carries


EXPLANATION = ExplanationConfig()


@dataclass(frozen=True)
class ModelCostConfig:
    """Scores of a model of all columns and of one of the kept columns."""

    max_cells: int = 6_000_000  # training rows times columns (times classes, of more than two), over all folds
    max_rows: int = 50_000  # training rows of each fold
    min_rows: int = 2_000  # of each fold; if even these have too many cells, there are fewer columns, but
    min_columns: int = 50
    max_trees: int = 2_000  # rounds times classes
    max_held_out_rows: int = 50_000  # over all folds; of many columns, so many that they have at most ``max_cells``
    min_variance_share: float = 0.01  # of the variance of a number in the held-out rows of each fold
    seconds: float = 0.5  # estimate of the time that it takes: for any table, and
    seconds_per_cell: float = 2e-6


MODEL_COST = ModelCostConfig()


@dataclass(frozen=True)
class EffectsConfig:
    """How the target goes with each kept feature: bins, model and intervals."""

    max_features: int = 60  # strongest first
    max_rows: int = 30_000  # of the table; rare classes stay whole
    max_bins: int = 16  # intervals of a numeric column, or its distinct values
    min_rows_per_bin: int = 50  # with fewer rows there are fewer intervals, but
    min_bins: int = 4
    max_levels: int = 12  # with their own bin, most frequent first
    max_outcomes: int = 3  # classes, those that change most
    shape_z: float = 3.0  # standard errors between two bins of a certain change
    prior_rows: float = 4.0  # rows of average variance that each bin has in addition to its own

    # Model of the effect given the other kept columns
    max_training_rows: int = 12_000  # over all folds
    max_predictions: int = 120_000  # rows times bins times features, over all folds
    min_evaluated_rows: int = 200  # of each fold
    max_rounds: int = 100  # of boosting

    # Map of two features
    map_bins: int = 10
    min_map_rows: int = 5  # of a cell that is shown


EFFECTS = EffectsConfig()


@dataclass(frozen=True)
class FitReuseConfig:
    """How many fits are kept in memory for others that differ only in the number of features; one per split."""

    max_fits: int = 128
    max_bytes: int = 64 * 2**20


FIT_REUSE = FitReuseConfig()
