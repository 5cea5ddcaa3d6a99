"""Codes of what a fit reports: why a feature is kept or dropped, its role, and what a user should check.

Programs compare codes; :mod:`minerva_select.text` turns them into sentences.
"""

from __future__ import annotations

from enum import StrEnum


class ReasonCode(StrEnum):
    """Why a feature is kept or dropped.

    Examples
    --------
    >>> ReasonCode.NOISE == "noise"
    True
    """

    # Kept
    CONTRIBUTES = "contributes"  # proven: adds information to the other kept features
    SUPPORTING = "supporting"  # kept because the columns of its kind add information together; no proof of its own
    ON_REQUEST = "on_request"  # named in ``keep``, or in a feature group with a column that is
    TO_REACH_COUNT = "to_reach_count"  # without proof, because n_features_to_select asks for so many
    TO_REACH_MINIMUM = "to_reach_minimum"  # without proof, because min_features_to_select asks for so many
    AMONG_BEST = "among_best"  # the number was chosen after the fit; it measured no contribution within this set
    POSITIVE_WEIGHT = "positive_weight"  # Algorithm 1: the weight stayed above zero
    SCORE = "score"  # a baseline's own rule; also the reason of what that rule drops

    # Dropped
    DROPPED_ON_REQUEST = "dropped_on_request"
    CONSTANT = "constant"
    ALL_MISSING = "all_missing"
    IDENTIFIER = "identifier"
    EQUIVALENT = "equivalent"  # carries the same information as another column, or is determined by several
    REDUNDANT = "redundant"  # adds nothing once the other kept features are known
    NO_INFORMATION = "no_information"  # not even a candidate on training rows
    NOISE = "noise"  # indistinguishable from noise on held-out rows
    TOO_WEAK = "too_weak"  # may add something, but too little to prove with these rows
    BEYOND_COUNT = "beyond_count"  # informative, but n_features_to_select asks for fewer
    ZERO_WEIGHT = "zero_weight"  # Algorithm 1: the weight fell to zero


class Role(StrEnum):
    """How a feature carries its information.

    Examples
    --------
    >>> Role.TOGETHER == "together"
    True
    """

    ALONE = "alone"
    TOGETHER = "together"  # only together with other kept features
    SUBSTITUTE = "substitute"  # dropped, but could replace a kept feature


class BinKind(StrEnum):
    """What the rows of a bin of a feature have in common.

    Examples
    --------
    >>> BinKind.LEVEL == "level"
    True
    """

    INTERVAL = "interval"
    VALUE = "value"  # one number
    LEVEL = "level"  # one category
    OTHER = "other"  # rare levels
    MISSING = "missing"


class EffectShape(StrEnum):
    """How the target changes with a feature, as far as it is certain.

    Examples
    --------
    >>> EffectShape.INCREASING == "increasing"
    True
    """

    INCREASING = "increasing"
    DECREASING = "decreasing"
    VARYING = "varying"  # up and down, or between levels without an order
    FLAT = "flat"  # no certain change


class ScoreMetric(StrEnum):
    """What the score of a model measures, on held-out rows.

    Examples
    --------
    >>> ScoreMetric.R2 == "r2"
    True
    """

    R2 = "r2"  # share of the variance of a number that predictions explain
    ROC_AUC = "roc_auc"
    MACRO_ROC_AUC = "macro_roc_auc"  # mean over the classes, each against the others
    PR_AUC = "pr_auc"  # average precision of a rare class


class ScoreModel(StrEnum):
    """The model that is scored.

    Examples
    --------
    >>> ScoreModel.LIGHTGBM == "lightgbm"
    True
    """

    LIGHTGBM = "lightgbm"
    HIST_GRADIENT_BOOSTING = "hist_gradient_boosting"  # of scikit-learn, where LightGBM cannot be loaded


class SuspectKind(StrEnum):
    """Why a column should be checked before the selection is trusted.

    Examples
    --------
    >>> SuspectKind.LEAK == "leak"
    True
    """

    LEAK = "leak"  # alone it explains nearly all of the target's entropy
    DOMINANT = "dominant"  # alone it carries most of the information of all features
    IDENTIFIER = "identifier"
    NEAR_COPY = "near_copy"


class IdentifierPattern(StrEnum):
    """What makes a column look like an identifier."""

    UNIQUE = "unique"  # every value occurs once
    NEARLY_UNIQUE = "nearly_unique"
    ROW_NUMBER = "row_number"  # integers in equal steps
    UNIQUE_INTEGERS = "unique_integers"


class WarningCode(StrEnum):
    """What a user should know before trusting a selection.

    Examples
    --------
    >>> WarningCode.LEAK == "leak"
    True
    """

    # About columns
    LEAK = "leak"
    DOMINANT = "dominant"
    NEAR_COPY = "near_copy"
    IDENTIFIER = "identifier"
    UNPARSED_NUMBERS = "unparsed_numbers"  # text that looks like numbers or dates
    NO_USABLE_COLUMN = "no_usable_column"
    FEWER_COLUMNS_THAN_REQUESTED = "fewer_columns_than_requested"
    RAISED_TO_MINIMUM = "raised_to_minimum"  # features were added because of min_features_to_select
    CHOSEN_AFTER_FIT = "chosen_after_fit"  # another number of features than the fit selected

    # About rows
    FEW_ROWS = "few_rows"
    ROWS_SAMPLED = "rows_sampled"  # the time limit is too short for all rows
    DUPLICATED_ROWS = "duplicated_rows"  # copies of a row share a fold and count as one observation
    ROWS_LEFT_OUT = "rows_left_out"  # later rows of groups that earlier splits contain

    # About training
    NOT_CONVERGED = "not_converged"
    STILL_RISING = "still_rising"
    UNDERTRAINED = "undertrained"  # counting finds more in one column than the critics in all
    NOTHING_LEARNED = "nothing_learned"
    STREAMED_TO_DEVICE = "streamed_to_device"
    DEVICE_FAILED = "device_failed"  # the fit was repeated on the CPU

    # About baselines
    SUBSAMPLED = "subsampled"  # fitted on a weighted subsample of the rows
    ROWS_WITH_MISSING_VALUES = "rows_with_missing_values"  # left out, since the method cannot read them
    BALANCED_CLASSES = "balanced_classes"  # rows of rare classes count many times
    NOT_CROSS_VALIDATED = "not_cross_validated"  # too few rows to cross-validate the number of features
    FILLED_UP = "filled_up"  # fewer features have a score than n_features_to_select asks for


class FindingCode(StrEnum):
    """What is wrong with a table before a fit, most serious first.

    Examples
    --------
    >>> FindingCode.CONSTANT == "constant"
    True
    """

    # The fit refuses these
    MISSING_TARGET = "missing_target"
    INFINITE_VALUES = "infinite_values"

    # About the target
    MANY_CLASSES = "many_classes"
    SINGLE_MEMBER_CLASSES = "single_member_classes"

    # Columns that may be known only after the outcome
    LEAK = "leak"  # alone it explains nearly all of the target's entropy
    LEAK_BY_PRESENCE = "leak_by_presence"  # whether it has a value explains most of it
    LEAK_BY_TIME = "leak_by_time"  # its dates are later than the time of the row
    LEAK_BY_NAME = "leak_by_name"

    # Columns that are read in a way that may not be meant
    DATES_AS_TEXT = "dates_as_text"  # also as integers such as 20240131
    NUMBERS_AS_TEXT = "numbers_as_text"
    CODES_AS_NUMBERS = "codes_as_numbers"

    # Columns and rows that say nothing, or nothing new; the fit handles them
    IDENTIFIER = "identifier"
    FREE_TEXT = "free_text"
    NEAR_COPY = "near_copy"  # columns that carry the same information; the first one represents the others
    DUPLICATED_ROWS = "duplicated_rows"
    CONSTANT = "constant"
    ALL_MISSING = "all_missing"


class StopCause(StrEnum):
    """Why a fit ended before it had converged."""

    ASKED = "asked"
    TIME_LIMIT = "time_limit"
    STEP_LIMIT = "step_limit"


class Estimator(StrEnum):
    """How ``mutual_information`` estimates: as a selection does, or by a published baseline."""

    AUTO = "auto"
    KSG = "ksg"  # nearest neighbors
    CCA = "cca"  # normal distributions
    INFONCE = "infonce"  # critics that tell a pair from others of its batch
    MINE = "mine"  # critics that maximize the bound of Donsker and Varadhan


class EstimateNote(StrEnum):
    """How an estimate relates to the entropy of the target."""

    CAPPED = "capped"  # the estimate was above the entropy and is cut there
    EXCEEDS = "exceeds"  # the interval reaches beyond the entropy in these rows


class EstimateDoubt(StrEnum):
    """Why an estimate is not reliable."""

    DETERMINED = "determined"  # X seems to determine a continuous y, so the information is infinite or nearly so
    TOO_STRONG = "too_strong"  # more information than comparing so many rows can show
    FEW_ROWS = "few_rows"
    PARTS_DISAGREE = "parts_disagree"  # folds differ by more than sampling explains
    NOT_LEARNED = "not_learned"  # much of what is found on training rows is not found on held-out rows
    COLUMNS_LEFT_OUT = "columns_left_out"  # too many columns for the rows; the least correlated ones are not used
    NOTHING_LEFT = "nothing_left"  # the known columns seem to determine y, so X has nothing to add
    CLASSES_MERGED = "classes_merged"  # too many classes; the rarest ones count as one


class Conversion(StrEnum):
    """How the values of a column were converted when it was read."""

    DATE = "date"  # to seconds since 1970, UTC
    TIME = "time"  # to seconds since midnight
    DURATION = "duration"  # to seconds
    DECIMAL = "decimal"  # to float
    BYTES = "bytes"  # to text
    MIXED = "mixed"  # to text
    OBJECT = "object"  # Python objects, to text
    UNPARSED = "unparsed"  # numbers or dates in an unknown format, read as text


class Outcome(StrEnum):
    """The paper's three classes of selections, where the relevant features are known.

    Examples
    --------
    >>> Outcome.EXACT == "exact"
    True
    """

    EXACT = "exact"
    TYPE_I = "type_i"  # misses a relevant feature
    TYPE_II = "type_ii"  # keeps all relevant features and others


class ScoreMeasure(StrEnum):
    """What the score of a baseline measures."""

    MARGINAL_NATS = "marginal_nats"  # mutual information of the column alone with the target
    GAIN_SHARE = "gain_share"  # share of the gain of all splits
    IMPORTANCE = "importance"  # impurity or gain importance
    COEFFICIENT = "coefficient"  # largest absolute coefficient of a linear model
    KERNEL_WEIGHT = "kernel_weight"  # weight of the column's kernel
    RELEVANCE_MINUS_REDUNDANCY = "relevance_minus_redundancy"
    FORWARD_STEP = "forward_step"  # order in which forward selection added the columns
    ELIMINATION_ROUND = "elimination_round"


class ScoreRule(StrEnum):
    """The rule by which a baseline selects columns."""

    ABOVE_MEAN = "above_mean"
    ABOVE_SHARE = "above_share"  # of the largest score; the share is the value ``threshold``
    CROSS_VALIDATION = "cross_validation"
    BEATS_PERMUTED = "beats_permuted"  # more important than permuted columns
    RAISES_DEPENDENCE = "raises_dependence"  # raises the coefficient T
    REQUESTED_COUNT = "requested_count"  # among the best ``n_requested``


class BorutaDecision(StrEnum):
    """What Boruta decided about a column."""

    CONFIRMED = "confirmed"
    TENTATIVE = "tentative"  # undecided after the last round
    REJECTED = "rejected"


class FailureCode(StrEnum):
    """Why a compared method has no result."""

    NOT_INSTALLED = "not_installed"  # an optional package is missing
    ERROR = "error"
    OUT_OF_TIME = "out_of_time"
    PROCESS_DIED = "process_died"  # killed, as when memory runs out, or a crash in native code
    UNFINISHED = "unfinished"  # the comparison was interrupted before
