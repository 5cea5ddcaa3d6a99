"""equality and parity agree with counts and with values worked out by hand."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest

from minerva_select.errors import InputError
from minerva_select.problems import equality, parity


def information(pairs: Iterable[tuple[object, object]]) -> float:
    """Plug-in mutual information of pairs in nats: sum of p(a, b) log p(a, b) / (p(a) p(b))."""
    both = Counter(pairs)
    n = sum(both.values())
    left, right = Counter(), Counter()
    for (a, b), count in both.items():
        left[a] += count
        right[b] += count
    return sum(count / n * math.log(count * n / (left[a] * right[b])) for (a, b), count in both.items())


def columns_with_target(problem, names):
    return zip(map(tuple, problem.X[list(names)].to_numpy()), problem.y, strict=True)


@pytest.mark.parametrize("n_levels", [2, 3, 5, 19])
def test_equality_information_agrees_with_enumeration(n_levels):
    cells = list(itertools.product(range(n_levels), repeat=2))
    joint = information(((a, b), a == b) for a, b in cells)
    alone = information((a, a == b) for a, b in cells)
    assert equality(n_samples=1, n_levels=n_levels).mutual_information == pytest.approx(joint)
    assert alone == pytest.approx(0, abs=1e-12)


def test_equality_information_at_three_levels():
    # H(Y) with P(Y = 1) = 1/3: log(3)/3 + 2/3 log(3/2) = 0.36620 + 0.27031.
    assert equality(n_samples=1, n_levels=3).mutual_information == pytest.approx(0.63651, abs=1e-5)


def test_equality_target_is_one_where_the_two_columns_are_equal():
    problem = equality(n_samples=500, n_features=6, n_levels=4, relevant=(5, 2))
    assert problem.relevant == ("f2", "f5")
    assert list(problem.y) == [int(a == b) for a, b in zip(problem.X["f2"], problem.X["f5"], strict=True)]


def test_equality_rows_carry_the_information_and_single_columns_none():
    problem = equality(n_samples=20_000, n_features=12)
    # y is a function of the pair, so the plug-in value is the entropy of the share of ones. The tolerance is four times
    # its standard deviation, sqrt(0.2 * 0.8 / 20,000) * log(0.8 / 0.2) = 0.004.
    estimate = information(columns_with_target(problem, problem.relevant))
    assert estimate == pytest.approx(problem.mutual_information, abs=0.016)
    # 2 n I of an independent column is chi-squared with 4 degrees of freedom: above 40 once in 20 million.
    for name in problem.X.columns:
        assert information(columns_with_target(problem, [name])) < 0.001


def test_equality_levels_are_one_to_m_and_all_occur():
    problem = equality(n_samples=2_000, n_features=9, n_levels=7)
    assert all(set(problem.X[name]) == {1, 2, 3, 4, 5, 6, 7} for name in problem.X)
    assert set(problem.X.dtypes) == {np.dtype(np.int8)}


def test_equality_with_many_levels_uses_int16():
    problem = equality(n_samples=20_000, n_features=2, n_levels=300, relevant=(0, 1))
    assert set(problem.X.dtypes) == {np.dtype(np.int16)}
    assert problem.X.to_numpy().max() == 300


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_levels": 1}, "^n_levels "),
        ({"n_features": 1}, r"^n_features .*\b2\b"),
        ({"n_features": 5}, "position in relevant .* from 0 to 4"),
        ({"relevant": (3, 3)}, "^relevant .* 2 distinct"),
        ({"relevant": (1, 2, 3)}, "^relevant .* 2 column positions"),
    ],
)
def test_equality_rejects_invalid_parameters(arguments, message):
    with pytest.raises(InputError, match=message):
        equality(n_samples=10, **arguments)


def test_parity_target_is_the_exclusive_or_of_the_relevant_bits():
    problem = parity(n_samples=500, n_features=12, n_bits=4, random_state=5)
    assert len(problem.relevant) == 4
    assert list(problem.y) == [sum(row) % 2 for row in problem.X[list(problem.relevant)].to_numpy().tolist()]
    assert set(problem.X.to_numpy().ravel()) == {0, 1}


def test_parity_needs_all_its_bits():
    problem = parity(n_samples=10_000, n_features=6, n_bits=3)
    # y is a function of the three bits, so the plug-in value is the entropy of 10,000 fair coin tosses: about
    # log 2 - 1/20,000.
    assert information(columns_with_target(problem, problem.relevant)) == pytest.approx(math.log(2), abs=1e-3)
    assert problem.mutual_information == pytest.approx(math.log(2))
    for pair in itertools.combinations(problem.X.columns, 2):
        # 2 n I is chi-squared with 3 degrees of freedom: above 40 once in 90 million.
        assert information(columns_with_target(problem, pair)) < 0.002


def test_parity_with_flips_has_the_information_of_a_noisy_channel():
    # The textbook example of a binary symmetric channel: with 11% flips it carries half a bit.
    problem = parity(n_samples=40_000, n_features=5, n_bits=2, noise=0.11)
    assert problem.mutual_information / math.log(2) == pytest.approx(0.5, abs=1e-3)
    a, b = (problem.X[name] for name in problem.relevant)
    # Four standard deviations of the share of flips, each sqrt(0.11 * 0.89 / 40,000) = 0.0016.
    assert float((problem.y != (a ^ b)).mean()) == pytest.approx(0.11, abs=0.0064)


def test_parity_positions_are_as_requested_or_drawn_from_the_seed():
    assert parity(n_samples=10, n_features=9, n_bits=2, relevant=[7, 1]).relevant == ("f1", "f7")
    assert len({parity(n_samples=10, random_state=seed).relevant for seed in range(5)}) > 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_bits": 21}, "^n_bits .* from 1 to 20"),
        ({"noise": 0.5}, r"^noise .* below 0\.5"),
        ({"noise": math.nan}, "^noise .* got nan"),
        ({"relevant": (0, 1)}, "^relevant .* 3 column positions"),
    ],
)
def test_parity_rejects_invalid_parameters(arguments, message):
    with pytest.raises(InputError, match=message):
        parity(n_samples=10, **arguments)
