"""What a comparison hands back: plain frozen data, JSON both ways."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minerva_select.errors import InputError
from minerva_select.evaluation.downstream import Score
from minerva_select.io.atomic import atomic_write
from minerva_select.results import Estimate

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1
# Of all information, in one feature alone: a leak of the target stands out, or has nearly all, as its copies have
LARGE_SHARE, NEARLY_ALL = 0.4, 0.8
STANDS_OUT = 2.0  # times what the next feature tells
OURS = "minerva"  # the method that the others are held against


@dataclass(frozen=True)
class Standing:
    """How one method did; amounts are means over the splits it finished, and None where there is none.

    Attributes
    ----------
    method, label : str
        Its short name, and its name in tables.
    kept : tuple
        The features kept in each split, in column order; None for a split without an answer.
    information : Estimate or None
        Nats that the kept features carry about the target, on held-out rows.
    score : Score or None
        What gradient boosting reaches with them, on held-out rows.
    seconds, peak_bytes : float, int or None
        Time of a fit, and the most memory its process held (the largest over the splits).
    status : str
        Empty, or in a few words why there is no answer.
    notes : tuple of str
        What the method says should be known before its answer is trusted.
    """

    method: str
    label: str
    kept: tuple[tuple[str, ...] | None, ...] = ()
    information: Estimate | None = None
    score: Score | None = None
    seconds: float | None = None
    peak_bytes: int | None = None
    status: str = ""
    notes: tuple[str, ...] = ()

    @property
    def answers(self) -> tuple[tuple[str, ...], ...]:
        """The features kept in the splits that were finished."""
        return tuple(names for names in self.kept if names is not None)

    @property
    def n_kept(self) -> float | None:
        """Mean number of features kept."""
        return sum(map(len, self.answers)) / len(self.answers) if self.answers else None

    def share_of_splits(self, feature: str) -> float:
        """In which share of the finished splits a feature was kept."""
        return sum(feature in names for names in self.answers) / len(self.answers) if self.answers else 0.0


@dataclass(frozen=True)
class FeatureVotes:
    """Who keeps a feature, and what it tells with no other beside it (None if not measured)."""

    feature: str
    kept_by: tuple[str, ...]
    alone_nats: float | None


@dataclass(frozen=True)
class Comparison:
    """Methods side by side on the same rows of one table.

    Attributes
    ----------
    target : str
        What the features are about.
    features : tuple of str
        All columns.
    n_rows, n_held_out : int
        Rows in all, and rows that no method saw in its fit.
    metric : str
        What the scores are.
    standings : tuple of Standing
        One a method, in the order asked.
    reference : Standing
        The same for all features at once.
    alone : mapping of str to float
        Nats of each feature alone, as MINERVA or KSG measured them on the rows of the selection.
    settings, versions, seconds
        What was asked, with what, and how long all of it took.

    Examples
    --------
    >>> one = Standing("minerva", "MINERVA", kept=(("a",),), information=Estimate(0.5, 0.4, 0.6, n_rows=100))
    >>> two = Standing("ksg", "KSG", kept=(("a", "b"),), information=Estimate(0.5, 0.4, 0.6, n_rows=100))
    >>> every = Standing("all", "all features", kept=(("a", "b", "c"),))
    >>> comparison = Comparison("y", ("a", "b", "c"), 300, 100, "R2", (one, two), every, alone={"a": 0.3})
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
    standings: tuple[Standing, ...]
    reference: Standing
    alone: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def agreement(self, method: str, other: str) -> float | None:
        """Shared features over all features of two methods (Jaccard), a mean over the splits that both finished."""
        one, two = (self._standing(name).kept for name in (method, other))
        shares = [_jaccard(a, b) for a, b in zip(one, two, strict=False) if a is not None and b is not None]
        return sum(shares) / len(shares) if shares else None

    def votes(self) -> tuple[FeatureVotes, ...]:
        """Features that MINERVA keeps first, then by how many methods keep them; equals by what they tell alone."""
        rows = [
            FeatureVotes(
                feature,
                tuple(row.method for row in self.standings if row.share_of_splits(feature) >= 0.5),
                self.alone.get(feature),
            )
            for feature in self.features
        ]
        return tuple(
            sorted(rows, key=lambda row: (OURS not in row.kept_by, -len(row.kept_by), -(row.alone_nats or 0.0)))
        )

    def suspects(self) -> dict[str, float]:
        """Features that alone carry a suspicious share of the information found, and that share; the largest first.

        That is more than 80% of it, or more than 40% and twice as much as any other feature.
        """
        found = [row.information.nats for row in (self.reference, *self.standings) if row.information is not None]
        total = max(found, default=0.0)
        if total <= 0:
            return {}
        shares = {feature: min(1.0, nats / total) for feature, nats in self.alone.items()}
        ordered = sorted(shares.items(), key=lambda item: -item[1])
        found_out = {feature: share for feature, share in ordered if share > NEARLY_ALL}
        if found_out or not ordered:
            return found_out
        (first, share), next_share = ordered[0], max((share for _, share in ordered[1:]), default=0.0)
        return {first: share} if share > max(LARGE_SHARE, STANDS_OUT * next_share) else {}

    def to_frame(self) -> pd.DataFrame:
        """One row a method, all features last; ``kept`` holds the features of each split."""
        import pandas as pd  # noqa: PLC0415 - pandas costs 0.3 s, and a saved comparison may be read without it

        return pd.DataFrame([_flat(row) for row in (*self.standings, self.reference)])

    def to_json(self) -> str:
        """The comparison as JSON text, with its schema version and, for other readers, the agreement of all pairs."""
        names = [row.method for row in self.standings]
        matrix = {name: {other: self.agreement(name, other) for other in names} for name in names}
        document = {"schema_version": SCHEMA_VERSION, **dataclasses.asdict(self), "agreement": matrix}
        return json.dumps(document, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str, source: str = "the text") -> Comparison:
        """Read what :meth:`to_json` wrote; ``source`` names it in errors."""
        try:
            document = json.loads(text)
            if document.pop("schema_version") != SCHEMA_VERSION:
                raise ValueError("it is of another schema_version; compare again or update MINERVA")
            document.pop("agreement", None)
            standings = tuple(map(_standing_from, document.pop("standings")))
            reference, features = _standing_from(document.pop("reference")), tuple(document.pop("features"))
            return cls(features=features, standings=standings, reference=reference, **document)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise InputError(f"{source} is not a saved comparison: {error}.") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the comparison as JSON, whole or not at all."""
        atomic_write(Path(path), self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Comparison:
        """Read a saved comparison."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise InputError(f"There is no file {str(path)!r}.") from None
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{str(path)!r} cannot be read as a saved comparison: {error}.") from None
        return cls.from_json(text, source=repr(str(path)))

    def _standing(self, method: str) -> Standing:
        return next(row for row in self.standings if row.method == method)


def _jaccard(one: Sequence[str], two: Sequence[str]) -> float:
    union = {*one, *two}
    return len({*one} & {*two}) / len(union) if union else 1.0


def _flat(row: Standing) -> dict[str, Any]:
    information, score = row.information, row.score
    return {
        "method": row.method,
        "label": row.label,
        "n_kept": row.n_kept,
        "kept": row.kept,
        "information_nats": information and information.nats,
        "information_low": information and information.low,
        "information_high": information and information.high,
        "score": score and score.value,
        "score_low": score and score.low,
        "score_high": score and score.high,
        "seconds": row.seconds,
        "peak_bytes": row.peak_bytes,
        "status": row.status,
    }


def _standing_from(document: dict[str, Any]) -> Standing:
    information, score = document.pop("information"), document.pop("score")
    return Standing(
        kept=tuple(None if names is None else tuple(names) for names in document.pop("kept")),
        information=None if information is None else Estimate(**information),
        score=None if score is None else Score(**score),
        notes=tuple(document.pop("notes")),
        **document,
    )
