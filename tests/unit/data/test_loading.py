import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from minerva_select import open_source
from minerva_select.data.file_discovery import find_files
from minerva_select.data.frames import as_table
from minerva_select.data.loading import open_within, read_table
from minerva_select.data.memory_budget import MemoryBudget, is_source, load_or_stream
from minerva_select.errors import InputError


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_detected(tmp_path, separator):
    path = tmp_path / "a.csv"
    path.write_text(f'name{separator}size\n"x, y; z | w"{separator}3\nplain{separator}4\n')
    assert read_table(path).to_pydict() == {"name": ["x, y; z | w", "plain"], "size": [3, 4]}


def test_decimal_commas_do_not_hide_a_semicolon(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a;b\n1,5;2,5\n3,5;4,5\n")
    assert read_table(path).column_names == ["a", "b"]


def test_a_single_column_is_a_table(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("size\n3\n4\n")
    assert read_table(path).to_pydict() == {"size": [3, 4]}


def test_a_byte_order_mark_is_ignored(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("size,b\n3,4\n", encoding="utf-8-sig")
    assert read_table(path).column_names == ["size", "b"]


def test_empty_fields_are_missing_and_quoted_ones_are_not(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a,b,c\n1,,""\n,y,z\n')
    assert read_table(path).to_pydict() == {"a": [1, None], "b": [None, "y"], "c": ["", "z"]}


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_late_text_makes_a_numeric_column_text(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    text = "a,b\n" + "1,2\n" * 400_000 + "one,2.5\n"  # after the first block of 1 MB
    with gzip.open(path, "wt") if suffix == ".csv.gz" else path.open("w") as file:
        file.write(text)
    table = as_table(read_table(path))
    assert table.columns[0].levels.tolist() == ["1", "one"]
    assert table.columns[1].values[-1] == 2.5


def test_a_quoted_field_may_span_lines_across_blocks(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + '"one\ntwo\nthree\nfour\nfive\nsix",1\n' * 60_000)  # a block of 1 MB ends within one
    table = read_table(path)
    assert table.num_rows == 60_000
    assert set(table["a"].to_pylist()) == {"one\ntwo\nthree\nfour\nfive\nsix"}


def test_partition_folders_are_columns(tmp_path):
    for year in (2023, 2024):
        (tmp_path / f"year={year}").mkdir()
        parquet.write_table(pa.table({"a": [year + 0.5]}), tmp_path / f"year={year}" / "part.parquet")
    assert read_table(tmp_path).to_pydict() == {"a": [2023.5, 2024.5], "year": [2023, 2024]}


def test_parquet_files_with_different_columns_are_joined(tmp_path):
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "0.parquet")
    parquet.write_table(pa.table({"a": [1.5], "b": ["x"]}), tmp_path / "1.parquet")
    assert read_table(tmp_path).to_pydict() == {"a": [1.0, 1.5], "b": [None, "x"]}


def test_categories_survive_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"size": pd.Categorical(["S", "L", None])}).to_parquet(path)
    column = as_table(read_table(path)).columns[0]
    assert (column.levels.tolist(), column.values.tolist()) == (["L", "S"], [1, 0, -1])


def test_a_pattern_that_matches_one_file_reads_it(tmp_path):
    (tmp_path / "only.csv").write_text("a,b\n1,2\n")
    assert read_table(tmp_path / "*.csv").column_names == ["a", "b"]


def test_a_missing_file_is_reported_with_the_nearest_name(tmp_path):
    (tmp_path / "sales.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match=r"no file '.*sale\.csv'; did you mean '.*sales\.csv'\?"):
        read_table(tmp_path / "sale.csv")
    with pytest.raises(InputError, match=r"no file '.*zzzzzz'"):
        read_table(tmp_path / "zzzzzz")
    with pytest.raises(InputError, match=r"no folder '.*nowhere'"):
        read_table(tmp_path / "nowhere" / "sales.csv")


def write(path, content):
    path.write_bytes(content)
    return path


BAD_FILES = {
    "empty": ("a.csv", b"", r"a\.csv' is empty"),
    "empty parquet": ("a.parquet", b"", r"a\.parquet' is empty"),
    "unknown": ("a.xlsx", b"PK", r"a\.xlsx' .*unknown type.*\.csv, .*\.parquet"),
    "packed unknown": ("a.parquet.gz", b"PK", "unknown type"),
    "image": ("a.csv", b"\x89PNG\r\n\x1a\n\x00\x00", r"a\.csv' .*binary"),
    "latin": ("a.csv", "a,b\ncafé,1\n".encode("latin-1"), r"a\.csv' .*not UTF-8"),
    "late latin": ("a.csv", b"a,b\n" + b"x,1\n" * 20_000 + b"caf\xe9,1\n", r"Column 'a' of '.*a\.csv' is not UTF-8"),
    "title before the header": ("a.csv", b"Report\na,b\n1,2\n", r"a\.csv' cannot be read as CSV: .*Expected 1 col"),
    "total after the rows": ("a.csv", b"a,b\n1,2\n3,4\nTotal\n", r"cannot be read as CSV: .*Expected 2 columns, got 1"),
    "blank": ("a.csv", b"\n\n", r"a\.csv' cannot be read as CSV: .*Empty CSV file"),
    "not packed": ("a.csv.gz", b"a,b\n1,2\n", r"a\.csv\.gz' cannot be read as CSV: Not a gzipped file"),
    "packed in part": ("a.csv.gz", gzip.compress(b"a,b\n" * 100)[:-20], r"a\.csv\.gz' cannot be read as CSV"),
    "not parquet": ("a.parquet", b"a,b\n1,2\n" * 10, r"a\.parquet' cannot be read as Parquet: "),
    "not arrow": ("a.feather", b"a,b\n1,2\n" * 10, r"a\.feather' cannot be read as Feather or Arrow: "),
}


@pytest.mark.parametrize(("name", "content", "message"), BAD_FILES.values(), ids=BAD_FILES.keys())
def test_bad_files_are_refused_in_one_sentence(tmp_path, name, content, message):
    with pytest.raises(InputError, match=message) as caught:
        read_table(write(tmp_path / name, content))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_one_bad_file_in_a_folder_is_named(tmp_path):
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "0.parquet")
    write(tmp_path / "1.parquet", b"nothing of the kind")
    with pytest.raises(InputError, match=r"cannot be read as Parquet: .*1\.parquet"):
        read_table(tmp_path)


def test_a_folder_without_parquet_is_refused(tmp_path):
    with pytest.raises(InputError, match="no Parquet files"):
        read_table(tmp_path)


def test_a_pattern_without_a_match_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"No file matches '.*\*\.parquet'"):
        read_table(tmp_path / "*.parquet")


def test_several_csv_files_at_once_are_refused(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"\*\.csv' matches .*Parquet"):
        read_table(str(tmp_path / "*.csv"))


def test_a_header_without_rows_is_an_empty_table(tmp_path):
    path = write(tmp_path / "a.csv", b"a,b\n")
    with pytest.raises(InputError, match=r"0 sample\(s\) \(shape=\(0, 2\)\)"):
        as_table(read_table(path))


def test_repeated_names_in_a_header_are_refused(tmp_path):
    path = write(tmp_path / "a.csv", b"a,a\n1,2\n")
    with pytest.raises(InputError, match="'a' occurs more than once"):
        as_table(read_table(path))


def test_a_table_survives_a_round_trip(tmp_path):
    values = np.random.default_rng(0).normal(size=100)
    path = tmp_path / "a.csv"
    pd.DataFrame({"a": values}).to_csv(path, index=False)
    np.testing.assert_array_equal(as_table(read_table(path)).columns[0].values, values)


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
@pytest.mark.parametrize(("n_bytes", "fits"), [(10**9, True), (1 << 10, False)])
def test_the_memory_decision_is_kept_whatever_the_later_budget(tmp_path, name, n_bytes, fits):
    table = pa.table({"a": range(100), "b": range(100)})
    write = csv.write_csv if name == "rows.csv" else parquet.write_table
    write(table, tmp_path / name)
    source = open_within(find_files(tmp_path / name), MemoryBudget(n_bytes), tmp_path / "cache")
    assert source.fits_in_memory is fits
    other_budget = MemoryBudget(1 << 10 if fits else 10**9)
    loaded = load_or_stream(source.select(["a"]), other_budget)
    assert is_source(loaded) is not fits
    assert (loaded.read() if is_source(loaded) else loaded).to_pydict() == {"a": [*range(100)]}


def test_a_source_without_a_decision_is_read_if_it_fits():
    source = open_source(pa.table({"a": [1, 2]}))
    assert is_source(load_or_stream(source, MemoryBudget(10)))
    assert load_or_stream(source, MemoryBudget(10**6)).to_pydict() == {"a": [1, 2]}
