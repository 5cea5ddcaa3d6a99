from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from minerva_select.data.splits import assign_folds, split_by_time, split_rows
from minerva_select.errors import InputError

SHARES = st.lists(st.floats(0.05, 1.0), min_size=2, max_size=5)
SEEDS = st.integers(0, 2**32 - 1)
UNTIMED = settings(deadline=None)


@UNTIMED
@given(st.integers(1, 200), SHARES, st.integers(1, 60), st.integers(1, 5), SEEDS)
def test_whole_groups_are_split_disjointly_and_completely(n_rows, shares, n_groups, n_strata, seed):
    rng = np.random.default_rng(seed)
    groups, strata = rng.integers(0, n_groups, size=n_rows) - 7, rng.integers(0, n_strata, size=n_rows)
    relative = np.array(shares) / sum(shares)
    try:
        parts = split_rows(n_rows, shares, strata, rng, groups)
    except InputError:
        # Only where there is no group for a part, or a group is larger than what a part may lack
        sizes = np.unique(groups, return_counts=True)[1]
        assert len(sizes) < len(shares) or sizes.max() > 0.1 * n_rows * relative.min()
        return
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(n_rows))
    assert all(len(part) for part in parts)
    assert sum(len(set(groups[part])) for part in parts) == len(set(groups))


@UNTIMED
@given(st.integers(2, 200), st.integers(2, 6), st.integers(1, 8), SEEDS)
def test_sizes_of_folds_differ_by_no_more_than_the_largest_group(n_groups, n_folds, largest, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest + 1, size=n_groups)
    groups = rng.permutation(np.repeat(np.arange(n_groups), sizes))
    try:
        folds = assign_folds(len(groups), n_folds, None, rng, groups)
    except InputError:
        assert n_groups < 2 * n_folds
        return
    # The group that made a fold the fullest went to the one that had least
    n_in_fold = np.bincount(folds, minlength=n_folds)
    assert n_in_fold.max() - n_in_fold.min() <= sizes.max()


@given(st.lists(st.integers(0, 50), min_size=1, max_size=100), SHARES)
def test_parts_by_time_are_ordered_and_complete(moments, shares):
    times = np.array(moments, dtype=np.float64)
    try:
        parts = split_by_time(times, shares)
    except InputError:
        counts = np.unique(times, return_counts=True)[1]
        assert len(counts) < len(shares) or counts.max() > 0.9 * len(times) * min(shares) / sum(shares)
        return
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(len(times)))
    for earlier, later in pairwise(parts):
        assert times[earlier].max() < times[later].min()


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), min_size=1, max_size=100), SHARES)
def test_groups_and_time_together_hold_both_promises(rows, shares):
    times, groups = np.array([time for time, _ in rows], dtype=np.float64), np.array([group for _, group in rows])
    try:
        parts = split_by_time(times, shares, groups)
    except InputError:
        return
    for k, earlier in enumerate(parts):
        for later in parts[k + 1 :]:
            assert times[earlier].max() < times[later].min()
            assert not set(groups[earlier]) & set(groups[later])
    # Nothing is left out of the first part, and of the others only what was met before
    left_out = np.setdiff1d(np.arange(len(times)), np.concatenate(parts))
    assert all(times[groups == groups[row]].min() < times[row] for row in left_out)


@UNTIMED
@given(st.integers(2, 200), st.integers(2, 5), st.integers(1, 5), SEEDS)
def test_groups_of_one_row_each_are_as_even_as_rows(n_rows, n_folds, n_strata, seed):
    rng = np.random.default_rng(seed)
    strata = rng.integers(0, n_strata, size=n_rows)
    if n_rows < n_folds:
        return
    folds = assign_folds(n_rows, n_folds, strata, rng, rng.permutation(n_rows))
    for rows in [np.arange(n_rows), *(np.flatnonzero(strata == stratum) for stratum in range(n_strata))]:
        sizes = np.bincount(folds[rows], minlength=n_folds)
        # Greedy, where rows alone are dealt exactly: two more at most
        assert sizes.max() - sizes.min() <= 2
