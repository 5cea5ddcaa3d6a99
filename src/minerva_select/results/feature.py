"""What is found about features: one by one, in pairs, and where one may not be what it seems."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """The part that a feature plays in a selection."""

    ALONE = "matters alone"
    TOGETHER = "matters only with others"
    STAND_IN = "could stand in for a selected one"  # dropped: what it tells, selected features tell


@dataclass(frozen=True)
class FeatureResult:
    """What was found about one feature. Amounts that were not measured are None."""

    feature: str
    selected: bool
    reason: str
    weight: float = 0.0
    marginal_nats: float | None = None  # on held-out rows where there is an interval, else on training rows
    contribution_nats: float | None = None  # given all other selected features
    contribution_low: float | None = None
    contribution_high: float | None = None
    partners: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()  # of a selected feature, the dropped ones that could take its place
    note: str | None = None  # how the column was read, where not as it is
    marginal_low: float | None = None
    marginal_high: float | None = None
    role: Role | None = None  # None: plays no part, or the method does not say
    replaced_by: tuple[str, ...] = ()  # of a dropped feature, the selected ones that tell what it tells
    frequency: float | None = None  # share of the repeats that selected it


@dataclass(frozen=True)
class PairResult:
    """What two selected features tell together beyond what each tells without the other, all others being known.

    ``I(a; y | rest, b) - I(a; y | rest)``, the same with a and b exchanged: above 0 it is synergy, below 0 redundancy.
    """

    first: str
    second: str
    nats: float
    low: float
    high: float


class SuspectKind(StrEnum):
    """Why a column may not be what it seems."""

    LEAK = "leak"  # alone it tells nearly all that the target holds
    DOMINANT = "dominant"  # alone it tells most of what all features tell
    IDENTIFIER = "identifier"
    NEAR_COPY = "near-copy"


@dataclass(frozen=True)
class Suspect:
    """A column to look at before the answer is trusted; the warnings of a selection say so in words."""

    feature: str
    kind: SuspectKind
    share: float | None = None  # of the target's entropy, of all information, or of the other column
    of: str | None = None  # the column that it nearly repeats
