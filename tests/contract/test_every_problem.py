"""What holds for every problem with a known answer."""

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
    "switching, fresh": lambda **kw: problems.switching(coefficients="fresh", **kw),
    "gaussian, three pairs and noise": lambda **kw: problems.gaussian(n_features=3, n_noise=2, **kw),
    "parity, flipped": lambda **kw: problems.parity(noise=0.1, **kw),
    "bayesian network, small": lambda **kw: problems.bayesian_network(n_nodes=6, **kw),
    "independent, continuous": lambda **kw: problems.independent(target_type="continuous", **kw),
    "independent, rare": lambda **kw: problems.independent(target="rare", **kw),
}


@pytest.fixture(params=VARIANTS.values(), ids=VARIANTS.keys())
def sampler(request: pytest.FixtureRequest) -> Callable[..., Problem]:
    return request.param


def together(problem: Problem) -> pd.DataFrame:
    return pd.concat([problem.X, problem.y], axis="columns")


def test_same_seed_gives_the_same_problem(sampler):
    one, two = sampler(n_samples=50, random_state=7), sampler(n_samples=50, random_state=7)
    assert_frame_equal(together(one), together(two))
    assert (one.relevant, one.mutual_information) == (two.relevant, two.mutual_information)


def test_other_seeds_give_other_rows(sampler):
    one, two = sampler(n_samples=50, random_state=7), sampler(n_samples=50, random_state=8)
    # bayesian_network may take another target, so only columns that both have are compared.
    shared = one.X.columns.intersection(two.X.columns)
    assert not one.X[shared].equals(two.X[shared])


def test_a_generator_is_used_as_it_is(sampler):
    rng = np.random.default_rng(7)
    first, second = sampler(n_samples=50, random_state=rng), sampler(n_samples=50, random_state=rng)
    assert_frame_equal(together(first), together(sampler(n_samples=50, random_state=7)))
    assert not together(first).equals(together(second))


def test_no_seed_draws_anew(sampler):
    one, two = sampler(n_samples=50, random_state=None), sampler(n_samples=50, random_state=None)
    assert not together(one).equals(together(two))


def test_number_of_rows_is_the_one_asked_for(sampler):
    for n_samples in (10, 137):
        problem = sampler(n_samples=n_samples)
        assert problem.X.index.equals(pd.RangeIndex(n_samples))
        assert problem.y.index.equals(pd.RangeIndex(n_samples))


def test_the_truth_does_not_depend_on_the_number_of_rows(sampler):
    few, many = sampler(n_samples=20, random_state=3), sampler(n_samples=200, random_state=3)
    assert few.relevant == many.relevant
    assert few.mutual_information == many.mutual_information


def test_relevant_columns_are_distinct_columns_in_order(sampler):
    problem = sampler(n_samples=20)
    assert list(problem.relevant) == [name for name in problem.X.columns if name in problem.relevant]


def test_columns_are_named_by_position_or_by_what_they_hold(sampler):
    problem = sampler(n_samples=20)
    names = list(problem.X.columns)
    if problem.name == "card_fraud":
        assert len(set(names)) == len(names)
        return
    numbers = [int(name.removeprefix("f")) for name in names]
    assert names == [f"f{number}" for number in numbers]
    assert numbers == sorted(set(numbers))


def test_columns_are_numbers_strings_or_flags(sampler):
    for dtype in sampler(n_samples=20).X.dtypes:
        values = dtype.categories.dtype if isinstance(dtype, pd.CategoricalDtype) else dtype
        assert pd.api.types.is_numeric_dtype(values) or pd.api.types.is_string_dtype(values)


def test_target_is_complete_numeric_and_named(sampler):
    y = sampler(n_samples=50).y
    frame = y.to_frame() if isinstance(y, pd.Series) else y
    assert list(frame.columns) == (["y"] if frame.shape[1] == 1 else [f"y{k}" for k in range(frame.shape[1])])
    assert not frame.isna().any(axis=None)
    assert set(frame.dtypes) <= {np.dtype(np.int64), np.dtype(np.float64)}


def test_information_is_a_finite_amount_or_unknown(sampler):
    nats = sampler(n_samples=20).mutual_information
    assert nats is None or (math.isfinite(nats) and nats >= 0)


def test_a_bad_number_of_rows_is_refused_in_one_sentence(sampler):
    for n_samples in (0, -5, 10.5, "many", True, None):
        with pytest.raises(InputError, match=rf"^n_samples is {n_samples!r}; pass a whole number of \d+ or more\.$"):
            sampler(n_samples=n_samples)


def test_a_bad_seed_is_refused_in_one_sentence(sampler):
    for random_state in (-1, 0.5, "seed"):
        with pytest.raises(
            InputError, match=rf"^random_state is {random_state!r}; pass a whole number of 0 or more\.$"
        ):
            sampler(n_samples=20, random_state=random_state)


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_can_be_drawn_by_name_with_no_arguments(name):
    parameters = inspect.signature(PROBLEMS[name]).parameters
    assert {"n_samples", "random_state"} <= parameters.keys()
    assert all(parameter.default is not inspect.Parameter.empty for parameter in parameters.values())
    assert getattr(problems, name) is PROBLEMS[name]
    assert PROBLEMS[name](n_samples=20).name == name


def test_problems_load_neither_torch_nor_scikit_learn():
    code = "import sys, minerva_select.problems; sys.exit(bool({'torch', 'sklearn', 'scipy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
