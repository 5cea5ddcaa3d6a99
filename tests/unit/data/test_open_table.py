import datetime
import errno
import gc
import gzip
import itertools
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv
from pyarrow import dataset, feather, parquet

from minerva_select import open_source
from minerva_select.data import csv_files, parquet_files
from minerva_select.data.loading import read_table
from minerva_select.errors import InputError, InputTypeError, MissingPackageError

N_ROWS = 103
ROWS = pa.table(
    {
        "count": pa.array(range(N_ROWS), pa.int64()),
        "amount": pa.array([None if i % 7 == 0 else i / 4 for i in range(N_ROWS)], pa.float64()),
        "country": pa.array([None if i % 5 == 0 else f"C{i % 3}" for i in range(N_ROWS)], pa.string()),
    }
)


def write_parquet(path):
    parquet.write_table(ROWS, path / "a.parquet", row_group_size=10)
    return path / "a.parquet"


def write_folder(path):
    parquet.write_table(ROWS.slice(0, 40), path / "0.parquet", row_group_size=7)
    parquet.write_table(ROWS.slice(40), path / "1.parquet")
    return path


def write_pattern(path):
    return str(write_folder(path) / "*.parquet")


def write_csv(path):
    arrow_csv.write_csv(ROWS, path / "a.csv")
    return path / "a.csv"


def write_packed_csv(path):
    (path / "a.csv.gz").write_bytes(gzip.compress(write_csv(path).read_bytes()))
    return str(path / "a.csv.gz")


def write_feather(path):
    feather.write_feather(ROWS, str(path / "a.feather"), chunksize=9)
    return path / "a.feather"


def write_stream(path):
    with pa.OSFile(str(path / "a.arrow"), "wb") as sink, pa.ipc.new_stream(sink, ROWS.schema) as writer:
        writer.write_table(ROWS, max_chunksize=11)
    return path / "a.arrow"


def write_memory_store(path):
    fsspec = pytest.importorskip("fsspec")
    address = f"memory://{path.name}/a.parquet"
    with fsspec.open(address, "wb") as file:
        parquet.write_table(ROWS, file, row_group_size=10)
    return address


ORIGINS = {
    "parquet": write_parquet,
    "folder": write_folder,
    "pattern": write_pattern,
    "csv": write_csv,
    "packed csv": write_packed_csv,
    "feather": write_feather,
    "stream": write_stream,
    "address": write_memory_store,
    "arrow table": lambda _: ROWS,
    "record batch": lambda _: ROWS.combine_chunks().to_batches()[0],
    "reader": lambda _: ROWS.to_reader(max_chunksize=8),
    "generator": lambda _: (batch for batch in ROWS.to_batches(max_chunksize=13)),
    "list of batches": lambda _: ROWS.to_batches(max_chunksize=13),
    "dataset": lambda path: dataset.dataset(write_folder(path), format="parquet"),
    "filtered dataset": lambda path: dataset.dataset(write_folder(path)).filter(dataset.field("count") >= 0),
    "dataset in memory": lambda _: dataset.dataset(ROWS),
    "pandas": lambda _: ROWS.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda _: pl.from_arrow(ROWS),
    "lazy polars": lambda _: pl.from_arrow(ROWS).lazy(),
}


@pytest.mark.parametrize("make", ORIGINS.values(), ids=ORIGINS.keys())
def test_every_input_gives_the_same_rows(make, tmp_path):
    with open_source(make(tmp_path)) as source:
        assert (source.names, source.n_rows, source.first_row) == (("count", "amount", "country"), N_ROWS, 0)
        for _ in range(2):  # can be read again
            blocks = list(source.blocks(25))
            assert [block.num_rows for block in blocks] == [25, 25, 25, 25, 3]
            assert pa.concat_tables(blocks, promote_options="permissive").to_pylist() == ROWS.to_pylist()
        some = source.select(["country", "count"])
        assert next(some.blocks(2)).to_pydict() == {"country": [None, "C1"], "count": [0, 1]}
        # Eight bytes per number and at most one validity bit each; text is estimated from a sample, here all rows
        assert abs(source.nbytes - ROWS.nbytes) < 0.5 * ROWS.nbytes
        assert source.read().to_pylist() == ROWS.to_pylist()


@pytest.mark.parametrize("make", ORIGINS.values(), ids=ORIGINS.keys())
def test_parts_are_contiguous_disjoint_and_complete(make, tmp_path):
    with open_source(make(tmp_path)) as source:
        for size in (1, 2, 3, 30):
            parts = [source.part(rank, size) for rank in range(size)]
            rows = [[row for block in part.blocks(20) for row in block["count"].to_pylist()] for part in parts]
            assert list(itertools.chain(*rows)) == list(range(N_ROWS))
            assert [part.first_row for part in parts] == [row[0] for row in rows]
            assert [part.n_rows for part in parts] == [len(row) for row in rows]


def test_parts_have_whole_row_groups_if_there_are_enough(tmp_path):
    source = open_source(write_parquet(tmp_path))  # 11 groups of 10 rows
    assert [source.part(rank, 2).first_row for rank in range(2)] == [0, 50]  # the middle is 51
    assert [source.part(rank, 3).first_row for rank in range(3)] == [0, 34, 68]  # 12 groups would be enough


def test_parts_of_parts_count_rows_from_the_whole(tmp_path):
    half = open_source(write_parquet(tmp_path)).part(1, 2)
    quarter = half.part(1, 2)
    assert (half.first_row, half.n_rows, quarter.first_row, quarter.n_rows) == (50, 53, 76, 27)
    assert next(quarter.select(["count"]).blocks(1))["count"].to_pylist() == [76]


def test_one_large_row_group_is_split(tmp_path):
    with parquet.ParquetWriter(tmp_path / "a.parquet", ROWS.schema) as writer:
        writer.write_table(ROWS.slice(0, 90))
        writer.write_table(ROWS.slice(90), row_group_size=1)
    source = open_source(tmp_path / "a.parquet")
    assert [source.part(rank, 2).n_rows for rank in range(2)] == [51, 52]


def test_columns_that_are_not_selected_are_not_decoded(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"bad": ["x" * 50 + str(i) for i in range(1000)], "good": range(1000)})
    parquet.write_table(table, path, compression="gzip", use_dictionary=False)
    column = parquet.ParquetFile(path).metadata.row_group(0).column(0)
    content = bytearray(path.read_bytes())
    middle = column.data_page_offset + column.total_compressed_size // 2
    content[middle : middle + 50] = b"\xff" * 50
    path.write_bytes(content)
    source = open_source(path)
    assert sum(block.num_rows for block in source.select(["good"]).blocks()) == 1000
    with pytest.raises(InputError, match=r"a\.parquet' cannot be read as Parquet: row group 0, column 'bad': "):
        list(source.blocks())


@pytest.mark.parametrize(("rank", "size"), [(2, 2), (-1, 2), (0, 0)])
def test_a_part_that_does_not_exist_is_refused(rank, size):
    with pytest.raises(InputError, match="The part must be one of"):
        open_source(ROWS).part(rank, size)


def test_an_unknown_column_is_reported_with_the_nearest_name():
    with pytest.raises(InputError, match="There is no column 'amout'; did you mean 'amount'"):
        open_source(ROWS).select(["amout"])


# Types


MIXED_COLUMNS = {
    "integers, then fractions": ["1", "2.5"],
    "integers, then text": ["1", "one"],
    "zeros and ones, then Booleans": ["0", "true"],
    "integers, then Booleans": ["2", "true"],
    "padded zeros, then Booleans": ["01", "true"],
    "Booleans, then fractions": ["true", "2.5"],
    "missing, then integers": ["", "7"],
    "missing, then dates": ["NA", "2024-02-29"],
    "dates, then times of a day": ["2024-02-29", "2024-02-29 10:00:00"],
    "dates, then parts of a second": ["2024-02-29", "2024-02-29 10:00:00.25"],
    "dates, then zones": ["2024-02-29", "2024-02-29T10:00:00Z"],
    "zones, then parts of a second": ["2024-02-29T10:00:00Z", "2024-02-29T10:00:00.5Z"],
    "dates, then text": ["2024-02-29", "never"],
    "dates, then integers": ["2024-02-29", "20240229"],
    "times, then dates": ["10:00", "2024-02-29"],
    "hexadecimals, then fractions": ["0x1F", "2.5"],
    "small, then huge integers": ["1", "99999999999999999999"],
    "far dates, then parts of a second": ["2900-01-01", "2024-02-29 10:00:00.25"],
    "quoted, then missing": ['""', ""],
}


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
@pytest.mark.parametrize("order", [1, -1])
def test_csv_types_fit_the_whole_file(tmp_path, monkeypatch, suffix, order):
    monkeypatch.setattr(csv_files, "_BLOCK_BYTES", 2_000)  # about 15 rows, so that the last rows are in later blocks
    columns = [[first] * 100 + [last] * 100 for first, last in MIXED_COLUMNS.values()]
    lines = [",".join(str(i) for i in range(len(columns))), *(map(",".join, zip(*columns, strict=True)))]
    text = "\n".join([lines[0], *lines[1:][::order]]) + "\n"
    path = tmp_path / f"a{suffix}"
    path.write_bytes(gzip.compress(text.encode()) if suffix == ".csv.gz" else text.encode())
    source, table = open_source(path), read_table(path)
    assert source.schema.types == table.schema.types
    assert pa.concat_tables(source.blocks(64)).equals(table)


def test_csv_newlines_quotes_and_byte_order_mark_survive_the_copy(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a;b\n"one\ntwo";1\n"say ""hi""; there";\n', encoding="utf-8-sig")
    assert open_source(path).read().to_pydict() == {"a": ["one\ntwo", 'say "hi"; there'], "b": [1, None]}


def test_files_with_different_columns_and_types_are_joined(tmp_path):
    parquet.write_table(
        pa.table({"a": pa.array([2**60], pa.int64()), "t": pa.array([None], pa.null())}), tmp_path / "0.pq"
    )
    parquet.write_table(pa.table({"a": pa.array([1.5], pa.float32()), "t": ["x"], "b": [True]}), tmp_path / "1.pq")
    source = open_source(tmp_path)
    assert source.schema.types == [pa.float64(), pa.string(), pa.bool_()]
    assert source.read().to_pydict() == {"a": [2.0**60, 1.5], "t": [None, "x"], "b": [None, True]}


def test_a_dictionary_column_may_be_text_in_another_file(tmp_path):
    parquet.write_table(pa.table({"a": pa.array(["x", "y"]).dictionary_encode()}), tmp_path / "0.parquet")
    parquet.write_table(pa.table({"a": ["z"]}), tmp_path / "1.parquet")
    assert open_source(tmp_path).read().to_pydict() == {"a": ["x", "y", "z"]}


def test_a_column_that_is_text_in_one_file_and_a_number_in_another_is_refused(tmp_path):
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "0.parquet")
    parquet.write_table(pa.table({"a": ["1"]}), tmp_path / "1.parquet")
    message = r"^Column 'a' is int64 in '.*0\.parquet' and string in '.*1\.parquet'"
    for read in (open_source, read_table):
        with pytest.raises(InputError, match=message):
            read(tmp_path)


def test_partition_columns_can_be_read_alone(tmp_path):
    for year in ("2023", "2024", "__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / f"year={year}").mkdir()
        parquet.write_table(pa.table({"a": [1, 2]}), tmp_path / f"year={year}" / "part.parquet")
    (tmp_path / "_log").mkdir()
    (tmp_path / "_log" / "0.parquet").write_bytes(b"no table")
    source = open_source(tmp_path)
    assert source.names == ("a", "year")
    assert source.select(["year"]).read()["year"].to_pylist() == [2023, 2023, 2024, 2024, None, None]
    given = open_source(dataset.dataset(tmp_path, format="parquet", partitioning="hive"))
    assert given.read().to_pydict() == source.read().to_pydict()


def test_blocks_have_one_dictionary(tmp_path):
    batches = [pa.table({"a": pa.array(values).dictionary_encode()}) for values in (["x", "y"], ["z", "x"], ["z"])]
    (block,) = open_source(iter(batches)).blocks()
    assert block["a"].combine_chunks().to_pylist() == ["x", "y", "z", "x", "z"]


@pytest.mark.parametrize("pack", [lambda table: table, pa.Table.to_batches, pa.Table.to_reader])
def test_a_non_nullable_column_may_have_nulls(pack):
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False)])
    with open_source(pack(pa.Table.from_arrays([pa.array([1, None, 3])], schema=schema))) as source:
        assert source.read()["a"].to_pylist() == [1, None, 3]


def test_pandas_columns_of_several_types_are_text():
    frame = pd.DataFrame(
        {0: [1, "a", None], "when": [datetime.date(2024, 2, 29), None, None], "size": [1.0, np.nan, 2]}
    )
    source = open_source(frame)
    assert source.schema.types == [pa.string(), pa.date32(), pa.float64()]
    assert source.read().to_pydict() == {
        "0": ["1", "a", None],
        "when": [datetime.date(2024, 2, 29), None, None],
        "size": [1.0, None, 2.0],
    }


def test_rows_without_columns_are_refused(tmp_path):
    path = tmp_path / "rows.feather"
    with pa.ipc.new_file(path, pa.schema([])) as writer:
        writer.write_batch(pa.record_batch({"a": [1, 2]}).select([]))
    with pytest.raises(InputError, match="no columns"):
        open_source(path)


def test_arrays_have_numbered_columns():
    assert open_source(np.array([[1.0, 2.0], [3.0, 4.0]])).read().to_pydict() == {"x0": [1.0, 3.0], "x1": [2.0, 4.0]}


# Copies


def test_a_copy_is_private_and_removed_with_its_last_source(tmp_path):
    part = open_source(write_csv(tmp_path)).select(["count"]).part(0, 2)
    folder = part.staging.folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sum(block.num_rows for block in part.blocks()) == 51
    del part
    gc.collect()
    assert not folder.exists()


def test_a_closed_source_cannot_be_read(tmp_path):
    with open_source(write_csv(tmp_path)) as source:
        pass
    assert not source.staging.folder.exists()
    with pytest.raises(InputError, match=r"a\.csv' is closed; open it again"):
        source.blocks()


def test_a_copy_in_a_given_folder_is_reused_until_the_file_changes(tmp_path):
    path, folder = write_csv(tmp_path), tmp_path / "copies"
    with open_source(path, folder=folder) as source:
        first = source.fingerprint
    (copy,) = folder.iterdir()
    written = copy.stat().st_mtime_ns
    with open_source(path, folder=folder) as source:
        assert source.fingerprint == first
        assert source.n_rows == N_ROWS
    assert copy.stat().st_mtime_ns == written
    path.write_text("count\n1\n2\n")
    with open_source(path, folder=folder) as source:
        assert (source.n_rows, source.fingerprint != first) == (2, True)


@pytest.mark.parametrize("origin", ["parquet", "folder", "csv", "feather", "generator", "pandas", "polars"])
def test_equal_rows_have_equal_fingerprints(origin, tmp_path):
    source = open_source(ORIGINS[origin](tmp_path))
    prints = {source.fingerprint, source.part(0, 2).fingerprint, source.select(["count"]).fingerprint}
    assert len(prints) == 3
    assert source.fingerprint == source.select(source.names).part(0, 1).fingerprint


def test_different_rows_have_different_fingerprints():
    other = ROWS.set_column(0, "count", pa.array([*range(N_ROWS - 1), 0]))
    assert open_source(iter(ROWS.to_batches())).fingerprint == open_source(ROWS).fingerprint
    assert open_source(other).fingerprint != open_source(ROWS).fingerprint


# Bad input


def one_sentence(error):
    text = str(error.value)
    return "\n" not in text and text.endswith((".", "?")) and len(text) < 400 and text.count(". ") == 0


def cut(path, share=0.5):
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    return path


BAD_CSV = {
    "ragged": (
        'a,b\n1,2\n"x\ny",4\nTotal\n',
        r"a\.csv' cannot be read as CSV: line 5: Expected 2 columns, got 1",
    ),
    "open quote": ('a,b\n1,2\n"x,4\n5,6\n', r"a\.csv' cannot be read as CSV: line 3: Expected 2 columns, got 1"),
    "long row": (
        'a,b\n1,2\n"' + "x,4\n" * 3_000_000,
        "row is longer than 4 MB",
    ),
    "late latin": ("a,b\n" + "x,1\n" * 20_000 + "caf\xe9,1\n", r"not UTF-8 text \(byte 80,007, line 20,002\); save"),
    "latin": ("a,b\ncaf\xe9,1\n", r"not UTF-8 \(byte 7, line 2\); save"),
    "binary": ("a,b\n1,\0\n", r"binary.*\(byte 6, line 2\)"),
    "header only": ("a,b\n", r"a\.csv' has columns but no rows"),
    "repeated names": ("a,a\n1,2\n", "The column name 'a' occurs more than once"),
    "blank": ("\n\n", "cannot be read as CSV: .*Empty CSV file"),
    "empty": ("", r"a\.csv' is empty"),
}


@pytest.mark.parametrize(("text", "message"), BAD_CSV.values(), ids=BAD_CSV.keys())
@pytest.mark.parametrize("packed", [False, True])
def test_bad_csv_is_refused_with_its_position(tmp_path, text, message, packed):
    content = text.encode("latin-1")
    path = tmp_path / ("a.csv.gz" if packed and text else "a.csv")
    path.write_bytes(gzip.compress(content) if packed and text else content)
    with pytest.raises(InputError, match=message.replace("csv'", r"csv(\.gz)?'")) as caught:
        open_source(path)
    assert one_sentence(caught)


def test_a_late_bad_byte_is_located_when_types_widen(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_files, "_BLOCK_BYTES", 1_000)
    (tmp_path / "a.csv").write_bytes(b"a,b\n" + b"x,1\n" * 20_000 + b"y,z\n" * 1_000 + b"caf\xe9,1\n")
    with pytest.raises(InputError, match=r"a\.csv' is not UTF-8 text \(byte 84,007, line 21,002\); save") as caught:
        open_source(tmp_path / "a.csv")
    assert one_sentence(caught)


def test_a_truncated_gzip_file_is_refused(tmp_path):
    path = cut(tmp_path / Path(write_packed_csv(tmp_path)).name, 0.9)
    with pytest.raises(InputError, match=r"a\.csv\.gz' cannot be read as CSV: ") as caught:
        open_source(path)
    assert one_sentence(caught)


@pytest.mark.parametrize("write", [write_parquet, write_feather, write_stream])
def test_a_truncated_file_is_refused(tmp_path, write):
    path = cut(write(tmp_path))
    with pytest.raises(InputError, match=rf"{path.name}' cannot be read as ") as caught:
        open_source(path)
    assert one_sentence(caught)


@pytest.mark.parametrize("write", [write_parquet, write_feather])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cut, r"a\.\w+' changed from [\d,]+ to [\d,]+ bytes"),
        (Path.unlink, r"a\.\w+' was removed"),
        (lambda path: os.utime(path, ns=(0, 0)), r"a\.\w+' was replaced"),
    ],
)
def test_a_file_that_changes_between_blocks_is_refused(tmp_path, write, change, message):
    path = write(tmp_path)
    source = open_source(path)
    blocks = source.blocks(10)
    next(blocks)
    change(path)
    with pytest.raises(InputError, match=message) as caught:
        list(blocks)
    assert one_sentence(caught)
    with pytest.raises(InputError, match=message):
        next(source.blocks(10))


def test_a_full_disk_leaves_no_files(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(parquet.ParquetWriter, "write_table", fail)
    folder = tmp_path / "copies"
    with pytest.raises(InputError, match=r"copies' is full") as caught:
        open_source(write_csv(tmp_path), folder=folder)
    assert one_sentence(caught)
    assert list(folder.iterdir()) == []
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with pytest.raises(InputError, match="is full"):
        open_source(ROWS.to_reader())
    gc.collect()
    assert list(folder.iterdir()) == []


def test_batches_that_change_are_refused():
    first = pa.record_batch({"a": [1], "b": [2]})
    with pytest.raises(InputError, match="Batch 1 of the stream has other columns than the first"):
        open_source(iter([first, pa.record_batch({"a": [1]})]))
    with pytest.raises(InputError, match="Column 'b' is int64 in the first batch of the stream and string in batch 1"):
        open_source(iter([first, pa.record_batch({"a": [1], "b": ["x"]})]))
    with pytest.raises(InputTypeError, match="Item 1 of the stream has type int"):
        open_source(iter([first, 3]))


def test_a_stream_that_fails_names_the_batch():
    def break_down():
        yield pa.record_batch({"a": [1]})
        raise pa.ArrowInvalid("The line is dead. Call again.")

    with pytest.raises(InputError, match=r"^Batch 1 of the stream cannot be read: The line is dead\.$"):
        open_source(break_down())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (ROWS.slice(0, 0), "The table has columns but no rows"),
        (iter([]), "The stream gives no rows"),
        (pl.LazyFrame({"a": [1]}).select("b"), "The lazy frame cannot be computed: "),
        (pa.table([[1], [2]], names=["a", "a"]), "The column name 'a' occurs more than once"),
        (7, "has type int"),
    ],
)
def test_data_that_is_not_a_table_is_refused(data, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        open_source(data)


def test_unusable_urls_are_refused_in_one_sentence(monkeypatch):
    pytest.importorskip("fsspec")
    with pytest.raises(InputError, match=r"There is no file 'memory://nowhere/a\.csv'; check the address\."):
        open_source("memory://nowhere/a.csv")
    with pytest.raises(InputError, match=r"No file matches 'memory://nowhere/\*\.pq'"):
        open_source("memory://nowhere/*.pq")
    with pytest.raises(InputError, match=r"The address 'zz://a\.csv' cannot be used: Protocol not known: zz\."):
        open_source("zz://a.csv")
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(
        MissingPackageError, match=r"'s3://b/a\.csv' needs a package that is not installed; install s3fs"
    ):
        open_source("s3://b/a.csv")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingPackageError, match=r"needs the package fsspec, .* pip install fsspec"):
        open_source("s3://b/a.csv")


def test_folders_and_patterns_of_urls_are_tables():
    fsspec = pytest.importorskip("fsspec")
    for year in (2023, 2024):
        with fsspec.open(f"memory://stored/year={year}/a.parquet", "wb") as file:
            parquet.write_table(pa.table({"a": [year + 0.5]}), file)
    expected = {"a": [2023.5, 2024.5], "year": [2023, 2024]}
    assert open_source("memory://stored").read().to_pydict() == expected
    assert open_source("memory://stored/*/*.parquet").read().to_pydict() == {"a": expected["a"]}
    assert read_table("memory://stored/year=2024/a.parquet").to_pydict() == {"a": [2024.5]}


def test_each_part_of_a_folder_in_an_object_store_reads_its_own_files_only(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    for k in range(12):  # four row groups for each part, or cuts would be within them
        with fsspec.open(f"memory://parts/{k:02}.parquet", "wb") as file:
            parquet.write_table(pa.table({"a": range(10 * k, 10 * k + 10)}), file)
    source, read = open_source("memory://parts"), []
    original = parquet_files.open_parquet_file
    monkeypatch.setattr(parquet_files, "open_parquet_file", lambda file: read.append(file.path) or original(file))
    files = []
    for rank in range(3):
        part = source.part(rank, 3)
        values = part.read()["a"].to_pylist()
        assert values == list(range(part.first_row, part.stop))
        files.append({*read})
        read.clear()
    assert sum(map(len, files)) == len(set.union(*files)) == 12
    assert [len(own) for own in files] == [4, 4, 4]


# Memory


MEASURE = """
import resource, sys
import minerva_select.data.open_table
from minerva_select import open_source

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # MB

before = peak()
source = open_source(sys.argv[1])
n_rows = sum(block.num_rows for block in source.blocks(8_192))
print(n_rows, source.nbytes, peak() - before)
"""


def test_blocks_take_little_memory_with_large_row_groups(tmp_path):
    values = np.random.default_rng(0).normal(size=250_000)
    table = pa.table({f"x{i}": values + i for i in range(80)})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=250_000, use_dictionary=False, compression="none")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path / "a.parquet")], capture_output=True, text=True, check=True
    )
    n_rows, nbytes, megabytes = done.stdout.split()
    assert (int(n_rows), int(nbytes)) == (250_000, 160_000_000)
    # Pages of 1 MB per column and two blocks of 5 MB, times 1.5 for what the allocator keeps
    assert float(megabytes) < 1.5 * (80 + 10)
