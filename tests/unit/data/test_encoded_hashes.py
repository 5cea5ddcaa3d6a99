"""Claims about hashes of encoded rows."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
import torch

from minerva_select.data import encoded_hashes
from minerva_select.data.encoded_hashes import EncodedHashes
from minerva_select.data.encoded_rows import rows_from_arrays


@pytest.fixture
def rows():
    """100 rows twice, with features 0 and 2 numeric and feature 1 categorical."""
    rng = np.random.default_rng(0)
    quantiles, codes = rng.random((100, 2)), rng.integers(0, 4, size=(100, 1))
    quantiles[::5, 0] = np.nan
    tables = np.tile(quantiles, (2, 1)), np.tile(codes, (2, 1))
    return rows_from_arrays(*tables, (4,), (0, 2, 1), torch.device("cpu")).pack()


def test_equal_rows_have_equal_hashes(rows, monkeypatch):
    monkeypatch.setattr(encoded_hashes, "_BLOCK_ROWS", 30)  # several blocks, the last one shorter
    hashes = EncodedHashes(rows, [0, 1, 2]).hash([0, 1, 2])
    np.testing.assert_array_equal(hashes[:100], hashes[100:])
    assert len(np.unique(hashes)) == 100


def test_hashes_of_disjoint_columns_add_up(rows):
    hashable = EncodedHashes(rows, [0, 1, 2])
    np.testing.assert_array_equal(hashable.hash([0]) + hashable.hash([2, 1]), hashable.hash([0, 1, 2]))


def test_only_the_given_features_are_hashed(rows):
    hashable = EncodedHashes(rows, [1])
    assert hashable.is_categorical == [True]
    assert len(np.unique(hashable.hash([0]))) == 4
    np.testing.assert_array_equal(hashable.take(np.array([3, 7]))[0], rows.codes[[3, 7], 0].numpy())


class TwoRanks:
    """One of two processes that run in threads."""

    size = 2

    def __init__(self, rank, barrier, values):
        self.rank, self.barrier, self.values = rank, barrier, values

    def gather(self, value):
        self.values[self.rank] = value
        self.barrier.wait()
        found = list(self.values)
        self.barrier.wait()
        return found


def test_every_process_gets_the_hashes_of_all_rows(rows):
    whole = EncodedHashes(rows, [0, 1, 2])
    barrier, values = Barrier(2, timeout=60), [None, None]
    parts = [rows.take(torch.arange(70)).pack(), rows.take(torch.arange(70, 200)).pack()]
    some = np.array([0, 69, 70, 150])

    def read(rank):
        own = EncodedHashes(parts[rank], [0, 1, 2], TwoRanks(rank, barrier, values))
        return own.n_rows, own.hash([0, 1, 2]), own.take(some)

    with ThreadPoolExecutor(2) as pool:
        for n_rows, hashes, taken in pool.map(read, range(2)):
            assert n_rows == 200
            np.testing.assert_array_equal(hashes, whole.hash([0, 1, 2]))
            for found, expected in zip(taken, whole.take(some), strict=True):
                np.testing.assert_array_equal(found, expected)
