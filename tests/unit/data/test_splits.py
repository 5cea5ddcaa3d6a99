import numpy as np
import pytest

from minerva_select.data.splits import assign_folds, split_rows
from minerva_select.errors import InputError


def rng(seed=0):
    return np.random.default_rng(seed)


def test_parts_have_their_shares():
    assert [len(part) for part in split_rows(100, [0.29, 0.5, 0.21], None, rng())] == [29, 50, 21]


def test_shares_are_relative():
    assert [len(part) for part in split_rows(40, [3, 1], None, rng())] == [30, 10]


def test_rare_classes_are_spread_in_proportion():
    strata = np.repeat([0, 1, 2], [960, 32, 8])
    train, test = split_rows(1000, [0.75, 0.25], strata, rng())
    assert np.bincount(strata[train]).tolist() == [720, 24, 6]
    assert np.bincount(strata[test]).tolist() == [240, 8, 2]


def test_strata_of_one_row_are_spread_over_parts():
    parts = split_rows(100, [0.6, 0.2, 0.2], np.arange(100), rng())
    assert [len(part) for part in parts] == [60, 20, 20]


def test_rows_are_drawn_from_the_whole_table():
    train, _ = split_rows(10_000, [0.5, 0.5], None, rng())
    # The mean of 5,000 of 10,000 row numbers has a standard deviation of 29; four of them
    assert abs(train.mean() - 5000) < 4 * 29


def test_parts_depend_only_on_the_generator():
    strata = np.arange(200) % 7
    one, two, other = (split_rows(200, [0.5, 0.5], strata, rng(seed))[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)


def test_strata_may_be_any_integers():
    strata = np.array([-5, 10**12] * 10)
    folds = assign_folds(20, 5, strata, rng())
    assert (np.bincount(folds[strata < 0]) == 2).all()


def test_fold_sizes_differ_by_at_most_one_also_per_stratum():
    strata = np.repeat([0, 1, 2, 3], [101, 13, 4, 2])
    folds = assign_folds(120, 5, strata, rng())
    assert np.bincount(folds).tolist() == [24] * 5
    for stratum in range(4):
        sizes = np.bincount(folds[strata == stratum], minlength=5)
        assert sizes.max() - sizes.min() <= 1


def test_the_odd_row_goes_to_different_folds():
    odd = {int(np.argmax(np.bincount(assign_folds(7, 3, None, rng(seed))))) for seed in range(20)}
    assert odd == {0, 1, 2}


@pytest.mark.parametrize("n_rows", [0, 1, 2])
def test_too_few_rows_for_the_parts_are_refused(n_rows):
    with pytest.raises(InputError, match=f"{n_rows} samples are too few to split into parts of 50%, 25%, 25%"):
        split_rows(n_rows, [0.5, 0.25, 0.25], None, rng())


def test_a_part_that_would_be_empty_is_refused():
    with pytest.raises(InputError, match="10 samples are too few to split into parts of 98%, 2%"):
        split_rows(10, [0.98, 0.02], None, rng())


def test_too_few_rows_or_folds_are_refused():
    with pytest.raises(InputError, match="4 samples are too few to split into 5 folds; give more rows"):
        assign_folds(4, 5, None, rng())
    with pytest.raises(InputError, match="The number of folds must be at least 2, got 1"):
        assign_folds(4, 1, None, rng())


@pytest.mark.parametrize("shares", [[], [1.0, 0.0], [0.5, -0.5], [0.5, float("nan")]])
def test_shares_must_be_above_zero(shares):
    with pytest.raises(InputError, match="Sharding of a split must be numbers above 0"):
        split_rows(10, shares, None, rng())
