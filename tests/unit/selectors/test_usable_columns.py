import dataclasses

import numpy as np
import pytest

from minerva_select.codes import ReasonCode
from minerva_select.config import EQUIVALENCE
from minerva_select.preprocessing import equivalence
from minerva_select.preprocessing.column_types import infer_target_types
from minerva_select.schema import Column, Table
from minerva_select.selectors.usable_columns import find_usable_columns, merge_equivalents

N_ROWS = 600


def number(name, values):
    return Column(name, np.asarray(values, dtype=float))


@pytest.fixture
def table():
    """Column x with an exact, a monotone and a binned copy, and an independent column."""
    x, other = np.random.default_rng(0).normal(size=(2, N_ROWS))
    columns = {"x": x, "same": x, "minus": -x, "bins": np.digitize(x, [-1, 0, 1]), "other": other}
    return Table(tuple(number(name, values) for name, values in columns.items()), N_ROWS)


def merge(table, keep=(), drop=(), groups=None, target=None, **options):
    """Usable columns, with equivalent ones merged."""
    values = np.random.default_rng(1).integers(0, 2, N_ROWS) if target is None else target
    y = Table((number("y", values),), N_ROWS)
    columns = find_usable_columns(table, "auto", keep, drop, groups)
    return merge_equivalents(table, columns, y, infer_target_types(y), **options)


def test_one_column_of_each_kind_is_left(table):
    columns = merge(table)
    (left,) = {"x", "minus"} & {*columns.names}
    assert columns.names == tuple(name for name in table.names if name in (left, "other"))
    assert columns.units == tuple((name,) for name in columns.names)
    # An exact copy of a merged column is represented by the same one
    assert columns.originals == dict.fromkeys({"x", "same", "minus", "bins"} - {left}, left)
    assert {columns.reasons[name].code for name in columns.originals} == {ReasonCode.EQUIVALENT}


def test_neither_names_nor_positions_decide(table):
    table = table.select(["x", "minus", "bins", "other"])
    left = merge(table).names[0]
    backwards = Table(table.columns[::-1], N_ROWS)
    assert {*merge(backwards).names} == {left, "other"}
    renamed = Table(tuple(Column(f"z{k}", one.values) for k, one in enumerate(table.columns)), N_ROWS)
    position = table.names.index(left)
    assert merge(renamed).names[0] == f"z{position}"


def test_a_kept_column_represents_its_equivalents(table):
    for kept in ("x", "minus"):
        columns = merge(table, keep=[kept])
        assert columns.names == (kept, "other")
        assert {*columns.originals.values()} == {kept}
    # A kept version that is coarser stays beside the column that determines it
    assert {"bins", "other"} < {*merge(table, keep=["bins"]).names}


def test_both_of_a_kept_pair_stay(table):
    columns = merge(table, keep=["x", "minus"])
    assert columns.names == ("x", "minus", "other")
    assert columns.originals.keys() == {"same", "bins"}
    assert columns.originals["same"] == "x"
    assert columns.n_kept == 2


def test_dropped_columns_represent_nothing(table):
    columns = merge(table, drop=["x", "same"])
    assert columns.names == ("minus", "other")
    assert columns.originals == {"bins": "minus"}
    assert columns.reasons["x"].code == ReasonCode.DROPPED_ON_REQUEST


def test_columns_in_groups_stay_as_they_are(table):
    columns = merge(table, groups=[["x", "same"], ["bins", "other"]])
    assert columns.names == ("x", "same", "minus", "bins", "other")
    assert columns.units == (("x", "same"), ("bins", "other"), ("minus",))
    assert columns.originals == {}


def test_a_column_that_is_a_group_by_itself_stays_as_it_is(table):
    columns = merge(table, groups=[["x"], ["minus"]], drop=["same"])
    assert {"x", "minus"} <= {*columns.names}


def test_only_columns_outside_groups_are_merged(table):
    columns = merge(table, groups=[["other", "x"]])
    assert columns.units[0] == ("other", "x")
    assert ("x" in columns.originals) is False
    # Of the other two, the finer one is left
    assert columns.originals["bins"] in ("same", "minus")
    assert len(columns.units) == 2


def test_a_single_column_is_left_alone(table):
    columns = merge(table, drop=["x", "same", "minus", "bins"])
    assert columns.names == ("other",)
    assert columns.originals == {}


def test_a_continuous_target_is_accepted(table):
    columns = merge(table, target=np.random.default_rng(2).normal(size=N_ROWS))
    assert len(columns.names) == 2
    # Columns whose difference determines the target stay apart, also in a continuous target
    x = table.columns[0].values
    near = x + 0.02 * np.random.default_rng(3).normal(size=N_ROWS)
    pair = Table((number("x", x), number("near", near)), N_ROWS)
    assert merge(pair, target=near - x).names == ("x", "near")
    assert len(merge(pair, target=np.random.default_rng(2).normal(size=N_ROWS)).names) == 1


@pytest.mark.parametrize("max_rows", [5000, 500])
def test_one_of_a_total_and_its_parts_is_left_out(table, max_rows, monkeypatch):
    # With more than four columns the sample is smaller; once three are merged, it is as large as it can be
    few_rows = dataclasses.replace(EQUIVALENCE, many_columns=4, max_rows_many_columns=max_rows)
    monkeypatch.setattr(equivalence, "EQUIVALENCE", few_rows)
    part, total = np.random.default_rng(2).normal(size=N_ROWS), number("other", table.columns[-1].values)
    table = Table((*table.columns[:-1], total, number("part", part), number("rest", total.values - part)), N_ROWS)
    target = (part + 0.5 * total.values > 0).astype(float)
    assert {"other", "part", "rest"} < {*merge(table, target=target).names}
    columns = merge(table, target=target, drop_determined=True)
    assert {*columns.names} >= {"other", "part"}
    assert columns.reasons["rest"].code == ReasonCode.EQUIVALENT
    assert {*columns.reasons["rest"].columns} == {"other", "part"}
    assert "rest" in merge(table, keep=["rest"], target=target, drop_determined=True).names
