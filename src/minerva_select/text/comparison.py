"""Sentences about compared methods and about selections with a known answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minerva_select.codes import FailureCode, Outcome
from minerva_select.text.feature_order import digits_of
from minerva_select.text.formatting import NOT_MEASURED, interval, number, printable

if TYPE_CHECKING:
    from minerva_select.evaluation.differences import Difference
    from minerva_select.evaluation.downstream import Score
    from minerva_select.evaluation.failures import Failure
    from minerva_select.evaluation.leaderboard import Comparison, MethodResult
    from minerva_select.results import Estimate

_REFERENCE = "minerva"
_MAX_SUSPECTS = 3
OUTCOME_LABELS = {Outcome.EXACT: "exact", Outcome.TYPE_I: "type I", Outcome.TYPE_II: "type II"}
_MEANINGS = {Outcome.TYPE_I: " (misses relevant features)", Outcome.TYPE_II: " (keeps irrelevant features)"}


def describe_outcome(outcome: Outcome, n_found: int, n_missed: int, n_irrelevant: int) -> str:
    """Describe a selection whose relevant features are known."""
    label = OUTCOME_LABELS[outcome] + _MEANINGS.get(outcome, "")
    return f"{label}: {n_found} found, {n_missed} missed, {n_irrelevant} irrelevant"


def describe_failure(failure: Failure) -> str:
    """Say why a task has no result."""
    if failure.code is FailureCode.OUT_OF_TIME and failure.seconds is not None:
        return f"out of time after {failure.seconds:.4g} s"
    return {
        FailureCode.NOT_INSTALLED: f"not installed: {failure.message}",
        FailureCode.ERROR: failure.message,
        FailureCode.OUT_OF_TIME: "out of time",
        FailureCode.PROCESS_DIED: "the process ended without a result, as when memory runs out",
        FailureCode.UNFINISHED: "not finished",
    }[failure.code]


def method_status(result: MethodResult) -> str:
    """Say why a method has no answer, in all splits or in some; empty if it has one in every split."""
    if result.failure is None:
        return ""
    n_splits, n_failed = len(result.kept), len(result.kept) - len(result.answers)
    splits = f"in {n_failed} of {n_splits} splits " if n_failed < n_splits else ""
    return splits + describe_failure(result.failure)


def method_notes(result: MethodResult) -> list[str]:
    """Describe the warnings of a method's fits, what could not be measured, and splits without an answer."""
    notes = [str(warning) for warning in result.warnings]
    notes += [
        f"The {failure.step} was not measured: {describe_failure(failure)}"
        for failure in result.failures
        if failure.step != "selection"
    ]
    return notes + ([method_status(result)] if result.failure is not None else [])


def table_name(comparison: Comparison) -> str:
    """Name of the table: the file, if it is known, or the target."""
    data = str(comparison.settings.get("data") or comparison.target)
    return printable(data.rstrip("/").rsplit("/", 1)[-1], limit=60)


def find_reference(comparison: Comparison) -> MethodResult | None:
    """Method that the others are compared with: MINERVA or the first one that finished; None if only one did."""
    finished = [row for row in comparison.results if row.n_kept is not None]
    if len(finished) < 2:
        return None
    return next((row for row in finished if row.method == _REFERENCE), finished[0])


def comparison_headline(comparison: Comparison) -> str:
    """Say what the method that the others are compared with keeps, and how good that is."""
    target, every = printable(comparison.target, limit=40), comparison.all_features
    finished = [row for row in comparison.results if row.n_kept is not None]
    if not finished:
        return f"No method has an answer for {target}."
    row = find_reference(comparison) or finished[0]
    kept = f"{row.label} keeps {round(row.n_kept or 0, 1):g} of {len(comparison.features):,} features for {target}"
    if row.score is None or every.score is None:
        return f"{kept}."
    return f"{kept}: {comparison.metric} {number(row.score.value)}, and {number(every.score.value)} with all features."


def measured(found: Estimate | Score | None, digits: int) -> str:
    """A value with its interval; a dash if it was not measured."""
    if found is None:
        return NOT_MEASURED
    value = found.value if hasattr(found, "value") else found.nats
    return f"{number(value, digits)} ({interval(found.low, found.high, digits)})"


def describe_difference(found: Difference | None, *, is_share: bool) -> str:
    """A difference with its interval: shares of the information in percentage points, scores as they are."""
    if found is None:
        return NOT_MEASURED
    ends = [None if end is None else _signed(end, is_share=is_share) for end in (found.value, found.low, found.high)]
    return f"{ends[0]}" if None in ends else f"{ends[0]} ({ends[1]} to {ends[2]})"


def _signed(value: float, *, is_share: bool) -> str:
    scaled = round(100 * value, 1) + 0.0 if is_share else round(value, 3) + 0.0
    return f"{scaled:+.1f}%" if is_share else f"{scaled:+.3f}"


def explain_differences(comparison: Comparison, reference: MethodResult | None) -> list[str]:
    """Explain the columns of differences."""
    if reference is None:
        return []
    n_splits = len(comparison.all_features.kept)
    how = (
        f"over {n_splits} splits, paired; the 95% intervals allow for the rows that splits share"
        if n_splits > 1
        else "on one split, without an interval; --splits 10 gives one"
    )
    return [
        f"difference: from {reference.label}, of the share of all information and of the {comparison.metric}, {how}."
    ]


def explain_columns(comparison: Comparison, reference: MethodResult | None) -> list[str]:
    """Explain the columns of the table of methods; ``reference`` is the method that the others are compared with."""
    n_splits = len(comparison.all_features.kept)
    lines = [
        f"Information about {printable(comparison.target, limit=30)} and {comparison.metric} of gradient boosting "
        f"on {comparison.n_held_out:,} held-out rows of {comparison.n_rows:,}"
        + (f", means of {n_splits} splits." if n_splits > 1 else ".")
    ]
    if reference is not None:
        lines.append(f"agree: features shared with {reference.label} divided by all features of both. (95% intervals)")
    return lines


def describe_notes(comparison: Comparison) -> list[str]:
    """Features to check, methods without a result, and notes of the methods."""
    target = printable(comparison.target, limit=30)
    notes = [
        f"Check `{printable(feature, limit=60)}`: alone it carries {share:.0%} of the information found; "
        f"is it known before {target} is?"
        for feature, share in list(comparison.suspects().items())[:_MAX_SUSPECTS]
    ]
    notes += _describe_failed_estimate(comparison)
    for row in (*comparison.results, comparison.all_features):
        notes += [f"Note: {row.label}: {printable(note)}" for note in method_notes(row)]
    return notes


def _describe_failed_estimate(comparison: Comparison) -> list[str]:
    """Say so if a subset was found to carry more information than all features, which is impossible."""
    total = comparison.all_features.information
    found = [(row.information.nats, row) for row in comparison.results if row.information is not None]
    if total is None or not found:
        return []
    most, row = max(found, key=lambda pair: pair[0])
    digits = digits_of(most)
    if round(most, digits) <= round(total.nats, digits):
        return []
    why = "the estimate for all features failed" if most > total.high else "the difference is within the interval"
    return [
        f"Note: {row.label} shows {number(most, digits)} nats, all features {number(total.nats, digits)}, though all "
        f"features carry at least as much as any subset: {why}."
    ]
