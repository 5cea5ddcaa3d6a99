"""Blocks of a table are read and worked on in parallel."""

import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from minerva_select import open_source
from minerva_select.data.block_pipeline import PipelineSize, map_blocks
from minerva_select.errors import InputError

N_ROWS = 5_000


@pytest.fixture
def source(tmp_path):
    table = pa.table({"x": np.arange(N_ROWS)})
    for k, start in enumerate((0, 1_500, 1_501, 3_000)):
        stop = (1_500, 1_501, 3_000, N_ROWS)[k]
        parquet.write_table(table.slice(start, stop - start), tmp_path / f"part-{k}.parquet", row_group_size=400)
    return open_source(tmp_path)


def first_values(block):
    return block["x"].to_pylist()


@pytest.mark.parametrize("n_workers", [1, 2, 7])
@pytest.mark.parametrize("n_skipped", [0, 1, 1_234, N_ROWS - 1])
@pytest.mark.parametrize("block_rows", [64, 500, 10_000])
def test_every_row_is_worked_on_once(source, n_workers, n_skipped, block_rows):
    found = dict(map_blocks(source, first_values, block_rows, PipelineSize(n_workers), n_skipped))
    assert all(values == list(range(start, start + len(values))) for start, values in found.items())
    assert sorted(value for values in found.values() for value in values) == list(range(n_skipped, N_ROWS))
    assert max(map(len, found.values())) <= block_rows


def test_nothing_is_read_if_all_rows_are_skipped(source):
    assert list(map_blocks(source, first_values, 64, PipelineSize(2), N_ROWS)) == []


def test_a_single_reader_gives_blocks_of_equal_size():
    whole = open_source(pd.DataFrame({"x": np.arange(1_000)}))
    starts = sorted(start for start, _ in map_blocks(whole, first_values, 300, PipelineSize(2)))
    assert starts == [0, 300, 600, 900]


@pytest.mark.parametrize("n_workers", [2, 8])
def test_few_blocks_are_in_memory(source, n_workers):
    lock, n_working, most = threading.Lock(), 0, 0

    def work(block):
        nonlocal n_working, most
        with lock:
            n_working += 1
            most = max(most, n_working)
        return block.num_rows

    size, n_collected = PipelineSize(n_workers), 0
    for _ in map_blocks(source, work, 50, size):
        n_collected += 1
        with lock:
            assert n_working - n_collected <= size.n_blocks
    assert n_collected == n_working


@pytest.mark.parametrize("n_workers", [1, 2, 8])
def test_the_first_bad_block_is_reported_with_its_rows(source, n_workers):
    def work(block):
        if block["x"][0].as_py() >= 1_000:
            raise InputError("Bad.")
        return block.num_rows

    with pytest.raises(InputError, match=r"^Bad \(in rows [1-5],\d01 to "):
        list(map_blocks(source, work, 100, PipelineSize(n_workers)))


def test_a_file_that_changes_ends_the_iteration(source, tmp_path):
    blocks = map_blocks(source, first_values, 100, PipelineSize(2))
    next(blocks)
    parquet.write_table(pa.table({"x": [1]}), tmp_path / "part-3.parquet")
    with pytest.raises(InputError):
        list(blocks)


def test_threads_end_with_an_iteration_that_is_left(source):
    before = threading.active_count()
    blocks = map_blocks(source, first_values, 10, PipelineSize(6))
    next(blocks)
    blocks.close()
    assert threading.active_count() == before
