import numpy as np
import pytest
import torch

from minerva.core.inputs import Layout, Rows, join_rows, rows_from_arrays, stack_rows

CPU = torch.device("cpu")


def test_arrays_become_tensors_of_the_types_that_the_critics_read():
    ranks = np.array([[0.25, np.nan], [0.75, 0.5]])
    codes = np.array([[1], [0]], dtype=np.int32)
    rows = rows_from_arrays(ranks, codes, (2,), (0, 2, 1), CPU)
    assert rows.ranks.dtype == torch.float32
    assert rows.codes.dtype == torch.int64
    assert rows.codes.tolist() == [[1], [0]]
    assert rows.layout == Layout(2, (2,), (0, 2, 1))
    assert rows.layout.n_features == 3
    assert len(rows) == 2
    np.testing.assert_array_equal(rows.ranks.numpy(), ranks.astype(np.float32))


def test_codes_that_fit_in_a_byte_stay_bytes():
    codes = np.array([[255], [0]], dtype=np.uint8)
    rows = rows_from_arrays(np.empty((2, 0)), codes, (256,), (0,), CPU)
    assert rows.codes.dtype == torch.uint8
    assert rows.codes.tolist() == [[255], [0]]
    wider = rows_from_arrays(np.empty((1, 0)), np.array([[300]]), (301,), (0,), CPU)
    for tables, expected in (([rows, wider], [255, 0, 300]), ([wider, rows], [300, 255, 0])):
        assert join_rows(tables).codes.flatten().tolist() == expected


def test_take_follows_an_index_of_any_shape():
    rows = Rows(torch.rand(5, 1), torch.arange(5).unsqueeze(1), Layout(1, (5,), (0, 1)))
    block = rows.take(torch.tensor([[4, 0, 0], [1, 2, 3]]))
    assert block.codes[..., 0].tolist() == [[4, 0, 0], [1, 2, 3]]
    assert block.ranks.shape == (2, 3, 1)
    assert torch.equal(block.ranks[0, 0], rows.ranks[4])


@pytest.mark.parametrize("missing", [False, True])
def test_the_layout_says_whether_a_rank_is_missing(missing):
    ranks = np.array([[0.25, 0.5], [0.75, np.nan if missing else 0.5]])
    rows = rows_from_arrays(ranks, np.empty((2, 0), dtype=np.int64), (), (0, 1), CPU)
    assert rows.layout.any_missing == missing
    # It may be in a column that was dropped: nobody looks twice
    assert rows.only([0]).layout.any_missing == missing


def test_stacked_blocks_have_a_leading_place_each():
    rows = Rows(torch.rand(6, 1), torch.arange(6).unsqueeze(1), Layout(1, (6,), (0, 1)))
    stacked = stack_rows([rows.take(torch.tensor([4, 0])), rows.take(torch.tensor([1, 5]))])
    assert stacked.codes[..., 0].tolist() == [[4, 0], [1, 5]]
    assert torch.equal(stacked.ranks, rows.ranks[torch.tensor([[4, 0], [1, 5]])])
    assert stacked.layout == rows.layout


def test_joined_tables_follow_one_another():
    first = rows_from_arrays([[0.1], [0.2]], [[0, 2], [1, 0]], (2, 3), (1, 0, 2), CPU)
    second = rows_from_arrays([[np.nan], [0.4], [0.5]], [[3, 0], [0, 1], [2, 1]], (4, 2), (1, 0, 2), CPU)
    joined = join_rows([first, second])
    assert len(joined) == 5
    assert joined.codes.tolist() == [[0, 2], [1, 0], [3, 0], [0, 1], [2, 1]]
    assert joined.ranks.isnan().flatten().tolist() == [False, False, True, False, False]
    assert torch.equal(joined.ranks[[0, 1, 3, 4]], torch.cat([first.ranks, second.ranks[1:]]))
    # Room for the levels of either table, and for what is missing in either
    assert joined.layout == Layout(1, (4, 3), (1, 0, 2), any_missing=True)
    assert join_rows([first, first]).layout == first.layout


def test_one_table_joined_is_that_table():
    rows = rows_from_arrays([[0.1], [0.2]], np.empty((2, 0), dtype=np.int64), (), (0,), CPU)
    assert join_rows([rows]) is rows
