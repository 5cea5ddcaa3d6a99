"""Bins of numbers, levels, dates and missing values."""

from __future__ import annotations

import numpy as np
import pytest

from minerva_select.codes import BinKind
from minerva_select.config import EFFECTS
from minerva_select.preprocessing.effect_bins import bin_column
from minerva_select.schema import Column


def bins_of(values, levels=None):
    column = Column("x", np.asarray(values), None if levels is None else np.array(levels, dtype=object))
    return bin_column(column, np.ones(len(values)))


def test_few_numbers_have_a_bin_each_in_order():
    found = bins_of([3.0, 1.0, 2.0, 1.0])
    assert [(one.kind, one.low, one.n_rows) for one in found.bins] == [
        (BinKind.VALUE, 1.0, 2),
        (BinKind.VALUE, 2.0, 1),
        (BinKind.VALUE, 3.0, 1),
    ]
    assert found.index.tolist() == [2, 0, 1, 0]
    assert found.is_ordered


def test_many_numbers_have_intervals_with_equally_many_rows():
    found = bins_of(np.random.default_rng(0).permutation(1600).astype(float))
    assert [one.n_rows for one in found.bins] == [100] * 16
    assert found.bins[0].high < found.bins[1].low
    assert sum(one.share for one in found.bins) == pytest.approx(1.0)


def test_a_value_with_the_rows_of_several_intervals_has_its_own():
    values = np.concatenate([np.zeros(900), np.arange(1.0, 101.0)])
    found = bins_of(values)
    assert found.bins[0].kind is BinKind.VALUE
    assert found.bins[0].n_rows == 900
    assert all(one.kind is not BinKind.VALUE or one.low == one.high for one in found.bins)


def test_missing_values_have_the_last_bin():
    found = bins_of([1.0, np.nan, 2.0])
    assert [one.kind for one in found.bins] == [BinKind.VALUE, BinKind.VALUE, BinKind.MISSING]
    assert found.index.tolist() == [0, 2, 1]
    assert found.n_in_order == 2


@pytest.mark.parametrize("values", [[np.nan, np.nan], [5.0, 5.0]])
def test_columns_of_one_value_have_one_bin(values):
    assert len(bins_of(values).bins) == 1


def test_ten_thousand_levels_have_few_bins():
    codes = np.concatenate([np.arange(10_000), np.zeros(50), np.ones(40)]).astype(np.int64)
    found = bins_of(codes, [f"level {k}" for k in range(10_000)])
    assert len(found.bins) == EFFECTS.max_levels + 1
    assert found.bins[0].level == "level 0"
    assert found.bins[0].n_rows == 51
    assert found.bins[-1].kind is BinKind.OTHER
    assert found.bins[-1].n_levels == 10_000 - EFFECTS.max_levels
    assert not found.is_ordered


def test_sorted_bins_keep_their_rows():
    found = bins_of([0, 1, 1, -1], ["a", "b"])
    turned = found.sort(np.array([1, 0, 2]))
    assert [one.level for one in turned.bins] == ["b", "a", None]
    assert turned.index.tolist() == [1, 0, 0, 2]
