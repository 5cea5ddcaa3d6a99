from types import SimpleNamespace

import numpy as np
import pytest

from minerva_select.mi.inference import MeanEstimate
from minerva_select.solvers.weak_members import add_weak_members


def make_judge(n_rows=4_000, numeric=(), explains=False, clusters=None, weights=None, is_class=True, held_out=None):
    """A judge of five columns: 0 and 1 are strong, 2 is weak, 3 copies 0 with errors, 4 is noise."""
    rng = np.random.default_rng(0)
    X = rng.integers(3, size=(n_rows, 5))
    X[:, 3] = np.where(rng.random(n_rows) < 0.8, X[:, 0], X[:, 3])
    logit = 1.5 * (X[:, 0] - 1) + (X[:, 1] - 1) + 0.25 * (X[:, 2] - 1)
    y = (rng.random(n_rows) < 1 / (1 + np.exp(-logit))).astype(np.int64)
    arrays = SimpleNamespace(
        values=X.astype(np.float32),
        read=lambda features, rows: X[np.ix_(rows, features)],
        is_categorical=np.array([k not in numeric for k in range(5)]),
        target=SimpleNamespace(bins=y, is_class=is_class),
        weights=np.ones(n_rows) if weights is None else weights,
        held_out=np.arange(n_rows) if held_out is None else held_out,
    )
    return SimpleNamespace(
        arrays=SimpleNamespace(folds=[arrays], families=("trees",), seed=0),
        has_time=True,
        clusters=clusters,
        context=SimpleNamespace(units=[[k] for k in range(5)]),
        verdict=lambda _: None,
        explains_target=lambda _: explains,
        measure=lambda _: MeanEstimate(0.2, 0.01),
    )


def test_a_weak_column_is_added_and_a_copy_and_noise_are_not():
    assert add_weak_members(make_judge(), [0, 1], range(5)) == [2]


def test_several_columns_are_added_with_the_clearest_first():
    assert add_weak_members(make_judge(), [0], range(5)) == [1, 2]


def test_the_held_out_rows_of_a_single_fold_decide():
    judge = make_judge(held_out=np.arange(2_000))
    arrays = judge.arrays.folds[0]
    arrays.target.bins[2_000:] = arrays.values[2_000:, 4] > 0  # what held in training rows only
    assert add_weak_members(judge, [0, 1], range(5)) == [2]


def test_nothing_is_added_to_nothing():
    assert add_weak_members(make_judge(), [], range(5)) == []


@pytest.mark.parametrize(
    "judge",
    [
        pytest.param(make_judge(numeric=(0,)), id="a kept column is numeric"),
        pytest.param(make_judge(numeric=(2,)), id="the weak column is numeric"),
        pytest.param(make_judge(explains=True), id="the kept columns explain the target"),
        pytest.param(make_judge(clusters=np.zeros(4_000)), id="rows are grouped"),
        pytest.param(make_judge(weights=np.arange(4_000.0)), id="rows have weights"),
        pytest.param(make_judge(is_class=False), id="the target is a number"),
    ],
)
def test_nothing_is_added_where_the_test_does_not_apply(judge):
    assert add_weak_members(judge, [0, 1], range(5)) == []


def test_a_column_that_adds_a_negligible_share_is_not_added():
    judge = make_judge()
    judge.measure = lambda _: MeanEstimate(100.0, 0.01)
    assert add_weak_members(judge, [0, 1], range(5)) == []


def test_columns_that_were_screened_out_count_as_tested():
    judge = make_judge(n_rows=1_500)
    assert add_weak_members(judge, [0, 1], range(5)) == [2]
    judge.context.units.extend([k] for k in range(5, 10_000))
    assert add_weak_members(judge, [0, 1], range(5)) == []
