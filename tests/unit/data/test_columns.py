"""Cells of unusual types are converted, or refused in one sentence that names the column."""

import contextlib
import datetime
import decimal
import enum
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from minerva_select.codes import Conversion
from minerva_select.data import arrow_columns
from minerva_select.data.datetimes import to_seconds
from minerva_select.data.frames import as_table
from minerva_select.errors import InputError, InputTypeError

NAN = float("nan")
DAY = 86_400.0


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Unspeakable:
    def __str__(self):
        raise ZeroDivisionError


def only(X):
    (column,) = as_table(X).columns
    return column


def objects(*values):
    return pd.DataFrame({"a": pd.Series(list(values), dtype=object)})


def arrow(values, kind=None):
    return pa.table({"a": pa.array(values, kind)})


def extension(kind, storage):
    return pa.table({"a": pa.ExtensionArray.from_storage(kind, storage)})


def known(cases):
    """Return the cases whose types the installed versions have; the oldest supported ones lack some."""
    found = {}
    for name, case in cases.items():
        with contextlib.suppress(AttributeError):
            found[name] = case()
    return found


NUMBERS = {
    "float16 of Arrow": (arrow([np.float16(1.5), None], pa.float16()), [1.5, NAN], None),
    "other byte order": (pd.DataFrame({"a": np.array([1, 2], ">i4")}), [1.0, 2.0], None),
    "whole numbers beyond 53 bits": (arrow([2**64 - 1, None], pa.uint64()), [2.0**64, NAN], None),
    "nullable beyond 53 bits": (pd.DataFrame({"a": pd.array([2**64 - 1, None], "UInt64")}), [2.0**64, NAN], None),
    "128 bits": (pl.DataFrame({"a": pl.Series([2**127 - 1, None], dtype=pl.Int128)}), [2.0**127, NAN], None),
    "runs": (pa.table({"a": pa.RunEndEncodedArray.from_arrays([2, 3], [1.5, 2.5])}), [1.5, 1.5, 2.5], None),
    "nothing in Arrow": (arrow([None, None], pa.null()), [NAN, NAN], None),
    "nothing in polars": (pl.DataFrame({"a": pl.Series([None, None], dtype=pl.Null)}), [NAN, NAN], None),
    "sparse pandas": (pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 2.0, NAN])}), [0.0, 2.0, NAN], None),
    "np.matrix": (np.array([[1.0], [2.0]]).view(np.matrix), [1.0, 2.0], None),
    "whole-number enum": (objects(Size.SMALL, Size.LARGE, None), [1.0, 2.0, NAN], None),
    "256-bit decimals": (
        arrow([decimal.Decimal(10) ** 70, None], pa.decimal256(76, 2)),
        [1e70, NAN],
        Conversion.DECIMAL,
    ),
    "decimals of hundreds in pandas": (
        pd.DataFrame({"a": pd.Series([decimal.Decimal(1100)], dtype=pd.ArrowDtype(pa.decimal128(5, -2)))}),
        [1100.0],
        Conversion.DECIMAL,
    ),
    "decimals of hundreds": (
        arrow([decimal.Decimal(1100), None], pa.decimal128(5, -2)),
        [1100.0, NAN],
        Conversion.DECIMAL,
    ),
    "a decimal that signals": (
        objects(decimal.Decimal("sNaN"), decimal.Decimal("1.1")),
        [NAN, 1.1],
        Conversion.DECIMAL,
    ),
    "durations": (arrow([5, None], pa.duration("ns")), [5e-9, NAN], Conversion.DURATION),
    "durations of pandas": (objects(pd.Timedelta(5, "ns"), pd.NaT), [5e-9, NAN], Conversion.DURATION),
    "times of nanoseconds": (arrow([1_500_000_001, None], pa.time64("ns")), [1.500000001, NAN], Conversion.TIME),
    "dates beyond the calendar": (
        arrow([2**31 - 1], pa.int32()).cast(pa.schema({"a": pa.date32()})),
        None,
        Conversion.DATE,
    ),
    "periods": (pd.DataFrame({"a": pd.PeriodIndex(["1970-02", None], freq="M")}), [31 * DAY, NAN], Conversion.DATE),
    "periods as objects": (objects(pd.Period("1970-02", "M"), None), [31 * DAY, NAN], Conversion.DATE),
    "dates among NaN": (objects(datetime.date(1970, 1, 2), NAN), [DAY, NAN], Conversion.DATE),
    "dates and times": (
        objects(datetime.date(1970, 1, 2), pd.Timestamp("1970-01-03T00Z")),
        [DAY, 2 * DAY],
        Conversion.DATE,
    ),
    "years": (np.array([["1971"], ["NaT"]], "M8[Y]"), [365 * DAY, NAN], Conversion.DATE),
    "quarters of an hour": (np.array([[1], [2]], "m8[15m]"), [900.0, 1800.0], Conversion.DURATION),
}
NUMBERS |= known(
    {
        "float16 of polars": lambda: (pl.DataFrame({"a": pl.Series([1.5, None], dtype=pl.Float16)}), [1.5, NAN], None),
        "128 bits without sign": lambda: (
            pl.DataFrame({"a": pl.Series([2**127, 1], dtype=pl.UInt128)}),
            [2.0**127, 1.0],
            None,
        ),
        "32-bit decimals": lambda: (
            arrow([decimal.Decimal("1.1"), None], pa.decimal32(5, 2)),
            [1.1, NAN],
            Conversion.DECIMAL,
        ),
    }
)


@pytest.mark.parametrize(("X", "values", "conversion"), NUMBERS.values(), ids=NUMBERS.keys())
def test_these_cells_are_numeric(X, values, conversion):
    column = only(X)
    assert column.is_numeric
    assert column.values.dtype == np.float64
    np.testing.assert_array_equal(column.values, [(2**31 - 1) * DAY] if values is None else values)
    assert column.conversion == conversion


UUIDS = [uuid.UUID(int=1), uuid.UUID(int=2), None]
SPELLED = ["00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"]
INTERVALS = pd.arrays.IntervalArray.from_breaks([0, 1, 2])
LEVELS = {
    "bytes": (objects(b"a", b"\xff", None), ["\\xff", "a"], Conversion.BYTES),
    "bytes of Arrow": (arrow([b"a", b"\xff", None], pa.binary_view()), ["\\xff", "a"], Conversion.BYTES),
    "bytes of polars": (pl.DataFrame({"a": [b"a", b"\xff"]}), ["\\xff", "a"], Conversion.BYTES),
    "bytes of one length": (arrow([b"aa", None], pa.binary(2)), ["aa"], Conversion.BYTES),
    "UUID objects": (objects(*UUIDS), SPELLED, Conversion.OBJECT),
    "UUIDs of polars": (pl.DataFrame({"a": pl.Series(UUIDS, dtype=pl.Object)}), SPELLED, Conversion.OBJECT),
    "enum": (objects(Colour.RED, Colour.BLUE, None), ["Colour.BLUE", "Colour.RED"], Conversion.OBJECT),
    "intervals": (pd.DataFrame({"a": INTERVALS}), ["(0, 1]", "(1, 2]"], Conversion.OBJECT),
    "intervals as categories": (pd.DataFrame({"a": pd.Categorical(INTERVALS)}), ["(0, 1]", "(1, 2]"], None),
    "mixed": (objects("a", 1, None, NAN), ["1", "a"], Conversion.MIXED),
    "text and NaN": (objects("a", NAN, "b"), ["a", "b"], None),
    "dates and times of day": (objects(datetime.date(1970, 1, 2), datetime.time(1)), ["01:00:00", "1970-01-02"],
                               Conversion.MIXED),
    "runs of text": (pa.table({"a": pa.RunEndEncodedArray.from_arrays([1, 3], ["y", "x"])}), ["x", "y"], None),
    "a dictionary with a null": (
        pa.table({"a": pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["a", None]))}), ["a"], None,
    ),
    "a dictionary of dates": (arrow([datetime.date(2020, 1, 1), None]).to_pandas().astype("category"), ["2020-01-01"],
                              None),
    "a dictionary in pandas": (
        pd.DataFrame({"a": pd.Series(["x", None], dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))}),
        ["x"], None,
    ),
    "a dictionary outgrown": (
        pa.concat_tables([
            pa.table({"a": pa.array([f"{i:03d}" for i in range(start, start + 100)]).dictionary_encode()
                      .cast(pa.dictionary(pa.int8(), pa.string()))})
            for start in (0, 100)
        ]),
        [f"{i:03d}" for i in range(200)], None,
    ),
}  # fmt: skip
LEVELS |= known({
    "UUIDs of Arrow": lambda: (
        extension(pa.uuid(), pa.array([b"\0" * 15 + b"\1", b"\0" * 15 + b"\2", None], pa.binary(16))),
        SPELLED, Conversion.OBJECT,
    ),
    "byte booleans": lambda: (extension(pa.bool8(), pa.array([1, 0, None], pa.int8())), ["False", "True"], None),
    "JSON": lambda: (extension(pa.json_(), pa.array(['{"a": 1}', None])), ['{"a": 1}'], None),
    "text of unlimited size": lambda: (
        np.array([["b"], ["a"]], dtype=np.dtypes.StringDType()), ["a", "b"], None,
    ),
})  # fmt: skip


@pytest.mark.parametrize(("X", "levels", "conversion"), LEVELS.values(), ids=LEVELS.keys())
def test_these_cells_are_categorical(X, levels, conversion):
    column = only(X)
    assert column.levels.tolist() == levels
    assert column.values.dtype == np.int32
    assert column.conversion == conversion


UNION = pa.UnionArray.from_dense(
    pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["x"])]
)
REFUSED = {
    "map": (arrow([[("k", 1)]], pa.map_(pa.string(), pa.int64())), "map"),
    "map of pandas": (
        pd.DataFrame({"a": pd.Series([[("k", 1)]], dtype=pd.ArrowDtype(pa.map_(pa.string(), pa.int64())))}),
        "map",
    ),
    "list view": (arrow([[1], [2]], pa.list_view(pa.int64())), "list_view"),
    "large list": (arrow([[1], [2]], pa.large_list(pa.int64())), "large_list"),
    "array of polars": (pl.DataFrame({"a": pl.Series([[1, 2]], dtype=pl.Array(pl.Int64, 2))}), "Array"),
    "struct": (arrow([{"b": 1}]), "struct"),
    "struct of pandas": (
        pd.DataFrame({"a": pd.Series([{"b": 1}], dtype=pd.ArrowDtype(pa.struct({"b": pa.int64()})))}),
        "struct",
    ),
    "dictionary of structs": (
        pa.table({"a": pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array([{"b": 1}]))}),
        "struct",
    ),
    "union": (pa.table({"a": UNION}), "dense_union"),
    "months and days": (arrow([pa.MonthDayNano([1, 2, 3])]), "month_day_nano_interval"),
    "set": (objects({1}, None), "set"),
    "bytearray": (objects(bytearray(b"x"), None), "bytearray"),
    "series": (objects(pd.Series([1]), None), "Series"),
    "object": (objects(object(), None), "object"),
    "no text": (objects(Unspeakable(), "x"), "Unspeakable"),
}


@pytest.mark.parametrize(("X", "kind"), REFUSED.values(), ids=REFUSED.keys())
def test_these_cells_are_refused_by_type(X, kind):
    with pytest.raises(InputTypeError, match=f"^Column 'a' has {kind} values") as caught:
        as_table(X)
    assert "\n" not in str(caught.value)


def test_masked_records_are_refused():
    with pytest.raises(InputTypeError, match="'x0' has record values"):
        as_table(np.ma.masked_array(np.zeros((2, 1), dtype=[("a", float)])))


@pytest.mark.parametrize("name", [None, 1.5, ("a", "b"), datetime.date(2020, 1, 1)], ids=str)
def test_column_names_become_text(name):
    frame = pd.DataFrame([[1, 2]])
    frame.columns = pd.Index([name, "b"], dtype=object, tupleize_cols=False)
    assert as_table(frame).names == (str(name), "b")


def test_two_missing_column_names_are_refused():
    with pytest.raises(InputError, match="'nan' occurs more than once"):
        as_table(pd.DataFrame([[1, 2]], columns=[NAN, NAN]))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_cell_of_megabytes_is_a_level(frame):
    column = only(frame({"a": ["x" * 3_000_000, "y", None, "x" * 3_000_000]}))
    assert column.values.tolist() == [0, 1, -1, 0]
    assert [len(level) for level in column.levels] == [3_000_000, 1]


def test_text_beyond_31_bit_offsets_is_read(monkeypatch):
    monkeypatch.setattr(arrow_columns, "_MAX_TEXT_BYTES", 0)
    assert only(arrow(["b", None, "a"])).levels.tolist() == ["a", "b"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_levels_are_sorted_by_character(frame):
    texts = [chr(code) * 2 for code in np.random.default_rng(0).permutation(np.r_[32:0xD800, 0xE000:0x11000])]
    column = only(frame({"a": texts}))
    assert column.levels.tolist() == sorted(texts)
    assert column.levels[column.values].tolist() == texts


def test_seconds_of_every_unit_are_rounded_once():
    for unit, parts in (("ms", 10**3), ("us", 10**6), ("ns", 10**9), ("ps", 10**12)):
        ticks = np.random.default_rng(0).integers(-(2**62), 2**62, size=2000)
        ticks = np.append(ticks >> 20, ticks)
        exact = [int(tick) / parts for tick in ticks]  # Python rounds the quotient of integers once
        np.testing.assert_array_equal(to_seconds(ticks.view(f"m8[{unit}]")), exact)
