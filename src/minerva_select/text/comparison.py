"""Sentences about compared methods and about selections with a known answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minerva_select.codes import FailureCode, Outcome
from minerva_select.text.feature_order import digits_of
from minerva_select.text.formatting import number, printable

if TYPE_CHECKING:
    from minerva_select.evaluation.failures import Failure
    from minerva_select.evaluation.leaderboard import Comparison, MethodResult

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
