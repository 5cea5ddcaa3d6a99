"""Claims about the order in which columns are fitted: it comes from what they hold, and from nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from minerva_select.schema import Column, Table
from minerva_select.selectors.usable_columns import canonical_order

N_ROWS = 5000  # enough for the first look to skip rows


def table(columns):
    return Table(tuple(columns), N_ROWS)


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(0)
    numbers = [Column(f"x{i}", rng.integers(0, 5, N_ROWS).astype(float)) for i in range(6)]
    amount = Column("amount", rng.normal(size=N_ROWS))
    flag = Column("flag", rng.integers(0, 2, N_ROWS), np.array(["no", "yes"], dtype=object))
    # These differ from x0 and flag in rows that a look at every fourth row does not see, or in their words alone
    late = numbers[0].values.copy()
    late[[1, 4998]] += 1
    other_words = Column("other words", flag.values, np.array(["nein", "ja"], dtype=object))
    return [*numbers, amount, flag, Column("late", late), other_words]


def test_the_order_does_not_depend_on_places(columns):
    expected = canonical_order(table(columns))
    assert sorted(expected) == sorted(column.name for column in columns)
    for seed in range(5):
        moved = np.random.default_rng(seed).permutation(len(columns))
        assert canonical_order(table([columns[k] for k in moved])) == expected


def test_the_order_does_not_depend_on_names(columns):
    renamed = {column.name: f"n{k}" for k, column in enumerate(reversed(columns))}
    other = table(Column(renamed[column.name], column.values, column.levels) for column in columns)
    assert canonical_order(other) == [renamed[name] for name in canonical_order(table(columns))]


def test_equal_columns_stay_side_by_side_in_column_order(columns):
    again = Column("again", columns[0].values.copy())
    order = canonical_order(table([*columns, again]))
    assert order.index("again") == order.index("x0") + 1
    turned = canonical_order(table([again, *columns]))
    assert turned.index("x0") == turned.index("again") + 1
    assert [name for name in order if name != "again"] == canonical_order(table(columns))
