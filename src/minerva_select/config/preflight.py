"""What is looked for in a table before a fit, and how long the fit may take."""

from __future__ import annotations

from dataclasses import dataclass


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
