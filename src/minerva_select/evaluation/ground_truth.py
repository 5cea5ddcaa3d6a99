"""What a selection is worth when the relevant features are known, in the paper's words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from minerva_select.errors import InputError, InputTypeError, brief


class Outcome(StrEnum):
    """The paper's three classes of selections."""

    EXACT = "exact"
    TYPE_I = "type I (misses relevant)"
    TYPE_II = "type II (keeps irrelevant)"


@dataclass(frozen=True)
class Verdict:
    """A selection held against the truth: what it found, what it missed, and what it kept in vain.

    Attributes
    ----------
    hits : tuple of str
        Relevant features that were selected.
    missed : tuple of str
        Relevant features that were not.
    strays : tuple of str
        Selected features that are not relevant.
    """

    hits: tuple[str, ...]
    missed: tuple[str, ...]
    strays: tuple[str, ...]

    @property
    def outcome(self) -> Outcome:
        """Type I when a relevant feature is missing, whatever else was kept; else type II when one is too many."""
        if self.missed:
            return Outcome.TYPE_I
        return Outcome.TYPE_II if self.strays else Outcome.EXACT

    @property
    def is_exact(self) -> bool:
        """Whether the selection is the truth."""
        return self.outcome is Outcome.EXACT

    @property
    def n_hits(self) -> int:
        """Number of relevant features that were selected."""
        return len(self.hits)

    @property
    def n_missed(self) -> int:
        """Number of relevant features that were not selected."""
        return len(self.missed)

    @property
    def n_strays(self) -> int:
        """Number of selected features that are not relevant."""
        return len(self.strays)

    @property
    def precision(self) -> float:
        """Share of the selected features that are relevant; 1 when nothing was selected."""
        return _share(self.n_hits, self.n_hits + self.n_strays)

    @property
    def recall(self) -> float:
        """Share of the relevant features that were selected; 1 when nothing is relevant."""
        return _share(self.n_hits, self.n_hits + self.n_missed)

    @property
    def f1(self) -> float:
        """Hits over the mean size of selection and truth; 1 when both are empty."""
        return _share(2 * self.n_hits, 2 * self.n_hits + self.n_missed + self.n_strays)

    def __str__(self) -> str:
        return f"{self.outcome}: {self.n_hits} found, {self.n_missed} missed, {self.n_strays} too many"


def verdict(selected: Iterable[str], relevant: Iterable[str]) -> Verdict:
    """Hold a selection against the features that are known to be relevant.

    Parameters
    ----------
    selected : iterable of str
        Names of the selected features, in any order; a name that comes twice counts once.
    relevant : iterable of str
        Names of the features that made the target.

    Returns
    -------
    Verdict
        Exact when both sets are equal; type I when a relevant feature is missing; type II when all are there and others
        too.

    Examples
    --------
    >>> print(verdict(["f3", "f8"], relevant=["f3", "f8"]))
    exact: 2 found, 0 missed, 0 too many
    >>> print(verdict(["f3", "f5"], relevant=["f3", "f8"]))
    type I (misses relevant): 1 found, 1 missed, 1 too many
    >>> verdict(["f1", "f3", "f8"], relevant=["f3", "f8"]).strays
    ('f1',)
    """
    chosen, truth = _distinct("selected", selected), _distinct("relevant", relevant)
    return Verdict(
        hits=tuple(name for name in truth if name in chosen),
        missed=tuple(name for name in truth if name not in chosen),
        strays=tuple(name for name in chosen if name not in truth),
    )


def _distinct(what: str, names: Iterable[str]) -> dict[str, None]:
    # A string is an iterable of its letters, which is never what is meant.
    if isinstance(names, str):
        raise InputError(f"{what} is the string {brief(names)}; pass a list of names, such as [{brief(names)}].")
    try:
        return dict.fromkeys(names)
    except TypeError:
        raise InputTypeError(f"{what} must be a list of names, got {brief(names)}.") from None


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
