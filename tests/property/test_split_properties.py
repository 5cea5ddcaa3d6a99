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
def test_group_splits_are_disjoint_and_complete(n_rows, shares, n_groups, n_strata, seed):
    rng = np.random.default_rng(seed)
    groups, strata = rng.integers(0, n_groups, size=n_rows) - 7, rng.integers(0, n_strata, size=n_rows)
    relative = np.array(shares) / sum(shares)
    try:
        parts = split_rows(n_rows, shares, strata, rng, groups)
    except InputError:
        # Only if a part has no group, or a group is larger than what a part may lack
        sizes = np.unique(groups, return_counts=True)[1]
        assert len(sizes) < len(shares) or sizes.max() > 0.1 * n_rows * relative.min()
        return
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(n_rows))
    assert all(len(part) for part in parts)
    assert sum(len(set(groups[part])) for part in parts) == len(set(groups))


@UNTIMED
@given(st.integers(2, 200), st.integers(2, 6), st.integers(1, 8), SEEDS)
def test_fold_sizes_differ_by_at_most_the_largest_group(n_groups, n_folds, largest, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest + 1, size=n_groups)
    groups = rng.permutation(np.repeat(np.arange(n_groups), sizes))
    try:
        folds = assign_folds(len(groups), n_folds, None, rng, groups)
    except InputError:
        assert n_groups < 2 * n_folds
        return
    # The last group of the largest fold was assigned when that fold was the smallest
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
def test_splits_by_group_and_time_keep_both_rules(rows, shares):
    times, groups = np.array([time for time, _ in rows], dtype=np.float64), np.array([group for _, group in rows])
    try:
        parts = split_by_time(times, shares, groups)
    except InputError:
        return
    for k, earlier in enumerate(parts):
        for later in parts[k + 1 :]:
            assert times[earlier].max() < times[later].min()
            assert not set(groups[earlier]) & set(groups[later])
    # The first part is complete; others lack only groups of earlier parts
    left_out = np.setdiff1d(np.arange(len(times)), np.concatenate(parts))
    assert all(times[groups == groups[row]].min() < times[row] for row in left_out)


@UNTIMED
@given(st.integers(2, 200), st.integers(2, 5), st.integers(1, 5), SEEDS)
def test_groups_of_one_row_are_as_even_as_rows(n_rows, n_folds, n_strata, seed):
    rng = np.random.default_rng(seed)
    strata = rng.integers(0, n_strata, size=n_rows)
    if n_rows < n_folds:
        return
    folds = assign_folds(n_rows, n_folds, strata, rng, rng.permutation(n_rows))
    for rows in [np.arange(n_rows), *(np.flatnonzero(strata == stratum) for stratum in range(n_strata))]:
        sizes = np.bincount(folds[rows], minlength=n_folds)
        # Greedy, while rows alone are split exactly: at most two more
        assert sizes.max() - sizes.min() <= 2
