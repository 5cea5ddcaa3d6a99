"""Warnings in sentences."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from minerva_select.codes import StopCause, WarningCode
from minerva_select.text.formatting import LONGEST_NAME, join_names, percent, printable
from minerva_select.text.reasons import describe_pattern

if TYPE_CHECKING:
    from minerva_select.results import Selection, SelectionWarning

MOST_NAMES = 5


def describe_warning(warning: SelectionWarning) -> str:
    """Describe a warning in one or two sentences that say what to do."""
    return _SENTENCES[warning.code](warning.columns, _Values(warning.values))


def describe_warnings(selection: Selection) -> list[str]:
    """List the warnings of a selection as sentences."""
    if selection.warnings or selection.converged:
        return [str(warning) for warning in selection.warnings]
    return ["The fit stopped before it converged; more time may change the selection."]


class _Values(dict[str, Any]):
    """Values of a warning as text; a missing value becomes a question mark."""

    def number(self, name: str, form: str = ",.0f") -> str:
        value = self.get(name)
        return format(value, form) if isinstance(value, int | float) else "?"

    def share(self) -> str:
        value = self.get("share")
        return percent(value) if isinstance(value, int | float) else "most"

    def name(self, key: str) -> str:
        return printable(str(self.get(key, "the target")), limit=LONGEST_NAME)


def _leak(columns: Sequence[str], values: _Values) -> str:
    target = values.name("target")
    if len(columns) == 1:
        return (
            f"{_quoted(columns)} alone explains {values.share()} of the entropy of {target}. "
            f"If it is known only after the outcome, drop it and run again{_how_to_drop(columns)}."
        )
    return (
        f"{_quoted(columns)} each explain nearly all of the entropy of {target} alone (up to {values.share()}). "
        f"Drop those that are known only after the outcome and run again{_how_to_drop(columns)}."
    )


def _dominant(columns: Sequence[str], values: _Values) -> str:
    return (
        f"{_quoted(columns)} alone carries {values.share()} of the information of all features, far more than any "
        f"other. If it is not known before {values.name('target')}, drop it and run again{_how_to_drop(columns)}."
    )


def _near_copy(columns: Sequence[str], values: _Values) -> str:
    first, others = _quoted(columns[:1]) or "A column", _quoted(columns[1:]) or "another column"
    return f"{first} nearly repeats {others}; one of them may be enough."


def _identifier(columns: Sequence[str], values: _Values) -> str:
    one = len(columns) == 1
    subject = f"{_quoted(columns)} {'looks like an identifier' if one else 'look like identifiers'}"
    pattern = f" ({describe_pattern(values)})" if values.get("pattern") else ""
    return f"{subject}{pattern}; drop {'it' if one else 'them'} unless the values mean something for other rows."


def _unparsed_numbers(columns: Sequence[str], values: _Values) -> str:
    one = len(columns) == 1
    example = f", such as {printable(str(values['example']), limit=LONGEST_NAME)!r}," if values.get("example") else ""
    return (
        f"{_quoted(columns)} {'is' if one else 'are'} read as categories, but the values{example} look like numbers or "
        f"dates; convert {'it' if one else 'them'} first."
    )


def _raised_to_minimum(columns: Sequence[str], values: _Values) -> str:
    n_found, minimum, one = values.number("n_found"), values.number("minimum"), len(columns) == 1
    found = {"0": "No feature was", "1": "Only 1 feature was"}.get(n_found, f"Only {n_found} features were")
    return (
        f"{found} found to carry information; the best {'other one' if one else 'others'} ({_quoted(columns)}) "
        f"{'is' if one else 'are'} kept because min_features_to_select is {minimum}. "
        f"Nothing shows that {'it carries' if one else 'they carry'} any."
    )


def _rows_sampled(columns: Sequence[str], values: _Values) -> str:
    return (
        f"The time limit of {values.number('seconds', 'g')} s is too short for all {values.number('n_total')} rows: "
        f"the fit used a random sample of {values.number('n_rows')}, with all rows of rare target values."
    )


def _duplicated_rows(columns: Sequence[str], values: _Values) -> str:
    return (
        f"{values.number('n_duplicated')} of {values.number('n_total')} rows repeat another row, target included; "
        "copies stay on one side of every split and count as one observation."
    )


def _rows_left_out(columns: Sequence[str], values: _Values) -> str:
    return (
        f"{values.number('n_left_out')} of {values.number('n_total')} rows were left out: they are later rows of "
        "groups that an earlier split contains."
    )


def _not_converged(columns: Sequence[str], values: _Values) -> str:
    causes: dict[str, str] = {
        StopCause.ASKED: "it was asked to stop",
        StopCause.TIME_LIMIT: f"the time limit of {values.number('seconds', 'g')} s was reached",
        StopCause.STEP_LIMIT: "training reached the maximum number of steps",
    }
    cause = causes.get(str(values.get("cause")), "it was stopped")
    return f"The fit did not converge: {cause}; the selection is the best found so far."


def _undertrained(columns: Sequence[str], values: _Values) -> str:
    return (
        f"Training fell short: counting finds {values.number('marginal_nats', '.3g')} nats in {_quoted(columns)} "
        f"alone, but the critics found {values.number('total_nats', '.3g')} in all columns; more features may matter. "
        "Try another random_state."
    )


def _balanced_classes(columns: Sequence[str], values: _Values) -> str:
    return (
        f"The rarest class has {values.number('n_rarest')} of {values.number('n_total')} rows: every block of "
        f"{values.number('block_size')} rows has up to {values.number('n_per_class')} rows of each class, so rows of "
        "rare classes count many times."
    )


_Sentence = Callable[[Sequence[str], _Values], str]


def _fixed(sentence: str) -> _Sentence:
    return lambda columns, values: sentence


_SENTENCES: dict[WarningCode, _Sentence] = {
    WarningCode.LEAK: _leak,
    WarningCode.DOMINANT: _dominant,
    WarningCode.NEAR_COPY: _near_copy,
    WarningCode.IDENTIFIER: _identifier,
    WarningCode.UNPARSED_NUMBERS: _unparsed_numbers,
    WarningCode.NO_USABLE_COLUMN: _fixed("No column can be used: all are constant, empty, identifiers or dropped."),
    WarningCode.FEWER_COLUMNS_THAN_REQUESTED: lambda columns, values: (
        f"Only {values.number('n_usable')} columns can be used, fewer than requested."
    ),
    WarningCode.RAISED_TO_MINIMUM: _raised_to_minimum,
    WarningCode.CHOSEN_AFTER_FIT: lambda columns, values: (
        f"These are the best {values.number('n_features')} by the ranking of a fit that selected "
        f"{values.number('n_fitted')}; their contributions need a fit with this number."
    ),
    WarningCode.FEW_ROWS: lambda columns, values: (
        f"{values.number('n_rows')} rows are few: only strong relations can be found."
    ),
    WarningCode.ROWS_SAMPLED: _rows_sampled,
    WarningCode.DUPLICATED_ROWS: _duplicated_rows,
    WarningCode.ROWS_LEFT_OUT: _rows_left_out,
    WarningCode.NOT_CONVERGED: _not_converged,
    WarningCode.STILL_RISING: _fixed(
        "The bound was still rising when training ended: the features may carry more information than reported."
    ),
    WarningCode.UNDERTRAINED: _undertrained,
    WarningCode.NOTHING_LEARNED: _fixed(
        "The network learned nothing that holds on held-out rows, so the weights mean nothing: the target may be "
        "independent of the columns, the rows too few, or learning_rate too large or too small."
    ),
    WarningCode.STREAMED_TO_DEVICE: _fixed(
        "The rows do not fit in device memory and were sent in batches, which is slower and gives the same result."
    ),
    WarningCode.DEVICE_FAILED: lambda columns, values: (
        f"The device {values.get('device', 'GPU')} failed ({values.get('reason', 'unknown error')}); "
        "everything was computed again on the CPU."
    ),
    WarningCode.SUBSAMPLED: lambda columns, values: (
        f"Fitted on a weighted sample of {values.number('n_rows')} of {values.number('n_total')} rows."
    ),
    WarningCode.ROWS_WITH_MISSING_VALUES: lambda columns, values: (
        f"{values.number('n_rows')} of {values.number('n_total')} rows have a missing value and were left out."
    ),
    WarningCode.BALANCED_CLASSES: _balanced_classes,
    WarningCode.NOT_CROSS_VALIDATED: _fixed(
        "Too few rows to cross-validate the number of features: all features with a positive weight are kept."
    ),
    WarningCode.FILLED_UP: lambda columns, values: (
        f"Only {values.number('n_scored')} features have a positive score; others were added to reach the requested "
        "number."
    ),
}


def _quoted(columns: Sequence[str]) -> str:
    shown = [f"'{printable(column, limit=LONGEST_NAME)}'" for column in columns[:MOST_NAMES]]
    more = len(columns) - MOST_NAMES
    return f"{', '.join(shown)} and {more:,} more" if more > 0 else join_names(shown, limit=None)


def _how_to_drop(columns: Sequence[str]) -> str:
    """How to drop columns, if their names can be typed as they are shown."""
    if len(columns) > MOST_NAMES or any(column != printable(column, limit=LONGEST_NAME) for column in columns):
        return ""
    typed = " ".join(f"--drop {shlex.quote(column)}" for column in columns)
    return f": {typed}, or drop={list(columns)!r}"
