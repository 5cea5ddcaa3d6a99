"""Tables with an independent target, and the checks of Problem itself."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from minerva_select.errors import InputError
from minerva_select.problems import Problem, independent


def test_columns_have_five_types_in_turn():
    x = independent(n_samples=4_000, n_features=10).X
    for first in (0, 5):
        normal, skewed, text, text_with_missing, whole = (x[f"f{first + k}"] for k in range(5))
        assert normal.dtype == skewed.dtype == np.float64
        assert pd.api.types.is_string_dtype(text.dtype)
        assert pd.api.types.is_string_dtype(text_with_missing.dtype)
        assert set(whole) == set(range(10))
        assert not x[[normal.name, text.name, whole.name]].isna().any(axis=None)
        for incomplete in (skewed, text_with_missing):
            # Four standard deviations, each 0.0047 for a share of 4,000 rows.
            assert incomplete.isna().mean() == pytest.approx(0.1, abs=0.019)
        assert text.nunique() == text_with_missing.nunique() == 5


@pytest.mark.parametrize("seed", range(5))
def test_a_rare_class_has_at_most_one_percent_and_at_least_five_rows(seed):
    assert independent(n_samples=10, n_features=1, target_type="rare", random_state=seed).y.sum() == 5
    assert 0.001 <= independent(n_samples=20_000, n_features=1, target_type="rare", random_state=seed).y.mean() <= 0.01


def test_discrete_target_has_three_classes_and_a_continuous_one_no_ties():
    shares = independent(n_samples=10_000, n_features=1).y.value_counts(normalize=True).sort_index()
    # Four standard deviations, each 0.005 for a share of 10,000 rows.
    np.testing.assert_allclose(shares, [0.5, 0.3, 0.2], atol=0.02)
    assert independent(n_samples=1_000, n_features=1, target_type="continuous").y.nunique() == 1_000


@pytest.mark.parametrize("target_type", ["discrete", "continuous", "rare"])
def test_values_and_missing_values_are_independent_of_the_target(target_type):
    problem = independent(n_samples=10_000, n_features=10, target_type=target_type)
    assert problem.relevant == ()
    assert problem.mutual_information == 0
    for name, column in problem.X.items():
        numbers = column if pd.api.types.is_numeric_dtype(column.dtype) else pd.Series(pd.factorize(column)[0])
        # Five standard deviations, each 1 / sqrt(10,000) = 0.01 for rank correlations of independent columns.
        assert abs(numbers.rank().corr(problem.y.rank())) < 0.05, name
        if column.isna().any():
            assert abs(column.isna().astype(float).corr(problem.y)) < 0.05, name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target_type": "continous"}, "target_type 'continous'.* 'continuous'"),
        ({"n_features": 0}, r"^n_features .*\b1\b"),
    ],
)
def test_invalid_parameters_are_rejected(arguments, message):
    with pytest.raises(InputError, match=message):
        independent(n_samples=100, **arguments)


def test_a_problem_rejects_columns_that_are_not_in_the_table():
    x, y = pd.DataFrame({"amount": [1, 2]}), pd.Series([0, 1], name="y")
    with pytest.raises(InputError, match=r"'amout'.* 'amount'"):
        Problem("mine", x, y, relevant=("amout",))
    with pytest.raises(InputError, match=r"'b'.* 'amount'"):
        Problem("mine", x, y, relevant=("amount",), proxies={"amount": ("b",)})
    with pytest.raises(InputError, match="same number of rows"):
        Problem("mine", x, y[:1], relevant=())


def test_the_repr_of_a_problem_has_no_rows():
    problem = Problem("mine", pd.DataFrame({"a": [1, 2]}), pd.Series([0, 1], name="y"), relevant=("a",))
    assert repr(problem) == "Problem(name='mine', relevant=('a',), mutual_information=None, proxies={})"
