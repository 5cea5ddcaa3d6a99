"""The result in one sentence, and what it means if nothing was found."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

from minerva_select.config import VETTING
from minerva_select.text.feature_order import digits_for
from minerva_select.text.formatting import LONGEST_NAME, duration, interval, join_names, number, percent, printable
from minerva_select.text.left_behind import adds_information, describe_left_behind
from minerva_select.text.metadata import describe_estimate_note
from minerva_select.text.proof import count_by_proof

if TYPE_CHECKING:
    from minerva_select.results import Selection


def headline(selection: Selection) -> str:
    """Say how many features were kept, how much information they carry, and what the others still add."""
    target, found = printable(selection.target, limit=LONGEST_NAME), selection.mutual_information
    if not selection.features:
        return f"There is no feature that could carry information about {target}."
    if not selection.selected:
        return _none_kept(selection, target)
    one = len(selection.selected) == 1
    subject, be, rest = _subject(selection), "is" if one else "are", describe_left_behind(selection)
    if found is None:
        return f"{subject} {be} kept for {target}."
    if found_nothing(selection):
        nothing = f"{subject} {be} kept, but no information about {target} was found in {'it' if one else 'them'}"
        return f"{nothing}; {rest}." if rest else f"{nothing}."
    subject, nats = f"{subject} {'carries' if one else 'carry'}", number(found.nats, digits_for(selection))
    kept = selection.information_kept
    if rest and kept is not None:
        return f"{subject} {percent(kept)} of the information about {target} (at least {nats} nats); {rest}."
    shares = ", ".join(_shares(selection, found.nats))
    information = f"{subject} at least {nats} nats about {target}" + (f": {shares}" if shares else "")
    return f"{information}; {rest}." if rest else f"{information}."


def describe_evidence(selection: Selection) -> str:
    """Describe the interval of the information, the number of rows and the time."""
    found, digits = selection.mutual_information, digits_for(selection)
    ends = interval(found.low, found.high, digits) if found is not None and found.nats > 0 else ""
    time = f" in {duration(selection.seconds)}" if selection.seconds > 0 else ""
    first = f"95% interval {ends} nats{_entropy_share(selection)}; " if ends else ""
    note = "" if found is None else describe_estimate_note(found)
    return f"{first}{selection.n_rows:,} rows{time}{f'; {note}' if note else ''}."


def found_nothing(selection: Selection) -> bool:
    """Whether no feature was selected, or the selected ones carry no information."""
    found = selection.mutual_information
    return not selection.selected or (found is not None and not found.nats > 0)


def explain_nothing_found(selection: Selection) -> str:
    """Say what it means, and what it does not mean, that nothing was found."""
    target = printable(selection.target, limit=LONGEST_NAME)
    if selection.mutual_information is None:
        return "The method used its own rule and did not measure information: the features may still carry some."
    if not selection.history and all(result.marginal_nats is None for result in selection.features):
        return f"No feature could be used, so nothing was learned about {target}; the table gives the reasons."
    if not selection.converged:
        return f"The fit ended before any feature was tested, so it says nothing about {target}."
    if adds_information(selection):
        return _explain_none_proven(selection, target)
    smallest = _smallest_detectable(selection.n_rows, len(selection.features))
    tested = "in one feature" if len(selection.features) == 1 else f"in one of {len(selection.features):,} features"
    return (
        f"On held-out rows the features did not predict {target} better than its overall distribution does. "
        f"This does not prove that they are useless: with {selection.n_rows:,} rows, no method can distinguish less "
        f"than about {smallest:.1g} nats {tested} from chance. More rows or other columns may show more."
    )


def _explain_none_proven(selection: Selection, target: str) -> str:
    proven_only = " Without proven_only, supporting features are kept." if selection.settings.get("proven_only") else ""
    return (
        f"The features together carry information about {target}, but with {selection.n_rows:,} rows none of the "
        f"dropped ones is proven to contribute. More rows may show which ones matter.{proven_only}"
    )


def _none_kept(selection: Selection, target: str) -> str:
    n_features = len(selection.features)
    none = "The only feature was not" if n_features == 1 else f"None of the {n_features:,} features was"
    if selection.mutual_information is None:
        return f"{none} kept for {target}."
    what = "proven" if adds_information(selection) else "found"
    rest = describe_left_behind(selection)
    return f"{none} {what} to carry information about {target}" + (f"; {rest}." if rest else ".")


def _subject(selection: Selection) -> str:
    """The kept features as the subject of a sentence; a single one is named."""
    n_features, names, counts = len(selection.features), selection.selected, count_by_proof(selection)
    if len(names) == 1:
        count = "The only feature" if n_features == 1 else f"1 of {n_features:,} features"
        return f"{count}, {join_names(names)}{' (supporting)' if counts else ''},"
    if len(names) == n_features:
        count = "Both features" if n_features == 2 else f"All {n_features:,} features"
    else:
        count = f"{len(names):,} of {n_features:,} features"
    return f"{count} ({counts})" if counts else count


def _shares(selection: Selection, nats: float) -> list[str]:
    kept, entropy, shares = selection.information_kept, selection.target_entropy, []
    if kept is not None and len(selection.selected) < len(selection.features):
        shares.append(f"{percent(kept)} of the information found")  # left_behind is not known: not of all columns
    if entropy is not None and entropy > 0:
        shares.append(f"{percent(min(1.0, nats / entropy))} of its entropy")
    return shares


def _entropy_share(selection: Selection) -> str:
    """The share of the target's entropy, where the headline does not give it."""
    found, entropy = selection.mutual_information, selection.target_entropy
    if not describe_left_behind(selection) or found is None or entropy is None or not entropy > 0:
        return ""
    target = printable(selection.target, limit=LONGEST_NAME)
    return f", {percent(min(1.0, found.nats / entropy))} of the entropy of {target}"


def _smallest_detectable(n_rows: int, n_features: int) -> float:
    """Nats in one feature that the best test detects in half of all tables, at its level over all features.

    For a small I the log-likelihood ratio of n rows has mean n I and variance 2 n I, so its z is sqrt(2 n I).
    """
    z = NormalDist().inv_cdf(1 - VETTING.level / max(1, n_features))
    return z * z / (2 * max(1, n_rows))
