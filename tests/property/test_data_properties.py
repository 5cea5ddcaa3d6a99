import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minerva_select.data.frames import as_table
from minerva_select.data.splits import assign_folds, split_rows
from minerva_select.errors import InputError

SHARES = st.lists(st.floats(0.05, 1.0), min_size=2, max_size=5)


@given(st.integers(1, 200), SHARES, st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_splits_are_disjoint_complete_and_proportional(n_rows, shares, n_strata, seed):
    rng = np.random.default_rng(seed)
    strata = rng.integers(0, n_strata, size=n_rows)
    try:
        parts = split_rows(n_rows, shares, strata, rng)
    except InputError:
        # Only if a part has less than one row
        assert n_rows * min(shares) / sum(shares) < len(shares)
        return
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(n_rows))
    for part, share in zip(parts, shares, strict=True):
        assert (np.diff(part) > 0).all()
        proportional = np.bincount(strata, minlength=n_strata) * share / sum(shares)
        # Within one row of proportional, plus rounding of the shares
        assert (np.abs(np.bincount(strata[part], minlength=n_strata) - proportional) < 1 + 1e-6).all()


@given(st.integers(2, 200), st.integers(2, 10), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_folds_are_even_overall_and_per_stratum(n_rows, n_folds, n_strata, seed):
    rng = np.random.default_rng(seed)
    strata = rng.integers(0, n_strata, size=n_rows)
    if n_rows < n_folds:
        with pytest.raises(InputError, match="too few"):
            assign_folds(n_rows, n_folds, strata, rng)
        return
    folds = assign_folds(n_rows, n_folds, strata, rng)
    for rows in [np.arange(n_rows), *(np.flatnonzero(strata == stratum) for stratum in range(n_strata))]:
        sizes = np.bincount(folds[rows], minlength=n_folds)
        assert sizes.max() - sizes.min() <= 1


CELLS = {
    "numbers": st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
    "counts": st.one_of(st.none(), st.integers(-(2**53), 2**53)),
    "text": st.one_of(st.none(), st.text(st.characters(codec="utf-8"), max_size=5)),
    "flags": st.one_of(st.none(), st.booleans()),
}
ROWS = st.lists(st.tuples(*CELLS.values()), min_size=1, max_size=20)


def spelled_back(column):
    """Return cells of a column as text."""
    if column.is_numeric:
        return [None if np.isnan(value) else value for value in column.values.tolist()]
    return [None if code < 0 else column.levels[code] for code in column.values]


def expected_cells(values):
    return [str(value) if isinstance(value, bool | str) else value for value in values]


@settings(deadline=None)  # the first table imports libraries
@given(ROWS)
def test_cells_are_equal_in_every_container(rows):
    columns = {name: [row[i] for row in rows] for i, name in enumerate(CELLS)}
    types = {"numbers": pa.float64(), "counts": pa.int64(), "text": pa.string(), "flags": pa.bool_()}
    arrow = pa.table({name: pa.array(values, types[name]) for name, values in columns.items()})
    for X in ([list(row) for row in rows], pd.DataFrame(columns, dtype=object), pl.from_arrow(arrow), arrow):
        for column, values in zip(as_table(X).columns, columns.values(), strict=True):
            assert spelled_back(column) == expected_cells(values)
            if column.levels is not None:
                assert column.levels.tolist() == sorted(set(column.levels.tolist()))
