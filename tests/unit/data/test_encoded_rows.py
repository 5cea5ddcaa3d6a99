import numpy as np
import pytest
import torch

from minerva_select.data.encoded_rows import (
    ColumnLayout,
    Rows,
    join_rows,
    pack_array,
    pack_quantiles,
    rows_from_arrays,
    stack_rows,
    unpack_quantiles,
)

CPU = torch.device("cpu")


def test_arrays_become_tensors():
    quantiles = np.array([[0.25, np.nan], [0.75, 0.5]])
    codes = np.array([[1], [0]], dtype=np.int32)
    rows = rows_from_arrays(quantiles, codes, (2,), (0, 2, 1), CPU)
    assert rows.quantiles.dtype == torch.float32
    assert rows.codes.dtype == torch.int64
    assert rows.codes.tolist() == [[1], [0]]
    assert rows.layout == ColumnLayout(2, (2,), (0, 2, 1))
    assert rows.layout.n_features == 3
    assert len(rows) == 2
    np.testing.assert_array_equal(rows.quantiles.numpy(), quantiles.astype(np.float32))


def test_codes_that_fit_in_a_byte_stay_bytes():
    codes = np.array([[255], [0]], dtype=np.uint8)
    rows = rows_from_arrays(np.empty((2, 0)), codes, (256,), (0,), CPU)
    assert rows.codes.dtype == torch.uint8
    assert rows.codes.tolist() == [[255], [0]]
    wider = rows_from_arrays(np.empty((1, 0)), np.array([[300]]), (301,), (0,), CPU)
    for tables, expected in (([rows, wider], [255, 0, 300]), ([wider, rows], [300, 255, 0])):
        assert join_rows(tables).codes.flatten().tolist() == expected


def test_take_follows_an_index_of_any_shape():
    rows = Rows(torch.rand(5, 1), torch.arange(5).unsqueeze(1), ColumnLayout(1, (5,), (0, 1)))
    block = rows.take(torch.tensor([[4, 0, 0], [1, 2, 3]]))
    assert block.codes[..., 0].tolist() == [[4, 0, 0], [1, 2, 3]]
    assert block.quantiles.shape == (2, 3, 1)
    assert torch.equal(block.quantiles[0, 0], rows.quantiles[4])


@pytest.mark.parametrize("missing", [False, True])
def test_the_layout_says_whether_quantiles_are_missing(missing):
    quantiles = np.array([[0.25, 0.5], [0.75, np.nan if missing else 0.5]])
    rows = rows_from_arrays(quantiles, np.empty((2, 0), dtype=np.int64), (), (0, 1), CPU)
    assert rows.layout.any_missing == missing
    # Not recomputed, though the missing value is in another column
    assert rows.select([0]).layout.any_missing == missing


def test_blocks_are_stacked_along_the_first_dimension():
    rows = Rows(torch.rand(6, 1), torch.arange(6).unsqueeze(1), ColumnLayout(1, (6,), (0, 1)))
    stacked = stack_rows([rows.take(torch.tensor([4, 0])), rows.take(torch.tensor([1, 5]))])
    assert stacked.codes[..., 0].tolist() == [[4, 0], [1, 5]]
    assert torch.equal(stacked.quantiles, rows.quantiles[torch.tensor([[4, 0], [1, 5]])])
    assert stacked.layout == rows.layout


def test_joined_tables_are_concatenated():
    first = rows_from_arrays([[0.1], [0.2]], [[0, 2], [1, 0]], (2, 3), (1, 0, 2), CPU)
    second = rows_from_arrays([[np.nan], [0.4], [0.5]], [[3, 0], [0, 1], [2, 1]], (4, 2), (1, 0, 2), CPU)
    joined = join_rows([first, second])
    assert len(joined) == 5
    assert joined.codes.tolist() == [[0, 2], [1, 0], [3, 0], [0, 1], [2, 1]]
    assert joined.quantiles.isnan().flatten().tolist() == [False, False, True, False, False]
    assert torch.equal(joined.quantiles[[0, 1, 3, 4]], torch.cat([first.quantiles, second.quantiles[1:]]))
    assert joined.layout == ColumnLayout(1, (4, 3), (1, 0, 2), any_missing=True)
    assert join_rows([first, first]).layout == first.layout


def test_one_table_joined_is_that_table():
    rows = rows_from_arrays([[0.1], [0.2]], np.empty((2, 0), dtype=np.int64), (), (0,), CPU)
    assert join_rows([rows]) is rows


def some_rows(n_rows=50, codes=torch.uint8):
    generator = torch.Generator().manual_seed(0)
    quantiles = torch.rand(n_rows, 3, generator=generator)
    quantiles[::7, 1] = torch.nan
    return Rows(
        quantiles,
        torch.randint(250, (n_rows, 2), generator=generator).to(codes),
        ColumnLayout(3, (250, 250), (0, 3, 1, 4, 2)),
    )


def assert_same(rows, others, tolerance=0.0):
    torch.testing.assert_close(rows.quantiles, others.quantiles, atol=tolerance, rtol=0, equal_nan=True)
    assert torch.equal(rows.codes, others.codes)
    assert rows.codes.dtype == others.codes.dtype
    assert rows.layout == others.layout


def test_packed_quantiles_are_rounded_by_at_most_half_a_cell():
    # Half a cell is 7.6e-6; rounding of the product with 65535 adds up to 2**-8 of a cell
    quantiles = torch.linspace(0, 1, 1_000_003)
    found = unpack_quantiles(pack_quantiles(quantiles))
    assert found.min() > 0
    assert found.max() < 1
    assert (found - quantiles).abs().max() < 8e-6
    assert (found.diff() >= 0).all()
    assert len(found.unique()) == 65535


def test_missing_quantiles_are_missing_when_unpacked():
    quantiles = torch.tensor([torch.nan, 0.0, 1.0, 0.25, torch.nan])
    assert unpack_quantiles(pack_quantiles(quantiles)).isnan().tolist() == quantiles.isnan().tolist()
    present = quantiles[1:4]
    assert torch.equal(
        unpack_quantiles(pack_quantiles(present)), unpack_quantiles(pack_quantiles(present), any_missing=False)
    )


def test_arrays_are_packed_like_tensors():
    edges = np.arange(65536, dtype=np.float32) / np.float32(65535)
    quantiles = np.concatenate(
        [edges, np.nextafter(edges, np.float32(0)), np.nextafter(edges, np.float32(1)), [np.nan]]
    )
    quantiles = quantiles.astype(np.float32)
    np.testing.assert_array_equal(pack_array(quantiles), pack_quantiles(torch.from_numpy(quantiles)), strict=True)


@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (2, 3, 4), (0,)])
@pytest.mark.parametrize("codes", [torch.uint8, torch.int64])
def test_packed_rows_are_taken_like_other_rows(shape, codes):
    rows = some_rows(codes=codes)
    index = torch.randint(len(rows), shape, generator=torch.Generator().manual_seed(1))
    assert_same(rows.pack().take(index), rows.take(index), tolerance=8e-6)


@pytest.mark.parametrize("features", [[0, 1, 2, 3, 4], [4, 1], [2, 0, 3], [1], [4], []])
def test_packed_rows_select_features_like_other_rows(features):
    rows, index = some_rows(), torch.tensor([[4, 0], [7, 49]])
    packed = rows.pack()
    chosen = packed.select(features)
    assert_same(chosen.take(index), rows.select(features).take(index), tolerance=8e-6)
    assert chosen.quantiles.data_ptr() == packed.quantiles.data_ptr()
    again = list(range(len(features)))[::-1]
    assert_same(chosen.select(again).take(index), rows.select(features).select(again).take(index), tolerance=8e-6)
    assert_same(chosen.to(CPU).take(index), chosen.take(index))


def test_a_column_is_found_by_feature_index():
    rows = some_rows()
    assert torch.equal(rows.column(0), rows.quantiles[:, 0])
    assert torch.equal(rows.column(2), rows.codes[:, 1])
    assert torch.equal(rows.column(3).isnan(), rows.quantiles[:, 1].isnan())
    assert torch.equal(rows.pack().column(2), rows.codes[:, 1])
    torch.testing.assert_close(rows.pack().column(3), rows.quantiles[:, 1], atol=8e-6, rtol=0, equal_nan=True)


def test_packed_quantiles_take_half_the_memory():
    rows = some_rows(n_rows=50)
    assert rows.n_bytes == 50 * (3 * 4 + 2)
    assert rows.pack().n_bytes == 50 * (3 * 2 + 2)
    assert rows.pack().pack().n_bytes == 50 * (3 * 2 + 2)


def test_joined_packed_tables_are_packed():
    rows = some_rows()
    joined = join_rows([rows.pack(), rows.pack()])
    assert joined.n_bytes == 2 * rows.pack().n_bytes
    assert_same(joined.take(torch.tensor([3, 53])), rows.take(torch.tensor([3, 3])), tolerance=8e-6)


def test_rows_can_be_moved_or_streamed_to_a_device():
    rows, index = some_rows(), torch.tensor([3, 1])
    assert_same(rows.to(CPU), rows)
    assert rows.pack().streamed_to(torch.device("meta")).take(index).quantiles.device.type == "meta"
    assert rows.pack().streamed_to(torch.device("meta")).device.type == "meta"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_an_accelerator_unpacks_the_same_bits():
    rows, index, cuda = some_rows(), torch.tensor([[4, 0], [7, 49]]), torch.device("cuda")
    packed = rows.pack().select([4, 1, 0])
    expected = packed.take(index)
    for moved in (packed.to(cuda), packed.streamed_to(cuda)):
        found = moved.take(index.to(cuda))
        assert found.device.type == moved.device.type == "cuda"
        assert_same(found.to(CPU), expected)
