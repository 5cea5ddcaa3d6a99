"""Score a selection against features that are known to be relevant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from minerva_select.codes import Outcome
from minerva_select.errors import InputError, InputTypeError, brief
from minerva_select.text.comparison import describe_outcome


@dataclass(frozen=True)
class SelectionScore:
    """A selection compared with the relevant features.

    Attributes
    ----------
    true_positives : tuple of str
        Relevant features that were selected.
    false_negatives : tuple of str
        Relevant features that were not selected.
    false_positives : tuple of str
        Selected features that are not relevant.
    """

    true_positives: tuple[str, ...]
    false_negatives: tuple[str, ...]
    false_positives: tuple[str, ...]

    @property
    def outcome(self) -> Outcome:
        """The paper's class: type I if a relevant feature is missing, else type II if an irrelevant one is selected."""
        if self.false_negatives:
            return Outcome.TYPE_I
        return Outcome.TYPE_II if self.false_positives else Outcome.EXACT

    @property
    def is_exact(self) -> bool:
        """Whether exactly the relevant features were selected."""
        return self.outcome is Outcome.EXACT

    @property
    def precision(self) -> float:
        """Share of the selected features that are relevant; 1 if nothing was selected."""
        return _share(len(self.true_positives), len(self.true_positives) + len(self.false_positives))

    @property
    def recall(self) -> float:
        """Share of the relevant features that were selected; 1 if nothing is relevant."""
        return _share(len(self.true_positives), len(self.true_positives) + len(self.false_negatives))

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 1 if nothing is relevant and nothing was selected."""
        n_wrong = len(self.false_negatives) + len(self.false_positives)
        return _share(2 * len(self.true_positives), 2 * len(self.true_positives) + n_wrong)

    def __str__(self) -> str:
        return describe_outcome(
            self.outcome, len(self.true_positives), len(self.false_negatives), len(self.false_positives)
        )


def score_selection(selected: Iterable[str], relevant: Iterable[str]) -> SelectionScore:
    """Compare a selection with the features that are known to be relevant.

    Parameters
    ----------
    selected, relevant : iterable of str
        Names of features, in any order; repeated names count once.

    Returns
    -------
    SelectionScore
        With ``outcome``, ``precision``, ``recall`` and ``f1``.

    Examples
    --------
    >>> score = score_selection(["f3", "f5"], relevant=["f3", "f8"])
    >>> score.outcome.value, score.precision, score.false_negatives
    ('type_i', 0.5, ('f8',))
    >>> print(score)
    type I (misses relevant features): 1 found, 1 missed, 1 irrelevant
    """
    chosen, truth = _distinct("selected", selected), _distinct("relevant", relevant)
    return SelectionScore(
        true_positives=tuple(name for name in truth if name in chosen),
        false_negatives=tuple(name for name in truth if name not in chosen),
        false_positives=tuple(name for name in chosen if name not in truth),
    )


def _distinct(parameter: str, names: Iterable[str]) -> dict[str, None]:
    if isinstance(names, str):  # an iterable of letters, which is never meant
        raise InputError(f"{parameter} is the string {brief(names)}; pass a list of names, such as [{brief(names)}].")
    try:
        return dict.fromkeys(names)
    except TypeError:
        raise InputTypeError(f"{parameter} must be a list of names, got {brief(names)}.") from None


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
