"""Every container of the same values gives the same table."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from minerva_select.data.frames import as_table, as_target
from minerva_select.data.loading import read_table

NAN = float("nan")
ROWS = [
    [1, 0.5, "NL", True, datetime.datetime(2024, 1, 1, 12), datetime.date(1970, 1, 2), datetime.timedelta(seconds=90)],
    [None, -2.25, "IT", False, None, datetime.date(1970, 1, 1), None],
    [3, None, None, None, datetime.datetime(1970, 1, 1, 0, 1, 0, 500_000), None, datetime.timedelta(days=1)],
    [1, 1e300, "NL", True, datetime.datetime(1969, 12, 31, 23, 59), datetime.date(2024, 1, 1), datetime.timedelta(0)],
]
NAMES = ["count", "amount", "country", "member", "seen", "born", "wait"]
BORN_2024 = 19_723 * 86_400.0  # days from 1970 to 2024: 54 years of 365 and 13 leap days
EXPECTED = {
    "count": ([1.0, NAN, 3.0, 1.0], None),
    "amount": ([0.5, -2.25, NAN, 1e300], None),
    "country": ([1, 0, -1, 1], ["IT", "NL"]),
    "member": ([1, 0, -1, 1], ["False", "True"]),
    "seen": ([BORN_2024 + 43_200, NAN, 60.5, -60.0], None),
    "born": ([86_400.0, 0.0, NAN, BORN_2024], None),
    "wait": ([90.0, NAN, 86_400.0, 0.0], None),
}
COLUMNS = {name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)}


def pandas_plain():
    return pd.DataFrame(COLUMNS)


def pandas_objects():
    return pd.DataFrame(COLUMNS, dtype=object, index=[9, 9, 7, 7])


def pandas_nullable():
    frame = pd.DataFrame(COLUMNS).astype({"count": "Int64", "amount": "Float64", "member": "boolean"})
    return frame.astype({"country": pd.CategoricalDtype(["unused", "NL", "IT"]), "seen": "datetime64[ns]"})


def pandas_arrow():
    schema = pa.Table.from_pydict(COLUMNS).schema
    return pd.DataFrame(
        {name: pd.Series(COLUMNS[name], dtype=pd.ArrowDtype(schema.field(name).type)) for name in NAMES}
    )


def polars_plain():
    return pl.DataFrame(COLUMNS, strict=False)


def polars_categories():
    return polars_plain().with_columns(pl.col("country").cast(pl.Categorical), pl.col("count").cast(pl.Int8))


def polars_enum_lazy():
    return polars_plain().lazy().with_columns(pl.col("country").cast(pl.Enum(["NL", "unused", "IT"])))


def arrow_plain():
    return pa.Table.from_pydict(COLUMNS)


def arrow_chunks():
    """Chunks with different dictionaries."""
    table = arrow_plain()
    place = table.schema.get_field_index("country")
    parts = [table.slice(0, 2), table.slice(2)]
    return pa.concat_tables(
        [part.set_column(place, "country", part["country"].combine_chunks().dictionary_encode()) for part in parts]
    )


def arrow_batch():
    return arrow_plain().to_batches()[0]


def arrow_reader():
    return arrow_plain().to_reader()


FRAMES = [
    pandas_plain,
    pandas_objects,
    pandas_nullable,
    pandas_arrow,
    polars_plain,
    polars_categories,
    polars_enum_lazy,
    arrow_plain,
    arrow_chunks,
    arrow_batch,
    arrow_reader,
]


def lists():
    return ROWS


def object_array():
    return np.array(ROWS, dtype=object)


ARRAYS = [lists, object_array]


def check_column(column, values, levels):
    np.testing.assert_array_equal(column.values, values)
    if levels is None:
        assert column.levels is None
        assert column.values.dtype == np.float64
    else:
        assert column.levels.tolist() == levels
        assert column.values.dtype.kind == "i"


@pytest.mark.parametrize("source", [*FRAMES, *ARRAYS], ids=lambda source: source.__name__)
def test_every_source_gives_the_same_table(source):
    table = as_table(source())
    assert table.names == (tuple(NAMES) if source in FRAMES else tuple(f"x{i}" for i in range(len(NAMES))))
    assert table.n_rows == len(ROWS)
    for column, (values, levels) in zip(table.columns, EXPECTED.values(), strict=True):
        check_column(column, values, levels)


def write_csv(path):
    path = path.with_suffix(".csv")
    csv.write_csv(arrow_plain().drop_columns(["seen", "wait"]), path)
    return path


def write_tsv(path):
    path = path.with_suffix(".tsv")
    pandas_plain().drop(columns=["seen", "wait"]).to_csv(path, sep="\t", index=False)
    return path


def write_packed_csv(path):
    path = path.with_suffix(".csv.gz")
    pandas_plain().drop(columns=["seen", "wait"]).to_csv(path, sep=";", index=False)
    return path


def write_parquet(path):
    path = path.with_suffix(".parquet")
    parquet.write_table(arrow_plain(), path)
    return path


def write_feather(path):
    path = path.with_suffix(".feather")
    feather.write_feather(arrow_plain(), str(path))
    return path


def write_stream(path):
    path = path.with_suffix(".arrow")
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, arrow_plain().schema) as writer:
        writer.write_table(arrow_plain())
    return path


def write_folder(path):
    path.mkdir()
    parquet.write_table(arrow_plain().slice(0, 2), path / "0.parquet")
    parquet.write_table(arrow_plain().slice(2), path / "1.parquet")
    (path / "_SUCCESS").write_text("")
    return path


def write_pattern(path):
    write_folder(path)
    return str(path / "*.parquet")


WRITERS = [
    write_csv,
    write_tsv,
    write_packed_csv,
    write_parquet,
    write_feather,
    write_stream,
    write_folder,
    write_pattern,
]


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_every_file_gives_the_same_table(write, tmp_path):
    table = as_table(read_table(write(tmp_path / "data")))
    assert table.n_rows == len(ROWS)
    assert set(table.names) >= {"count", "amount", "country", "member", "born"}
    for column in table.columns:
        check_column(column, *EXPECTED[column.name])


TEXT, AMOUNTS = ["b", "a", "b"], [1.5, 2.5, 3.5]
TARGETS = {
    "list": (TEXT, "y"),
    "tuple": (tuple(TEXT), "y"),
    "array": (np.array(TEXT), "y"),
    "object array": (np.array(TEXT, dtype=object), "y"),
    "array of one column": (np.array(TEXT)[:, None], "y"),
    "nameless pandas series": (pd.Series(TEXT, index=[5, 5, 5]), "y"),
    "pandas series": (pd.Series(TEXT, name="label"), "label"),
    "pandas series with a number for a name": (pd.Series(TEXT, name=0), "0"),
    "pandas categories": (pd.Series(TEXT, name="label", dtype="category"), "label"),
    "pandas frame": (pd.DataFrame({"label": TEXT}), "label"),
    "nameless polars series": (pl.Series(TEXT), "y"),
    "polars series": (pl.Series("label", TEXT), "label"),
    "polars frame": (pl.DataFrame({"label": TEXT}), "label"),
    "arrow array": (pa.array(TEXT), "y"),
    "arrow chunks": (pa.chunked_array([TEXT[:1], TEXT[1:]]), "y"),
    "arrow table": (pa.table({"label": TEXT}), "label"),
}


@pytest.mark.parametrize(("y", "name"), TARGETS.values(), ids=TARGETS.keys())
def test_every_target_gives_the_same_column(y, name):
    target = as_target(y, n_rows=3)
    assert target.names == (name,)
    check_column(target.columns[0], [1, 0, 1], ["a", "b"])


SEVERAL = {
    "array": (np.array([AMOUNTS, [1, 2, 2]]).T, ("y0", "y1")),
    "rows of arrays": ([np.array([1.5, 1]), np.array([2.5, 2]), np.array([3.5, 2])], ("y0", "y1")),
    "lists": ([[1.5, 1], [2.5, 2], [3.5, 2]], ("y0", "y1")),
    "pandas": (pd.DataFrame({"a": AMOUNTS, "b": [1, 2, 2]}), ("a", "b")),
    "polars": (pl.DataFrame({"a": AMOUNTS, "b": [1, 2, 2]}), ("a", "b")),
    "arrow": (pa.table({"a": AMOUNTS, "b": [1, 2, 2]}), ("a", "b")),
}


@pytest.mark.parametrize(("y", "names"), SEVERAL.values(), ids=SEVERAL.keys())
def test_targets_of_several_columns_keep_them_all(y, names):
    target = as_target(y, n_rows=3)
    assert target.names == names
    check_column(target.columns[0], AMOUNTS, None)
    check_column(target.columns[1], [1.0, 2.0, 2.0], None)


DECIMALS = [decimal.Decimal("1.5"), None, decimal.Decimal("-2.0")]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"price": DECIMALS}),
        pl.DataFrame({"price": DECIMALS}),
        pa.table({"price": DECIMALS}),
        [[value] for value in DECIMALS],
    ],
    ids=["pandas", "polars", "arrow", "lists"],
)
def test_decimals_are_numbers(frame):
    check_column(as_table(frame).columns[0], [1.5, NAN, -2.0], None)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [None, None]}),
        pd.DataFrame({"a": pd.Series([None, None], dtype="string")}),
        pd.DataFrame({"a": pd.Categorical([None, None], categories=["x"])}),
        pl.DataFrame({"a": [None, None]}),
        pl.DataFrame({"a": pl.Series([None, None], dtype=pl.String)}),
        pa.table({"a": pa.nulls(2)}),
        pa.table({"a": pa.nulls(2, pa.string())}),
        [[None], [None]],
        np.array([[NAN], [None]], dtype=object),
    ],
    ids=["pandas", "pandas text", "pandas categories", "polars", "polars text", "arrow", "arrow text", "list", "array"],
)
def test_a_column_of_only_missing_values_is_numeric(frame):
    check_column(as_table(frame).columns[0], [NAN, NAN], None)
