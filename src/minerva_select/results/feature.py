"""What a fit reports about single features and pairs of features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from minerva_select.codes import Conversion, ReasonCode, Role, SuspectKind
from minerva_select.text.reasons import describe_reason


@dataclass(frozen=True)
class Reason:
    """Why a feature is kept or dropped, as a code with its columns and values; ``str`` gives the sentence.

    Examples
    --------
    >>> reason = Reason(ReasonCode.EQUIVALENT, ("minutes",))
    >>> reason.code, str(reason)
    (<ReasonCode.EQUIVALENT: 'equivalent'>, 'equivalent to minutes')
    """

    code: ReasonCode
    columns: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return describe_reason(self)


@dataclass(frozen=True)
class FeatureResult:
    """What a fit found about one feature. Numbers that were not measured are None."""

    feature: str
    selected: bool
    reason: Reason
    weight: float = 0.0
    marginal_nats: float | None = None  # on held-out rows if there is an interval, otherwise on training rows
    contribution_nats: float | None = None  # given all other selected features
    contribution_low: float | None = None
    contribution_high: float | None = None
    partners: tuple[str, ...] = ()
    substitutes: tuple[str, ...] = ()  # for a selected feature: dropped ones that could replace it
    conversion: Conversion | None = None  # how the values were converted before the fit
    marginal_low: float | None = None
    marginal_high: float | None = None
    role: Role | None = None  # None: no role, or the method does not determine it
    replaced_by: tuple[str, ...] = ()  # for a dropped feature: selected ones that carry its information
    frequency: float | None = None  # share of the repeated fits that selected it


@dataclass(frozen=True)
class PairResult:
    """Interaction information of two selected features, given all others.

    ``I(a; y | rest, b) - I(a; y | rest)``, which is symmetric in a and b: synergy if positive, redundancy if negative.
    """

    first: str
    second: str
    nats: float
    low: float
    high: float


@dataclass(frozen=True)
class Suspect:
    """A column to check before the selection is trusted."""

    feature: str
    kind: SuspectKind
    share: float | None = None  # of the target's entropy, of all information, or of rows that agree with ``of``
    of: str | None = None  # the column that it nearly repeats
