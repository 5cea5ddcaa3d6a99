"""The answer in one sentence, and what it means that there is none."""

from __future__ import annotations

from statistics import NormalDist

from minerva_select.results import Selection
from minerva_select.text.feature_order import digits_for
from minerva_select.text.formatting import LONGEST_NAME, amount, percent, printable, spoken

LEVEL = 0.05  # chance that a test finds something in noise


def headline(selection: Selection) -> str:
    """Say how many features were kept, and how much they carry.

    Examples
    --------
    >>> from minerva_select.results import Estimate, FeatureResult
    >>> found, total = Estimate(0.0087, 0.0083, 0.0091, n_rows=9000), Estimate(0.009, 0.0086, 0.0094, n_rows=9000)
    >>> features = tuple(FeatureResult(f"f{k}", k < 4, "") for k in range(214))
    >>> print(headline(Selection("is_fraud", features, found, total, n_rows=9000, target_entropy=0.0105)))
    4 of 214 features carry 0.00870 nats about is_fraud: 97% of what all features carry, 83% of what there is to know.
    """
    target, found = printable(selection.target, limit=LONGEST_NAME), selection.mutual_information
    if not selection.features:
        return f"There is no feature that could tell anything about {target}."
    if not selection.selected:
        return _none_kept(selection, target)
    one = len(selection.selected) == 1
    subject, be, them = _subject(selection), "is" if one else "are", "it" if one else "them"
    if found is None:
        return f"{subject} {be} kept for {target}."
    if found_nothing(selection):
        return f"{subject} {be} kept, but no information about {target} was found in {them}."
    information = f"{amount(found.nats, digits_for(selection))} nats about {target}"
    shares = ", ".join(_shares(selection, found.nats))
    return f"{subject} {'carries' if one else 'carry'} {information}" + (f": {shares}." if shares else ".")


def found_nothing(selection: Selection) -> bool:
    """Whether information was looked for, or features were, and there is none."""
    found = selection.mutual_information
    return not selection.selected or (found is not None and not found.nats > 0)


def nothing_found(selection: Selection) -> str:
    """Say what it means, and what it does not mean, that nothing was found.

    Examples
    --------
    >>> from minerva_select.results import Estimate, FeatureResult
    >>> nothing, noise = Estimate(0.0, 0.0, 0.0, n_rows=500), FeatureResult("a", False, "", marginal_nats=0.0)
    >>> print(nothing_found(Selection("y", (noise,), nothing, nothing, n_rows=500)))
    On rows that training never saw, the features did not tell y better than a guess without them. This does not
    prove that they are useless: with 500 rows, no method can tell less than about 0.003 nats in one feature
    from chance. More rows, or other columns, may show more.
    """
    target = printable(selection.target, limit=LONGEST_NAME)
    if selection.mutual_information is None:
        return "The method went by its own rule and did not measure information: the features may still carry some."
    if not selection.history and all(result.marginal_nats is None for result in selection.features):
        return f"No feature could be used, so nothing was learned about {target}; the table says why."
    if not selection.converged:
        return f"The run ended before any feature had passed its test, which says nothing about {target} either way."
    least = _least_visible(selection.n_rows, len(selection.features))
    tried = "in one feature" if len(selection.features) == 1 else f"in one of {len(selection.features):,} features"
    return (
        f"On rows that training never saw, the features did not tell {target} better than a guess without them. "
        f"This does not prove that they are useless: with {selection.n_rows:,} rows, no method can tell less than "
        f"about {least:.1g} nats {tried} from chance. More rows, or other columns, may show more."
    )


def _none_kept(selection: Selection, target: str) -> str:
    n_features = len(selection.features)
    none = "The only feature was not" if n_features == 1 else f"None of the {n_features:,} features was"
    what = "kept for" if selection.mutual_information is None else "found to carry information about"
    return f"{none} {what} {target}."


def _subject(selection: Selection) -> str:
    """The kept features as the subject of a sentence; one is named."""
    n_features, names = len(selection.features), selection.selected
    if len(names) == 1:
        count = "The only feature" if n_features == 1 else f"1 of {n_features:,} features"
        return f"{count}, {spoken(names)},"
    if len(names) == n_features:
        return "Both features" if n_features == 2 else f"All {n_features:,} features"
    return f"{len(names):,} of {n_features:,} features"


def _shares(selection: Selection, nats: float) -> list[str]:
    kept, entropy, shares = selection.information_kept, selection.target_entropy, []
    if kept is not None and len(selection.selected) < len(selection.features):
        shares.append(f"{percent(kept)} of what all features carry")
    if entropy is not None and entropy > 0:
        shares.append(f"{percent(min(1.0, nats / entropy))} of what there is to know")
    return shares


def _least_visible(n_rows: int, n_features: int) -> float:
    """Nats of one feature that the best test finds in half of all tables, held to its level over all features.

    The log-likelihood ratio of n rows has mean n I and variance 2 n I for a small I, so its z is sqrt(2 n I).
    """
    z = NormalDist().inv_cdf(1 - LEVEL / max(1, n_features))
    return z * z / (2 * max(1, n_rows))
