"""Words in the names of columns."""

from __future__ import annotations

import re

_BOUNDARY = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])"
)
_EMPTY = frozenset({"is", "has", "was", "the", "of", "flag", "indicator", "target", "label", "class", "y"})
_EARLIER = frozenset(
    {"lag", "lagged", "prev", "previous", "prior", "past", "last", "history", "historical", "hist", "before", "ago"}
    | {"avg", "average", "mean", "median", "rolling", "moving", "usual", "yesterday"}
)
# Sober: words of what happens after an outcome, not of what may cause it
_AFTERWARDS = (
    *(("outcome",), ("resolved",), ("resolution",), ("chargeback",), ("charge", "back"), ("chargeoff",)),
    *(("charge", "off"), ("charged", "off"), ("chg", "off"), ("writeoff",), ("write", "off"), ("written", "off")),
    *(("settlement",), ("settled",), ("refunded",), ("recovered",), ("recovery",), ("recoveries",)),
    *(("cancelled",), ("canceled",), ("cancellation",), ("terminated",), ("termination",), ("verdict",)),
    *(("label",), ("target",), ("prediction",), ("predicted",), ("ground", "truth")),
)


def split_name(name: str) -> list[str]:
    """Split a column name into words in lower case.

    Examples
    --------
    >>> split_name("ChgOffDate"), split_name("is_fraud"), split_name("ZIP code 2")
    (['chg', 'off', 'date'], ['is', 'fraud'], ['zip', 'code', '2'])
    """
    return [word.lower() for word in _BOUNDARY.split(name) if word]


def word_of_outcome(name: str, target: str) -> str | None:
    """The words in a name that it shares with the target, or that say that the value comes after the outcome.

    Names of earlier values, such as ``sales_last_year`` for the target ``sales``, have none.

    Examples
    --------
    >>> word_of_outcome("fraud_score", "is_fraud"), word_of_outcome("closed_resolution", "late")
    ('fraud', 'resolution')
    >>> word_of_outcome("sales_last_year", "sales"), word_of_outcome("amount", "sales")
    (None, None)
    """
    words = split_name(name)
    if _EARLIER & {*words}:
        return None
    of_target = [word for word in split_name(target) if word not in _EMPTY and len(word) > 2]
    if of_target and {*of_target} <= {*words}:
        return " ".join(of_target)
    for phrase in _AFTERWARDS:
        if any(tuple(words[k : k + len(phrase)]) == phrase for k in range(len(words))):
            return " ".join(phrase)
    return None
