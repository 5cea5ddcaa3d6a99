"""Tables, targets and words about rows, odd or bad, by name: what a user may hand in by chance or by mistake."""

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
AMOUNTS = _RNG.normal(size=N_ROWS)
WORDS = _RNG.choice(["red", "green", "blue"], size=N_ROWS)
FLAGS = _RNG.integers(0, 2, size=N_ROWS).astype(bool)
GAPS = _RNG.random(N_ROWS) < 0.2
DAYS = pd.date_range("2024-01-31", periods=N_ROWS, freq="37h")


def labels(n_rows: int = N_ROWS) -> np.ndarray:
    """Two classes that the words tell, for any number of rows."""
    return np.resize((WORDS == "red") ^ (AMOUNTS > 1.2), n_rows).astype(int)


def beside(values, **more) -> pd.DataFrame:
    """A frame with the odd column beside two good ones."""
    return pd.DataFrame({"amount": AMOUNTS, "word": WORDS, "odd": values, **more})


def objects(*values) -> pd.DataFrame:
    """The frame with a column of these objects in turn."""
    cells = np.empty(N_ROWS, dtype=object)
    cells[:] = [values[row % len(values)] for row in range(N_ROWS)]
    return beside(pd.Series(cells, dtype=object))  # pandas would read some as another type


def with_gaps(values, gap=None) -> list:
    return [gap if missing else value for value, missing in zip(values, GAPS, strict=True)]


def arrow(values, kind=None) -> pa.Table:
    return pa.table({"amount": AMOUNTS, "word": WORDS, "odd": pa.array(values, kind)})


def polars(values, kind=None) -> pl.DataFrame:
    return pl.DataFrame({"amount": AMOUNTS, "word": WORDS, "odd": pl.Series(values, dtype=kind, strict=False)})


def several_levels(names) -> pd.DataFrame:
    return pd.DataFrame({name: np.roll(AMOUNTS, place) for place, name in enumerate(names)}).set_axis(
        pd.MultiIndex.from_tuples(names), axis=1
    )


def named(*names) -> pd.DataFrame:
    """The frame with other names."""
    return pd.DataFrame({0: AMOUNTS, 1: WORDS, 2: FLAGS}).set_axis(pd.Index(names, dtype=object), axis=1)


_MATRIX = np.asmatrix(np.stack([AMOUNTS, FLAGS], axis=1))  # made here, as making one is a warning in a test


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class BrokenArray:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no array here")


class BrokenStream:
    def __arrow_c_stream__(self, requested_schema=None):
        raise RuntimeError("no stream here")


# In place of any parameter
ODD_VALUES = {
    "NaN": np.nan,
    "infinity": np.inf,
    "below zero": -1,
    "a number beyond floats": 10**400,
    "a number of numpy": np.float32(0.5),
    "a fraction": fractions.Fraction(1, 2),
    "a signalling decimal": decimal.Decimal("sNaN"),
    "truth of numpy": np.bool_(True),
    "nothing": None,
    "no text": "",
    "long text": "n" * 5000,
    "text no path can be": "a\x00b",
    "bytes": b"a",
    "an empty list": [],
    "nested lists": [["amount"], "word"],
    "a dictionary": {"a": 1},
    "an array": np.ones(3),
    "an array of one number": np.array(1),
    "a column": pd.Series([1, 2]),
    "a frame": pd.DataFrame({"a": [1]}),
    "no value": pd.NA,
    "an object": object(),
    "a type": int,
}


# Tables that have an answer
GOOD_TABLES = {
    "one column": lambda: beside(0)[["word"]],
    "one column of an array": lambda: AMOUNTS[:, None],
    "six rows": lambda: beside(FLAGS)[:6],
    "seven rows": lambda: beside(FLAGS)[:7],
    "all missing": lambda: pd.DataFrame({"a": [np.nan] * N_ROWS, "b": [None] * N_ROWS}),
    "all constant": lambda: pd.DataFrame({"a": [1.5] * N_ROWS, "b": ["x"] * N_ROWS, "c": True}),
    "all constant or missing": lambda: pd.DataFrame({"a": with_gaps([1.0] * N_ROWS, np.nan), "b": 0}),
    "all identifiers": lambda: pd.DataFrame(
        {"a": [str(uuid.UUID(int=i**5)) for i in range(N_ROWS)], "b": range(N_ROWS)}
    ),
    "all copies": lambda: pd.DataFrame({"a": WORDS, "b": WORDS, "c": WORDS}),
    "one value beside missing ones": lambda: beside(with_gaps([7.0] * N_ROWS)),
    "one row that differs": lambda: beside([0] * (N_ROWS - 1) + [1]),
    "one row that is not missing": lambda: beside([np.nan] * (N_ROWS - 1) + [1.0]),
    "names that are numbers": lambda: pd.DataFrame(np.stack([AMOUNTS, FLAGS], axis=1)),
    "names that are dates": lambda: named(*DAYS[:3]),
    "names that are pairs": lambda: several_levels([("a", "x"), ("a", "y"), ("b", "x")]),
    "an empty name": lambda: named("", " ", "a"),
    "a name of many letters": lambda: named("n" * 10_000, "word", "flag"),
    "names in markup and controls": lambda: named("<script>alert(1)</script>", "a\nb\t\x00\x1b[31m", "{}%s\\'\""),
    "names of rare letters": lambda: named("\u202e", "\U0001f600", "e\u0301"),
    "names of arguments": lambda: named("y", "target", "given y"),
    "pairs as rows": lambda: beside(FLAGS).set_index(pd.MultiIndex.from_product([["a", "b"], range(N_ROWS // 2)])),
    "the same row twice": lambda: beside(FLAGS).set_index(np.zeros(N_ROWS, dtype=int)),
    "dates as rows": lambda: beside(FLAGS).set_index(DAYS),
    "half precision": lambda: beside(AMOUNTS.astype(np.float16)),
    "an array of half precision": lambda: np.stack([AMOUNTS, FLAGS], axis=1).astype(np.float16),
    "long precision": lambda: beside(AMOUNTS.astype(np.longdouble)),
    "an array of long precision": lambda: np.stack([AMOUNTS, FLAGS], axis=1).astype(np.longdouble),
    "other byte order": lambda: np.stack([AMOUNTS, FLAGS], axis=1).astype(">f4"),
    "an array of truth": lambda: np.stack([FLAGS, GAPS], axis=1),
    "an array of text": lambda: np.stack([WORDS, WORDS[::-1]], axis=1),
    "an array of bytes": lambda: np.stack([WORDS, WORDS[::-1]], axis=1).astype("S"),
    "an array of dates": lambda: np.stack([DAYS.to_numpy(), DAYS.to_numpy()[::-1]], axis=1),
    "an array with strides": lambda: np.stack([AMOUNTS, FLAGS] * 2, axis=1)[::-1, ::-2],
    "a matrix": lambda: _MATRIX,
    "a masked array": lambda: np.ma.masked_array(np.stack([AMOUNTS, FLAGS], axis=1), mask=np.stack([GAPS] * 2, axis=1)),
    "a read-only array": lambda: np.broadcast_to(AMOUNTS[:, None], (N_ROWS, 3)),
    "mixed objects": lambda: objects(1, "a", None, 2.5, True, datetime.date(2024, 1, 1), b"x"),
    "text with numbers": lambda: objects("1", 1, 1.0, "1.0"),
    "numbers of all kinds": lambda: objects(
        1, 2.5, np.float16(3), fractions.Fraction(1, 3), decimal.Decimal("1.1"), True
    ),
    "decimals": lambda: objects(decimal.Decimal("1.10"), decimal.Decimal("-7"), None, decimal.Decimal("NaN")),
    "a decimal of many digits": lambda: objects(decimal.Decimal(10) ** 300 / 3, decimal.Decimal("1e-400")),
    "whole numbers beyond 63 bits": lambda: objects(2**63, 2**64, -(2**70), 0),
    "whole numbers beyond 64 bits in numpy": lambda: beside(
        np.resize(np.array([2**64 - 1, 0], dtype=np.uint64), N_ROWS)
    ),
    "truth with NaN": lambda: objects(True, False, np.nan),
    "bytes": lambda: objects(b"\xff\x00", b"a", None),
    "dates in objects": lambda: objects(datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None),
    "dates of two zones": lambda: objects(
        datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC),
        datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=5))),
        datetime.datetime(2024, 1, 3),
    ),
    "dates with a zone": lambda: beside(DAYS.tz_localize("America/New_York", ambiguous="NaT", nonexistent="NaT")),
    "dates not in order with NaT": lambda: beside(pd.Series(DAYS).where(~GAPS)[::-1].to_numpy()),
    "durations": lambda: beside(DAYS - DAYS[0]),
    "times of day": lambda: objects(datetime.time(1, 2, 3), datetime.time(23, 59, 59, 999_999), None),
    "periods": lambda: beside(pd.period_range("2024-01", periods=N_ROWS, freq="M")),
    "intervals": lambda: beside(pd.cut(AMOUNTS, 4)),
    "enumerated values": lambda: objects(Colour.RED, Colour.BLUE),
    "identifiers of the standard kind": lambda: objects(*(uuid.UUID(int=i) for i in range(5))),
    "types": lambda: objects(int, str),
    "very long text": lambda: objects("a" * 100_000, "a" * 99_999 + "b", None),
    "text of any letter": lambda: objects("", " ", "\x00", "\u0000a", "é", "e\u0301", "\U0001f600", "nan", "None"),
    "text beyond UTF-8": lambda: objects("\ud800", "a", "\udfff"),
    "text that looks like formulas": lambda: objects("=1+1", "<b>", "{{ x }}", "'; DROP TABLE", "%s %d {0}"),
    "nullable whole numbers": lambda: beside(pd.array(with_gaps(range(N_ROWS)), dtype="Int8")),
    "nullable numbers": lambda: beside(pd.array(with_gaps(AMOUNTS), dtype="Float32")),
    "nullable truth": lambda: beside(pd.array(with_gaps(FLAGS.tolist()), dtype="boolean")),
    "nullable text": lambda: beside(pd.array(with_gaps(WORDS), dtype="string")),
    "Arrow numbers in pandas": lambda: beside(pd.array(with_gaps(AMOUNTS), dtype=pd.ArrowDtype(pa.float32()))),
    "Arrow text in pandas": lambda: beside(pd.array(with_gaps(WORDS), dtype=pd.ArrowDtype(pa.large_string()))),
    "Arrow dates in pandas": lambda: beside(pd.array(DAYS, dtype=pd.ArrowDtype(pa.timestamp("ns", "UTC")))),
    "Arrow nothing in pandas": lambda: beside(pd.array([None] * N_ROWS, dtype=pd.ArrowDtype(pa.null()))),
    "levels that no row has": lambda: beside(pd.Categorical(WORDS, categories=[*string.ascii_letters, *set(WORDS)])),
    "levels in no order": lambda: beside(pd.Categorical(with_gaps(WORDS), categories=["red", "blue", "green"])),
    "levels in an order": lambda: beside(pd.Categorical(WORDS, ["red", "blue", "green"], ordered=True)),
    "levels of numbers": lambda: beside(pd.Categorical(np.resize([2.5, -1.0, np.nan], N_ROWS))),
    "levels of several types": lambda: beside(pd.Categorical(np.resize(np.array([1, "1", 2.0], object), N_ROWS))),
    "levels and no value": lambda: beside(pd.Categorical([None] * N_ROWS, categories=["a"])),
    "sparse pandas": lambda: beside(pd.arrays.SparseArray(np.where(GAPS, AMOUNTS, 0.0))),
    "a sparse matrix": lambda: sparse.coo_matrix(np.where(GAPS, AMOUNTS, 0.0)[:, None] * [1.0, -1.0, 0.0]),
    "a sparse array of whole numbers": lambda: sparse.csr_array(np.stack([FLAGS, GAPS], axis=1).astype(np.int8)),
    "a sparse matrix by its diagonals": lambda: sparse.dia_matrix(np.eye(N_ROWS, 3)),
    "a tensor": lambda: torch.tensor(np.stack([AMOUNTS, FLAGS], axis=1)),
    "polars nothing": lambda: polars([None] * N_ROWS, pl.Null),
    "polars objects": lambda: polars([Colour.RED, Colour.BLUE] * (N_ROWS // 2), pl.Object),
    "polars categories": lambda: polars(with_gaps(WORDS.tolist()), pl.Categorical),
    "polars times": lambda: polars([datetime.time(1)] * 5 + [datetime.time(2)] * (N_ROWS - 5)),
    "polars decimals": lambda: polars([decimal.Decimal("1.1"), None] * (N_ROWS // 2)),
    "polars wide numbers": lambda: polars([2**100, None] * (N_ROWS // 2), pl.Int128),
    "polars bytes": lambda: polars([b"\xff", None, b""] * (N_ROWS // 3), pl.Binary),
    "a lazy frame": lambda: polars(FLAGS).lazy(),
    "Arrow dictionary of numbers": lambda: arrow(pa.array(np.resize([3, 1, 2], N_ROWS)).dictionary_encode()),
    "Arrow decimals": lambda: arrow([decimal.Decimal("1.1"), None] * (N_ROWS // 2), pa.decimal256(60, 3)),
    "Arrow views of text": lambda: arrow(with_gaps(WORDS.tolist()), pa.string_view()),
    "Arrow bytes": lambda: arrow([b"\xff", None] * (N_ROWS // 2), pa.binary()),
    "Arrow dates of 32 bits": lambda: arrow(list(range(N_ROWS)), pa.date32()),
    "Arrow in chunks": lambda: pa.concat_tables([arrow(FLAGS).slice(0, 5), arrow(FLAGS).slice(5)]),
    "Arrow batches": lambda: iter(arrow(FLAGS).to_batches(max_chunksize=7)),
    "lists of rows": lambda: [list(row) for row in zip(AMOUNTS, WORDS, with_gaps(FLAGS.tolist()), strict=True)],
    "rows of arrays": lambda: list(np.stack([AMOUNTS, FLAGS], axis=1)),
    "largest and smallest numbers": lambda: beside(np.resize([1.7e308, -1.7e308, 5e-324, 0.0, -0.0], N_ROWS)),
    "a name of its own for every row": lambda: beside([f"name {row}" for row in range(N_ROWS)]),
    "one outlier": lambda: beside(np.where(np.arange(N_ROWS) == 5, -1e300, AMOUNTS)),
    "numbers side by side": lambda: beside(1.0 + np.arange(N_ROWS) * 2.0**-52),
    "more columns than rows": lambda: np.random.default_rng(0).normal(size=(N_ROWS, N_ROWS + 2)),
}

# Tables that are refused, and what the sentence must hold
BAD_TABLES = {
    "no rows": (lambda: beside(FLAGS)[:0], "0 sample(s)"),
    "no rows in an array": (lambda: np.empty((0, 3)), "0 sample(s)"),
    "no columns": (lambda: beside(FLAGS)[[]], "0 feature(s)"),
    "no columns in an array": (lambda: np.empty((N_ROWS, 0)), "0 feature(s)"),
    "no columns in polars": (pl.DataFrame, "0 sample(s)"),
    "no columns in Arrow": (lambda: arrow(FLAGS).select([]), "0 feature(s)"),
    "nothing in a list": (list, ""),
    "one row": (lambda: beside(FLAGS)[:1], "1 sample"),
    "three rows": (lambda: beside(FLAGS)[:3], "3 samples"),
    "one name twice": (lambda: named("a", "a", "b"), "'a' occurs more than once"),
    "one name twice as text": (lambda: named(1, "1", "b"), "'1' occurs more than once"),
    "one name twice in Arrow": (lambda: pa.table([AMOUNTS, WORDS], names=["a", "a"]), "'a' occurs more than once"),
    "one pair of names twice": (lambda: several_levels([("a", "x"), ("b", "x")]).iloc[:, [0, 1, 0]], "more than once"),
    "names of half a character": (lambda: named("\ud800", "a", "b"), "surrogate"),
    "names of several types": (lambda: named("a", 1, "b"), "make all of them text"),
    "infinities": (lambda: beside(np.where(GAPS, np.inf, AMOUNTS)), "'odd' has"),
    "infinities in objects": (lambda: objects(1, float("-inf")), "'odd' has"),
    "infinities of decimals": (lambda: objects(decimal.Decimal("Infinity"), 1), "'odd' has"),
    "infinities in Arrow": (lambda: arrow(np.where(GAPS, np.inf, AMOUNTS)), "'odd' has"),
    "infinities of half precision": (lambda: beside(np.where(GAPS, np.inf, AMOUNTS).astype(np.float16)), "'odd' has"),
    "numbers beyond floats": (lambda: beside(AMOUNTS.astype(np.longdouble) * np.longdouble("1e4000")), "'odd' has"),
    "whole numbers beyond floats": (lambda: objects(10**400, 1), "'odd' has"),
    "complex numbers": (lambda: beside(AMOUNTS * 1j), "'odd' holds complex"),
    "complex numbers in objects": (lambda: objects(1j, 2), "'odd' holds complex"),
    "complex numbers in an array": (lambda: AMOUNTS[:, None] * 1j, "'x0' holds complex"),
    "lists": (lambda: objects([1, 2], [3]), "'odd' holds list"),
    "dictionaries": (lambda: objects({"a": 1}), "'odd' holds dict"),
    "sets": (lambda: objects({1, 2}, frozenset([3])), "'odd' holds"),
    "arrays": (lambda: objects(np.zeros(2)), "'odd' holds ndarray"),
    "frames": (lambda: objects(pd.DataFrame({"a": [1]})), "'odd' holds DataFrame"),
    "plain objects": (lambda: objects(object()), "'odd' holds object"),
    "functions": (lambda: objects(labels, beside), "'odd' has function values"),
    "polars lists": (lambda: polars([[1]] * N_ROWS), "'odd' holds List"),
    "polars structures": (lambda: polars([{"a": 1}] * N_ROWS), "'odd' holds Struct"),
    "polars arrays": (lambda: polars([[1, 2]] * N_ROWS, pl.Array(pl.Int8, 2)), "'odd' holds Array"),
    "Arrow lists": (lambda: arrow([[1]] * N_ROWS), "'odd' holds list"),
    "Arrow structures": (lambda: arrow([{"a": 1}] * N_ROWS), "'odd' holds struct"),
    "Arrow mappings": (lambda: arrow([[("a", 1)]] * N_ROWS, pa.map_(pa.string(), pa.int8())), "'odd' holds map"),
    "records": (lambda: np.zeros(N_ROWS, dtype=[("a", float), ("b", int)]), "two dimensions"),
    "no dimension": (lambda: np.array(5.0), "two dimensions"),
    "one dimension": (lambda: AMOUNTS, "two dimensions"),
    "three dimensions": (lambda: np.zeros((N_ROWS, 2, 2)), "two dimensions"),
    "a series": (lambda: pd.Series(AMOUNTS), "two dimensions"),
    "a polars series": (lambda: pl.Series(AMOUNTS), "two dimensions"),
    "an Arrow array": (lambda: pa.array(AMOUNTS), "two dimensions"),
    "a generator": (lambda: (row for row in [[1, 2]] * N_ROWS), "record batches"),
    "an empty generator": (lambda: iter([]), "record batch"),
    "rows of unequal length": (lambda: [[1, 2], [1]] * (N_ROWS // 2), "length"),
    "a list of numbers": (lambda: [1.0] * N_ROWS, "two dimensions"),
    "a list of text": (lambda: ["ab"] * N_ROWS, "two dimensions"),
    "a list of frames": (lambda: [beside(FLAGS), beside(FLAGS)], ""),
    "nested lists of rows": (lambda: [[[1, 2], [3, 4]]] * N_ROWS, "two dimensions"),
    "a set": (lambda: {1, 2, 3}, "type set"),
    "a dictionary": (lambda: {"a": [1, 2]}, "type dict"),
    "a word": (lambda: "data.csv", "read_table"),
    "bytes": (lambda: b"data", "type bytes"),
    "nothing": (lambda: None, "type NoneType"),
    "a number": (lambda: 5, "type int"),
    "a class": (lambda: pd.DataFrame, "type type"),
    "a function": (lambda: len, "type builtin_function_or_method"),
    "a sparse matrix of complex numbers": (lambda: sparse.csr_array(np.eye(N_ROWS, 2) * 1j), "'x0' holds complex"),
    "a huge sparse matrix": (lambda: sparse.coo_array((10**7, 10**7)), "sparse and of shape"),
    "names that are equal": (lambda: named(True, False, 1), "more than once"),
    "text that is not UTF-8": (lambda: arrow(pa.array([b"\xff", b"a"] * (N_ROWS // 2)).view(pa.string())), "UTF-8"),
    "a tensor with a gradient": (lambda: torch.ones((N_ROWS, 2), requires_grad=True), "gives no numpy array"),
    "a tensor of another precision": (lambda: torch.ones((N_ROWS, 2), dtype=torch.bfloat16), "gives no numpy array"),
    "a sparse tensor": (lambda: torch.eye(N_ROWS, 2).to_sparse(), "gives no numpy array"),
    "a broken array": (BrokenArray, "gives no numpy array"),
    "a broken stream": (BrokenStream, "cannot be read"),
    "groups of a frame": (lambda: beside(FLAGS).groupby("word"), "not a table"),
}

GOOD_TARGETS = {
    "text": lambda: WORDS,
    "text of pandas": lambda: pd.Series(WORDS, name="colour"),
    "truth": lambda: FLAGS,
    "bytes": lambda: WORDS.astype("S"),
    "whole numbers": lambda: np.arange(N_ROWS) % 7,
    "whole numbers beyond 63 bits": lambda: np.resize(np.array([2**64, 1], dtype=object), N_ROWS),
    "amounts": lambda: AMOUNTS,
    "amounts of half precision": lambda: AMOUNTS.astype(np.float16),
    "amounts of long precision": lambda: AMOUNTS.astype(np.longdouble),
    "large amounts": lambda: AMOUNTS * 1e300,
    "one outlier": lambda: np.where(np.arange(N_ROWS) == 5, 1e300, AMOUNTS),
    "small amounts": lambda: AMOUNTS * 1e-300,
    "amounts side by side": lambda: 1.0 + np.arange(N_ROWS) * 2.0**-52,
    "decimals": lambda: [decimal.Decimal(int(1e4 * value)) / 10_000 for value in AMOUNTS],
    "one row of a class": lambda: np.arange(N_ROWS) == 3,
    "two rows of a class": lambda: np.where(np.arange(N_ROWS) < 2, "rare", "usual"),
    "all different text": lambda: [f"name {i}" for i in range(N_ROWS)],
    "dates": lambda: DAYS,
    "dates with a zone": lambda: pd.Series(DAYS.tz_localize("UTC")),
    "durations": lambda: DAYS - DAYS[0],
    "levels that no row has": lambda: pd.Series(pd.Categorical(WORDS, categories=["x", *set(WORDS), "y"])),
    "levels in an order": lambda: pd.Series(pd.Categorical(WORDS, ["red", "blue", "green"], ordered=True)),
    "nullable truth": lambda: pd.Series(FLAGS, dtype="boolean"),
    "Arrow text in pandas": lambda: pd.Series(WORDS, dtype=pd.ArrowDtype(pa.string())),
    "mixed objects": lambda: np.resize(np.array([1, "a", 2.5, True], dtype=object), N_ROWS),
    "a column of an array": lambda: FLAGS[:, None],
    "a polars series": lambda: pl.Series("colour", WORDS),
    "an Arrow array": lambda: pa.array(WORDS),
    "a feature": lambda: pd.Series(WORDS, name="word"),
    "an amount that is a feature": lambda: pd.Series(AMOUNTS, name="amount"),
    "a name in markup": lambda: pd.Series(FLAGS, name="<script>\n\x00\x1b[31m"),
    "other rows' labels": lambda: pd.Series(FLAGS, index=range(1000, 1000 + N_ROWS)),
    "a sparse column": lambda: sparse.csr_array(FLAGS[:, None].astype(float)),
}

SEVERAL_TARGETS = {
    "two columns": lambda: pd.DataFrame({"a": FLAGS, "b": WORDS}),
    "an array of amounts": lambda: np.stack([AMOUNTS, AMOUNTS**2], axis=1),
    "a column twice": lambda: np.stack([FLAGS, FLAGS], axis=1),
    "three of different kinds": lambda: pl.DataFrame({"a": FLAGS, "b": AMOUNTS, "c": WORDS}),
}

BAD_TARGETS = {
    "nothing": (lambda: None, "None"),
    "a word": (lambda: "word", "type str"),
    "a number": (lambda: 3, "type int"),
    "no dimension": (lambda: np.array(3), "dimension"),
    "three dimensions": (lambda: np.zeros((N_ROWS, 1, 1)), "dimension"),
    "no rows": (list, ""),
    "fewer rows": (lambda: FLAGS[:-1], "[48, 47]"),
    "more rows": (lambda: np.arange(N_ROWS + 1), "[48, 49]"),
    "one class": (lambda: ["no"] * N_ROWS, "only one value"),
    "one truth": (lambda: np.ones(N_ROWS, dtype=bool), "only one value"),
    "missing numbers": (lambda: np.where(GAPS, np.nan, AMOUNTS), "missing value"),
    "missing text": (lambda: with_gaps(WORDS), "missing value"),
    "missing dates": (lambda: pd.Series(DAYS).where(~GAPS), "missing value"),
    "missing truth": (lambda: pd.Series(with_gaps(FLAGS.tolist()), dtype="boolean"), "missing value"),
    "missing levels": (lambda: pd.Series(pd.Categorical(with_gaps(WORDS))), "missing value"),
    "all missing": (lambda: [None] * N_ROWS, "missing values"),
    "infinities": (lambda: np.where(GAPS, -np.inf, AMOUNTS), "infinite value"),
    "numbers beyond floats": (lambda: [10**400, 1] * (N_ROWS // 2), "1e308"),
    "complex numbers": (lambda: AMOUNTS * 1j, "complex"),
    "lists": (lambda: pd.Series([[1]] * N_ROWS, name="odd"), "'odd' holds list"),
    "lists of unequal length": (lambda: [[1], [1, 2]] * (N_ROWS // 2), "length"),
    "structures": (lambda: pl.Series("odd", [{"a": 1}] * N_ROWS), "'odd' holds Struct"),
    "sets": (lambda: [{1}] * N_ROWS, "holds set"),
    "a set": (lambda: set(range(N_ROWS)), "type set"),
    "a dictionary": (lambda: dict.fromkeys(range(N_ROWS)), "type dict"),
    "a generator": (lambda: (value for value in FLAGS), "not a table"),
    "no columns": (lambda: np.empty((N_ROWS, 0)), "0 feature(s)"),
    "one name twice": (lambda: pd.DataFrame(np.stack([FLAGS, GAPS], 1), columns=["a", "a"]), "more than once"),
}

# Words about rows, as arguments of fit, and what the sentence must hold
BAD_ROWS = {
    "weights of other length": ({"sample_weight": np.ones(N_ROWS - 1)}, "shape (47,)"),
    "no weights": ({"sample_weight": []}, "shape (0,)"),
    "negative weights": ({"sample_weight": -np.ones(N_ROWS)}, "negative"),
    "weights with NaN": ({"sample_weight": np.where(GAPS, np.nan, 1.0)}, "missing or infinite"),
    "weights with gaps": ({"sample_weight": with_gaps(np.ones(N_ROWS))}, "missing or infinite"),
    "nullable weights with gaps": (
        {"sample_weight": pd.Series(with_gaps(np.ones(N_ROWS)), dtype="Float64")},
        "missing",
    ),
    "infinite weights": ({"sample_weight": np.full(N_ROWS, np.inf)}, "missing or infinite"),
    "weights in words": ({"sample_weight": WORDS}, "must be numbers"),
    "complex weights": ({"sample_weight": np.ones(N_ROWS) * 1j}, "must be numbers"),
    "weights in two dimensions": ({"sample_weight": np.ones((N_ROWS, 2))}, "shape (48, 2)"),
    "dates as weights": ({"sample_weight": DAYS}, "must be numbers"),
    "nested weights": ({"sample_weight": [[1.0], [1.0, 2.0]] * (N_ROWS // 2)}, "must be numbers"),
    "a dictionary of weights": ({"sample_weight": {"red": 2.0}}, "must be numbers"),
    "weights of zero": ({"sample_weight": np.zeros(N_ROWS)}, "zero in every row"),
    "weights of every size": ({"sample_weight": 10.0 ** np.linspace(-300, 300, N_ROWS)}, "rows"),
    "groups of other length": ({"groups": WORDS[:-1]}, "47 rows"),
    "groups with gaps": ({"groups": with_gaps(range(N_ROWS))}, "missing value"),
    "too few groups": ({"groups": FLAGS}, "2 different values"),
    "infinite groups": ({"groups": np.where(GAPS, np.inf, 1.0)}, "infinite value"),
    "two columns of groups": ({"groups": np.stack([FLAGS, GAPS], axis=1)}, "one column"),
    "nested groups": ({"groups": [{"a": 1}] * N_ROWS}, "holds dict"),
    "a word for groups": ({"groups": "word"}, "type str"),
    "a number for groups": ({"groups": 3}, "type int"),
    "no groups": ({"groups": []}, ""),
    "times of other length": ({"times": DAYS[:-1]}, "47 rows"),
    "times with gaps": ({"times": np.where(GAPS, np.nan, AMOUNTS)}, "missing value"),
    "times in words": ({"times": WORDS}, "must be numbers or dates"),
    "infinite times": ({"times": np.where(GAPS, np.inf, AMOUNTS)}, "infinite value"),
    "one time for all": ({"times": np.zeros(N_ROWS)}, ""),
    "complex times": ({"times": AMOUNTS * 1j}, "complex"),
    "a column's name for times": ({"times": "amount"}, "type str"),
}

GOOD_ROWS = {
    "one weight for all": {"sample_weight": 2.5},
    "the smallest weights": {"sample_weight": np.full(N_ROWS, 5e-324)},
    "the largest weights": {"sample_weight": np.full(N_ROWS, 1.7e308)},
    "weights of many sizes": {"sample_weight": 10.0 ** np.linspace(-15, 0, N_ROWS)},
    "weights of truth": {"sample_weight": ~GAPS},
    "weights of whole numbers": {"sample_weight": np.arange(N_ROWS, dtype=np.int8)},
    "weights of half precision": {"sample_weight": np.ones(N_ROWS, dtype=np.float16)},
    "weights of decimals": {"sample_weight": [decimal.Decimal("0.5")] * N_ROWS},
    "weights of polars": {"sample_weight": pl.Series(np.abs(AMOUNTS))},
    "weights of Arrow": {"sample_weight": pa.chunked_array([np.abs(AMOUNTS)])},
    "nullable weights": {"sample_weight": pd.Series(np.abs(AMOUNTS), dtype="Float64")},
    "a row that outweighs all": {"sample_weight": np.where(np.arange(N_ROWS) == 3, 1e9, 1.0)},
    "groups of text": {"groups": [f"customer {i % 12}" for i in range(N_ROWS)]},
    "groups of dates": {"groups": DAYS.floor("7D")},
    "groups of one row": {"groups": np.arange(N_ROWS)},
    "groups of levels that no row has": {"groups": pd.Series(pd.Categorical(np.arange(N_ROWS) % 9, range(99)))},
    "times with ties": {"times": np.arange(N_ROWS) // 4},
    "times with a zone": {"times": pd.Series(DAYS.tz_localize("UTC"))},
    "times of any size": {"times": AMOUNTS * 1e300},
    "groups and times": {"groups": np.arange(N_ROWS) // 3, "times": DAYS},
}
