"""What a fit hands back: plain frozen data, JSON both ways."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.metadata
import json
import math
import os
import platform
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minerva.errors import InputError
from minerva.version import __version__

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Estimate:
    """An amount of information in nats with its 95% interval.

    Examples
    --------
    >>> estimate = Estimate(nats=0.6931, low=0.68, high=0.70, n_rows=1000)
    >>> round(estimate.bits, 3)
    1.0
    >>> print(estimate)
    0.693 nats (95% interval 0.680 to 0.700)
    """

    nats: float
    low: float
    high: float
    n_rows: int
    note: str = ""

    @property
    def bits(self) -> float:
        """The same amount in bits."""
        return self.nats / math.log(2.0)

    def __str__(self) -> str:
        text = f"{self.nats:.3f} nats (95% interval {self.low:.3f} to {self.high:.3f})"
        return f"{text}; {self.note}" if self.note else text


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


@dataclass(frozen=True)
class TrainingRecord:
    """One line of a training history: the loss's three terms and the held-out bound, all in nats."""

    stage: str
    step: int
    bound: float
    held_out_bound: float | None = None
    sparsity_term: float = 0.0
    drift_term: float = 0.0
    n_features: int = 0


@dataclass(frozen=True)
class WeightRecord:
    """Weights of features at one moment of sparsifying.

    With ``solver="paper"`` these are the weights p after so many steps, else the nats that each feature of the set is
    missed by when it is shuffled, after so many rounds.
    """

    step: int
    weights: Mapping[str, float]


@dataclass(frozen=True)
class Progress:
    """What a running fit tells its callbacks: where it is, and what it has found so far."""

    stage: str
    fraction: float
    bound: float | None = None
    n_features: int | None = None
    record: TrainingRecord | None = None  # of the training under way, where this is about one


@dataclass(frozen=True)
class Repeats:
    """How the answer held when the fit was repeated; how often each feature was selected is with the feature."""

    n_fits: int
    subsample: float | None  # share of the rows of each fit; None: all rows, another seed
    agreement: float  # mean share of common features (Jaccard) between two fits


@dataclass(frozen=True)
class Provenance:
    """Where a selection comes from."""

    created: str  # ISO 8601, UTC
    fingerprint: str  # of the table's shape, names and a sample of its rows
    n_columns: int
    device: str
    data: str | None = None  # the name of the file, where there is one
    command: str | None = None


@dataclass(frozen=True)
class PathPoint:
    """Information that a set of features carries, as the set shrinks."""

    n_features: int
    features: tuple[str, ...]
    nats: float
    low: float
    high: float


@dataclass(frozen=True)
class Selection:
    """Which features were kept, which were dropped, why, and how sure that is.

    Both amounts of information are None where the method that selected does not measure them.

    Examples
    --------
    >>> selection = Selection(
    ...     target="y",
    ...     features=(
    ...         FeatureResult("a", True, "adds 0.500 nats", weight=1.0),
    ...         FeatureResult("b", False, "weight fell to zero"),
    ...     ),
    ...     mutual_information=Estimate(0.5, 0.48, 0.52, n_rows=1000),
    ...     total_information=Estimate(0.5, 0.48, 0.52, n_rows=1000),
    ...     n_rows=1000,
    ... )
    >>> selection.selected
    ('a',)
    >>> Selection.from_json(selection.to_json()) == selection
    True
    """

    target: str
    features: tuple[FeatureResult, ...]
    mutual_information: Estimate | None
    total_information: Estimate | None
    n_rows: int
    target_entropy: float | None = None
    path: tuple[PathPoint, ...] = ()
    history: tuple[TrainingRecord, ...] = ()
    converged: bool = True
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    pairs: tuple[PairResult, ...] = ()  # of selected features, those with the largest amounts first
    suspects: tuple[Suspect, ...] = ()
    weight_history: tuple[WeightRecord, ...] = ()
    repeats: Repeats | None = None
    provenance: Provenance | None = None

    @property
    def selected(self) -> tuple[str, ...]:
        """Names of the kept features, in column order."""
        return tuple(result.feature for result in self.features if result.selected)

    @property
    def information_kept(self) -> float | None:
        """Share of all the information found that the kept features carry, between 0 and 1; None if not measured."""
        if self.mutual_information is None or self.total_information is None:
            return None
        total = max(self.total_information.nats, self.mutual_information.nats)
        return min(1.0, max(0.0, self.mutual_information.nats / total)) if total > 0 else 1.0

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        n_features, n_selected = len(self.features), len(self.selected)
        if self.mutual_information is None or self.information_kept is None:
            return f"{n_selected} of {n_features} features are kept for {self.target}."
        if n_selected == 0:
            return f"None of the {n_features} features was found to carry information about {self.target}."
        verb = "carries" if n_selected == 1 else "carry"
        information = f"{self.mutual_information.nats:.3f} nats about {self.target}"
        share = f"{self.information_kept:.0%} of what all features carry"
        return f"{n_selected} of {n_features} features {verb} {information}, {share}."

    def to_frame(self) -> pd.DataFrame:
        """One row a feature, in column order."""
        import pandas as pd  # noqa: PLC0415 - pandas costs 0.3 s, and a saved selection may be read without it

        columns = [f.name for f in dataclasses.fields(FeatureResult) if f.name != "note"]
        rows = [[getattr(result, name) for name in columns] for result in self.features]
        return pd.DataFrame(rows, columns=columns)

    def to_json(self) -> str:
        """The selection as JSON text, with its schema version."""
        document = {"schema_version": SCHEMA_VERSION, **dataclasses.asdict(self)}
        return json.dumps(document, indent=1, allow_nan=False, default=_plain)

    @classmethod
    def from_json(cls, text: str, source: str = "the text") -> Selection:
        """Read what :meth:`to_json` wrote; ``source`` names it in errors."""
        try:
            document = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"{source} is not a saved selection: it is not valid JSON ({error}).") from None
        if not isinstance(document, dict) or "schema_version" not in document:
            raise InputError(f"{source} is not a saved selection: it has no schema_version.")
        version = document.pop("schema_version")
        if version != SCHEMA_VERSION:
            raise InputError(
                f"{source} has schema version {version!r} and this MINERVA reads {SCHEMA_VERSION}; "
                "update MINERVA or save the selection again."
            )
        try:
            return _selection_from(document)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{source} is not a saved selection: {error}.") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the selection as JSON, whole or not at all."""
        write_whole(Path(path), self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Selection:
        """Read a saved selection."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise InputError(f"There is no file {str(path)!r}.") from None
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{str(path)!r} cannot be read as a saved selection: {error}.") from None
        return cls.from_json(text, source=repr(str(path)))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report as one self-contained HTML file."""
        from minerva.report import render  # noqa: PLC0415 - the report is a layer above; see pyproject

        write_whole(Path(path), render(self))


def versions(packages: Iterable[str] = ("torch", "scikit-learn", "numpy", "pandas")) -> dict[str, str]:
    """Versions of Python, of MINERVA and of those packages that are installed: what an answer may depend on.

    Examples
    --------
    >>> sorted(versions(["numpy", "no-such-package"]))
    ['minerva', 'numpy', 'python']
    """
    found = {}
    for name in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return {"minerva": __version__, "python": platform.python_version(), **found}


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all: a temporary file beside it, then a rename."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _plain(value: Any) -> Any:
    """Numpy scalars and tuples as plain JSON values."""
    if hasattr(value, "item"):
        return value.item()
    return str(value)


def _selection_from(document: dict[str, Any]) -> Selection:
    features = tuple(
        FeatureResult(**{**row, "partners": tuple(row["partners"]), "stand_ins": tuple(row["stand_ins"])})
        for row in document.pop("features")
    )
    path = tuple(PathPoint(**{**point, "features": tuple(point["features"])}) for point in document.pop("path"))
    return Selection(
        features=features,
        path=path,
        mutual_information=_estimate_from(document.pop("mutual_information")),
        total_information=_estimate_from(document.pop("total_information")),
        history=tuple(TrainingRecord(**record) for record in document.pop("history")),
        warnings=tuple(document.pop("warnings")),
        **document,
    )


def _estimate_from(document: dict[str, Any] | None) -> Estimate | None:
    return None if document is None else Estimate(**document)
