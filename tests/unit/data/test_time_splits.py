import numpy as np
import pytest

from minerva_select.data.splits import split_by_time
from minerva_select.errors import InputError


def as_lists(parts):
    return [part.tolist() for part in parts]


def test_parts_are_consecutive_with_their_shares():
    times = np.random.default_rng(0).permutation(100).astype(np.float64)
    parts = split_by_time(times, [0.6, 0.2, 0.2])
    assert [sorted(times[part]) for part in parts] == [list(range(60)), list(range(60, 80)), list(range(80, 100))]
    assert all((np.diff(part) > 0).all() for part in parts)


def test_rows_of_equal_time_stay_together():
    # Cuts are possible after 3, 4 and 9 rows; the nearest to 5 is 4
    times = np.repeat([1.0, 2.0, 3.0, 4.0], [3, 1, 5, 1])
    assert as_lists(split_by_time(times, [0.5, 0.5])) == [[0, 1, 2, 3], [4, 5, 6, 7, 8, 9]]


def test_every_part_has_a_time_of_its_own():
    # Both cuts would be best after the first or before the last time
    assert as_lists(split_by_time(np.array([1.0, 2.0, 3.0]), [0.8, 0.1, 0.1])) == [[0], [1], [2]]
    assert as_lists(split_by_time(np.array([3.0, 1.0, 2.0]), [0.1, 0.1, 0.8])) == [[1], [2], [0]]


def test_a_group_stays_in_the_part_where_it_first_appears():
    times, groups = np.arange(8.0), np.array([1, 2, 1, 3, 4, 2, 5, 4])
    # Parts of 4, 2 and 2 rows; the group of row 5 is in the first part, that of row 7 in the second
    assert as_lists(split_by_time(times, [0.5, 0.25, 0.25], groups)) == [[0, 1, 2, 3], [4], [6]]


def test_groups_within_one_part_lose_no_rows():
    times, groups = np.arange(12.0), np.repeat([9, -4, 7], 4)
    assert as_lists(split_by_time(times, [1, 1, 1], groups)) == as_lists(split_by_time(times, [1, 1, 1]))


def test_missing_times_are_refused():
    with pytest.raises(InputError, match="2 of 5 are missing"):
        split_by_time(np.array([1.0, np.nan, 2.0, np.nan, 3.0]), [0.5, 0.5])


@pytest.mark.parametrize(("times", "n_times"), [([], 0), ([7.0] * 9, 1), ([1.0, 2.0] * 4, 2)])
def test_too_few_different_times_are_refused(times, n_times):
    message = f"at least 3 different times for parts of 50%, 25%, 25%, got {n_times}"
    with pytest.raises(InputError, match=message):
        split_by_time(np.array(times), [2, 1, 1])


def test_a_part_nearly_empty_because_of_equal_times_is_refused():
    times = np.append(np.zeros(999), 1.0)
    with pytest.raises(InputError, match="999, 1 rows, because too many rows have the same time"):
        split_by_time(times, [0.5, 0.5])


def test_groups_present_at_all_times_cannot_be_split_by_time():
    times, groups = np.arange(100.0), np.arange(100) % 5
    with pytest.raises(InputError, match="50, 0 rows, because groups of earlier parts"):
        split_by_time(times, [0.5, 0.5], groups)


def test_shares_must_be_above_zero():
    with pytest.raises(InputError, match="Sharding of a split must be numbers above 0"):
        split_by_time(np.arange(5.0), [1.0, 0.0])
