"""Claims about the columns of a side as ranks and indicators."""

import numpy as np
import pytest

from known_information import as_side
from minerva_select.mi.density_ratio.side import read_side
from minerva_select.schema import Column, ColumnType, Table

VALUES = np.random.default_rng(0).normal(size=(200, 2))


@pytest.mark.parametrize("transform", [np.exp, np.negative, lambda x: -(x**3), lambda x: np.where(x > 0, x, 9 * x)])
def test_no_monotone_map_changes_any_bit(transform):
    before, after = as_side(VALUES), as_side(transform(VALUES))
    assert (before.quantiles == after.quantiles).all()
    assert (before.critic_inputs == after.critic_inputs).all()


def test_normal_scores_are_normal():
    scores = as_side(VALUES).normal_scores
    assert scores.mean(axis=0) == pytest.approx([0, 0], abs=1e-6)
    # 200 quantiles have a little less variance than the distribution
    assert scores.var(axis=0) == pytest.approx([1, 1], abs=0.03)


def test_equal_values_share_the_middle_of_their_ranks():
    side = as_side(np.array([[0.0], [0.0], [0.0], [1.0]]))
    assert side.quantiles[:3, 0] == pytest.approx([0.375] * 3) or side.quantiles[:3, 0] == pytest.approx([0.625] * 3)


def test_missing_values_lie_in_the_middle_and_have_an_indicator():
    side = as_side(np.array([[np.nan], [1.0], [2.0], [3.0]]))
    assert side.quantiles[0, 0] == 0.5
    assert side.indicators.shape == (4, 1)
    assert not side.is_numeric


def test_levels_have_standardized_indicators():
    codes = np.array([0, 0, 1, 2, 2, 2])
    table = Table((Column("c", codes, np.array(["a", "b", "c"])),), 6)
    side = read_side(table, {"c": ColumnType.CATEGORICAL})
    assert side.quantiles.shape == (6, 0)
    assert side.indicators.mean(axis=0) == pytest.approx([0, 0, 0])
    assert side.indicators.var(axis=0) == pytest.approx([1, 1, 1])


def test_two_levels_need_one_indicator():
    table = Table((Column("c", np.array([0, 1, 1, 0]), np.array(["a", "b"])),), 4)
    assert read_side(table, {"c": ColumnType.CATEGORICAL}).n_columns == 1


def test_some_columns_are_those_columns():
    table = Table((Column("c", np.array([0, 1, 1, 0]), np.array(["a", "b"])), Column("n", np.arange(4.0))), 4)
    side = read_side(table, {"c": ColumnType.CATEGORICAL, "n": ColumnType.NUMERIC})
    assert (side.take(np.array([1])).values == side.indicators).all()
    assert (side.take(np.array([0])).values == side.normal_scores).all()
    assert side.join(side).n_columns == 4
