"""Claims about tables that nobody has thought of: they are read, divided and fitted, or refused in one sentence."""

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
from minerva_select import MinervaSelector, mutual_information, selectors
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
    "whole numbers": st.integers(-9, 9),
    "large whole numbers": st.integers(-(2**70), 2**70),
    "truth": st.booleans(),
    "text": TEXT,
    "few words": st.sampled_from(["", "a", "b", "nan", "1"]),
    "bytes": st.binary(max_size=4),
    "dates": st.dates(),
    "moments": st.datetimes(timezones=st.one_of(st.none(), st.just(datetime.UTC))),
    "durations": st.timedeltas(),
    "times": st.times(),
    "decimals": st.decimals(allow_nan=False, allow_infinity=False, places=3),  # of others polars panics
    "signalling decimals": st.sampled_from([decimal.Decimal(word) for word in ("1.1", "NaN", "sNaN", "-Infinity")]),
    "identifiers": st.uuids(),
    "constants": st.just(7),
    "nothing": st.none(),
    "lists": st.lists(st.integers(), max_size=2),
    "complex": st.complex_numbers(),
    "anything": st.one_of(
        st.floats(), st.integers(), TEXT, st.booleans(), st.binary(max_size=2), st.dates(), st.none()
    ),
}
UNUSUAL = ("lists", "complex", "floats", "signalling decimals", "durations", "anything")
USUAL = [kind for kind in CELLS if kind not in UNUSUAL]
NAMES = st.one_of(TEXT, st.sampled_from(["a", "b", "y", "target", "x0"]), st.integers(0, 3), st.dates())


@st.composite
def columns(draw, n_rows, kinds):
    """Cells of one kind, some of them missing."""
    cell = CELLS[draw(st.sampled_from(kinds))]
    gap = draw(st.sampled_from([None, float("nan")]))
    if draw(st.booleans()):
        cell = st.one_of(cell, st.just(gap))
    return draw(st.lists(cell, min_size=n_rows, max_size=n_rows))


@st.composite
def tables(draw, min_rows=1, kinds=tuple(CELLS), max_columns=4, names=NAMES):
    """A table in a container of any library, and its number of rows."""
    n_rows = draw(st.integers(min_rows, MAX_ROWS))
    n_columns = draw(st.integers(1, max_columns))
    container = draw(st.sampled_from(CONTAINERS))
    kinds = [kind for kind in kinds if container is not as_polars or kind != "signalling decimals"]
    data = [draw(columns(n_rows, kinds)) for _ in range(n_columns)]
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
    """The table, unless the other library cannot hold these cells or names."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pandas about cells of several types
            return container(names, data)
    except Exception:
        assume(False)


def outcome(call):
    """What comes back, or None where one sentence of ours says why nothing does."""
    try:
        return call()
    except MinervaError as error:
        message = str(error)
        assert message[-1] in ".?"
        assert "\n" not in message
        return None


def check_reading(X, n_rows, seed):
    """Read, judge, encode and divide a table, as a fit would."""
    table = outcome(lambda: as_table(X))
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
    for place, codes in enumerate(encoded.codes.T):
        assert codes.max() < encoded.n_levels[place]
    assert set(find_unusable(table)) <= set(table.names)
    parts = outcome(lambda: split_rows(n_rows, [0.5, 0.5], None, np.random.default_rng(seed)))
    assert parts is None or sorted(np.concatenate(parts).tolist()) == list(range(n_rows))


def check_target(y, n_rows):
    """Read a target and divide it into bins."""
    target = outcome(lambda: as_target(y, n_rows))
    types = None if target is None else outcome(lambda: infer_target_types(target))
    if types is None:
        return
    bins = fit_target_bins(TableEncoder(types.column_types).fit_transform(target), max_bins=256, random_state=0)
    assert abs(bins.prior.sum() - 1) < 1e-9  # rounding of at most 30 shares
    assert (bins.prior > 0).all()
    assert np.isfinite(bins.entropy)


def fit(method, X, y):
    """An answer as JSON."""
    if method == "estimate":
        estimate = mutual_information(X, y, random_state=0)
        return json.dumps([estimate.nats, estimate.low, estimate.high])
    if method in ("vetting", "paper"):
        kind = MinervaSelector if method == "vetting" else selectors.PaperSelector
        return kind(random_state=0).fit(X, y).selection_.to_json()
    return getattr(selectors, method)(random_state=0).fit(X, y).selection_.to_json()


def check_fit(X, y, method):
    document = outcome(lambda: fit(method, X, y))
    if document is not None:
        assert_finite(document)


READ = st.tuples(tables(), st.integers(0, 99))
TARGET = tables(max_columns=2)
METHODS = st.sampled_from(["vetting", "paper", "estimate", "KSGSelector", "FOCISelector", "HSICLassoSelector"])


@st.composite
def questions(draw):
    """A table of a few rows that most often has an answer, a target for them, and a method."""
    X, n_rows = draw(tables(min_rows=6, kinds=USUAL, names=st.text("abcdefgh", min_size=4, max_size=4)))
    answers = draw(st.sampled_from(["truth", "few words", "whole numbers", "plain floats", "few floats", "dates"]))
    y = draw(st.lists(CELLS[answers], min_size=n_rows, max_size=n_rows, unique=answers == "plain floats"))
    return X, objects(y), draw(METHODS)


def budget(n_examples):
    """So many tables, whatever a single one takes; what was drawn and could not be built does not count."""
    return settings(
        max_examples=n_examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )


@budget(250)
@given(READ)
def test_any_table_is_read_or_refused_in_one_sentence(read):
    check_reading(*read[0], read[1])


@budget(100)
@given(TARGET)
def test_any_target_is_read_or_refused_in_one_sentence(read):
    check_target(*read)


@budget(40)
@given(questions())
def test_any_fit_has_an_answer_or_a_reason(question):
    with tiny_fits():
        check_fit(*question)


@pytest.mark.slow
@budget(2000)
@given(READ)
def test_any_of_many_tables_is_read_or_refused_in_one_sentence(read):
    check_reading(*read[0], read[1])


@pytest.mark.slow
@budget(500)
@given(TARGET)
def test_any_of_many_targets_is_read_or_refused_in_one_sentence(read):
    check_target(*read)


@pytest.mark.slow
@budget(300)
@given(questions())
def test_any_of_many_fits_has_an_answer_or_a_reason(question):
    with tiny_fits():
        check_fit(*question)
