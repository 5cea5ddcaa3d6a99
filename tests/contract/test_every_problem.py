"""The contract of every problem: seeds, number of rows, names, types and checks."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from minerva_select import problems
from minerva_select.errors import InputError
from minerva_select.problems import PROBLEMS, Problem

VARIANTS: dict[str, Callable[..., Problem]] = {
    **PROBLEMS,
    "switching, random": lambda **kw: problems.switching(coefficients="random", **kw),
    "gaussian, three pairs and noise": lambda **kw: problems.gaussian(n_features=3, n_noise=2, **kw),
    "parity, noisy": lambda **kw: problems.parity(noise=0.1, **kw),
    "bayesian network, small": lambda **kw: problems.bayesian_network(n_nodes=6, **kw),
    "independent, continuous": lambda **kw: problems.independent(target_type="continuous", **kw),
    "independent, rare": lambda **kw: problems.independent(target_type="rare", **kw),
}


@pytest.fixture(params=VARIANTS.values(), ids=VARIANTS.keys())
def draw(request: pytest.FixtureRequest) -> Callable[..., Problem]:
    return request.param


def join(problem: Problem) -> pd.DataFrame:
    return pd.concat([problem.X, problem.y], axis="columns")


def test_same_seed_gives_the_same_problem(draw):
    one, two = draw(n_samples=50, random_state=7), draw(n_samples=50, random_state=7)
    assert_frame_equal(join(one), join(two))
    assert (one.relevant, one.mutual_information) == (two.relevant, two.mutual_information)


def test_other_seeds_give_other_rows(draw):
    one, two = draw(n_samples=50, random_state=7), draw(n_samples=50, random_state=8)
    # bayesian_network may draw another target, so only shared columns are compared.
    shared = one.X.columns.intersection(two.X.columns)
    assert not one.X[shared].equals(two.X[shared])


def test_a_generator_is_used_and_advanced(draw):
    rng = np.random.default_rng(7)
    first, second = draw(n_samples=50, random_state=rng), draw(n_samples=50, random_state=rng)
    assert_frame_equal(join(first), join(draw(n_samples=50, random_state=7)))
    assert not join(first).equals(join(second))


def test_without_a_seed_every_draw_differs(draw):
    one, two = draw(n_samples=50, random_state=None), draw(n_samples=50, random_state=None)
    assert not join(one).equals(join(two))


def test_n_samples_is_the_number_of_rows(draw):
    for n_samples in (10, 137):
        problem = draw(n_samples=n_samples)
        assert problem.X.index.equals(pd.RangeIndex(n_samples))
        assert problem.y.index.equals(pd.RangeIndex(n_samples))


def test_the_answer_does_not_depend_on_the_number_of_rows(draw):
    few, many = draw(n_samples=20, random_state=3), draw(n_samples=200, random_state=3)
    assert few.relevant == many.relevant
    assert few.mutual_information == many.mutual_information


def test_relevant_columns_are_in_column_order(draw):
    problem = draw(n_samples=20)
    assert list(problem.relevant) == [name for name in problem.X.columns if name in problem.relevant]


def test_columns_are_named_by_position_except_in_card_fraud(draw):
    problem = draw(n_samples=20)
    names = list(problem.X.columns)
    if problem.name == "card_fraud":
        assert len(set(names)) == len(names)
        return
    numbers = [int(name.removeprefix("f")) for name in names]
    assert names == [f"f{number}" for number in numbers]
    assert numbers == sorted(set(numbers))


def test_columns_are_numeric_string_or_boolean(draw):
    for dtype in draw(n_samples=20).X.dtypes:
        values = dtype.categories.dtype if isinstance(dtype, pd.CategoricalDtype) else dtype
        assert pd.api.types.is_numeric_dtype(values) or pd.api.types.is_string_dtype(values)


def test_target_is_complete_numeric_and_named(draw):
    y = draw(n_samples=50).y
    frame = y.to_frame() if isinstance(y, pd.Series) else y
    assert list(frame.columns) == (["y"] if frame.shape[1] == 1 else [f"y{k}" for k in range(frame.shape[1])])
    assert not frame.isna().any(axis=None)
    assert set(frame.dtypes) <= {np.dtype(np.int64), np.dtype(np.float64)}


def test_mutual_information_is_finite_or_none(draw):
    nats = draw(n_samples=20).mutual_information
    assert nats is None or (math.isfinite(nats) and nats >= 0)


def test_an_invalid_number_of_rows_is_rejected(draw):
    for n_samples in (0, -5, 10.5, "many", True, None):
        with pytest.raises(InputError, match=rf"^n_samples .* got {n_samples!r}\.$"):
            draw(n_samples=n_samples)


def test_an_invalid_seed_is_rejected(draw):
    for random_state in (-1, 0.5, "seed"):
        with pytest.raises(InputError, match=rf"^random_state .* got {random_state!r}\.$"):
            draw(n_samples=20, random_state=random_state)


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_can_be_drawn_by_name_with_no_arguments(name):
    parameters = inspect.signature(PROBLEMS[name]).parameters
    assert {"n_samples", "random_state"} <= parameters.keys()
    assert all(parameter.default is not inspect.Parameter.empty for parameter in parameters.values())
    assert getattr(problems, name) is PROBLEMS[name]
    assert PROBLEMS[name](n_samples=20).name == name


def test_importing_problems_loads_neither_torch_nor_scikit_learn():
    code = "import sys, minerva_select.problems; sys.exit(bool({'torch', 'sklearn', 'scipy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
