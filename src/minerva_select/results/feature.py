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

    Attributes
    ----------
    code : ReasonCode
        The code, to compare with.
    columns : tuple of str
        Columns that the reason names, such as the one that represents an equivalent column.
    values : mapping
        Numbers that the reason names, such as ``nats``.

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
    """What a fit found about one feature. Numbers that were not measured are None.

    Attributes
    ----------
    feature : str
        Name of the column.
    selected : bool
        Whether it is kept.
    reason : Reason
        Why.
    weight : float
        Contribution relative to the largest one; 0 for dropped features. ``PaperSelector`` and baselines have weights
        of their own.
    marginal_nats : float, optional
        Information of the feature alone, on held-out rows if there is an interval, otherwise on training rows.
    marginal_low, marginal_high : float, optional
        Ends of its 95% interval.
    contribution_nats : float, optional
        What the feature adds to all other selected features.
    contribution_low, contribution_high : float, optional
        Ends of its 95% interval.
    partners : tuple of str
        Selected features that it needs to be informative.
    substitutes : tuple of str
        Of a selected feature: dropped ones that could replace it.
    conversion : Conversion, optional
        How the values were converted before the fit.
    role : Role, optional
        How it carries its information; None if it has no role, or the method does not determine it.
    replaced_by : tuple of str
        Of a dropped feature: selected ones that carry its information.
    frequency : float, optional
        Share of the repeated fits that selected it.

    Examples
    --------
    >>> result = FeatureResult("amount", selected=True, reason=Reason(ReasonCode.CONTRIBUTES, values={"nats": 0.02}))
    >>> result.selected, str(result.reason.code)
    (True, 'contributes')
    """

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

    Attributes
    ----------
    first, second : str
        Names of the features.
    nats : float
        The interaction information.
    low, high : float
        Ends of the 95% interval.

    Examples
    --------
    >>> pair = PairResult("card_country", "ip_country", nats=0.03, low=0.02, high=0.04)
    >>> pair.low > 0  # the two carry more together than separately
    True
    """

    first: str
    second: str
    nats: float
    low: float
    high: float


@dataclass(frozen=True)
class Suspect:
    """A column to check before the selection is trusted.

    Attributes
    ----------
    feature : str
        Name of the column.
    kind : SuspectKind
        What is suspicious.
    share : float, optional
        Share of the target's entropy, of all information, or of the rows that agree with ``of``.
    of : str, optional
        The column that it nearly repeats.

    Examples
    --------
    >>> from minerva_select.results import SuspectKind
    >>> Suspect("treatment_days", SuspectKind.LEAK, share=0.99).kind == "leak"
    True
    """

    feature: str
    kind: SuspectKind
    share: float | None = None  # of the target's entropy, of all information, or of rows that agree with ``of``
    of: str | None = None  # the column that it nearly repeats
