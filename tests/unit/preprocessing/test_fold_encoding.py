import numpy as np
import pytest

from minerva_select.errors import InputError
from minerva_select.preprocessing import column_blocks
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.fold_encoding import encode_folds
from minerva_select.preprocessing.table_encoder import TableEncoder
from minerva_select.schema import Column, ColumnType, Table


def pack(quantiles):
    return np.nan_to_num(quantiles * 100, nan=-1).astype(np.int16)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("pack", [None, pack])
def test_all_rows_are_encoded_by_those_of_each_fold(n_threads, pack, monkeypatch):
    monkeypatch.setattr(column_blocks, "_ROWS_PER_THREAD", 1)
    rng = np.random.default_rng(0)
    columns = [Column(f"x{k}", rng.normal(size=100)) for k in range(20)]
    columns += [Column(f"n{k}", rng.integers(0, 60, 100).astype(float)) for k in range(3)]
    columns += [Column(f"c{k}", rng.integers(0, 4, 100).astype(float)) for k in range(20)]
    columns += [Column("text", rng.integers(-1, 3, 100), np.array(["a", "b", "b"], dtype=object))]
    columns[3].values[::7] = np.nan
    columns[30].values[::7] = np.nan
    table = Table(tuple(rng.permutation(np.array(columns, dtype=object))), 100)
    types = infer_column_types(table)
    folds = [np.arange(0, 100, 3), np.arange(50), np.arange(100)]
    for found, rows in zip(encode_folds(table, types, folds, pack, n_threads), folds, strict=True):
        encoder = TableEncoder(types).fit(table, rows)
        expected = (encoder.packed(pack) if pack else encoder).transform(table)
        np.testing.assert_array_equal(found.quantiles, expected.quantiles, strict=True)
        np.testing.assert_array_equal(found.codes, expected.codes, strict=True)
        assert (found.n_levels, found.n_columns) == (expected.n_levels, expected.n_columns)
        assert (found.numeric, found.categorical) == (expected.numeric, expected.categorical)


def test_text_cannot_be_numeric():
    column = Column("a", np.zeros(2, dtype=np.int64), np.array(["u"], dtype=object))
    with pytest.raises(InputError, match="'a' has text"):
        encode_folds(Table((column,), 2), {"a": ColumnType.NUMERIC}, [np.arange(2)])
