import errno
import json
import mmap
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from minerva_select import open_source
from minerva_select.data import encoded_store as store_module
from minerva_select.data import encoded_store_files
from minerva_select.data.encoded_store import EncodedStore, read_rows
from minerva_select.data.frames import as_table
from minerva_select.data.memmap import MemmapReader
from minerva_select.errors import InputError, InputTypeError
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.table_encoder import TableEncoder

N_ROWS = 1000


def frame(n_rows=N_ROWS):
    rng = np.random.default_rng(0)
    amount = rng.lognormal(size=n_rows)
    amount[::11] = np.nan
    return pd.DataFrame(
        {
            "country": rng.choice(["NL", "IT", "FR", None], n_rows),
            "amount": amount,
            "flag": rng.random(n_rows) < 0.3,
            "count": rng.integers(0, 500, n_rows),
        }
    )


def fitted(data, **options):
    table = as_table(data)
    return TableEncoder(infer_column_types(table), **options).fit(table)


def build(folder, data=None, encoder=None, **options):
    data = frame() if data is None else data
    options = {"key": "k", "block_rows": 128, **options}
    return EncodedStore.build(open_source(data), encoder or fitted(data), folder, **options)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def recorded_often(monkeypatch):
    monkeypatch.setattr(store_module, "_RECORD_SECONDS", -1.0)


class Killed(BaseException):
    pass


def kill_after(n_rows):
    def on_block(n_done):
        if n_done >= n_rows:
            raise Killed

    return on_block


def test_rows_of_a_store_equal_those_of_the_encoder(tmp_path):
    data = frame()
    expected = fitted(data).transform(as_table(data))
    store = build(tmp_path / "cache", data)
    rows = store.rows()
    index = torch.randperm(N_ROWS, generator=torch.Generator().manual_seed(0)).view(8, -1)
    block = rows.take(index)
    torch.testing.assert_close(  # half a step of 1/65535, and float rounding
        block.quantiles, torch.from_numpy(expected.quantiles)[index], atol=8e-6, rtol=0, equal_nan=True
    )
    assert torch.equal(block.codes, torch.from_numpy(expected.codes)[index])
    assert rows.layout.positions == expected.numeric + expected.categorical
    assert rows.layout.n_levels == expected.n_levels
    assert rows.layout.any_missing
    assert store.n_rows == len(rows) == N_ROWS
    assert store.n_bytes == rows.n_bytes == N_ROWS * (2 * 2 + 2)


def test_selecting_features_of_a_store_copies_nothing(tmp_path):
    rows = build(tmp_path / "cache").rows()
    chosen = rows.select([3, 0])
    index = torch.tensor([[5, 0], [999, 5]])
    assert chosen.quantiles.data_ptr() == rows.quantiles.data_ptr()
    assert torch.equal(chosen.take(index).quantiles[..., 0], rows.take(index).column(3))
    assert torch.equal(chosen.take(index).column(1), rows.take(index).column(0))


def test_rows_of_a_store_can_be_loaded_into_memory(tmp_path):
    rows = build(tmp_path / "cache").rows()
    index = torch.arange(N_ROWS)
    moved = rows.to(torch.device("cpu"))
    assert moved.quantiles.data_ptr() != rows.quantiles.data_ptr()
    assert torch.equal(moved.take(index).codes, rows.take(index).codes)
    torch.testing.assert_close(moved.take(index).quantiles, rows.take(index).quantiles, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("column", ["amount", "flag"])
def test_only_numeric_or_only_categorical_columns_can_be_stored(tmp_path, column):
    rows = build(tmp_path / "cache", frame()[[column]]).rows()
    block = rows.take(torch.tensor([0, 1]))
    assert block.quantiles.shape[1] + block.codes.shape[1] == 1


def test_columns_with_many_levels_keep_all_codes(tmp_path):
    data = pd.DataFrame({"shop": [f"shop {k % 700}" for k in range(N_ROWS)], "amount": np.arange(N_ROWS) / 7})
    encoder = TableEncoder(infer_column_types(as_table(data)), max_levels=700).fit(as_table(data))
    block = build(tmp_path / "cache", data, encoder).rows().take(torch.arange(N_ROWS))
    assert block.codes.dtype == torch.int64
    assert torch.equal(block.codes, torch.from_numpy(encoder.transform(as_table(data)).codes))


def test_only_this_user_can_read_a_store(tmp_path):
    build(tmp_path / "cache")
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "cache").iterdir()} == {0o600}


def test_on_block_is_called_after_every_block(tmp_path):
    reported = []
    build(tmp_path / "cache", on_block=reported.append, block_rows=300, n_threads=1)  # several finish in any order
    assert reported == [300, 600, 900, 1000]


def test_a_complete_store_is_not_written_again(tmp_path):
    build(tmp_path / "cache")
    before, reported = contents(tmp_path / "cache"), []
    again = build(tmp_path / "cache", on_block=reported.append)
    assert not reported
    assert contents(tmp_path / "cache") == before
    assert len(again.rows()) == N_ROWS


def test_a_store_of_another_table_is_refused(tmp_path):
    build(tmp_path / "cache")
    before = contents(tmp_path / "cache")
    with pytest.raises(InputError, match="another table"):
        build(tmp_path / "cache", key="other")
    assert contents(tmp_path / "cache") == before


@pytest.mark.usefixtures("recorded_often")
@pytest.mark.parametrize("block_rows", [128, 100])
def test_a_killed_run_continues_after_the_recorded_rows(tmp_path, block_rows):
    build(tmp_path / "whole")
    with pytest.raises(Killed):
        build(tmp_path / "cache", on_block=kill_after(500), n_threads=1)  # several threads finish blocks in any order
    assert json.loads((tmp_path / "cache" / "store.json").read_text())["n_written"] == 512
    with (tmp_path / "cache" / "quantiles.bin").open("ab") as file:
        file.write(b"rows that were written but not recorded")
    reported = []
    build(tmp_path / "cache", on_block=reported.append, block_rows=block_rows, n_threads=1)
    assert reported[0] == 640 if block_rows == 128 else 600
    assert contents(tmp_path / "cache") == contents(tmp_path / "whole")


def test_a_run_killed_before_the_first_record_starts_again(tmp_path):
    build(tmp_path / "whole")
    with pytest.raises(Killed):
        build(tmp_path / "cache", on_block=kill_after(500))
    assert not (tmp_path / "cache" / "store.json").exists()
    build(tmp_path / "cache")
    assert contents(tmp_path / "cache") == contents(tmp_path / "whole")


@pytest.mark.parametrize("damage", ["{", "[]", '{"key": "k"}', None])
def test_a_damaged_store_is_refused(tmp_path, damage):
    build(tmp_path / "cache")
    if damage is None:
        (tmp_path / "cache" / "codes.bin").write_bytes(b"short")
    else:
        (tmp_path / "cache" / "store.json").write_text(damage)
    with pytest.raises(InputError, match="damaged"):
        build(tmp_path / "cache")


def test_a_bad_value_is_reported_with_column_and_rows_and_the_store_removed(tmp_path):
    data = frame()
    encoder = fitted(data)
    data.loc[700, "amount"] = np.inf
    with pytest.raises(InputError, match=r"^Column 'amount' has 1 infinite value; .* \(in rows 641 to 768\)\.$"):
        build(tmp_path / "cache", data, encoder)
    assert not (tmp_path / "cache").exists()


def test_nested_cells_are_reported_with_their_rows(tmp_path):
    data = frame()
    encoder = fitted(data)
    with pytest.raises(InputTypeError, match=r"'amount' has list values.* \(in rows 1 to 128\)\.$"):
        build(tmp_path / "cache", data.assign(amount=[[1.0, 2.0]] * N_ROWS), encoder)


def test_too_little_disk_space_is_refused_before_writing(tmp_path, monkeypatch):
    monkeypatch.setattr(encoded_store_files.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 5999}))
    with pytest.raises(InputError, match=r"need 6\.0 kB .*has 6\.0 kB free"):
        build(tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.usefixtures("recorded_often")
@pytest.mark.parametrize("other_file", [False, True])
def test_a_disk_that_fills_up_leaves_no_partial_files(tmp_path, monkeypatch, other_file):
    folder, record = tmp_path / "cache", store_module.record_state
    if other_file:
        folder.mkdir()
        (folder / "notes.txt").write_text("mine")

    def full(folder, state, *files):
        if state.n_written > 500:
            raise OSError(errno.ENOSPC, "No space left on device")
        record(folder, state, *files)

    monkeypatch.setattr(store_module, "record_state", full)
    with pytest.raises(InputError, match="is full"):
        build(folder)
    assert (contents(folder) == {"notes.txt": b"mine"}) if other_file else not folder.exists()


def test_a_folder_that_cannot_be_created_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        build(tmp_path / "file" / "cache")


def test_read_rows_returns_the_rows_in_order():
    data = frame()
    rows = np.array([0, 127, 128, 500, 501, 999])
    found = read_rows(open_source(data), rows, block_rows=128)
    expected = as_table(data.iloc[rows].reset_index(drop=True))
    for column, other in zip(as_table(found).columns, expected.columns, strict=True):
        np.testing.assert_array_equal(column.values, other.values)
        if other.levels is not None:
            np.testing.assert_array_equal(column.levels, other.levels)


def test_read_rows_stops_after_the_last_row():
    class Once:
        def blocks(self, n_rows):
            yield from open_source(frame(100)).blocks(n_rows)
            pytest.fail("read on")

    assert read_rows(Once(), np.array([3, 99]), block_rows=50).num_rows == 2


@pytest.mark.parametrize("resident", [0, 1 << 30])
@pytest.mark.parametrize("rows", [[3], [5, 4, 3], [0, 1, 2, 9, 7, 8, 8], [[6, 7], [7, 0]], range(100), []])
@pytest.mark.parametrize("columns", [None, [2, 0]])
def test_rows_in_a_file_are_gathered_as_in_memory(tmp_path, resident, rows, columns):
    values = np.arange(300, dtype=np.int16).reshape(100, 3)
    values.tofile(tmp_path / "rows.bin")
    mapping = MemmapReader(resident, random_access=True)
    table = mapping.open(tmp_path / "rows.bin", np.int16, values.shape)
    rows = torch.tensor(rows, dtype=torch.int64)
    found = mapping.gather(table, rows, None if columns is None else torch.tensor(columns))
    expected = values[rows.numpy()][..., slice(None) if columns is None else columns]
    np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.skipif(sys.platform != "linux", reason="counts memory as Linux does")
def test_reading_a_large_file_takes_no_memory(tmp_path):
    np.zeros(100_000_000, dtype=np.uint8).tofile(tmp_path / "rows.bin")
    mapping = MemmapReader(resident=1 << 24)
    table = mapping.open(tmp_path / "rows.bin", np.uint8, (100_000, 1000))
    before = resident_bytes()
    for rows in torch.randperm(100_000).split(5_000):
        mapping.gather(table, rows, None)
    assert resident_bytes() - before < 50e6  # one block of 5 MB, twice while it is joined


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE


BUILD = """
import resource, sys
from pathlib import Path

import numpy as np
import torch

from minerva_select.data.frames import as_table
from minerva_select import open_source
from minerva_select.data.encoded_store import EncodedStore, read_rows
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.table_encoder import TableEncoder


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


source = open_source(sys.argv[1])
table = as_table(read_rows(source, np.arange(0, 20_000, 10), block_rows=8192))
encoder = TableEncoder(infer_column_types(table)).fit(table)
before = peak()
store = EncodedStore.build(source, encoder, Path(sys.argv[2]), key="k", block_rows=8192)
rows, generator = store.rows(), torch.Generator().manual_seed(0)
for index in torch.randperm(store.n_rows, generator=generator).split(16384):
    rows.take(index)
print(source.nbytes, store.n_bytes, peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts memory as Linux does")
def test_memory_does_not_grow_with_the_table(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    rng, n_columns = np.random.default_rng(0), 100
    schema = pa.schema([(f"x{k}", pa.float64()) for k in range(n_columns)])
    with parquet.ParquetWriter(tmp_path / "big.parquet", schema, use_dictionary=False, compression="none") as writer:
        block = pa.table([rng.random(50_000) for _ in range(n_columns)], schema=schema)
        for _ in range(15):
            writer.write_table(block, row_group_size=10_000)
    run = [sys.executable, "-c", BUILD, str(tmp_path / "big.parquet"), str(tmp_path / "cache")]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    table_bytes, store_bytes, grown = map(int, done.stdout.split())
    assert table_bytes == 600e6
    assert store_bytes == 150e6
    # Four blocks of 8192 x 100 cells at 40 bytes for all of them are 33 MB, and a row group is 8 MB
    assert grown < 250e6
