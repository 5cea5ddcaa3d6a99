"""The best set of features of every size, from one fit."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from minerva_select.results.parsing import ParseError


@dataclass(frozen=True)
class RankedSet:
    """The best set of one size, if it does not consist of the first features of the order.

    Attributes
    ----------
    n_features : int
        Number of features; a group counts as one.
    features : tuple of str
        Names of the features.

    Examples
    --------
    >>> RankedSet(1, ("d",)).features
    ('d',)
    """

    n_features: int  # a group counts as one
    features: tuple[str, ...]


@dataclass(frozen=True)
class FeatureRanking:
    """Which features ``n_features_to_select`` keeps, for every number.

    ``order`` lists single features and groups, those kept on request first, then the most important ones. The best set
    of ``n_features`` is that of ``small_sets`` with this number, or else the first ones of the order.

    Attributes
    ----------
    order : tuple of tuple of str
        Names of single features and of groups: those kept on request first, then the most important ones.
    n_required : int
        How many are kept on request; they are the first ones of the order.
    small_sets : tuple of RankedSet
        Best sets that do not consist of the first features of the order.

    Examples
    --------
    >>> ranking = FeatureRanking((("a",), ("b", "c"), ("d",)), small_sets=(RankedSet(1, ("d",)),))
    >>> [ranking.best(n_features) for n_features in (1, 2, 3)]
    [('d',), ('a', 'b', 'c'), ('a', 'b', 'c', 'd')]
    """

    order: tuple[tuple[str, ...], ...]
    n_required: int = 0  # kept on request, the first ones of the order
    small_sets: tuple[RankedSet, ...] = ()

    def best(self, n_features: int) -> tuple[str, ...]:
        """Names of the best set of this size; all features if there are fewer."""
        for small_set in self.small_sets:
            if small_set.n_features == n_features:
                return small_set.features
        return tuple(name for names in self.order[:n_features] for name in names)

    def names(self) -> Iterator[str]:
        """All names, including repeated ones."""
        for names in (*self.order, *(one.features for one in self.small_sets)):
            yield from names


def check_ranking(ranking: FeatureRanking | None) -> None:
    """Raise if numbers of features do not agree."""
    if ranking is None:
        return
    if not 0 <= ranking.n_required <= len(ranking.order):
        raise ParseError("ranking.n_required must be at most the number of ranked features")
    names = [name for group in ranking.order for name in group]
    if len({*names}) < len(names) or not all(ranking.order):
        raise ParseError("ranking.order must name each feature once")
    for k, one in enumerate(ranking.small_sets):
        if _count(one.features, ranking.order) != one.n_features:
            raise ParseError(f"ranking.small_sets[{k}] must have n_features features of the order")


def _count(features: Collection[str], order: Collection[Collection[str]]) -> int:
    """Number of single features and whole groups; -1 if other features are among them."""
    chosen = {*features}
    groups = [names for names in order if chosen.issuperset(names)]
    return len(groups) if sum(map(len, groups)) == len(chosen) else -1
