"""From tables to folds: who trains, tunes and vets on which rows, with encoders that saw training rows only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from minerva.core.information import Fold, Target
from minerva.core.inputs import Rows, join_rows, rows_from_arrays
from minerva.core.plan import Plan
from minerva.data import assign_folds, split_rows
from minerva.errors import InputError
from minerva.preprocessing import EncodedTable, TableEncoder, find_target_kind, fit_atoms
from minerva.schema import ColumnKind, Table

MIN_ROWS = 6
VET_SHARE = 0.25  # of the rows, where one split is enough
NEVER = -80.0  # logarithm of the prior of an atom that never occurs
MAX_ATOMS = 128  # levels of a continuous target


def as_rows(encoded: EncodedTable, device: torch.device) -> Rows:
    """Encoded columns as tensors."""
    positions = encoded.continuous + encoded.categorical
    return rows_from_arrays(encoded.ranks, encoded.codes, encoded.n_levels, positions, device)


def check_rows(n_rows: int) -> None:
    """Refuse tables that cannot be split."""
    if n_rows < MIN_ROWS:
        raise InputError(
            f"n_samples={n_rows} rows are too few to train, tune and vet on different ones; give at least {MIN_ROWS}."
        )


def informative_rows(target: Table, target_kind: str) -> int:
    """About how many balanced rows say as much about the target as these: few of a million where one class is rare."""
    kinds = find_target_kind(target, target_kind)
    if any(kind == ColumnKind.CONTINUOUS for kind in kinds.values()):
        return target.n_rows
    shares = np.bincount(_strata(target, kinds)) / target.n_rows
    entropy = -sum(share * np.log(share) for share in shares if share > 0)
    return int(target.n_rows * min(1.0, entropy / np.log(2)))


def make_folds(
    table: Table,
    kinds: Mapping[str, ColumnKind],
    target: Table,
    target_kind: str,
    weights: NDArray[np.float64],
    plan: Plan,
    rng: np.random.Generator,
    device: torch.device,
) -> list[Fold]:
    """Folds of a plan; rows of every class are spread over all parts."""
    n_rows = table.n_rows
    target_kinds = find_target_kind(target, target_kind)
    strata = _strata(target, target_kinds)
    if plan.n_folds == 1:
        parts = [split_rows(n_rows, [1 - VET_SHARE, VET_SHARE], strata, rng)[::-1]]
    else:
        fold_of = assign_folds(n_rows, plan.n_folds, strata, rng)
        parts = [[np.flatnonzero(fold_of == k), np.flatnonzero(fold_of != k)] for k in range(plan.n_folds)]
    pieces = [_encode(table, kinds, target, target_kinds, weights, rest, device) for _, rest in parts]
    x = join_rows([piece.x for piece in pieces])
    atoms = torch.cat([piece.atoms for piece in pieces])
    row_weights = torch.as_tensor(weights / weights.mean(), dtype=torch.float32, device=device).repeat(len(parts))
    n_atoms = max(len(piece.log_prior) for piece in pieces)
    folds = []
    for k, ((vet, rest), piece) in enumerate(zip(parts, pieces, strict=True)):
        part_of = assign_folds(len(rest), plan.n_tune_parts, strata[rest], rng)
        members = [(rest[part_of != part], rest[part_of == part]) for part in range(plan.n_members)]

        def index(rows: NDArray[np.int64], start: int = k * n_rows) -> torch.Tensor:
            return torch.as_tensor(rows + start, device=device)

        folds.append(
            Fold(
                x=x,
                target=piece.target(atoms, n_atoms),
                row_weights=row_weights,
                train=tuple(index(rows) for rows, _ in members),
                tune=tuple(index(rows) for _, rows in members),
                vet=index(vet),
            )
        )
    return folds


@dataclass(frozen=True, eq=False)
class _Piece:
    """All rows as one fold encodes them."""

    x: Rows
    atoms: torch.Tensor  # (n_rows,)
    atom_rows: Rows
    log_prior: torch.Tensor
    is_discrete: bool

    def target(self, atoms: torch.Tensor, n_atoms: int) -> Target:
        """The target of the fold, with atoms that never occur to fill up to the number of the others."""
        n_more = n_atoms - len(self.log_prior)
        places = torch.arange(n_atoms).clamp(max=len(self.log_prior) - 1).to(self.atoms.device)
        log_prior = torch.cat([self.log_prior, self.log_prior.new_full((n_more,), NEVER)])
        return Target(atoms, self.atom_rows.take(places), log_prior, self.is_discrete)


def _strata(target: Table, kinds: Mapping[str, ColumnKind]) -> NDArray[np.int64]:
    encoded = TableEncoder(kinds).fit_transform(target)
    return fit_atoms(encoded, max_atoms=32, random_state=0).assign(encoded)


def _encode(
    table: Table,
    kinds: Mapping[str, ColumnKind],
    target: Table,
    target_kinds: Mapping[str, ColumnKind],
    weights: NDArray[np.float64],
    rest: NDArray[np.int64],
    device: torch.device,
) -> _Piece:
    """All rows by encoders that saw only the rows of ``rest``."""
    encoded_x = TableEncoder(kinds).fit(table, rest).transform(table)
    encoded_y = TableEncoder(target_kinds).fit(target, rest).transform(target)
    atoms = fit_atoms(encoded_y.take(rest), MAX_ATOMS, random_state=0)
    atom_of_row = atoms.assign(encoded_y)
    prior = np.bincount(atom_of_row[rest], weights=weights[rest], minlength=atoms.n_atoms)
    return _Piece(
        x=as_rows(encoded_x, device),
        atoms=torch.as_tensor(atom_of_row, device=device),
        atom_rows=as_rows(atoms.positions, device),
        log_prior=torch.as_tensor(np.log(prior / prior.sum()), dtype=torch.float32, device=device),
        is_discrete=atoms.is_discrete,
    )
