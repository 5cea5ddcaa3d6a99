"""The result of a comparison: frozen dataclasses, written as JSON and read back."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from minerva_select.checks import as_path
from minerva_select.config import COMPARISON
from minerva_select.errors import InputError
from minerva_select.evaluation.downstream import Score
from minerva_select.evaluation.failures import Failure
from minerva_select.io.atomic import atomic_write, read_text
from minerva_select.results import Estimate, SelectionWarning
from minerva_select.results.json_format import dump_json, load_json
from minerva_select.results.parsing import ParseError, parse_as

if TYPE_CHECKING:
    import pandas as pd

MINERVA = "minerva"  # the method to which the others are compared


@dataclass(frozen=True)
class SplitValues:
    """Information and score of the features kept in one split; None if not measured."""

    nats: float | None = None
    score: float | None = None


@dataclass(frozen=True)
class MethodResult:
    """How one method did; numbers are means over the splits it finished, None if there are none.

    Attributes
    ----------
    method, label : str
        Its short name, and its name in tables.
    kept : tuple
        Features kept in each split, in column order; None for a split without an answer.
    information : Estimate or None
        Information of the kept features about the target, on held-out rows.
    score : Score or None
        Score of gradient boosting with them, on held-out rows.
    seconds, peak_bytes : float, int or None
        Time of a fit, and the peak memory of its process (the largest of all splits).
    failures : tuple of Failure
        Why there is no answer in some splits, or what could not be measured.
    warnings : tuple of SelectionWarning
        Warnings of the fits.
    by_split : tuple of SplitValues
        Information and score in each split, for paired differences.
    """

    method: str
    label: str
    kept: tuple[tuple[str, ...] | None, ...] = ()
    information: Estimate | None = None
    score: Score | None = None
    seconds: float | None = None
    peak_bytes: int | None = None
    failures: tuple[Failure, ...] = ()
    warnings: tuple[SelectionWarning, ...] = ()
    by_split: tuple[SplitValues, ...] = ()

    @property
    def answers(self) -> tuple[tuple[str, ...], ...]:
        """Features kept in the splits that were finished."""
        return tuple(names for names in self.kept if names is not None)

    @property
    def failure(self) -> Failure | None:
        """Why the first split without an answer has none."""
        return next((failure for failure in self.failures if failure.step == "selection"), None)

    @property
    def n_kept(self) -> float | None:
        """Mean number of features kept."""
        return fmean(map(len, self.answers)) if self.answers else None

    def share_of_splits(self, feature: str) -> float:
        """Share of the finished splits in which a feature was kept."""
        return fmean(feature in names for names in self.answers) if self.answers else 0.0


@dataclass(frozen=True)
class FeatureVotes:
    """The methods that keep a feature, and the information it carries alone (None if not measured)."""

    feature: str
    kept_by: tuple[str, ...]
    marginal_nats: float | None


@dataclass(frozen=True)
class Comparison:
    """Methods compared on the same rows of one table.

    Attributes
    ----------
    target : str
        Name of the target.
    features : tuple of str
        All columns.
    n_rows, n_held_out : int
        All rows, and rows that no method saw in its fit.
    metric : str
        Metric of the scores.
    results : tuple of MethodResult
        One per method, in the order of the call.
    all_features : MethodResult
        The same numbers for all features together.
    marginal_nats : mapping of str to float
        Information of each feature alone, measured by MINERVA or KSG on the training rows.
    settings, versions, seconds
        Arguments, versions of packages, and the time of the whole comparison.

    Examples
    --------
    >>> one = MethodResult("minerva", "MINERVA", kept=(("a",),), information=Estimate(0.5, 0.4, 0.6, n_rows=100))
    >>> two = MethodResult("ksg", "KSG", kept=(("a", "b"),), information=Estimate(0.5, 0.4, 0.6, n_rows=100))
    >>> every = MethodResult("all", "all features", kept=(("a", "b", "c"),))
    >>> comparison = Comparison("y", ("a", "b", "c"), 300, 100, "R2", (one, two), every, marginal_nats={"a": 0.3})
    >>> comparison.agreement("minerva", "ksg")
    0.5
    >>> [(row.feature, row.kept_by) for row in comparison.votes()]
    [('a', ('minerva', 'ksg')), ('b', ('ksg',)), ('c', ())]
    >>> Comparison.from_json(comparison.to_json()) == comparison
    True
    """

    target: str
    features: tuple[str, ...]
    n_rows: int
    n_held_out: int
    metric: str
    results: tuple[MethodResult, ...]
    all_features: MethodResult
    marginal_nats: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def agreement(self, method: str, other: str) -> float | None:
        """Jaccard similarity of the features of two methods, a mean over the splits that both finished."""
        kept = {result.method: result.kept for result in self.results}
        pairs = zip(kept[method], kept[other], strict=False)
        shares = [jaccard(one, two) for one, two in pairs if one is not None and two is not None]
        return fmean(shares) if shares else None

    def votes(self) -> tuple[FeatureVotes, ...]:
        """Features that MINERVA keeps first, then by the number of methods that keep them, then by marginal nats."""
        rows = [
            FeatureVotes(
                feature,
                tuple(result.method for result in self.results if result.share_of_splits(feature) >= 0.5),
                self.marginal_nats.get(feature),
            )
            for feature in self.features
        ]
        return tuple(
            sorted(rows, key=lambda row: (MINERVA not in row.kept_by, -len(row.kept_by), -(row.marginal_nats or 0.0)))
        )

    def suspects(self) -> dict[str, float]:
        """Features that alone carry a suspicious share of the information found, with that share, largest first.

        That is more than 80% of it, or more than 40% and twice as much as any other feature.
        """
        rows = (self.all_features, *self.results)
        total = max((row.information.nats for row in rows if row.information is not None), default=0.0)
        if total <= 0:
            return {}
        shares = {feature: min(1.0, nats / total) for feature, nats in self.marginal_nats.items()}
        ordered = sorted(shares.items(), key=lambda item: -item[1])
        leaks = {feature: share for feature, share in ordered if share > COMPARISON.leak_share}
        if leaks or not ordered:
            return leaks
        (first, share), second_share = ordered[0], ordered[1][1] if len(ordered) > 1 else 0.0
        is_dominant = share > max(COMPARISON.dominant_share, COMPARISON.dominant_ratio * second_share)
        return {first: share} if is_dominant else {}

    def to_frame(self) -> pd.DataFrame:
        """One row per method, all features last; ``kept`` has the features of each split."""
        import pandas as pd  # noqa: PLC0415 - takes 0.3 s, and a saved comparison can be read without it

        return pd.DataFrame([_as_row(result) for result in (*self.results, self.all_features)])

    def to_json(self) -> str:
        """Return the comparison as JSON, with its schema version and the agreement of all pairs of methods."""
        names = [result.method for result in self.results]
        matrix = {name: {other: self.agreement(name, other) for other in names} for name in names}
        return json.dumps({**json.loads(dump_json(self)), "agreement": matrix}, indent=1)

    @classmethod
    def from_json(cls, text: str, source: str = "the text") -> Comparison:
        """Read the JSON of :meth:`to_json`; ``source`` names it in errors."""
        try:
            document = load_json(text, source)
            document.pop("agreement", None)
            return parse_as(cls, document)
        except ParseError as error:
            raise InputError(f"{source} is not a saved comparison: {error}.") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the comparison as JSON, atomically."""
        atomic_write(as_path("path", path), self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Comparison:
        """Read a saved comparison."""
        return cls.from_json(read_text(as_path("path", path), "a saved comparison"), source=repr(str(path)))


def jaccard(one: Collection[str], two: Collection[str]) -> float:
    """Size of the intersection divided by that of the union; 1 for two empty sets."""
    union = {*one, *two}
    return len({*one} & {*two}) / len(union) if union else 1.0


def _as_row(result: MethodResult) -> dict[str, Any]:
    information, score = result.information, result.score
    return {
        "method": result.method,
        "label": result.label,
        "n_kept": result.n_kept,
        "kept": result.kept,
        "information_nats": information and information.nats,
        "information_low": information and information.low,
        "information_high": information and information.high,
        "score": score and score.value,
        "score_low": score and score.low,
        "score_high": score and score.high,
        "seconds": result.seconds,
        "peak_bytes": result.peak_bytes,
        "failure": result.failure and str(result.failure.code),
    }
