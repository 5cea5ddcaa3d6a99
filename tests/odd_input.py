"""Unusual and invalid tables, targets, weights, groups, times and parameter values, by name."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import string
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import torch
from scipy import sparse

N_ROWS = 48

_RNG = np.random.default_rng(0)
FLOATS = _RNG.normal(size=N_ROWS)
COLORS = _RNG.choice(["red", "green", "blue"], size=N_ROWS)
FLAGS = _RNG.integers(0, 2, size=N_ROWS).astype(bool)
MISSING = _RNG.random(N_ROWS) < 0.2
DATES = pd.date_range("2024-01-31", periods=N_ROWS, freq="37h")


def labels(n_rows: int = N_ROWS) -> np.ndarray:
    """A binary target that depends on both columns, with any number of rows."""
    return np.resize((COLORS == "red") ^ (FLOATS > 1.2), n_rows).astype(int)


def frame_with(values) -> pd.DataFrame:
    """A frame with a numeric column, a categorical one and the given column ``odd``."""
    return pd.DataFrame({"amount": FLOATS, "color": COLORS, "odd": values})


def frame_of_objects(*values) -> pd.DataFrame:
    """The frame with ``odd`` cycling through these objects."""
    cells = np.empty(N_ROWS, dtype=object)
    cells[:] = [values[row % len(values)] for row in range(N_ROWS)]
    return frame_with(pd.Series(cells, dtype=object))  # without a dtype, pandas would convert some


def with_missing(values, missing_value=None) -> list:
    return [missing_value if missing else value for value, missing in zip(values, MISSING, strict=True)]


def arrow(values, dtype=None) -> pa.Table:
    return pa.table({"amount": FLOATS, "color": COLORS, "odd": pa.array(values, dtype)})


def polars(values, dtype=None) -> pl.DataFrame:
    return pl.DataFrame({"amount": FLOATS, "color": COLORS, "odd": pl.Series(values, dtype=dtype, strict=False)})


def with_multiindex(names) -> pd.DataFrame:
    return pd.DataFrame({name: np.roll(FLOATS, position) for position, name in enumerate(names)}).set_axis(
        pd.MultiIndex.from_tuples(names), axis=1
    )


def frame_named(*names) -> pd.DataFrame:
    """A frame with these column names."""
    return pd.DataFrame({0: FLOATS, 1: COLORS, 2: FLAGS}).set_axis(pd.Index(names, dtype=object), axis=1)


# Made at import: np.asmatrix warns, and warnings in a test are errors
_MATRIX = np.asmatrix(np.stack([FLOATS, FLAGS], axis=1))


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class BrokenArray:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no array here")


class BrokenStream:
    def __arrow_c_stream__(self, requested_schema=None):
        raise RuntimeError("no stream here")


# Passed to every parameter
ODD_VALUES = {
    "NaN": np.nan,
    "infinity": np.inf,
    "a negative number": -1,
    "an integer beyond floats": 10**400,
    "a numpy float": np.float32(0.5),
    "a fraction": fractions.Fraction(1, 2),
    "a signaling NaN decimal": decimal.Decimal("sNaN"),
    "a numpy boolean": np.bool_(True),
    "None": None,
    "an empty string": "",
    "a long string": "n" * 5000,
    "a string with a null character": "a\x00b",
    "bytes": b"a",
    "an empty list": [],
    "nested lists": [["amount"], "color"],
    "a dictionary": {"a": 1},
    "an array": np.ones(3),
    "a zero-dimensional array": np.array(1),
    "a series": pd.Series([1, 2]),
    "a frame": pd.DataFrame({"a": [1]}),
    "pandas NA": pd.NA,
    "an object": object(),
    "a type": int,
}


# Tables that can be fitted
VALID_TABLES = {
    "one column": lambda: frame_with(0)[["color"]],
    "one column of an array": lambda: FLOATS[:, None],
    "six rows": lambda: frame_with(FLAGS)[:6],
    "seven rows": lambda: frame_with(FLAGS)[:7],
    "all missing": lambda: pd.DataFrame({"a": [np.nan] * N_ROWS, "b": [None] * N_ROWS}),
    "all constant": lambda: pd.DataFrame({"a": [1.5] * N_ROWS, "b": ["x"] * N_ROWS, "c": True}),
    "all constant or missing": lambda: pd.DataFrame({"a": with_missing([1.0] * N_ROWS, np.nan), "b": 0}),
    "all identifiers": lambda: pd.DataFrame(
        {"a": [str(uuid.UUID(int=i**5)) for i in range(N_ROWS)], "b": range(N_ROWS)}
    ),
    "all copies": lambda: pd.DataFrame({"a": COLORS, "b": COLORS, "c": COLORS}),
    "one value and missing ones": lambda: frame_with(with_missing([7.0] * N_ROWS)),
    "one row that differs": lambda: frame_with([0] * (N_ROWS - 1) + [1]),
    "one row that is not missing": lambda: frame_with([np.nan] * (N_ROWS - 1) + [1.0]),
    "integer column names": lambda: pd.DataFrame(np.stack([FLOATS, FLAGS], axis=1)),
    "dates as column names": lambda: frame_named(*DATES[:3]),
    "a MultiIndex of columns": lambda: with_multiindex([("a", "x"), ("a", "y"), ("b", "x")]),
    "an empty column name": lambda: frame_named("", " ", "a"),
    "a very long column name": lambda: frame_named("n" * 10_000, "color", "flag"),
    "markup and control characters in names": lambda: frame_named(
        "<script>alert(1)</script>", "a\nb\t\x00\x1b[31m", "{}%s\\'\""
    ),
    "unusual Unicode in names": lambda: frame_named("\u202e", "\U0001f600", "e\u0301"),
    "names of parameters as column names": lambda: frame_named("y", "target", "given y"),
    "a MultiIndex of rows": lambda: frame_with(FLAGS).set_index(
        pd.MultiIndex.from_product([["a", "b"], range(N_ROWS // 2)])
    ),
    "duplicate row labels": lambda: frame_with(FLAGS).set_index(np.zeros(N_ROWS, dtype=int)),
    "dates as row labels": lambda: frame_with(FLAGS).set_index(DATES),
    "float16": lambda: frame_with(FLOATS.astype(np.float16)),
    "a float16 array": lambda: np.stack([FLOATS, FLAGS], axis=1).astype(np.float16),
    "longdouble": lambda: frame_with(FLOATS.astype(np.longdouble)),
    "a longdouble array": lambda: np.stack([FLOATS, FLAGS], axis=1).astype(np.longdouble),
    "big-endian floats": lambda: np.stack([FLOATS, FLAGS], axis=1).astype(">f4"),
    "a boolean array": lambda: np.stack([FLAGS, MISSING], axis=1),
    "a string array": lambda: np.stack([COLORS, COLORS[::-1]], axis=1),
    "a bytes array": lambda: np.stack([COLORS, COLORS[::-1]], axis=1).astype("S"),
    "a date array": lambda: np.stack([DATES.to_numpy(), DATES.to_numpy()[::-1]], axis=1),
    "an array with negative strides": lambda: np.stack([FLOATS, FLAGS] * 2, axis=1)[::-1, ::-2],
    "a matrix": lambda: _MATRIX,
    "a masked array": lambda: np.ma.masked_array(
        np.stack([FLOATS, FLAGS], axis=1), mask=np.stack([MISSING] * 2, axis=1)
    ),
    "a read-only array": lambda: np.broadcast_to(FLOATS[:, None], (N_ROWS, 3)),
    "mixed objects": lambda: frame_of_objects(1, "a", None, 2.5, True, datetime.date(2024, 1, 1), b"x"),
    "strings and numbers": lambda: frame_of_objects("1", 1, 1.0, "1.0"),
    "numbers of all types": lambda: frame_of_objects(
        1, 2.5, np.float16(3), fractions.Fraction(1, 3), decimal.Decimal("1.1"), True
    ),
    "decimals": lambda: frame_of_objects(decimal.Decimal("1.10"), decimal.Decimal("-7"), None, decimal.Decimal("NaN")),
    "decimals of extreme size": lambda: frame_of_objects(decimal.Decimal(10) ** 300 / 3, decimal.Decimal("1e-400")),
    "integers beyond 63 bits": lambda: frame_of_objects(2**63, 2**64, -(2**70), 0),
    "uint64": lambda: frame_with(np.resize(np.array([2**64 - 1, 0], dtype=np.uint64), N_ROWS)),
    "booleans and NaN": lambda: frame_of_objects(True, False, np.nan),
    "bytes": lambda: frame_of_objects(b"\xff\x00", b"a", None),
    "date objects": lambda: frame_of_objects(datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None),
    "dates in two time zones": lambda: frame_of_objects(
        datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC),
        datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=5))),
        datetime.datetime(2024, 1, 3),
    ),
    "dates with a time zone": lambda: frame_with(
        DATES.tz_localize("America/New_York", ambiguous="NaT", nonexistent="NaT")
    ),
    "unsorted dates with NaT": lambda: frame_with(pd.Series(DATES).where(~MISSING)[::-1].to_numpy()),
    "durations": lambda: frame_with(DATES - DATES[0]),
    "times of day": lambda: frame_of_objects(datetime.time(1, 2, 3), datetime.time(23, 59, 59, 999_999), None),
    "periods": lambda: frame_with(pd.period_range("2024-01", periods=N_ROWS, freq="M")),
    "intervals": lambda: frame_with(pd.cut(FLOATS, 4)),
    "enum values": lambda: frame_of_objects(Color.RED, Color.BLUE),
    "UUIDs": lambda: frame_of_objects(*(uuid.UUID(int=i) for i in range(5))),
    "type objects": lambda: frame_of_objects(int, str),
    "very long strings": lambda: frame_of_objects("a" * 100_000, "a" * 99_999 + "b", None),
    "unusual Unicode strings": lambda: frame_of_objects(
        "", " ", "\x00", "\u0000a", "é", "e\u0301", "\U0001f600", "nan", "None"
    ),
    "unpaired surrogates in strings": lambda: frame_of_objects("\ud800", "a", "\udfff"),
    "strings that look like code": lambda: frame_of_objects("=1+1", "<b>", "{{ x }}", "'; DROP TABLE", "%s %d {0}"),
    "nullable integers": lambda: frame_with(pd.array(with_missing(range(N_ROWS)), dtype="Int8")),
    "nullable floats": lambda: frame_with(pd.array(with_missing(FLOATS), dtype="Float32")),
    "nullable booleans": lambda: frame_with(pd.array(with_missing(FLAGS.tolist()), dtype="boolean")),
    "nullable strings": lambda: frame_with(pd.array(with_missing(COLORS), dtype="string")),
    "Arrow floats in pandas": lambda: frame_with(pd.array(with_missing(FLOATS), dtype=pd.ArrowDtype(pa.float32()))),
    "Arrow strings in pandas": lambda: frame_with(
        pd.array(with_missing(COLORS), dtype=pd.ArrowDtype(pa.large_string()))
    ),
    "Arrow dates in pandas": lambda: frame_with(pd.array(DATES, dtype=pd.ArrowDtype(pa.timestamp("ns", "UTC")))),
    "Arrow nulls in pandas": lambda: frame_with(pd.array([None] * N_ROWS, dtype=pd.ArrowDtype(pa.null()))),
    "unused categories": lambda: frame_with(pd.Categorical(COLORS, categories=[*string.ascii_letters, *set(COLORS)])),
    "unordered categories": lambda: frame_with(
        pd.Categorical(with_missing(COLORS), categories=["red", "blue", "green"])
    ),
    "ordered categories": lambda: frame_with(pd.Categorical(COLORS, ["red", "blue", "green"], ordered=True)),
    "numeric categories": lambda: frame_with(pd.Categorical(np.resize([2.5, -1.0, np.nan], N_ROWS))),
    "categories of several types": lambda: frame_with(
        pd.Categorical(np.resize(np.array([1, "1", 2.0], object), N_ROWS))
    ),
    "categories without values": lambda: frame_with(pd.Categorical([None] * N_ROWS, categories=["a"])),
    "sparse pandas": lambda: frame_with(pd.arrays.SparseArray(np.where(MISSING, FLOATS, 0.0))),
    "a sparse matrix": lambda: sparse.coo_matrix(np.where(MISSING, FLOATS, 0.0)[:, None] * [1.0, -1.0, 0.0]),
    "a sparse integer array": lambda: sparse.csr_array(np.stack([FLAGS, MISSING], axis=1).astype(np.int8)),
    "a sparse diagonal matrix": lambda: sparse.dia_matrix(np.eye(N_ROWS, 3)),
    "a tensor": lambda: torch.tensor(np.stack([FLOATS, FLAGS], axis=1)),
    "polars nulls": lambda: polars([None] * N_ROWS, pl.Null),
    "polars objects": lambda: polars([Color.RED, Color.BLUE] * (N_ROWS // 2), pl.Object),
    "polars categories": lambda: polars(with_missing(COLORS.tolist()), pl.Categorical),
    "polars times": lambda: polars([datetime.time(1)] * 5 + [datetime.time(2)] * (N_ROWS - 5)),
    "polars decimals": lambda: polars([decimal.Decimal("1.1"), None] * (N_ROWS // 2)),
    "polars 128-bit integers": lambda: polars([2**100, None] * (N_ROWS // 2), pl.Int128),
    "polars bytes": lambda: polars([b"\xff", None, b""] * (N_ROWS // 3), pl.Binary),
    "a lazy frame": lambda: polars(FLAGS).lazy(),
    "an Arrow dictionary of integers": lambda: arrow(pa.array(np.resize([3, 1, 2], N_ROWS)).dictionary_encode()),
    "Arrow decimals": lambda: arrow([decimal.Decimal("1.1"), None] * (N_ROWS // 2), pa.decimal256(60, 3)),
    "Arrow string views": lambda: arrow(with_missing(COLORS.tolist()), pa.string_view()),
    "Arrow bytes": lambda: arrow([b"\xff", None] * (N_ROWS // 2), pa.binary()),
    "Arrow date32": lambda: arrow(list(range(N_ROWS)), pa.date32()),
    "Arrow in chunks": lambda: pa.concat_tables([arrow(FLAGS).slice(0, 5), arrow(FLAGS).slice(5)]),
    "an iterator of record batches": lambda: iter(arrow(FLAGS).to_batches(max_chunksize=7)),
    "a list of lists": lambda: [list(row) for row in zip(FLOATS, COLORS, with_missing(FLAGS.tolist()), strict=True)],
    "a list of arrays": lambda: list(np.stack([FLOATS, FLAGS], axis=1)),
    "largest and smallest floats": lambda: frame_with(np.resize([1.7e308, -1.7e308, 5e-324, 0.0, -0.0], N_ROWS)),
    "unique strings": lambda: frame_with([f"name {row}" for row in range(N_ROWS)]),
    "one outlier": lambda: frame_with(np.where(np.arange(N_ROWS) == 5, -1e300, FLOATS)),
    "adjacent floats": lambda: frame_with(1.0 + np.arange(N_ROWS) * 2.0**-52),
    "more columns than rows": lambda: np.random.default_rng(0).normal(size=(N_ROWS, N_ROWS + 2)),
}

# Tables that cannot be fitted, and a key part of the message
TOO_FEW_ROWS = {
    "no rows": (lambda: frame_with(FLAGS)[:0], "0 sample(s)"),
    "no rows in an array": (lambda: np.empty((0, 3)), "0 sample(s)"),
    "one row": (lambda: frame_with(FLAGS)[:1], "1 sample"),
    "three rows": (lambda: frame_with(FLAGS)[:3], "3 samples"),
}
INVALID_CELLS = {
    "infinities": (lambda: frame_with(np.where(MISSING, np.inf, FLOATS)), "'odd' has"),
    "infinities in object columns": (lambda: frame_of_objects(1, float("-inf")), "'odd' has"),
    "infinite decimals": (lambda: frame_of_objects(decimal.Decimal("Infinity"), 1), "'odd' has"),
    "infinities in Arrow": (lambda: arrow(np.where(MISSING, np.inf, FLOATS)), "'odd' has"),
    "float16 infinities": (lambda: frame_with(np.where(MISSING, np.inf, FLOATS).astype(np.float16)), "'odd' has"),
    "numbers beyond floats": (lambda: frame_with(FLOATS.astype(np.longdouble) * np.longdouble("1e4000")), "'odd' has"),
    "integers beyond floats": (lambda: frame_of_objects(10**400, 1), "'odd' has"),
    "complex numbers": (lambda: frame_with(FLOATS * 1j), "'odd' has complex"),
    "complex numbers in object columns": (lambda: frame_of_objects(1j, 2), "'odd' has complex"),
    "complex numbers in an array": (lambda: FLOATS[:, None] * 1j, "'x0' has complex"),
    "lists": (lambda: frame_of_objects([1, 2], [3]), "'odd' has list"),
    "dictionaries": (lambda: frame_of_objects({"a": 1}), "'odd' has dict"),
    "sets": (lambda: frame_of_objects({1, 2}, frozenset([3])), "'odd' has"),
    "arrays": (lambda: frame_of_objects(np.zeros(2)), "'odd' has ndarray"),
    "frames": (lambda: frame_of_objects(pd.DataFrame({"a": [1]})), "'odd' has DataFrame"),
    "plain objects": (lambda: frame_of_objects(object()), "'odd' has object"),
    "functions": (lambda: frame_of_objects(labels, frame_with), "'odd' has function"),
    "polars lists": (lambda: polars([[1]] * N_ROWS), "'odd' has List"),
    "polars structs": (lambda: polars([{"a": 1}] * N_ROWS), "'odd' has Struct"),
    "polars arrays": (lambda: polars([[1, 2]] * N_ROWS, pl.Array(pl.Int8, 2)), "'odd' has Array"),
    "Arrow lists": (lambda: arrow([[1]] * N_ROWS), "'odd' has list"),
    "Arrow structs": (lambda: arrow([{"a": 1}] * N_ROWS), "'odd' has struct"),
    "Arrow maps": (lambda: arrow([[("a", 1)]] * N_ROWS, pa.map_(pa.string(), pa.int8())), "'odd' has map"),
    "a sparse matrix of complex numbers": (lambda: sparse.csr_array(np.eye(N_ROWS, 2) * 1j), "'x0' has complex"),
    "strings that are not UTF-8": (lambda: arrow(pa.array([b"\xff", b"a"] * (N_ROWS // 2)).view(pa.string())), "UTF-8"),
    "a list of frames": (lambda: [frame_with(FLAGS), frame_with(FLAGS)], ""),
    "a list of nested lists": (lambda: [[[1, 2], [3, 4]]] * N_ROWS, "two dimensions"),
}
INVALID_CONTAINERS = {  # these cannot be transformed either
    "no columns": (lambda: frame_with(FLAGS)[[]], "0 feature(s)"),
    "no columns in an array": (lambda: np.empty((N_ROWS, 0)), "0 feature(s)"),
    "no columns in polars": (pl.DataFrame, "0 sample(s)"),
    "no columns in Arrow": (lambda: arrow(FLAGS).select([]), "0 feature(s)"),
    "an empty list": (list, ""),
    "duplicate names": (lambda: frame_named("a", "a", "b"), "'a' occurs more than once"),
    "duplicate names after conversion to strings": (lambda: frame_named(1, "1", "b"), "'1' occurs more than once"),
    "duplicate names in Arrow": (lambda: pa.table([FLOATS, COLORS], names=["a", "a"]), "'a' occurs more than once"),
    "duplicate names in a MultiIndex": (
        lambda: with_multiindex([("a", "x"), ("b", "x")]).iloc[:, [0, 1, 0]],
        "more than once",
    ),
    "an unpaired surrogate in a name": (lambda: frame_named("\ud800", "a", "b"), "surrogate"),
    "names of several types": (lambda: frame_named("a", 1, "b"), "make all of them text"),
    "a structured array": (lambda: np.zeros(N_ROWS, dtype=[("a", float), ("b", int)]), "two dimensions"),
    "a scalar array": (lambda: np.array(5.0), "two dimensions"),
    "a one-dimensional array": (lambda: FLOATS, "two dimensions"),
    "a three-dimensional array": (lambda: np.zeros((N_ROWS, 2, 2)), "two dimensions"),
    "a series": (lambda: pd.Series(FLOATS), "two dimensions"),
    "a polars series": (lambda: pl.Series(FLOATS), "two dimensions"),
    "an Arrow array": (lambda: pa.array(FLOATS), "two dimensions"),
    "a generator": (lambda: (row for row in [[1, 2]] * N_ROWS), "record batches"),
    "an empty generator": (lambda: iter([]), "record batch"),
    "rows of unequal length": (lambda: [[1, 2], [1]] * (N_ROWS // 2), "length"),
    "a list of numbers": (lambda: [1.0] * N_ROWS, "two dimensions"),
    "a list of strings": (lambda: ["ab"] * N_ROWS, "two dimensions"),
    "a set": (lambda: {1, 2, 3}, "type set"),
    "a dictionary": (lambda: {"a": [1, 2]}, "type dict"),
    "a string": (lambda: "data.csv", "open_source"),
    "bytes": (lambda: b"data", "type bytes"),
    "None": (lambda: None, "type NoneType"),
    "a number": (lambda: 5, "type int"),
    "a class": (lambda: pd.DataFrame, "type type"),
    "a function": (lambda: len, "type builtin_function_or_method"),
    "a huge sparse matrix": (lambda: sparse.coo_array((10**7, 10**7)), "(10000000, 10000000)"),
    "names that compare equal": (lambda: frame_named(True, False, 1), "more than once"),
    "a tensor with a gradient": (lambda: torch.ones((N_ROWS, 2), requires_grad=True), "numpy array"),
    "a bfloat16 tensor": (lambda: torch.ones((N_ROWS, 2), dtype=torch.bfloat16), "numpy array"),
    "a sparse tensor": (lambda: torch.eye(N_ROWS, 2).to_sparse(), "numpy array"),
    "a broken array": (BrokenArray, "numpy array"),
    "a broken stream": (BrokenStream, "cannot be read"),
    "a GroupBy object": (lambda: frame_with(FLAGS).groupby("color"), "not a table"),
}
INVALID_TABLES = {**TOO_FEW_ROWS, **INVALID_CELLS, **INVALID_CONTAINERS}

VALID_TARGETS = {
    "strings": lambda: COLORS,
    "a pandas series of strings": lambda: pd.Series(COLORS, name="hue"),
    "booleans": lambda: FLAGS,
    "bytes": lambda: COLORS.astype("S"),
    "integers": lambda: np.arange(N_ROWS) % 7,
    "integers beyond 63 bits": lambda: np.resize(np.array([2**64, 1], dtype=object), N_ROWS),
    "floats": lambda: FLOATS,
    "float16": lambda: FLOATS.astype(np.float16),
    "longdouble": lambda: FLOATS.astype(np.longdouble),
    "large floats": lambda: FLOATS * 1e300,
    "one outlier": lambda: np.where(np.arange(N_ROWS) == 5, 1e300, FLOATS),
    "small floats": lambda: FLOATS * 1e-300,
    "adjacent floats": lambda: 1.0 + np.arange(N_ROWS) * 2.0**-52,
    "decimals": lambda: [decimal.Decimal(int(1e4 * value)) / 10_000 for value in FLOATS],
    "a class with one row": lambda: np.arange(N_ROWS) == 3,
    "a class with two rows": lambda: np.where(np.arange(N_ROWS) < 2, "rare", "usual"),
    "all unique strings": lambda: [f"name {i}" for i in range(N_ROWS)],
    "dates": lambda: DATES,
    "dates with a time zone": lambda: pd.Series(DATES.tz_localize("UTC")),
    "durations": lambda: DATES - DATES[0],
    "unused categories": lambda: pd.Series(pd.Categorical(COLORS, categories=["x", *set(COLORS), "y"])),
    "ordered categories": lambda: pd.Series(pd.Categorical(COLORS, ["red", "blue", "green"], ordered=True)),
    "nullable booleans": lambda: pd.Series(FLAGS, dtype="boolean"),
    "Arrow strings in pandas": lambda: pd.Series(COLORS, dtype=pd.ArrowDtype(pa.string())),
    "mixed objects": lambda: np.resize(np.array([1, "a", 2.5, True], dtype=object), N_ROWS),
    "an array with one column": lambda: FLAGS[:, None],
    "a polars series": lambda: pl.Series("hue", COLORS),
    "an Arrow array": lambda: pa.array(COLORS),
    "a copy of a categorical feature": lambda: pd.Series(COLORS, name="color"),
    "a copy of a numeric feature": lambda: pd.Series(FLOATS, name="amount"),
    "markup in the name": lambda: pd.Series(FLAGS, name="<script>\n\x00\x1b[31m"),
    "other row labels": lambda: pd.Series(FLAGS, index=range(1000, 1000 + N_ROWS)),
    "a sparse column": lambda: sparse.csr_array(FLAGS[:, None].astype(float)),
}

MULTIPLE_TARGETS = {
    "two columns": lambda: pd.DataFrame({"a": FLAGS, "b": COLORS}),
    "two numeric columns": lambda: np.stack([FLOATS, FLOATS**2], axis=1),
    "the same column twice": lambda: np.stack([FLAGS, FLAGS], axis=1),
    "three columns of different types": lambda: pl.DataFrame({"a": FLAGS, "b": FLOATS, "c": COLORS}),
}

INVALID_TARGETS = {
    "None": (lambda: None, "None"),
    "a string": (lambda: "color", "type str"),
    "a number": (lambda: 3, "type int"),
    "a scalar array": (lambda: np.array(3), "dimension"),
    "a three-dimensional array": (lambda: np.zeros((N_ROWS, 1, 1)), "dimension"),
    "no rows": (list, ""),
    "fewer rows": (lambda: FLAGS[:-1], "[48, 47]"),
    "more rows": (lambda: np.arange(N_ROWS + 1), "[48, 49]"),
    "one class": (lambda: ["no"] * N_ROWS, "only one value"),
    "one boolean": (lambda: np.ones(N_ROWS, dtype=bool), "only one value"),
    "missing numbers": (lambda: np.where(MISSING, np.nan, FLOATS), "missing value"),
    "missing strings": (lambda: with_missing(COLORS), "missing value"),
    "missing dates": (lambda: pd.Series(DATES).where(~MISSING), "missing value"),
    "missing booleans": (lambda: pd.Series(with_missing(FLAGS.tolist()), dtype="boolean"), "missing value"),
    "missing categories": (lambda: pd.Series(pd.Categorical(with_missing(COLORS))), "missing value"),
    "all missing": (lambda: [None] * N_ROWS, "missing values"),
    "infinities": (lambda: np.where(MISSING, -np.inf, FLOATS), "infinite value"),
    "numbers beyond floats": (lambda: [10**400, 1] * (N_ROWS // 2), "1e308"),
    "complex numbers": (lambda: FLOATS * 1j, "complex"),
    "lists": (lambda: pd.Series([[1]] * N_ROWS, name="odd"), "'odd' has list"),
    "lists of unequal length": (lambda: [[1], [1, 2]] * (N_ROWS // 2), "length"),
    "structs": (lambda: pl.Series("odd", [{"a": 1}] * N_ROWS), "'odd' has Struct"),
    "sets": (lambda: [{1}] * N_ROWS, "set"),
    "a set": (lambda: set(range(N_ROWS)), "type set"),
    "a dictionary": (lambda: dict.fromkeys(range(N_ROWS)), "type dict"),
    "a generator": (lambda: (value for value in FLAGS), "not a table"),
    "no columns": (lambda: np.empty((N_ROWS, 0)), "0 feature(s)"),
    "duplicate names": (lambda: pd.DataFrame(np.stack([FLAGS, MISSING], 1), columns=["a", "a"]), "more than once"),
}

# Arguments of fit that describe rows, and a key part of the message
INVALID_ROW_METADATA = {
    "weights of another length": ({"sample_weight": np.ones(N_ROWS - 1)}, "shape (47,)"),
    "no weights": ({"sample_weight": []}, "shape (0,)"),
    "negative weights": ({"sample_weight": -np.ones(N_ROWS)}, "negative"),
    "weights with NaN": ({"sample_weight": np.where(MISSING, np.nan, 1.0)}, "missing or infinite"),
    "missing weights": ({"sample_weight": with_missing(np.ones(N_ROWS))}, "missing or infinite"),
    "nullable weights with gaps": (
        {"sample_weight": pd.Series(with_missing(np.ones(N_ROWS)), dtype="Float64")},
        "missing",
    ),
    "infinite weights": ({"sample_weight": np.full(N_ROWS, np.inf)}, "missing or infinite"),
    "strings as weights": ({"sample_weight": COLORS}, "must be numbers"),
    "complex weights": ({"sample_weight": np.ones(N_ROWS) * 1j}, "must be numbers"),
    "two-dimensional weights": ({"sample_weight": np.ones((N_ROWS, 2))}, "shape (48, 2)"),
    "dates as weights": ({"sample_weight": DATES}, "must be numbers"),
    "nested weights": ({"sample_weight": [[1.0], [1.0, 2.0]] * (N_ROWS // 2)}, "must be numbers"),
    "a dictionary of weights": ({"sample_weight": {"red": 2.0}}, "must be numbers"),
    "all weights zero": ({"sample_weight": np.zeros(N_ROWS)}, "zero in every row"),
    "weights of very different sizes": ({"sample_weight": 10.0 ** np.linspace(-300, 300, N_ROWS)}, ""),
    "groups of another length": ({"groups": COLORS[:-1]}, "47 rows"),
    "missing groups": ({"groups": with_missing(range(N_ROWS))}, "missing value"),
    "too few groups": ({"groups": FLAGS}, "2 distinct values"),
    "infinite groups": ({"groups": np.where(MISSING, np.inf, 1.0)}, "infinite value"),
    "two columns of groups": ({"groups": np.stack([FLAGS, MISSING], axis=1)}, "one column"),
    "dictionaries as groups": ({"groups": [{"a": 1}] * N_ROWS}, "dict"),
    "a column name as groups": ({"groups": "color"}, "type str"),
    "a number as groups": ({"groups": 3}, "type int"),
    "no groups": ({"groups": []}, ""),
    "times of another length": ({"times": DATES[:-1]}, "47 rows"),
    "missing times": ({"times": np.where(MISSING, np.nan, FLOATS)}, "missing value"),
    "strings as times": ({"times": COLORS}, "must be numbers or dates"),
    "infinite times": ({"times": np.where(MISSING, np.inf, FLOATS)}, "infinite value"),
    "all times equal": ({"times": np.zeros(N_ROWS)}, ""),
    "complex times": ({"times": FLOATS * 1j}, "complex"),
    "a column name as times": ({"times": "amount"}, "type str"),
}

VALID_ROW_METADATA = {
    "a scalar weight": {"sample_weight": 2.5},
    "the smallest weights": {"sample_weight": np.full(N_ROWS, 5e-324)},
    "the largest weights": {"sample_weight": np.full(N_ROWS, 1.7e308)},
    "weights of many sizes": {"sample_weight": 10.0 ** np.linspace(-15, 0, N_ROWS)},
    "boolean weights": {"sample_weight": ~MISSING},
    "integer weights": {"sample_weight": np.arange(N_ROWS, dtype=np.int8)},
    "float16 weights": {"sample_weight": np.ones(N_ROWS, dtype=np.float16)},
    "decimal weights": {"sample_weight": [decimal.Decimal("0.5")] * N_ROWS},
    "polars weights": {"sample_weight": pl.Series(np.abs(FLOATS))},
    "Arrow weights": {"sample_weight": pa.chunked_array([np.abs(FLOATS)])},
    "nullable weights": {"sample_weight": pd.Series(np.abs(FLOATS), dtype="Float64")},
    "one dominant weight": {"sample_weight": np.where(np.arange(N_ROWS) == 3, 1e9, 1.0)},
    "strings as groups": {"groups": [f"customer {i % 12}" for i in range(N_ROWS)]},
    "dates as groups": {"groups": DATES.floor("7D")},
    "groups of one row": {"groups": np.arange(N_ROWS)},
    "groups with unused categories": {"groups": pd.Series(pd.Categorical(np.arange(N_ROWS) % 9, range(99)))},
    "times with ties": {"times": np.arange(N_ROWS) // 4},
    "times with a time zone": {"times": pd.Series(DATES.tz_localize("UTC"))},
    "very large times": {"times": FLOATS * 1e300},
    "groups and times": {"groups": np.arange(N_ROWS) // 3, "times": DATES},
}
