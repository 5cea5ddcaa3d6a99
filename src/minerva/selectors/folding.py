"""From tables to folds: who trains, tunes and vets on which rows, with encoders that saw training rows only."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from minerva.core.information import Fold, Target
from minerva.core.inputs import Rows, rows_from_arrays
from minerva.core.plan import Plan
from minerva.data import assign_folds, split_rows
from minerva.errors import InputError
from minerva.preprocessing import EncodedTable, TableEncoder, find_target_kind, fit_atoms
from minerva.schema import ColumnKind, Table

MIN_ROWS = 6
VET_SHARE = 0.25  # of the rows, where one split is enough
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
    return [
        _make_fold(table, kinds, target, target_kinds, strata, weights, plan, vet, rest, rng, device)
        for vet, rest in parts
    ]


def _strata(target: Table, kinds: Mapping[str, ColumnKind]) -> NDArray[np.int64]:
    encoded = TableEncoder(kinds).fit_transform(target)
    return fit_atoms(encoded, max_atoms=32, random_state=0).assign(encoded)


def _make_fold(
    table: Table,
    kinds: Mapping[str, ColumnKind],
    target: Table,
    target_kinds: Mapping[str, ColumnKind],
    strata: NDArray[np.int64],
    weights: NDArray[np.float64],
    plan: Plan,
    vet: NDArray[np.int64],
    rest: NDArray[np.int64],
    rng: np.random.Generator,
    device: torch.device,
) -> Fold:
    part_of = assign_folds(len(rest), plan.n_tune_parts, strata[rest], rng)
    members = [(rest[part_of != k], rest[part_of == k]) for k in range(plan.n_members)]
    encoded_x = TableEncoder(kinds).fit(table.take(rest)).transform(table)
    y_encoder = TableEncoder(target_kinds).fit(target.take(rest))
    encoded_y = y_encoder.transform(target)
    atoms = fit_atoms(encoded_y.take(rest), MAX_ATOMS, random_state=0)
    atom_of_row = atoms.assign(encoded_y)
    prior = np.bincount(atom_of_row[rest], weights=weights[rest], minlength=atoms.n_atoms)

    def index(rows: NDArray[np.int64]) -> torch.Tensor:
        return torch.as_tensor(rows, device=device)

    return Fold(
        x=as_rows(encoded_x, device),
        target=Target(
            atoms=index(atom_of_row),
            atom_rows=as_rows(atoms.positions, device),
            log_prior=torch.as_tensor(np.log(prior / prior.sum()), dtype=torch.float32, device=device),
            is_discrete=atoms.is_discrete,
        ),
        row_weights=torch.as_tensor(weights / weights.mean(), dtype=torch.float32, device=device),
        train=tuple(index(rows) for rows, _ in members),
        tune=tuple(index(rows) for _, rows in members),
        vet=index(vet),
    )
