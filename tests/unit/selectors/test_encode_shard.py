"""Claim: ranks divide the columns of a table in memory, and hold the rows that one process would encode."""

import numpy as np
import pandas as pd
import pytest
import torch

from minerva_select.data.frames import as_table
from minerva_select.runtime.distributed import SINGLE_PROCESS
from minerva_select.schema import ColumnType
from minerva_select.selectors import fold_splits
from minerva_select.selectors.fold_splits import RowSplit, encode_shard
from rank_processes import run_ranks

N_ROWS = 400
CPU = torch.device("cpu")


def table():
    """Numbers, some missing, and categories, some with more codes than fit in a byte."""
    rng = np.random.default_rng(0)
    columns = {f"number{k}": rng.normal(size=N_ROWS) for k in range(3)}
    columns["number1"][::7] = np.nan
    columns |= {f"level{k}": rng.integers(0, 4, N_ROWS).astype(str) for k in range(2)}
    columns["identifier"] = np.arange(N_ROWS).astype(str)
    names = ["level0", "number0", "identifier", "number1", "level1", "number2"]
    types = {name: ColumnType.NUMERIC if name.startswith("number") else ColumnType.CATEGORICAL for name in names}
    return as_table(pd.DataFrame(columns)[names]), types


def splits():
    rows = np.arange(N_ROWS)
    return [RowSplit(rows[k::2], ((rows[k::4], rows[k + 2 :: 4]),), rows[1 - k :: 2]) for k in range(2)]


def encode_rows(ranks, packed_from, n_columns=6):
    """The rows of a rank, and the columns that it encoded."""
    encoded = []
    original = fold_splits.encode
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold_splits, "PACKED_FROM", packed_from)
        patch.setattr(fold_splits, "encode", lambda table, *rest: encoded.extend(table.names) or original(table, *rest))
        whole, types = table()
        x, sharding = encode_shard(whole.select(whole.names[:n_columns]), types, splits(), CPU, ranks)
    start, end = sharding.own_range if ranks.size > 1 else (0, N_ROWS)
    rows = torch.cat([torch.arange(start, end) + k * N_ROWS for k in range(2)])
    own = sharding.take(x, rows)
    return rows.numpy(), own.quantiles.numpy(), own.codes.numpy(), own.layout, encoded, type(x).__name__


def of_packed(ranks):
    return encode_rows(ranks, N_ROWS)


def of_unpacked(ranks):
    return encode_rows(ranks, N_ROWS + 1)


def of_two_columns(ranks):
    return encode_rows(ranks, N_ROWS + 1, n_columns=2)


@pytest.mark.parametrize(("task", "size"), [(of_packed, 2), (of_unpacked, 2), (of_two_columns, 3)])
def test_the_rows_of_all_ranks_are_those_of_one_process(task, size):
    _, quantiles, codes, layout, _, kind = task(SINGLE_PROCESS)
    found = run_ranks(task, size)
    for rows, own_quantiles, own_codes, own_layout, _, own_kind in found:
        assert np.array_equal(own_quantiles, quantiles[rows], equal_nan=True)
        assert np.array_equal(own_codes, codes[rows])
        assert (own_layout, own_kind) == (layout, kind)
    assert sorted(row for rows, *_ in found for row in rows) == list(range(2 * N_ROWS))


def test_every_column_is_encoded_by_one_rank():
    columns = [encoded for *_, encoded, _ in run_ranks(of_unpacked, 2)]
    assert sorted(columns[0] + columns[1]) == sorted(table()[0].names)
    assert len(columns[0]) == len(columns[1]) == 3
