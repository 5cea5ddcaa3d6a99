"""Split rows into folds and encode each fold with encoders fitted on its own training and tuning rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from minerva_select.config import SPLITS, TARGET_BINS, FitConfig
from minerva_select.data.encoded_rows import (
    MISSING_QUANTILE,
    ColumnLayout,
    PackedRows,
    Rows,
    join_columns,
    join_rows,
    pack_array,
    rows_from_arrays,
)
from minerva_select.data.sharding import UNSHARDED, Sharding
from minerva_select.errors import InputError
from minerva_select.mi.fold import Fold, Target
from minerva_select.preprocessing.column_types import TargetTypes
from minerva_select.preprocessing.fold_encoding import encode_folds
from minerva_select.preprocessing.table_encoder import EncodedTable, TableEncoder
from minerva_select.preprocessing.target_bins import fit_target_bins
from minerva_select.runtime.device import available_threads
from minerva_select.runtime.distributed import ProcessGroup
from minerva_select.schema import ColumnType, Table
from minerva_select.selectors.row_metadata import RowMetadata

NEVER = -80.0  # log prior of a bin that never occurs
PACKED_FROM = 100_000  # tables of this many rows are packed, which halves their memory


def as_rows(encoded: EncodedTable, device: torch.device) -> Rows:
    """Convert encoded columns to tensors."""
    positions = encoded.numeric + encoded.categorical
    return rows_from_arrays(encoded.quantiles, encoded.codes, encoded.n_levels, positions, device)


def as_packed_rows(encoded: EncodedTable, device: torch.device) -> Rows:
    """Convert columns with packed quantiles to tensors."""
    any_missing = bool((encoded.quantiles == MISSING_QUANTILE).any())
    layout = ColumnLayout(len(encoded.numeric), encoded.n_levels, encoded.numeric + encoded.categorical, any_missing)
    codes = torch.from_numpy(encoded.codes)
    return PackedRows(torch.from_numpy(encoded.quantiles).to(device), codes.to(device), layout)


def informative_rows(target: Table, target_types: TargetTypes) -> int:
    """Number of balanced rows with as much entropy of the target: small if one class is rare."""
    if not target_types.is_discrete:
        return target.n_rows
    shares = np.bincount(find_strata(target, target_types)) / target.n_rows
    entropy = -sum(share * np.log(share) for share in shares if share > 0)
    return int(target.n_rows * min(1.0, entropy / np.log(2)))


@dataclass(frozen=True, eq=False)
class RowSplit:
    """Rows of one fold: members train and tune on parts of ``rest``; ``held_out`` is only tested on."""

    rest: NDArray[np.int64]
    members: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]  # training and tuning rows of each member
    held_out: NDArray[np.int64]

    @property
    def n_rows(self) -> int:
        """Number of rows in use."""
        return len(self.rest) + len(self.held_out)


def split_into_folds(
    target: Table, target_types: TargetTypes, plan: FitConfig, rng: np.random.Generator, row_metadata: RowMetadata
) -> list[RowSplit]:
    """Split the rows for every fold.

    With times, the earliest rows train and the latest are held out; otherwise the parts are stratified by the target.
    No group is in two parts of a fold.
    """
    if row_metadata.times is not None:
        tune_share = (1 - SPLITS.held_out_share) / plan.n_tune_parts
        train, tune, held_out = row_metadata.split(
            [1 - SPLITS.held_out_share - tune_share, tune_share, SPLITS.held_out_share], None, rng
        )
        check_parts(target, (train, tune, held_out), row_metadata)
        return [RowSplit(np.sort(np.concatenate([train, tune])), ((train, tune),), held_out)]
    strata = find_strata(target, target_types)
    if plan.n_folds == 1:
        parts = [row_metadata.split([1 - SPLITS.held_out_share, SPLITS.held_out_share], strata, rng)]
    else:
        fold_of = row_metadata.assign_folds(plan.n_folds, strata, rng)
        parts = [[np.flatnonzero(fold_of != k), np.flatnonzero(fold_of == k)] for k in range(plan.n_folds)]
    splits = []
    for rest, held_out in parts:
        part_of = row_metadata.take(rest).assign_folds(plan.n_tune_parts, strata[rest], rng)
        members = tuple((rest[part_of != part], rest[part_of == part]) for part in range(plan.n_members))
        for parts_of_member in members:
            check_parts(target, parts_of_member, row_metadata)
        splits.append(RowSplit(rest, members, held_out))
    return splits


def check_parts(target: Table, parts: Sequence[NDArray[np.int64]], row_metadata: RowMetadata) -> None:
    """Raise if times or groups leave a part with a single value of the target; the first part is for training."""
    if row_metadata.times is not None:
        for rows, when in zip(parts, ("earliest", *["next"] * (len(parts) - 2), "latest"), strict=True):
            where = f"the {len(rows):,} {when} rows, but a split by time needs others in every part"
            _check_varies(target, rows, where, "give rows of a longer time, or omit times")
    elif row_metadata.groups is not None:
        _check_varies(target, parts[0], "the groups to train on", "give rows of more groups, or omit groups")


def _check_varies(target: Table, rows: NDArray[np.int64], where: str, remedy: str) -> None:
    for column in target.columns:
        if (column.values[rows] == column.values[rows[0]]).all():
            raise InputError(f"The target {column.name!r} has only one value in {where}; {remedy}.")


def encode(
    table: Table, column_types: Mapping[str, ColumnType], splits: Sequence[RowSplit], device: torch.device
) -> Rows:
    """Encode the table once per split, by encoders fitted on its ``rest``, and concatenate the results."""
    is_packed = table.n_rows >= PACKED_FROM
    pack, convert = (pack_array, as_packed_rows) if is_packed else (None, as_rows)
    encoded = encode_folds(table, column_types, [split.rest for split in splits], pack, available_threads())
    return join_rows([convert(one, device) for one in encoded])


def encode_shard(
    table: Table,
    column_types: Mapping[str, ColumnType],
    splits: Sequence[RowSplit],
    device: torch.device,
    ranks: ProcessGroup,
) -> tuple[Rows, Sharding]:
    """Encode the table as :func:`encode` does, and keep an equal share of the rows, in all their encodings.

    Each process encodes a share of the columns, all rows of them, and sends them to the others.
    """
    if ranks.size == 1:
        return encode(table, column_types, splits, device), UNSHARDED
    features = [range(rank, len(table.columns), ranks.size) for rank in range(ranks.size)]
    names = [table.names[feature] for feature in features[ranks.rank]]
    encoded = encode(table.select(names), column_types, splits, torch.device("cpu")) if names else None
    own = ranks.own_slice(table.n_rows)
    rows = torch.cat([torch.arange(own.start, own.stop) + k * table.n_rows for k in range(len(splits))])
    parts = [
        (dataclasses.replace(part, quantiles=part.quantiles[rows], codes=part.codes[rows]), numbers)
        for part, numbers in zip(ranks.gather(encoded), features, strict=True)
        if part is not None
    ]
    return join_columns(parts).to(device), Sharding.of_ranks(ranks, own.stop - own.start)


def make_folds(
    x: Rows,
    target: Table,
    target_types: TargetTypes,
    weights: NDArray[np.float64],
    groups: NDArray[np.int64] | None,
    splits: Sequence[RowSplit],
    device: torch.device,
    sharding: Sharding = UNSHARDED,
) -> list[Fold]:
    """Make the folds of a table that is encoded per split or once for all; x has the rows of this process."""
    n_rows, n_folds = target.n_rows, len(splits)
    pieces = [_encode(target, target_types, weights, split.rest, device) for split in splits]
    bins = torch.cat([piece.bins for piece in pieces])
    row_weights = torch.as_tensor(weights / weights.mean(), dtype=torch.float32, device=device).repeat(n_folds)
    clusters = None if groups is None else torch.as_tensor(groups, device=device).repeat(n_folds)
    n_bins = max(len(piece.log_prior) for piece in pieces)
    folds = []
    for k, (split, piece) in enumerate(zip(splits, pieces, strict=True)):

        def index(rows: NDArray[np.int64], start: int = k * n_rows) -> torch.Tensor:
            return torch.as_tensor(rows + start if start else rows, device=device)

        folds.append(
            Fold(
                x=x,
                target=piece.target(bins, n_bins),
                row_weights=row_weights,
                train=tuple(index(rows) for rows, _ in split.members),
                tune=tuple(index(rows) for _, rows in split.members),
                held_out=index(split.held_out),
                clusters=clusters,
                sharding=sharding,
            )
        )
    return folds


@dataclass(frozen=True, eq=False)
class _Piece:
    """The target as encoded in one fold."""

    bins: torch.Tensor  # (n_rows,)
    bin_rows: Rows
    log_prior: torch.Tensor
    is_discrete: bool

    def target(self, bins: torch.Tensor, n_bins: int) -> Target:
        """The target of the fold, padded to ``n_bins`` with bins that never occur."""
        n_more = n_bins - len(self.log_prior)
        positions = torch.arange(n_bins).clamp(max=len(self.log_prior) - 1).to(self.bins.device)
        log_prior = torch.cat([self.log_prior, self.log_prior.new_full((n_more,), NEVER)])
        return Target(bins, self.bin_rows.take(positions), log_prior, self.is_discrete)


def find_strata(target: Table, target_types: TargetTypes) -> NDArray[np.int64]:
    """Assign rows to strata: classes, or intervals of a continuous target."""
    encoded = TableEncoder(target_types.column_types).fit_transform(target)
    return fit_target_bins(encoded, TARGET_BINS.n_strata, random_state=0).assign(encoded)


def _encode(
    target: Table,
    target_types: TargetTypes,
    weights: NDArray[np.float64],
    rest: NDArray[np.int64],
    device: torch.device,
) -> _Piece:
    """Encode the target with an encoder fitted on ``rest``."""
    encoded_y = TableEncoder(target_types.column_types).fit(target, rest).transform(target)
    bins = fit_target_bins(encoded_y.take(rest), TARGET_BINS.max_bins, random_state=0)
    bin_of_row = bins.assign(encoded_y)
    prior = np.bincount(bin_of_row[rest], weights=weights[rest], minlength=bins.n_bins)
    return _Piece(
        bins=torch.as_tensor(bin_of_row, device=device),
        bin_rows=as_rows(bins.representatives, device),
        log_prior=torch.as_tensor(np.log(prior / prior.sum()), dtype=torch.float32, device=device),
        is_discrete=bins.is_discrete,
    )
