"""The same cells give the same table to the last bit, whatever the container."""

import datetime
import decimal
import zoneinfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv, dataset, feather, parquet

from minerva_select.codes import Conversion
from minerva_select.data.frames import as_table
from minerva_select.data.loading import read_table

N_ROWS = 400
ZONE = zoneinfo.ZoneInfo("Europe/Amsterdam")


def with_gaps(values, seed):
    gaps = np.random.default_rng(seed).random(N_ROWS) < 0.1
    return [None if gap else value for value, gap in zip(values, gaps, strict=True)]


def make_table():
    """Columns of every type that CSV can store, with values that are easily rounded wrongly."""
    rng = np.random.default_rng(0)
    words = np.array(["Ärger", "zebra", "Zebra", "日本", "a b", "x,y", 'say "hi"', "🦉"])
    microseconds = rng.integers(-(10**15), 2 * 10**15, size=N_ROWS)
    naive = [datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=int(m)) for m in microseconds]
    aware = [moment.replace(tzinfo=datetime.UTC).astimezone(ZONE) for moment in naive]
    cents = [decimal.Decimal(int(c)).scaleb(-2) for c in rng.integers(-(10**14), 10**14, size=N_ROWS)]
    big = [decimal.Decimal(int(c)).scaleb(-3) * 10**9 for c in rng.integers(10**15, 10**18, size=N_ROWS)]
    columns = {
        "count": (rng.integers(-1000, 1000, size=N_ROWS), pa.int32()),
        "key": (rng.integers(2**53, 2**63 - 1, size=N_ROWS), pa.int64()),
        "nullable": (with_gaps(rng.integers(0, 2**60, size=N_ROWS).tolist(), 1), pa.int64()),
        "short": (with_gaps(rng.integers(-100, 100, size=N_ROWS).tolist(), 2), pa.int8()),
        "amount": (rng.normal(size=N_ROWS) * 10.0 ** rng.integers(-300, 300, size=N_ROWS), pa.float64()),
        "gaps": (with_gaps(rng.normal(size=N_ROWS).tolist(), 3), pa.float64()),
        "member": (rng.random(N_ROWS) < 0.5, pa.bool_()),
        "maybe": (with_gaps((rng.random(N_ROWS) < 0.5).tolist(), 4), pa.bool_()),
        "word": (words[rng.integers(0, 8, size=N_ROWS)].tolist(), pa.string()),
        "said": (with_gaps(words[rng.integers(0, 8, size=N_ROWS)].tolist(), 5), pa.string()),
        "kind": (with_gaps(words[rng.integers(0, 8, size=N_ROWS)].tolist(), 6), pa.dictionary(pa.int8(), pa.string())),
        "born": (with_gaps([moment.date() for moment in naive], 7), pa.date32()),
        "alarm": (with_gaps([moment.time().replace(microsecond=0) for moment in naive], 8), pa.time64("us")),
        "seen": (with_gaps(naive, 9), pa.timestamp("us")),
        "sent": (with_gaps(aware, 10), pa.timestamp("us", tz="Europe/Amsterdam")),
        "price": (with_gaps(cents, 11), pa.decimal128(20, 2)),
        "wealth": (with_gaps(big, 12), pa.decimal128(38, 3)),
        "nothing": ([None] * N_ROWS, pa.null()),
    }
    return pa.table({name: pa.array(values, kind) for name, (values, kind) in columns.items()})


ARROW = make_table()
OBJECTS = [list(row.values()) for row in ARROW.to_pylist()]
EXACT = as_table(ARROW)


def pandas_of_numpy():
    return ARROW.to_pandas()


def pandas_nullable():
    with np.errstate(invalid="ignore"):  # pandas 2.2 checks if NaN is an integer
        return ARROW.to_pandas().convert_dtypes().astype({"nothing": object})


def pandas_of_arrow():
    return ARROW.to_pandas(types_mapper=pd.ArrowDtype)


def pandas_of_objects():
    return pd.DataFrame(OBJECTS, columns=ARROW.column_names, dtype=object)


def polars_eager():
    return pl.from_arrow(ARROW)


def polars_lazy():
    return pl.from_arrow(ARROW).lazy()


def polars_of_nanoseconds():
    return pl.from_arrow(ARROW).with_columns(pl.col("seen", "sent").dt.cast_time_unit("ns"))


def pandas_of_nanoseconds():
    zoned = pd.DatetimeTZDtype("ns", ZONE)
    return ARROW.to_pandas().astype({"seen": "datetime64[ns]", "sent": zoned})


def arrow_chunks():
    return pa.concat_tables([ARROW.slice(start, 37) for start in range(0, N_ROWS, 37)])


def arrow_other_widths():
    """Return the same values in the widest or newest Arrow type."""
    wide = {"word": pa.large_string(), "price": pa.decimal256(60, 2), "born": pa.date64()}
    names = {"alarm": pa.time64("ns"), "seen": pa.timestamp("ns"), "kind": pa.large_string(), "count": pa.int64()}
    wide |= names
    table = ARROW.cast(pa.schema([(field.name, wide.get(field.name, field.type)) for field in ARROW.schema]))
    said = pa.array(table["said"].to_pylist(), pa.string_view())
    return table.set_column(table.schema.get_field_index("said"), "said", said)


def arrow_reader():
    return ARROW.to_reader(max_chunksize=50)


def arrow_dataset():
    return dataset.dataset(ARROW)


def batches():
    return (batch for batch in ARROW.to_batches(max_chunksize=50))


def tables_with_dictionaries_of_their_own():
    pieces = [ARROW.slice(0, 100), ARROW.slice(100)]
    place = ARROW.schema.get_field_index("word")
    return [piece.set_column(place, "word", piece["word"].combine_chunks().dictionary_encode()) for piece in pieces]


def rows():
    return OBJECTS


def array_of_objects():
    return np.array(OBJECTS, dtype=object)


FRAMES = [
    pandas_of_numpy,
    pandas_nullable,
    pandas_of_arrow,
    pandas_of_objects,
    pandas_of_nanoseconds,
    polars_eager,
    polars_lazy,
    polars_of_nanoseconds,
    arrow_chunks,
    arrow_other_widths,
    arrow_reader,
    arrow_dataset,
    batches,
    tables_with_dictionaries_of_their_own,
    rows,
    array_of_objects,
]


def assert_same_bits(column, exact):
    assert column.values.dtype == exact.values.dtype
    # The bit pattern of NaN has no meaning; the sign of 0 has
    assert np.array_equal(np.isnan(column.values), np.isnan(exact.values))
    np.testing.assert_array_equal(np.nan_to_num(column.values).view("u1"), np.nan_to_num(exact.values).view("u1"))
    assert (column.levels is None) == (exact.levels is None)
    if exact.levels is not None:
        assert column.levels.tolist() == exact.levels.tolist()


@pytest.mark.parametrize("hold", FRAMES, ids=lambda hold: hold.__name__)
def test_every_container_gives_the_same_bits(hold):
    table = as_table(hold())
    assert table.n_rows == N_ROWS
    for column, exact in zip(table.columns, EXACT.columns, strict=True):
        assert_same_bits(column, exact)
        assert column.conversion == exact.conversion


def nearest_floats(values):
    """Compute with Python, whose integer division and decimals round once."""
    return np.array([np.nan if value is None else float(value) for value in values])


@pytest.mark.parametrize("name", ["count", "key", "nullable", "short", "amount", "gaps", "price", "wealth"])
def test_numbers_are_the_nearest_floats(name):
    column = EXACT.columns[EXACT.names.index(name)]
    np.testing.assert_array_equal(column.values, nearest_floats(ARROW[name].to_pylist()))


@pytest.mark.parametrize("name", ["seen", "sent"])
def test_times_are_the_nearest_floats_of_their_seconds(name):
    column = EXACT.columns[EXACT.names.index(name)]
    microseconds = ARROW[name].cast(pa.int64()).to_pylist()
    exact = [None if value is None else value / 10**6 for value in microseconds]  # rounded once
    np.testing.assert_array_equal(column.values, nearest_floats(exact))


def test_conversions_are_recorded():
    notes = {column.name: column.conversion for column in EXACT.columns if column.conversion is not None}
    assert notes == {
        "born": Conversion.DATE,
        "alarm": Conversion.TIME,
        "seen": Conversion.DATE,
        "sent": Conversion.DATE,
        "price": Conversion.DECIMAL,
        "wealth": Conversion.DECIMAL,
    }
    taken = EXACT.take(np.arange(3)).select(["price", "born"])
    assert [column.conversion for column in taken.columns] == [Conversion.DECIMAL, Conversion.DATE]


@pytest.mark.parametrize("kind", ["i2", ">i4", "u8", "f4", "f8", ">f8", "f2", "?", "U3", "M8[ms]", "M8[ns]", "m8[us]"])
def test_arrays_and_frames_of_one_type_give_the_same_bits(kind):
    values = np.random.default_rng(0).integers(0, 200, size=(50, 2)).astype(np.int64).astype(kind)
    native = values.astype(values.dtype.newbyteorder("="))
    frames = [pd.DataFrame(native)]
    if kind != "f2":
        frames += [pl.from_numpy(native), pa.table([pa.array(column) for column in native.T], names=["a", "b"])]
    for frame in frames:
        for column, exact in zip(as_table(frame).columns, as_table(values).columns, strict=True):
            assert_same_bits(column, exact)
            assert column.conversion == exact.conversion


# CSV has no decimals; other types are inferred again, times of day if written without a fraction


def write_csv(path):
    plain = {"kind": pa.string(), "alarm": pa.time32("s")}
    csv.write_csv(
        ARROW.cast(pa.schema([(field.name, plain.get(field.name, field.type)) for field in ARROW.schema])), path
    )


def write_csv_with_pandas(path):
    ARROW.to_pandas().to_csv(path, index=False)


def write_csv_with_polars(path):
    pl.from_arrow(ARROW).write_csv(path, time_format="%H:%M:%S")


@pytest.mark.parametrize("write", [write_csv, write_csv_with_pandas, write_csv_with_polars], ids=lambda f: f.__name__)
def test_csv_gives_the_same_bits(write, tmp_path):
    write(tmp_path / "data.csv")
    table = as_table(read_table(tmp_path / "data.csv"))
    for column, exact in zip(table.columns, EXACT.columns, strict=True):
        assert_same_bits(column, exact)
        assert column.conversion == (None if exact.conversion == Conversion.DECIMAL else exact.conversion), column.name


@pytest.mark.parametrize("version", ["1.0", "2.6"])
def test_parquet_gives_the_same_bits(version, tmp_path):
    parquet.write_table(ARROW, tmp_path / "data.parquet", version=version, row_group_size=77)
    for column, exact in zip(as_table(read_table(tmp_path / "data.parquet")).columns, EXACT.columns, strict=True):
        assert_same_bits(column, exact)


def test_feather_gives_the_same_bits(tmp_path):
    feather.write_feather(ARROW, str(tmp_path / "data.feather"))
    for column, exact in zip(as_table(read_table(tmp_path / "data.feather")).columns, EXACT.columns, strict=True):
        assert_same_bits(column, exact)
