import numpy as np
import pytest
from scipy import sparse

from minerva_select.data.frames import as_table, as_target
from minerva_select.errors import InputError

DENSE = np.random.default_rng(0).normal(size=(30, 4)) * (np.random.default_rng(1).random((30, 4)) < 0.2)
DENSE[3, 2] = np.nan


@pytest.mark.parametrize("container", ["matrix", "array"])
@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
def test_a_sparse_matrix_equals_its_dense_form(layout, container):
    X = getattr(sparse, f"{layout}_{container}")(DENSE)
    table = as_table(X)
    assert table.names == ("x0", "x1", "x2", "x3")
    for column, exact in zip(table.columns, as_table(DENSE).columns, strict=True):
        np.testing.assert_array_equal(column.values, exact.values)


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, np.float64, np.bool_])
def test_sparse_and_dense_cells_have_the_same_type(dtype):
    dense = np.array([[0, 1], [0, 0], [1, 0]], dtype=dtype)
    for column, exact in zip(as_table(sparse.csr_array(dense)).columns, as_table(dense).columns, strict=True):
        assert column.values.dtype == exact.values.dtype
        assert column.values.tolist() == exact.values.tolist()
        assert (column.levels is None) == (exact.levels is None)


def test_cells_that_are_not_stored_are_zero():
    table = as_table(sparse.csr_array((5, 3)))
    assert (table.n_rows, len(table.columns)) == (5, 3)
    assert not any(column.values.any() for column in table.columns)


def test_duplicate_entries_are_summed():
    X = sparse.csc_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(2, 1))
    assert as_table(X).columns[0].values.tolist() == [3.0, 0.0]
    assert X.nnz == 2  # the input is unchanged


def test_a_target_may_be_sparse():
    target = as_target(sparse.csr_array([[0, 1], [1, 0], [0, 0]]), n_rows=3)
    assert [column.values.tolist() for column in target.columns] == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]


REFUSED = {
    "too large": (
        sparse.csr_array((10**9, 10**6)),
        r"shape \(1000000000, 1000000\) .*8,000\.0 TB",
    ),
    "complex": (sparse.csr_array(np.eye(2) * 1j), "Complex data not supported: column 'x0'"),
    "infinite": (sparse.csr_array([[np.inf, 0]]), "Column 'x0' has 1 infinite value"),
    "no rows": (sparse.csr_array((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\)"),
}


@pytest.mark.parametrize(("X", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_unreadable_sparse_matrices_are_refused(X, message):
    with pytest.raises(InputError, match=message):
        as_table(X)


@pytest.mark.parametrize(
    ("shape", "message"),
    [((3,), "Reshape your data"), ((2, 2, 2), "X must have two dimensions, rows and columns, got 3")],
)
def test_sparse_arrays_must_have_two_dimensions(shape, message):
    try:
        X = sparse.coo_array(np.ones(shape))
    except TypeError:
        pytest.skip("this SciPy has no such arrays")
    if X.shape != shape:
        pytest.skip("this SciPy makes two dimensions of one")
    with pytest.raises(InputError, match=message):
        as_table(X)


def _damaged(layout, attribute, place, value):
    X = sparse.random_array((30, 4), density=0.5, format=layout, rng=np.random.default_rng(0))
    getattr(X, attribute)[place] = value
    return X


@pytest.mark.parametrize("value", [-5, 10**7])
@pytest.mark.parametrize(
    ("layout", "attribute", "place"),
    [
        ("csr", "indices", 3),
        ("csr", "indptr", -1),
        ("csc", "indices", 3),
        ("csc", "indptr", 2),
        ("csc", "indptr", -1),
        ("bsr", "indices", 3),
        ("coo", "row", 3),
        ("coo", "col", 3),
        ("lil", "rows", 3),
    ],
)
def test_indices_outside_the_shape_are_refused(layout, attribute, place, value):
    X = _damaged(layout, attribute, place, [value] if layout == "lil" else value)
    with pytest.raises(
        InputError, match=r"^X is a sparse matrix whose indices do not fit its shape \(30, 4\): .*; build"
    ):
        as_table(X)
