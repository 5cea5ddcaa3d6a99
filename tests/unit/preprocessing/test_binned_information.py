import numpy as np
import pytest

from minerva_select.preprocessing.binned_information import (
    bin_ranks,
    binned_information,
    count_pairs,
    plugin_information,
)


def test_pairs_are_counted():
    first, second = np.array([0, 2, 2, 0], dtype=np.uint8), np.array([1, 0, 0, 1])
    assert count_pairs(first, second).tolist() == [[0, 2], [0, 0], [2, 0]]


def test_pairs_of_short_integers_do_not_overflow():
    first = np.full(2, 255, dtype=np.uint8)
    assert count_pairs(first, first)[255, 255] == 2


def test_information_of_a_copy_is_its_entropy():
    classes = np.arange(400) % 4
    assert plugin_information(classes, classes) == pytest.approx(np.log(4))
    # 3 times 3 degrees of freedom in 400 rows
    assert binned_information(classes, classes) == pytest.approx(np.log(4) - 9 / 800)


def test_codes_that_do_not_occur_do_not_count():
    classes = np.arange(400) % 2
    assert binned_information(5 * classes, 3 * classes) == binned_information(classes, classes)


def test_independent_columns_have_no_information():
    first, second = np.divmod(np.arange(400) % 12, 4)
    assert plugin_information(first, second) == pytest.approx(0.0, abs=1e-12)
    assert binned_information(first, second) == 0.0


def test_missing_ranks_have_a_bin_of_their_own():
    ranks = np.array([0.01, 0.49, 0.51, 1.0, np.nan], dtype=np.float32)
    assert bin_ranks(ranks, 2).tolist() == [0, 0, 1, 1, 2]
