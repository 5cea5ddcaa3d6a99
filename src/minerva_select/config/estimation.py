"""How ``mutual_information`` estimates, by default and by its baselines."""

from __future__ import annotations

from dataclasses import dataclass


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
