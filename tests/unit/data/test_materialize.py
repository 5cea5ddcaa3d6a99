import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset

from minerva_select.data.frames import as_table, as_target
from minerva_select.data.materialize import materialize
from minerva_select.errors import InputError, InputTypeError

TABLE = pa.table({"a": [1, 2, 3], "b": ["x", "y", "x"]})


class Stream:
    """A table of an unknown library that exports an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema=None):
        return TABLE.__arrow_c_stream__(requested_schema)


CONTAINERS = {
    "batch": lambda: TABLE.to_batches()[0],
    "reader": TABLE.to_reader,
    "dataset": lambda: dataset.dataset(TABLE),
    "scanner": lambda: dataset.dataset(TABLE).scanner(),
    "generator": lambda: (batch for batch in TABLE.to_batches(max_chunksize=2)),
    "list of batches": lambda: TABLE.to_batches(max_chunksize=2),
    "tuple of tables": lambda: (TABLE.slice(0, 1), TABLE.slice(1)),
    "lazy frame": lambda: pl.from_arrow(TABLE).lazy(),
    "stream": Stream,
}


@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS.keys())
def test_every_container_becomes_one_table(make):
    gathered = materialize(make())
    gathered = gathered.to_arrow() if isinstance(gathered, pl.DataFrame) else gathered
    assert gathered.to_pydict() == TABLE.to_pydict()


@pytest.mark.parametrize("X", [TABLE, np.eye(2), [[1, 2]], 3, None, "text"], ids=str)
def test_data_in_memory_is_returned_as_it_is(X):
    assert materialize(X) is X


def test_a_target_may_come_in_batches():
    assert as_target(iter(TABLE.select(["b"]).to_batches()), n_rows=3).columns[0].values.tolist() == [0, 1, 0]


def test_batches_of_different_types_are_joined_in_the_wider_type():
    column = as_table([pa.table({"a": [1]}), pa.table({"a": [2.5]}), pa.table({"a": pa.nulls(1)})]).columns[0]
    np.testing.assert_array_equal(column.values, [1.0, 2.5, np.nan])


def test_columns_that_a_batch_lacks_are_missing_there():
    first, second = as_table([pa.table({"a": [1]}), pa.table({"b": ["x"]})]).columns
    np.testing.assert_array_equal(first.values, [1.0, np.nan])
    assert second.values.tolist() == [-1, 0]


def broken_reader():
    def fail():
        yield TABLE.to_batches()[0]
        raise pa.ArrowInvalid("the end of the file is missing")

    return pa.RecordBatchReader.from_batches(TABLE.schema, fail())


REFUSED = {
    "no batches": (lambda: iter([]), InputError, r"Found X with 0 sample\(s\)"),
    "numbers": (lambda: iter([1, 2]), InputTypeError, "X is a list_iterator of int values"),
    "rows among batches": (
        lambda: iter([TABLE.to_batches()[0], [1, 2]]),
        InputTypeError,
        "Item 1 of X has type list",
    ),
    "text and numbers": (
        lambda: [pa.table({"a": [1]}), pa.table({"a": ["x"]})],
        InputError,
        "batches of X cannot be joined: .*'?a'?",
    ),
    "a plan that cannot work": (
        lambda: pl.LazyFrame({"a": [1]}).select("b"),
        InputError,
        'X, a LazyFrame, cannot be read: (unable to find column "b"|b)',  # the text differs between versions of polars
    ),
    "a stream that breaks": (broken_reader, InputError, "cannot be read: .*the end of the file is missing"),
}


@pytest.mark.parametrize(("make", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_unreadable_containers_are_refused_in_one_sentence(make, error, message):
    with pytest.raises(error, match=message) as caught:
        as_table(make())
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")
