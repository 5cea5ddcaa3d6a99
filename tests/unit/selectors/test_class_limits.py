"""Claims about what so many rows cannot show of classes."""

import math

import numpy as np
import pytest

from minerva_select.codes import EstimateDoubt
from minerva_select.mi.inference import MeanEstimate
from minerva_select.results import Estimate
from minerva_select.schema import Column, Table
from minerva_select.selectors.class_limits import allow_for_merged_classes, allow_for_unseen


def as_target(codes):
    return Table((Column("y", codes, np.array([f"c{k}" for k in range(codes.max() + 1)])),), len(codes))


def test_rows_that_agree_are_not_certain():
    low, high = allow_for_unseen(MeanEstimate(0.690, 0.0), 1000).interval
    # A critic of 1,000 rows that is right in all of them finds a little less than log 2
    assert low < 0.690 < math.log(2) < high
    assert high - low < 0.05


def test_an_error_that_rows_show_is_kept():
    evidence = MeanEstimate(0.3, 0.05, 12.0)
    assert allow_for_unseen(evidence, 1000) == evidence


@pytest.mark.parametrize("n_rows", [200, 400, 4000])
def test_many_classes_leave_the_information_open_up_to_their_entropy(n_rows):
    classes = as_target(np.arange(n_rows) % 200)
    found = allow_for_merged_classes(Estimate(3.0, 2.9, 3.1, n_rows), classes, entropy=math.log(128))
    assert found.doubt is EstimateDoubt.CLASSES_MERGED
    assert found.high - 3.1 >= math.log(200 / 128)
    assert (found.nats, found.low) == (3.0, 2.9)


def test_clusters_of_rows_leave_open_what_is_in_proportion():
    rng = np.random.default_rng(0)
    y = Table(tuple(Column(f"y{k}", rng.integers(0, 5, 8000).astype(float)) for k in range(4)), 8000)
    nothing, all_of_it = (
        allow_for_merged_classes(Estimate(nats, nats, nats + 0.01, 8000), y, entropy=math.log(128))
        for nats in (0.0, math.log(128))
    )
    assert nothing.high < 0.05
    assert nothing.reliable
    assert all_of_it.high > math.log(5**4)
    assert all_of_it.doubt is EstimateDoubt.CLASSES_MERGED


def test_few_classes_leave_nothing_open():
    estimate = Estimate(0.5, 0.4, 0.6, 300)
    assert allow_for_merged_classes(estimate, as_target(np.arange(300) % 128), entropy=math.log(128)) == estimate
