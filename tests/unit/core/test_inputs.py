import numpy as np
import torch

from minerva.core.inputs import Layout, Rows, rows_from_arrays


def test_arrays_become_tensors_of_the_types_that_the_critics_read():
    ranks = np.array([[0.25, np.nan], [0.75, 0.5]])
    codes = np.array([[1], [0]], dtype=np.uint8)
    rows = rows_from_arrays(ranks, codes, (2,), (0, 2, 1), torch.device("cpu"))
    assert rows.ranks.dtype == torch.float32
    assert rows.codes.dtype == torch.int64
    assert rows.layout == Layout(2, (2,), (0, 2, 1))
    assert rows.layout.n_features == 3
    assert len(rows) == 2
    np.testing.assert_array_equal(rows.ranks.numpy(), ranks.astype(np.float32))


def test_take_follows_an_index_of_any_shape():
    rows = Rows(torch.rand(5, 1), torch.arange(5).unsqueeze(1), Layout(1, (5,), (0, 1)))
    block = rows.take(torch.tensor([[4, 0, 0], [1, 2, 3]]))
    assert block.codes[..., 0].tolist() == [[4, 0, 0], [1, 2, 3]]
    assert block.ranks.shape == (2, 3, 1)
    assert torch.equal(block.ranks[0, 0], rows.ranks[4])
