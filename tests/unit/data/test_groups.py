import numpy as np
import pytest

from minerva_select.data.groups import N_ONE_BY_ONE
from minerva_select.data.splits import assign_folds, split_rows
from minerva_select.errors import InputError


def rng(seed=0):
    return np.random.default_rng(seed)


def groups_across(parts, groups):
    """Return how many groups have rows in more than one part."""
    return sum(len(np.unique(parts[groups == group])) > 1 for group in np.unique(groups))


def test_rows_of_a_group_stay_together_in_a_split():
    groups = rng().integers(-40, 40, size=600)
    parts = split_rows(600, [0.6, 0.2, 0.2], None, rng(1), groups)
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(600))
    for one, part in enumerate(parts):
        for other in parts[one + 1 :]:
            assert not set(groups[part]) & set(groups[other])


def test_groups_of_equal_size_give_exact_shares():
    groups = np.arange(400) // 4
    assert [len(part) for part in split_rows(400, [0.6, 0.3, 0.1], None, rng(), groups)] == [240, 120, 40]


def test_large_groups_are_balanced_by_small_ones():
    # 50 = 50 = 30 + 20: the only even split
    groups = np.repeat([1, 2, 3, 4], [50, 50, 30, 20])
    folds = assign_folds(150, 3, None, rng(), groups)
    assert np.bincount(folds).tolist() == [50, 50, 50]


def test_a_rare_class_is_spread_over_folds():
    # 6 of 300 groups have one row each of the rare class
    groups, strata = np.arange(1200) // 4, np.zeros(1200, dtype=np.int64)
    strata[::200] = 1
    folds = assign_folds(1200, 3, strata, rng(), groups)
    assert np.bincount(folds).tolist() == [400, 400, 400]
    assert np.bincount(folds[strata == 1]).tolist() == [2, 2, 2]


def test_groups_of_a_single_class_are_spread_in_proportion():
    strata = np.repeat([0, 1, 2], [600, 300, 60])
    train, test = split_rows(960, [0.75, 0.25], strata, rng(), groups=np.arange(960) // 3)
    assert np.bincount(strata[train]).tolist() == [450, 225, 45]
    assert np.bincount(strata[test]).tolist() == [150, 75, 15]


def test_many_small_groups_are_assigned_evenly():
    n_rows = 60_000
    groups = rng(1).integers(0, 25_000, size=n_rows)
    strata = (rng(2).random(n_rows) < 0.002).astype(np.int64)
    assert len(np.unique(groups)) > 2 * N_ONE_BY_ONE
    parts = split_rows(n_rows, [0.5, 0.3, 0.2], strata, rng(3), groups)
    part_of = np.empty(n_rows, dtype=np.int64)
    for k, part in enumerate(parts):
        part_of[part] = k
    order = np.argsort(groups, kind="stable")
    same_group = np.diff(groups[order]) == 0
    assert (np.diff(part_of[order])[same_group] == 0).all()
    # Groups of single rows fill the gaps: within one row, two for the rarer class
    np.testing.assert_allclose([len(part) for part in parts], [30_000, 18_000, 12_000], atol=1)
    rare = strata.sum()
    np.testing.assert_allclose([strata[part].sum() for part in parts], [0.5 * rare, 0.3 * rare, 0.2 * rare], atol=2)


def test_other_folds_are_even_when_one_group_exceeds_its_fold():
    groups = np.concatenate([np.zeros(24_000, dtype=np.int64), np.arange(1, 36_001)])
    folds = assign_folds(60_000, 5, None, rng(), groups)
    sizes = np.sort(np.bincount(folds))
    # 24,000 rows are one group; the others share 36,000 in four
    assert sizes.tolist() == [9_000, 9_000, 9_000, 9_000, 24_000]


@pytest.mark.parametrize("n_groups", [50, 12_000])
def test_folds_depend_only_on_the_generator(n_groups):
    groups = np.arange(3 * n_groups) // 3
    one, two, other = (assign_folds(3 * n_groups, 4, groups % 3, rng(seed), groups) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)


def test_group_numbers_and_row_order_keep_groups_together():
    groups = rng().permutation(np.repeat(np.arange(30), 5)) * 10**15 - 7
    assert groups_across(assign_folds(150, 4, None, rng(), groups), groups) == 0


def test_the_odd_group_goes_to_different_folds():
    groups = np.arange(14) // 2
    odd = {int(np.argmax(np.bincount(assign_folds(14, 3, None, rng(seed), groups)))) for seed in range(20)}
    assert odd == {0, 1, 2}


def test_no_part_is_empty_if_there_are_enough_groups():
    # Assigning the second group to the first part would be closer to its share, but leave a part empty
    groups = np.repeat([0, 1, 2], [50, 40, 10])
    parts = split_rows(100, [0.8, 0.1, 0.1], None, rng(), groups)
    assert sorted(len(part) for part in parts) == [10, 40, 50]


def test_fewer_groups_than_parts_are_refused():
    message = "3 parts .*groups, got 2"
    with pytest.raises(InputError, match=message):
        split_rows(40, [0.6, 0.2, 0.2], None, rng(), np.arange(40) % 2)
    with pytest.raises(InputError, match=message):
        assign_folds(40, 3, None, rng(), np.arange(40) % 2)


def test_a_group_with_nearly_all_rows_is_refused():
    groups = np.maximum(np.arange(1000) - 990, 0)
    with pytest.raises(InputError, match=r"largest of 10 groups has 99% of the rows, so one part would get 0\.90%"):
        assign_folds(1000, 2, None, rng(), groups)
