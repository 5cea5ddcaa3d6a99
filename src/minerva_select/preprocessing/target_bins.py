"""A target as a finite set of atoms with a prior: its values where they are few, else bins or clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from minerva_select.errors import InputError
from minerva_select.preprocessing.categories import MISSING, OTHER
from minerva_select.preprocessing.clusters import fit_clusters
from minerva_select.preprocessing.quantiles import RankEncoder
from minerva_select.preprocessing.table_encoder import EncodedTable


class Assigner(Protocol):
    """Gives each row of an encoded target the number of its atom."""

    def __call__(self, encoded: EncodedTable) -> NDArray[np.int64]:
        """Atom of each row."""
        ...


@dataclass(frozen=True, eq=False)
class TargetAtoms:
    """Atoms of a target, from its training rows.

    Attributes
    ----------
    prior : ndarray of float64, shape (n_atoms,)
        Share of the training rows in each atom: above 0, with sum 1.
    positions : EncodedTable
        One representative row an atom.
    is_discrete : bool
        Whether the atoms are the distinct values of the target themselves.
    """

    prior: NDArray[np.float64]
    positions: EncodedTable
    is_discrete: bool
    assigner: Assigner

    @property
    def n_atoms(self) -> int:
        """Number of atoms."""
        return len(self.prior)

    @property
    def entropy(self) -> float:
        """Entropy of the prior in nats: no information about these atoms can exceed it."""
        return float(-(self.prior * np.log(self.prior)).sum())

    def assign(self, encoded: EncodedTable) -> NDArray[np.int64]:
        """Atom of each row, shape (n_rows,)."""
        return self.assigner(encoded)


def fit_atoms(
    encoded: EncodedTable, max_atoms: int = 256, random_state: int | np.random.Generator | None = None
) -> TargetAtoms:
    """Divide an encoded target into at most ``max_atoms`` atoms.

    - Categorical columns with no more combinations than that: the atoms are the combinations seen in training. A
      combination never seen goes to the one that agrees with it in most columns, the most frequent of those.
    - One categorical column with more levels: the rarest share an atom.
    - One continuous column: its distinct values, or, when they are more, bins of equal frequency, each represented by
      its mean rank. Missing values are an atom of their own; if there were none in training, they go to the largest.
    - All else: clusters of rows (k-means), each represented by its training row nearest to the centre.

    Parameters
    ----------
    encoded : EncodedTable
        Training rows of the target.
    max_atoms : int
        Most atoms, at least 2.
    random_state : int, Generator or None
        Seed of the clusters; nothing else is random.

    Examples
    --------
    >>> import numpy as np
    >>> from minerva_select.preprocessing import find_target_kind, TableEncoder
    >>> from minerva_select.schema import Column, Table
    >>> y = Table((Column("y", np.array([0.0, 1.0, 1.0, 1.0])),), 4)
    >>> encoded = TableEncoder(find_target_kind(y)).fit_transform(y)
    >>> atoms = fit_atoms(encoded)
    >>> atoms.assign(encoded).tolist(), atoms.prior.tolist(), round(atoms.entropy, 4), atoms.is_discrete
    ([1, 0, 0, 0], [0.75, 0.25], 0.5623, True)
    """
    if max_atoms < 2:
        raise InputError(f"max_atoms must be at least 2, got {max_atoms}.")
    if not encoded.continuous:
        combinations = _fit_combinations(encoded, max_atoms)
        if combinations is not None:
            return combinations
    elif encoded.n_columns == 1:
        return _fit_bins(encoded, max_atoms)
    assigner, rows = fit_clusters(encoded, max_atoms, np.random.default_rng(random_state))
    prior = np.bincount(assigner(encoded), minlength=len(rows)) / encoded.n_rows
    return TargetAtoms(prior, encoded.take(rows), False, assigner)


@dataclass(frozen=True, eq=False)
class _Combinations:
    """Walks the columns: ``steps[j][state, code]`` is the state after column j, the last one when all were seen.

    The highest state of each column stands for "never seen", and leads only to itself.
    """

    steps: tuple[NDArray[np.int64], ...]  # each (n_states + 1, n_levels)
    codes: NDArray[np.integer[Any]]  # (n_atoms, n_columns)
    prior: NDArray[np.float64]
    n_codes: int  # higher codes of a single column share OTHER

    def __call__(self, encoded: EncodedTable) -> NDArray[np.int64]:
        codes = _fold(encoded.codes, self.n_codes)
        atoms = np.zeros(encoded.n_rows, dtype=np.int64)
        for step, column in zip(self.steps, codes.T, strict=True):
            atoms = step[atoms, column]
        unseen = np.flatnonzero(atoms == len(self.codes))
        if len(unseen):
            distinct, place = np.unique(codes[unseen], axis=0, return_inverse=True)
            agreeing = (distinct[:, None, :] == self.codes[None, :, :]).sum(axis=2)
            # The prior, below 1, decides between those that agree in equally many columns.
            atoms[unseen] = np.argmax(agreeing + self.prior * 0.5, axis=1)[place.ravel()]
        return atoms


def _fold(codes: NDArray[np.integer[Any]], n_codes: int) -> NDArray[np.integer[Any]]:
    """Codes of a single column from ``n_codes`` on, its rarest levels, become the code of the unseen."""
    return codes if n_codes == 0 else np.where(codes >= n_codes, OTHER, codes)


def _fit_combinations(encoded: EncodedTable, max_atoms: int) -> TargetAtoms | None:
    """Atoms of an all-categorical target, or None if the combinations are too many."""
    single = encoded.n_columns == 1
    folded = single and len(np.unique(encoded.codes)) > max_atoms
    n_codes = max_atoms + int((encoded.codes != MISSING).all()) if folded else 0
    codes = _fold(encoded.codes, n_codes)
    states, n_states, steps = np.zeros(encoded.n_rows, dtype=np.int64), 1, []
    for column, n_levels in zip(codes.T, encoded.n_levels, strict=True):
        keys = states * n_levels + column
        present = np.bincount(keys, minlength=n_states * n_levels) > 0
        n_next = int(present.sum())
        if n_next > max_atoms:
            return None
        step = np.full((n_states + 1, n_levels), n_next, dtype=np.int64)
        step[:-1] = np.where(present, np.cumsum(present) - 1, n_next).reshape(n_states, n_levels)
        states, n_states = step[states, column], n_next
        steps.append(step)
    prior = np.bincount(states, minlength=n_states) / encoded.n_rows
    first_rows = np.unique(states, return_index=True)[1]
    positions = encoded.take(first_rows)
    positions.codes[...] = codes[first_rows]
    return TargetAtoms(prior, positions, not folded, _Combinations(tuple(steps), positions.codes, prior, n_codes))


@dataclass(frozen=True, eq=False)
class _Bins:
    edges: NDArray[np.float64]  # ascending, between the bins
    missing_atom: int

    def __call__(self, encoded: EncodedTable) -> NDArray[np.int64]:
        ranks = encoded.ranks[:, 0]
        return np.where(np.isnan(ranks), self.missing_atom, np.searchsorted(self.edges, ranks, side="right"))


def _fit_bins(encoded: EncodedTable, max_atoms: int) -> TargetAtoms:
    """Atoms of one continuous column; a value of the weight of several bins gets one to itself."""
    ranks = encoded.ranks[:, 0].astype(np.float64)
    present = ranks[~np.isnan(ranks)]
    n_missing = len(ranks) - len(present)
    distinct, counts = np.unique(present, return_counts=True)
    n_bins = max_atoms - (n_missing > 0)
    if len(distinct) <= n_bins:
        bins = np.arange(len(distinct))
    else:
        # The mid-rank again, since these rows need not be those that the ranks were fitted on.
        bins = np.unique(np.floor(RankEncoder().fit(present).ranks_ * n_bins), return_inverse=True)[1]
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    edges = (distinct[starts[1:] - 1] + distinct[starts[1:]]) / 2
    sizes = np.bincount(bins, weights=counts)
    centres = np.bincount(bins, weights=counts * distinct) / sizes
    missing_atom = int(np.argmax(sizes)) if len(sizes) else 0
    if n_missing:
        sizes, centres, missing_atom = np.append(sizes, n_missing), np.append(centres, np.nan), len(sizes)
    positions = EncodedTable(
        centres.astype(np.float32)[:, None], np.empty((len(sizes), 0), dtype=np.uint8), (), encoded.continuous, (), 1
    )
    # Values that hardly repeat are a sample of a continuous target, even when no bin holds two of them.
    is_discrete = len(distinct) == len(edges) + 1 and 2 * len(distinct) <= len(present)
    return TargetAtoms(sizes / len(ranks), positions, is_discrete, _Bins(edges, missing_atom))
