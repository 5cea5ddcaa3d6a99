"""How columns and rows of a table are read."""

from __future__ import annotations

from dataclasses import dataclass


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
