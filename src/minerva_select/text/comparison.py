"""Sentences about compared methods and about selections with a known answer."""

from __future__ import annotations

from minerva_select.codes import Outcome

OUTCOME_LABELS = {Outcome.EXACT: "exact", Outcome.TYPE_I: "type I", Outcome.TYPE_II: "type II"}
_MEANINGS = {Outcome.TYPE_I: " (misses relevant features)", Outcome.TYPE_II: " (keeps irrelevant features)"}


def describe_outcome(outcome: Outcome, n_found: int, n_missed: int, n_irrelevant: int) -> str:
    """Describe a selection whose relevant features are known.

    Examples
    --------
    >>> describe_outcome(Outcome.EXACT, 2, 0, 0)
    'exact: 2 found, 0 missed, 0 irrelevant'
    """
    label = OUTCOME_LABELS[outcome] + _MEANINGS.get(outcome, "")
    return f"{label}: {n_found} found, {n_missed} missed, {n_irrelevant} irrelevant"
