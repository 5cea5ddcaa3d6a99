"""Tables with nothing in them, and what a Problem itself refuses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from minerva_select.errors import InputError
from minerva_select.problems import Problem, independent


def test_independent_columns_come_in_every_kind():
    x = independent(n_samples=4_000, n_features=10).X
    for first in (0, 5):
        normal, skewed, text, gappy_text, whole = (x[f"f{first + k}"] for k in range(5))
        assert normal.dtype == skewed.dtype == np.float64
        assert pd.api.types.is_string_dtype(text.dtype)
        assert pd.api.types.is_string_dtype(gappy_text.dtype)
        assert set(whole) == set(range(10))
        assert not x[[normal.name, text.name, whole.name]].isna().any(axis=None)
        for gappy in (skewed, gappy_text):
            # Shares of 4,000 rows have standard deviation 0.0047; four of them.
            assert gappy.isna().mean() == pytest.approx(0.1, abs=0.019)
        assert text.nunique() == gappy_text.nunique() == 5


@pytest.mark.parametrize("seed", range(5))
def test_rare_positives_are_rare_but_never_absent(seed):
    assert independent(n_samples=10, n_features=1, target="rare", random_state=seed).y.sum() == 5
    assert 0.001 <= independent(n_samples=20_000, n_features=1, target="rare", random_state=seed).y.mean() <= 0.01


def test_discrete_target_has_three_classes_and_a_continuous_one_no_ties():
    shares = independent(n_samples=10_000, n_features=1).y.value_counts(normalize=True).sort_index()
    # Shares of 10,000 rows have standard deviation 0.005; four of them.
    np.testing.assert_allclose(shares, [0.5, 0.3, 0.2], atol=0.02)
    assert independent(n_samples=1_000, n_features=1, target="continuous").y.nunique() == 1_000


@pytest.mark.parametrize("target", ["discrete", "continuous", "rare"])
def test_no_column_knows_the_target_nor_do_the_gaps(target):
    problem = independent(n_samples=10_000, n_features=10, target=target)
    assert problem.relevant == ()
    assert problem.mutual_information == 0
    for name, column in problem.X.items():
        numbers = column if pd.api.types.is_numeric_dtype(column.dtype) else pd.Series(pd.factorize(column)[0])
        # Rank correlations of independent columns have standard deviation 1 / sqrt(10,000) = 0.01; five of them.
        assert abs(numbers.rank().corr(problem.y.rank())) < 0.05, name
        if column.isna().any():
            assert abs(column.isna().astype(float).corr(problem.y)) < 0.05, name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "continous"}, r"There is no kind of target 'continous'; did you mean 'continuous'\?"),
        ({"n_features": 0}, r"n_features is 0; pass a whole number of 1 or more\."),
    ],
)
def test_independent_refuses_what_it_cannot_draw(arguments, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        independent(n_samples=100, **arguments)


def test_a_problem_refuses_a_truth_that_is_not_in_the_table():
    x, y = pd.DataFrame({"amount": [1, 2]}), pd.Series([0, 1], name="y")
    with pytest.raises(InputError, match=r"^There is no column 'amout'; did you mean 'amount'\?$"):
        Problem("mine", x, y, relevant=("amout",))
    with pytest.raises(InputError, match=r"^There is no column 'b'; choose from 'amount'\.$"):
        Problem("mine", x, y, relevant=("amount",), stand_ins={"amount": ("b",)})
    with pytest.raises(InputError, match=r"^X and y must have as many rows; X has 2 and y has 1\.$"):
        Problem("mine", x, y[:1], relevant=())


def test_a_problem_prints_without_its_rows():
    problem = Problem("mine", pd.DataFrame({"a": [1, 2]}), pd.Series([0, 1], name="y"), relevant=("a",))
    assert repr(problem) == "Problem(name='mine', relevant=('a',), mutual_information=None, stand_ins={})"
