"""Numbers that shape an answer: significance levels, shares, thresholds and training lengths.

Every number here was chosen on problems with known answers and holds for all tables; users do not set them. Sizes that
only affect speed or memory, such as block sizes, stay in the modules that use them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


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
class VettingConfig:
    """Tests on held-out rows."""

    level: float = 0.05  # probability that anything at all is selected from pure noise
    permutation_level: float = 0.025  # the part of it for the permutation tests, and
    support_level: float = 0.025  # for the test of all columns together, if no column is proven
    more_support_level: float = 0.05  # of that test beside proven columns: a miss costs more than a needless column


VETTING = VettingConfig()


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
class ColumnTypesConfig:
    """When a column of numbers is read as categorical."""

    max_categorical_values: int = 32  # distinct integers; columns with more are numeric
    min_rows_per_value: int = 10  # present rows for each distinct value, if there are more than two values


COLUMN_TYPES = ColumnTypesConfig()


@dataclass(frozen=True)
class IdentifiersConfig:
    """When a column is taken for an identifier of rows."""

    min_rows: int = 20  # with fewer rows, all values may be unique by chance
    min_integer_rows: int = 100  # unique integers without equal steps
    min_rows_for_repeats: int = 1000  # from here on, some values of a categorical column may repeat, if
    min_unique_share: float = 0.995  # of its values are distinct


IDENTIFIERS = IdentifiersConfig()


@dataclass(frozen=True)
class DuplicatedRowsConfig:
    """When equal rows are taken for copies of each other, and not for a coincidence."""

    min_rows: int = 10  # distinct ones; fewer prove nothing
    min_isolated_share: float = 0.5  # of repeated rows that share no half of their columns with a different row
    max_disagreement: float = 0.5  # of the targets of rows with equal columns, relative to any two rows
    min_disagreements: float = 3.0  # expected ones, for the targets to be evidence
    max_copies_share: float = 0.05  # of all rows; a more frequent row is a frequent value, if there are more than
    max_copies: int = 20
    max_appended: int = 10  # times that a table is appended to itself; any number if every row occurs as often
    level: float = 1e-9  # probability that rows drawn independently look like a table appended to itself
    n_probe_rows: int = 4096  # that columns are compared on


DUPLICATED_ROWS = DuplicatedRowsConfig()


@dataclass(frozen=True)
class EquivalenceConfig:
    """When columns count as equivalent."""

    max_rows: int = 5_000  # compared
    many_columns: int = 2_000  # from here on, fewer:
    max_rows_many_columns: int = 1_500
    min_rows: int = 500  # the same for coarser versions, however many columns there are
    min_correlation: float = 0.998  # of ranks; noise of 6% of the standard deviation
    max_disagreement: float = 0.005  # share of rows in which only one of two columns is missing
    max_levels: int = 64  # of a coarser version
    max_change_share: float = 0.03  # of the changes between neighbors in random order: a coarser version has few
    max_chance_share: float = 0.5  # of them, however many levels it has: as many would be chance
    min_expected_changes: float = 50.0  # below, a rare level may lie in one interval by chance
    max_categorical: int = 300  # columns that are all compared with each other
    min_minority_rows: int = 10  # outside the most frequent level, below which a column hardly varies
    max_wrong_share: float = 0.005  # of the errors of guessing a level that remain when another column is known
    n_bins: int = 16  # of a column, to compare its information with that of others
    information_step: float = 0.01  # nats; smaller differences of information are ties
    n_difference_bins: int = 4  # of the difference of two columns, among
    rows_per_block: int = 32  # rows with similar values
    difference_level: float = 1e-6  # of the test that the difference of two near-copies is informative, and
    min_difference_nats: float = 0.005  # how informative it must be


EQUIVALENCE = EquivalenceConfig()


@dataclass(frozen=True)
class LinearCombinationsConfig:
    """When a column counts as a linear combination of others."""

    max_rows: int = 5_000  # compared
    min_rows_per_column: int = 10  # without missing values
    min_share: float = 0.5  # of the rows that have values in all columns
    max_missing: float = 0.05  # share of missing values of a column that is tested before the fit
    rounding_factor: float = 4.0  # how many times the expected rounding error the residuals may be, before the fit
    min_distance: float = 1e-9  # of two values, as a share of the range; smaller ones are floating-point errors
    max_unexplained: float = 1e-3  # share of the variance: the parts of a sum may be rounded
    min_coefficient: float = 0.01  # standard deviations per standard deviation; columns with less are not needed


LINEAR_COMBINATIONS = LinearCombinationsConfig()


@dataclass(frozen=True)
class TargetBinsConfig:
    """How finely a target is divided into bins."""

    max_bins: int = 128  # of a continuous target, or of one with several columns
    n_strata: int = 32  # bins that are spread evenly over folds
    cluster_sample_rows: int = 20_000  # that k-means is fitted on, for targets with several columns
    rows_per_cluster: int = 8  # at least, on average


TARGET_BINS = TargetBinsConfig()


@dataclass(frozen=True)
class SplitsConfig:
    """How rows are split."""

    held_out_share: float = 0.25  # of the rows, if a single split is enough
    paper_held_out_share: float = 0.2  # of the rows, in Algorithm 1
    min_part: float = 0.1  # of its share of the rows; a split with a smaller part is refused


SPLITS = SplitsConfig()


@dataclass(frozen=True)
class RowSampleConfig:
    """How many rows are sampled from a table that exceeds memory or the time limit."""

    # With 100,000 rows, in 95 of 100 columns every quantile is off by less than 0.0043 (Dvoretzky, Kiefer, Wolfowitz),
    # and a level of 1 in 10,000 rows is missed once in 22,000 times.
    max_rows: int = 100_000  # rows that encoders are fitted on
    min_rows: int = 1_000
    cells_per_second_of_limit: float = 2e6  # a third of what one core encodes: most of the time is for the fit
    min_rows_within_limit: int = 5_000


ROW_SAMPLE = RowSampleConfig()


@dataclass(frozen=True)
class NotationConfig:
    """Numbers and dates in text: when they are reported, and which texts among them stand for a missing value."""

    min_levels: int = 21  # fewer distinct values may well be categories that look like numbers
    min_share: float = 0.9  # of the distinct values that look like numbers, or like dates
    max_levels_checked: int = 300
    missing_marks: frozenset[str] = frozenset(
        {"", "?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "nat", "null", "none", "missing", "unknown"}
    )


NOTATION = NotationConfig()


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
class SearchConfig:
    """Screen, learn, sparsify: which units are worth vetting."""

    min_screen_rows: int = 2000  # rows that the screen counts at least
    n_screen_pairs: int = 64  # pairs that the screen returns
    max_screened_units: int = 64  # units that the screen may propose
    max_screened_share: float = 0.8  # of all units; if it proposes more, critics of all units are enough
    null_margin: float = 2.0  # z-scores added to the expected maximum of null statistics, which are skewed
    max_learned_units: int = 300  # with more units, the critic of all units sees only those with the best screen
    full_share: float = 0.99  # of the target's entropy on the tuning rows: a set that reaches it needs no larger one
    wider_share: float = 0.95  # of the bound of the chosen set that a wider set must reach to replace it
    prune_rows: int = 4096  # tuning rows of a permutation importance
    missed_z: float = 1.0  # importance below which a unit is dropped, with several folds
    missed_z_single_fold: float = 2.0  # the same with one fold
    loss_z: float = 1.0  # loss of a smaller set that counts as a loss, and
    loss_share: float = 0.005  # its least share of the larger set's bound


SEARCH = SearchConfig()


@dataclass(frozen=True)
class EliminationConfig:
    """Backward elimination on held-out rows, and critics trained with masked units that measure interactions."""

    full_share: float = 0.4  # share of training rows that show every unit
    one_out_share: float = 0.3  # share that hide exactly one unit; the rest hide a random subset
    max_hidden_share: float = 0.6  # largest expected share of units that a random subset hides
    min_share: float = 0.005  # of all information; a unit that contributes less is dropped, however certain
    masked_steps: int = 200  # training steps of the masked critics
    refit_steps: int = 150  # of critics without one unit, which start from masked critics; or,
    few_units: int = 2  # for at most so many units,
    refit_steps_unmasked: int = 300  # from the critics of the search
    refit_patience: int = 2  # evaluations in a row without a better bound, for both
    nested_steps: int = 150  # of masked critics on nested subsets
    drop_fraction: int = 4  # one unit in this many is dropped per step when units are ordered by masked critics
    partner_share: float = 0.5  # of a unit's contribution that vanishes without its partner


ELIMINATION = EliminationConfig()


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


@dataclass(frozen=True)
class SupportConfig:
    """Which units are kept beside the proven ones."""

    first_share: float = 0.005  # of all information, that the other columns must add for any to be added
    left_share: float = 0.003  # of all information, that the dropped columns may add for certain; or
    left_errors: float = 0.5  # standard errors that they may add by an estimate that is not significant
    min_gain_errors: float = 1.0  # standard errors by which the added columns must tell more than the proven ones alone
    patience: int = 4  # factor by which the size may grow without more information before the search ends
    min_sets: int = 10  # that there must be time for
    drop_share: float = 0.3  # of the ranked units that each refit drops
    few_units: int = 8  # from here on, one at a time
    max_units: int = 300  # that a refit compares; of more, those with the best screen
    max_ranked: int = 32  # dropped units that are ranked by refits; the others by their importance to a model of all
    n_singles: int = 5  # units at the head of the ranking that compete to be the best one alone


SUPPORT = SupportConfig()


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
class SubsampleConfig:
    """Tuning and held-out rows of large tables."""

    max_tuning_rows: int = 20_000  # over all folds
    max_held_out_rows: int = 100_000  # over all folds
    rows_per_second: int = 1_500  # of either kind, under a time limit
    min_rows: int = 5_000  # of either kind, however short the time limit


SUBSAMPLE = SubsampleConfig()


@dataclass(frozen=True)
class TimeConfig:
    """Shares of the remaining time that the stages of a fit may use under a time limit."""

    screen: float = 0.3  # of all folds together
    search: float = 0.7  # screen, learn and sparsify
    permutation: float = 0.6  # permutation test on held-out rows
    masked_training: float = 0.5  # training of the masked critics, before elimination
    paper_learning: float = 0.5  # first stage of Algorithm 1
    min_vet_seconds: float = 2.0  # for the permutation test, however late it is


TIME_SHARES = TimeConfig()


@dataclass(frozen=True)
class FitConfig:
    """Size of a fit: few rows get many folds and small, regularized critics; many rows the reverse."""

    n_folds: int  # 1: one split into training and held-out rows; else every row is held out once
    n_members: int  # critics per fold, trained side by side
    n_tune_parts: int  # each member tunes on one such part of the training rows and trains on the others
    width: int  # of the critics' hidden layers
    dropout: float  # share of hidden values
    schedule: Schedule
    max_threads: int = 1  # of the CPU
    n_pairs: int = 0  # pairs of columns that the critics get as extra inputs

    @classmethod
    def for_rows(cls, n_rows: int, n_informative: int | None = None) -> FitConfig:
        """Configure a fit by its number of rows; with a rare class, ``n_informative`` of them count."""
        n_informative = n_rows if n_informative is None else min(n_rows, n_informative)
        if n_rows >= 20_000 and n_informative < 10_000:  # too few positives to hold some of them out for good
            schedule = Schedule(max_steps=500, batch_size=512, weight_decay=0.1)
            return cls(n_folds=4, n_members=1, n_tune_parts=5, width=64, dropout=0.1, schedule=schedule, n_pairs=32)
        if n_rows >= 20_000:
            schedule = Schedule(max_steps=500, batch_size=512 if n_rows < 100_000 else 2048, weight_decay=0.01)
            config = cls(n_folds=1, n_members=1, n_tune_parts=5, width=128, dropout=0.0, schedule=schedule)
            return replace(config, max_threads=64, n_pairs=32)
        if n_rows >= 5_000:
            schedule = Schedule(max_steps=800, batch_size=512, weight_decay=0.1)
            return cls(n_folds=3, n_members=1, n_tune_parts=5, width=64, dropout=0.1, schedule=schedule)
        if n_rows >= 1_000:
            schedule = Schedule(max_steps=600, batch_size=256, weight_decay=1.0)
            return cls(n_folds=3, n_members=3, n_tune_parts=3, width=64, dropout=0.3, schedule=schedule)
        if n_rows >= 100:
            schedule = Schedule(max_steps=400, batch_size=128, weight_decay=1.0)
            return cls(n_folds=5, n_members=3, n_tune_parts=3, width=64, dropout=0.3, schedule=schedule)
        schedule = Schedule(max_steps=75, batch_size=32, weight_decay=1.0, patience=2, patience_at_zero=3)
        return cls(n_folds=3, n_members=2, n_tune_parts=2, width=32, dropout=0.3, schedule=schedule)


@dataclass(frozen=True)
class PaperSettings:
    """Coefficients of eq. 9 and of Algorithm 1."""

    sparsity: float = 0.05  # c1; the paper has 1
    norm_drift: float = 1.0  # c2
    target_norm: float = 1.0  # a
    learning_rate: float = 1e-3  # r of the network; the paper has 1e-4
    weight_rate: float = 0.02  # r of p: at 0.05 the norm falls faster than the network can follow
    max_weight_step: float = 0.01  # change of a weight in one step, as a share of their norm; a typical one is 0.001
    threshold: float = 1e-5  # epsilon
    batch_size: int = 1000  # n
    max_steps_learn: int = 2000  # of the first stage
    max_steps_sparsify: int = 3000  # of the second stage
    patience: int = 8  # evaluations in a row without a better bound end the first stage
    settled_after: int = 16  # evaluations in a row with the same weights above zero end the second stage
    min_kept_share: float = 0.5  # of the bound of stage one; below it, stage two is repeated with half of c1,
    max_attempts: int = 3  # at most so many times in all


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


@dataclass(frozen=True)
class EstimationConfig:
    """How ``mutual_information`` differs from a selection."""

    few_columns: int = 3  # learned together; of more columns, uninformative ones are removed first
    min_folds: int = 3  # every row is held out once
    n_members: int = 2
    max_tune_parts: int = 5
    steps_factor: int = 3  # times the training steps of a selection
    n_decays: int = 2  # of the learning rate
    max_weight_decay: float = 0.1
    unseen_rows: float = 3.0  # that may contradict what all rows agree on: the 95% limit if none of them do


ESTIMATION = EstimationConfig()


@dataclass(frozen=True)
class KSGConfig:
    """The estimator of Kraskov, Stoegbauer and Grassberger."""

    n_neighbors: int = 10  # as in the "Beyond Normal" benchmark; fewer have less bias and more variance
    noise: float = 1e-10  # standard deviations of a column, to break ties
    n_halvings: int = 5  # random halves of the rows whose differences give the standard error


KSG = KSGConfig()


@dataclass(frozen=True)
class NeuralEstimatorsConfig:
    """InfoNCE and MINE, with the settings of the "Beyond Normal" benchmark (Czyz et al. 2023)."""

    widths: tuple[int, ...] = (16, 8)  # of the hidden layers of the critic
    train_share: float = 0.5  # of the rows; the others end the training and give the estimate
    batch_size: int = 256
    learning_rate: float = 0.1  # of Adam
    max_steps: int = 10_000
    evaluate_every: int = 250  # steps between evaluations on held-out rows
    patience: int = 2  # evaluations in a row without a better bound
    decay: float = 0.9  # of the moving average in the gradient of MINE
    contrast_rows: int = 1_000  # held-out rows that InfoNCE contrasts with each other; all pairs of more take minutes


NEURAL_ESTIMATORS = NeuralEstimatorsConfig()


@dataclass(frozen=True)
class DensityRatioConfig:
    """How ``mutual_information`` estimates the information of a continuous target."""

    # Rows
    n_folds: int = 4
    n_tune_parts: int = 5  # of the training rows, one of which chooses families and weights
    max_rows: int = 40_000  # sampled from more
    block_rows: int = 1_700  # held-out rows whose pairs are all compared
    min_block_rows: int = 600  # if the table has as many; others than the held-out ones fill up a block
    max_choice_rows: int = 600  # tuning rows that choose a family, or when a critic is best
    n_couplings: int = 4  # rounds of normalization over either side

    # Inputs
    max_levels: int = 31  # of a categorical column, each with an indicator; rarer ones share one
    max_radius: float = 3.0  # standard deviations
    min_rows_per_column: int = 5  # of both sides; of more columns, or of more than
    max_columns: int = 200  # the most correlated ones are used

    # Closed forms
    degrees_of_freedom: tuple[float, ...] = (1.0, 1.5, 2.0, 3.0, 5.0, 9.0)  # of Student copulas
    n_scatter_steps: int = 5
    noise_thresholds: tuple[float, ...] = (0.0, 0.5, 1.0, 1.5)  # times the largest correlation of independent sides
    min_variance_share: float = 1e-8  # of the largest variance, below which columns count as linear combinations
    max_squared_correlation: float = 0.9999
    clear_z: float = 1.0  # standard errors by which another form must be better than the Gaussian one

    # Critics
    min_critic_rows: int = 200  # to train on
    width: int = 64
    n_features: int = 32  # of h and g
    batch_size: int = 256
    min_steps: int = 100
    max_steps: int = 600
    epochs: int = 40
    learning_rate: float = 2e-3
    warm_up_share: float = 0.1  # of the steps
    weight_decay: float = 1.0
    evaluate_every: int = 25
    patience: int = 8  # evaluations without improvement of any critic

    # Trees on pairs
    n_tree_models: int = 2  # with different pairs
    pairs_per_row: int = 5  # of different rows, for each own pair
    max_trees: int = 150
    tree_leaves: int = 31
    tree_leaf_pairs: int = 40
    tree_learning_rate: float = 0.1
    tree_l2: float = 5.0
    tree_cells: int = 192  # of a grid of the ranks of either side

    # Trees that predict one side from the other
    max_predicted: int = 2  # columns of the predicted side
    min_rows_predicted: int = 300
    n_prediction_parts: int = 3  # of the training rows; a row is predicted by a model of the other parts
    prediction_leaves: int = 15
    n_spline_knots: int = 8  # of the curve of a column
    spline_penalties: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)

    # Two numeric columns, on a grid of their normal scores
    grid_cells: int = 320  # of either side
    grid_limit: float = 4.0
    kernel_widths: tuple[float, ...] = (0.04, 0.08, 0.15, 0.3, 0.6)  # of smoothed counts, in standard deviations
    min_kernel_rows: float = 8.0  # training rows times the squared width of a kernel, at least
    independent_share: float = 0.03  # of the density of independent columns
    min_expected: float = 1e-12  # share of a cell, below which it counts as independent
    n_grid_couplings: int = 10
    max_span: float = 60.0  # log density ratios this far below the largest count as this

    # Nearest neighbors of two numeric columns
    n_neighbors: int = 5
    neighbor_error: float = 1.4  # times the standard error of independent rows: neighbors share neighbors
    excess_z: float = 2.0  # standard errors by which neighbors must find more than density ratios

    # Density of a column given the other side
    min_residual: float = 0.1  # standard deviations of all residuals, added to each before its logarithm is taken
    max_log_scale: float = 2.5  # distance of the logarithm of a scale from the mean of all
    smoothing: float = 0.9  # of the density of residuals, relative to the best for a normal one
    wide_share: float = 0.02  # of a wide normal density
    wide_scale: float = 3.0  # its standard deviation

    # Intervals
    lacking_below: float = 0.5  # times the difference between the estimate and the bound on held-out rows
    lacking_above: float = 3.0
    unlearned_share: float = 0.2  # of what critics and trees learn, that they may lack with 5,000 rows
    unlearned_rows: int = 5_000  # with other numbers of rows, it falls with the root

    # Checks
    few_rows: int = 100
    ceiling_distance: float = 2.0  # nats below the logarithm of the compared rows from which a bound is too low
    max_spread: float = 4.0  # standard error by folds, relative to that by rows
    negligible_nats: float = 0.005  # standard errors by rows below this count as this
    max_lacking_nats: float = 0.1  # difference between the estimate and the bound, or
    max_lacking_share: float = 0.1  # of the estimate
    min_rows_determined: int = 20
    neighbor_ranks: float = 10.0  # median change of the rank of y between neighboring values of x, at most, and
    neighbor_share: float = 0.02  # as a share of the rows

    max_sum_rows: int = 5_000  # that are compared with a linear combination
    sum_error: float = 1e-6  # standard deviations, up to which a linear combination counts as exact

    # Linear fits to neighboring rows: whether several columns determine another
    max_local_rows: int = 1_000  # whose residuals are measured
    max_local_columns: int = 30  # the most correlated ones are used
    local_nats: float = 3.0  # information from which a column seems determined, if it grows by
    local_growth: float = 0.1  # nats when there are four times as many rows, or
    largest_local_nats: float = 4.6  # whatever its growth: noise of a hundredth of a standard deviation
    unresolved_nats: float = 2.0  # information from which more rows would show more, if it grows by
    unresolved_growth: float = 0.3  # nats


DENSITY_RATIO = DensityRatioConfig()


@dataclass(frozen=True)
class ModelCostConfig:
    """Scores of a model of all columns and of one of the kept columns."""

    max_cells: int = 6_000_000  # training rows times columns (times classes, of more than two), over all folds
    max_rows: int = 50_000  # training rows of each fold
    min_rows: int = 2_000  # of each fold; if even these have too many cells, there are fewer columns, but
    min_columns: int = 50
    max_trees: int = 2_000  # rounds times classes
    max_held_out_rows: int = 50_000  # over all folds
    seconds: float = 0.5  # estimate of the time that it takes: for any table, and
    seconds_per_cell: float = 2e-6


MODEL_COST = ModelCostConfig()


@dataclass(frozen=True)
class FitReuseConfig:
    """How many fits are kept in memory for others that differ only in the number of features; one per split."""

    max_fits: int = 128
    max_bytes: int = 64 * 2**20


FIT_REUSE = FitReuseConfig()


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
class PreflightConfig:
    """What is looked for in a table before a fit."""

    max_cells: int = 2_000_000  # read; of a larger table a sample of rows, at least
    min_rows: int = 5_000
    max_columns: int = 3_000  # of a wider one so many, evenly chosen
    n_slices: int = 50  # slices of neighboring rows, or of a table in files, which are read in row groups,
    n_source_slices: int = 5

    # Bins of columns and targets
    rows_per_bin: int = 50
    min_bins: int = 8
    max_bins: int = 128
    n_target_bins: int = 8  # of a continuous target
    max_classes: int = 32  # rarer ones share one

    # Targets
    many_classes: int = 100  # a target with more is hardly one that is meant
    rows_per_class: int = 10  # with fewer on average, so are
    min_classes: int = 20  # so many classes
    max_listed_classes: int = 5

    # Leaks
    presence_share: float = 0.5  # of the target's entropy that is explained by whether a column has a value
    late_share: float = 0.5  # of the dates of a column that are later than the time of their row
    min_dates: int = 20

    # Text
    n_texts: int = 200  # distinct values that are looked at
    min_words: float = 4.0  # per value, on average, of free text
    min_text_share: float = 0.5  # of distinct values

    # Whole numbers that may be codes
    max_codes: int = 1_000  # distinct values, unless the name says that they are codes
    min_code_density: float = 0.5  # share of the whole numbers in their range that occur
    min_rows_per_code: int = 20  # values with fewer rows are not looked at; the others are at least
    min_codes: int = 20  # so many, and
    min_frequent_share: float = 0.5  # this share of all values
    code_level: float = 1e-6  # of the test that the target differs between the values
    min_signal: float = 0.5  # share of the variance between the values that is not chance
    max_autocorrelation: float = 0.3  # of neighboring values: 1.8 standard deviations for 33 values in random order
    max_outcomes: int = 4  # classes whose shares are compared


PREFLIGHT = PreflightConfig()


@dataclass(frozen=True)
class FitTimeConfig:
    """Estimate of the time of a fit; coefficients from ``benchmarks/fit_time.py`` on one thread of a 2-core machine."""

    constant: float = -2.3
    of_rows: float = 0.24
    of_columns: float = 0.19
    of_informative: float = 0.7
    of_outcomes: float = 0.71
    outcomes_of_numbers: int = 8  # what a numeric target counts as
    max_rows: int = 100_000  # more rows are not tuned and tested on
    encoded_cells_per_second: float = 7.5e6
    level: float = 1e-4  # of the test that a column is informative alone
    n_trials: int = 10  # of the measurement of the processor
    reference_seconds: float = 0.00057  # of one trial on that machine


FIT_TIME = FitTimeConfig()
