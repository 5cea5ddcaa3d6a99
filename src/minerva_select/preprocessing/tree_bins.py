"""Columns as boosted trees read them: bins of quantiles, and codes of which the rarest share one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from minerva_select.preprocessing.table_encoder import TableEncoder
from minerva_select.schema import ColumnType, Table


def encode_for_trees(
    table: Table, column_types: Mapping[str, ColumnType], max_bins: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:  # (n_rows, n_columns), (n_columns,)
    """Bins or codes of all columns, NaN for missing numbers, and whether each column is categorical."""
    encoded = TableEncoder(column_types).fit_transform(table)
    x = np.empty((table.n_rows, len(table.columns)), dtype=np.float32)
    is_categorical = np.zeros(len(table.columns), dtype=bool)
    is_categorical[list(encoded.categorical)] = True
    most = max_bins - 1
    x[:, list(encoded.numeric)] = np.floor(encoded.quantiles * most)
    x[:, list(encoded.categorical)] = np.minimum(encoded.codes, most)
    return x, is_categorical
