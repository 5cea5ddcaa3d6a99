"""Random tables are read, split and fitted, or refused with a one-sentence error."""

from __future__ import annotations

import datetime
import decimal
import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from answers import assert_finite, tiny_fits
from minerva_select import mutual_information, selectors
from minerva_select.data.frames import as_table, as_target
from minerva_select.data.splits import split_rows
from minerva_select.errors import MinervaError
from minerva_select.preprocessing.column_types import infer_column_types, infer_target_types
from minerva_select.preprocessing.duplicates import find_unusable
from minerva_select.preprocessing.table_encoder import TableEncoder
from minerva_select.preprocessing.target_bins import fit_target_bins

MAX_ROWS = 30

TEXT = st.text(max_size=6)
CELLS = {
    "floats": st.floats(),
    "plain floats": st.floats(-1e6, 1e6),
    "few floats": st.sampled_from([0.0, -0.0, 0.1, 1e300, 5e-324]),
    "integers": st.integers(-9, 9),
    "large integers": st.integers(-(2**70), 2**70),
    "booleans": st.booleans(),
    "strings": TEXT,
    "few strings": st.sampled_from(["", "a", "b", "nan", "1"]),
    "bytes": st.binary(max_size=4),
    "dates": st.dates(),
    "datetimes": st.datetimes(timezones=st.one_of(st.none(), st.just(datetime.UTC))),
    "durations": st.timedeltas(),
    "times": st.times(),
    "decimals": st.decimals(allow_nan=False, allow_infinity=False, places=3),  # polars panics on other decimals
    "special decimals": st.sampled_from([decimal.Decimal(text) for text in ("1.1", "NaN", "sNaN", "-Infinity")]),
    "identifiers": st.uuids(),
    "constants": st.just(7),
    "missing": st.none(),
    "lists": st.lists(st.integers(), max_size=2),
    "complex": st.complex_numbers(),
    "anything": st.one_of(
        st.floats(), st.integers(), TEXT, st.booleans(), st.binary(max_size=2), st.dates(), st.none()
    ),
}
UNUSUAL = ("lists", "complex", "floats", "special decimals", "durations", "anything")
USUAL = [type_ for type_ in CELLS if type_ not in UNUSUAL]
NAMES = st.one_of(TEXT, st.sampled_from(["a", "b", "y", "target", "x0"]), st.integers(0, 3), st.dates())


@st.composite
def columns(draw, n_rows, types):
    """Cells of one type, some of them missing."""
    cell = CELLS[draw(st.sampled_from(types))]
    missing = draw(st.sampled_from([None, float("nan")]))
    if draw(st.booleans()):
        cell = st.one_of(cell, st.just(missing))
    return draw(st.lists(cell, min_size=n_rows, max_size=n_rows))


@st.composite
def tables(draw, min_rows=1, types=tuple(CELLS), max_columns=4, names=NAMES):
    """A table in a container of any library, and its number of rows."""
    n_rows = draw(st.integers(min_rows, MAX_ROWS))
    n_columns = draw(st.integers(1, max_columns))
    container = draw(st.sampled_from(CONTAINERS))
    types = [type_ for type_ in types if container is not as_polars or type_ != "special decimals"]
    data = [draw(columns(n_rows, types)) for _ in range(n_columns)]
    named = draw(st.lists(names, min_size=n_columns, max_size=n_columns, unique_by=draw(st.sampled_from([str, id]))))
    return _contain(container, named, data), n_rows


def objects(values):
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    return cells


def as_objects(names, data):
    return pd.concat([pd.Series(objects(values)) for values in data], axis=1).set_axis(
        pd.Index(names, dtype=object), axis=1
    )


def as_pandas(names, data):
    return pd.concat([pd.Series(values) for values in data], axis=1).set_axis(pd.Index(names, dtype=object), axis=1)


def as_nullable(names, data):
    return as_pandas(names, data).convert_dtypes()


def as_arrow_in_pandas(names, data):
    return as_pandas(names, data).convert_dtypes(dtype_backend="pyarrow")


def as_categories(names, data):
    return as_pandas(names, data).astype("category")


def as_polars(names, data):
    return pl.DataFrame({str(name): pl.Series(values, strict=False) for name, values in zip(names, data, strict=True)})


def as_polars_objects(names, data):
    return pl.DataFrame(
        {str(name): pl.Series(values, dtype=pl.Object) for name, values in zip(names, data, strict=True)}
    )


def as_arrow(names, data):
    return pa.table([pa.array(values, from_pandas=True) for values in data], names=[str(name) for name in names])


def as_array(names, data):
    return np.stack([objects(values) for values in data], axis=1)


def as_lists(names, data):
    return [list(row) for row in zip(*data, strict=True)]


CONTAINERS = [
    *(as_objects, as_pandas, as_nullable, as_arrow_in_pandas, as_categories),
    *(as_polars, as_polars_objects, as_arrow, as_array, as_lists),
]


def _contain(container, names, data):
    """The table, unless the library cannot hold these cells or names."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pandas warns about cells of several types
            return container(names, data)
    except Exception:
        assume(False)


def result_or_none(call):
    """The result of a call, or None if it raises a one-sentence MinervaError."""
    try:
        return call()
    except MinervaError as error:
        message = str(error)
        assert message[-1] in ".?"
        assert "\n" not in message
        return None


def check_reading(X, n_rows, seed):
    """Read, check, encode and split a table, as a fit does."""
    table = result_or_none(lambda: as_table(X))
    if table is None:
        return
    assert table.n_rows == n_rows
    assert len(set(table.names)) == len(table.names)
    again = as_table(X)
    for column, other in zip(table.columns, again.columns, strict=True):
        np.testing.assert_array_equal(column.values, other.values)
        assert column.values.dtype.kind in "if"
        assert column.is_numeric or column.values.max() < len(column.levels)
    encoded = TableEncoder(infer_column_types(table)).fit_transform(table)
    assert not ((encoded.quantiles < 0) | (encoded.quantiles > 1)).any()
    for position, codes in enumerate(encoded.codes.T):
        assert codes.max() < encoded.n_levels[position]
    assert set(find_unusable(table)) <= set(table.names)
    parts = result_or_none(lambda: split_rows(n_rows, [0.5, 0.5], None, np.random.default_rng(seed)))
    assert parts is None or sorted(np.concatenate(parts).tolist()) == list(range(n_rows))


def check_target(y, n_rows):
    """Read a target and bin it."""
    target = result_or_none(lambda: as_target(y, n_rows))
    types = None if target is None else result_or_none(lambda: infer_target_types(target))
    if types is None:
        return
    bins = fit_target_bins(TableEncoder(types.column_types).fit_transform(target), max_bins=256, random_state=0)
    assert abs(bins.prior.sum() - 1) < 1e-9  # rounding errors of at most 30 terms
    assert (bins.prior > 0).all()
    assert np.isfinite(bins.entropy)


def fit(method, X, y):
    """The result of a fit or an estimate as JSON."""
    if method == "estimate":
        estimate = mutual_information(X, y, random_state=0)
        return json.dumps([estimate.nats, estimate.low, estimate.high])
    return getattr(selectors, method)(random_state=0).fit(X, y).selection_.to_json()


def check_fit(X, y, method):
    document = result_or_none(lambda: fit(method, X, y))
    if document is not None:
        assert_finite(document)


TABLE_AND_SEED = st.tuples(tables(), st.integers(0, 99))
TARGET = tables(max_columns=2)
METHODS = st.sampled_from(
    ["MinervaSelector", "PaperSelector", "estimate", "KSGSelector", "FOCISelector", "HSICLassoSelector"]
)


@st.composite
def fits(draw):
    """A small table that can usually be fitted, a target and a method."""
    X, n_rows = draw(tables(min_rows=6, types=USUAL, names=st.text("abcdefgh", min_size=4, max_size=4)))
    target = draw(st.sampled_from(["booleans", "few strings", "integers", "plain floats", "few floats", "dates"]))
    y = draw(st.lists(CELLS[target], min_size=n_rows, max_size=n_rows, unique=target == "plain floats"))
    return X, objects(y), draw(METHODS)


def budget(n_examples):
    """This many examples, without a time limit for each; examples that cannot be built do not count."""
    return settings(
        max_examples=n_examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )


@budget(250)
@given(TABLE_AND_SEED)
def test_random_tables_are_read_or_refused_in_one_sentence(drawn):
    check_reading(*drawn[0], drawn[1])


@budget(100)
@given(TARGET)
def test_random_targets_are_read_or_refused_in_one_sentence(drawn):
    check_target(*drawn)


@budget(40)
@given(fits())
def test_random_fits_succeed_or_are_refused(arguments):
    with tiny_fits():
        check_fit(*arguments)


@pytest.mark.slow
@budget(2000)
@given(TABLE_AND_SEED)
def test_many_random_tables_are_read_or_refused_in_one_sentence(drawn):
    check_reading(*drawn[0], drawn[1])


@pytest.mark.slow
@budget(500)
@given(TARGET)
def test_many_random_targets_are_read_or_refused_in_one_sentence(drawn):
    check_target(*drawn)


@pytest.mark.slow
@budget(300)
@given(fits())
def test_many_random_fits_succeed_or_are_refused(arguments):
    with tiny_fits():
        check_fit(*arguments)
