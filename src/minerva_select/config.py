"""Numbers that shape an answer: significance levels, shares, thresholds and training lengths.

Every number here was chosen on problems with known answers and holds for all tables; users do not set them. Sizes that
only affect speed or memory, such as block sizes, stay in the modules that use them.
"""

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
class VettingConfig:
    """Tests on held-out rows."""

    level: float = 0.05  # probability that anything at all is selected from pure noise


VETTING = VettingConfig()


@dataclass(frozen=True)
class AttributionConfig:
    """How the role of a feature is decided."""

    alone_z: float = 3.0  # standard errors by which marginal information must exceed zero to count
    alone_share: float = 0.05  # of its contribution that a feature must carry alone; with less it matters only together
    replaced_z: float = 2.0  # standard errors of marginal information before a replacement is named
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
    """How many rows stand for a table that does not fit in memory or in the time limit."""

    # With 100,000 rows, in 95 of 100 columns every quantile is off by less than 0.0043 (Dvoretzky, Kiefer, Wolfowitz),
    # and a level of 1 in 10,000 rows is missed once in 22,000 times.
    max_rows: int = 100_000  # rows that encoders are fitted on
    min_rows: int = 1_000
    cells_per_second_of_limit: float = 2e6  # a third of what one core encodes: most of the time is for the fit
    min_rows_within_limit: int = 5_000


ROW_SAMPLE = RowSampleConfig()


@dataclass(frozen=True)
class NotationConfig:
    """When a column of text is reported as numbers or dates that were not parsed."""

    min_levels: int = 21  # fewer distinct values may well be categories that look like numbers
    min_share: float = 0.9  # of the distinct values that look like numbers, or like dates
    max_levels_checked: int = 300


NOTATION = NotationConfig()
