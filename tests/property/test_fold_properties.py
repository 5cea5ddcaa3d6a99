"""Properties of folds for any groups and any times of the rows."""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from minerva_select.config import FitConfig
from minerva_select.data.frames import as_target
from minerva_select.errors import InputError
from minerva_select.preprocessing.column_types import infer_target_types
from minerva_select.selectors.fold_splits import split_into_folds
from minerva_select.selectors.row_metadata import RowMetadata

PLANS = [FitConfig.for_rows(n_rows) for n_rows in (50, 500, 2_000, 10_000, 50_000)]


def divisions_of(y, plan, groups=None, times=None):
    """The splits, or None if the rows are refused."""
    origins = RowMetadata(len(y), groups, times)
    try:
        target = as_target(y, len(y))
        return split_into_folds(
            target, infer_target_types(target), origins.adapt(plan), np.random.default_rng(0), origins
        )
    except InputError:
        return None


@st.composite
def grouped_rows(draw):
    """Groups of one to five rows in any order, and a binary target."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=25, max_size=60))
    seed = draw(st.integers(0, 1000))
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return groups, rng.integers(0, 2, size=len(groups))


@given(grouped_rows(), st.sampled_from(PLANS))
@settings(max_examples=25, deadline=None)
def test_no_group_is_in_two_parts_of_a_fold(rows, plan):
    groups, y = rows
    splits = divisions_of(y, plan, groups)
    assume(splits is not None)
    plan = RowMetadata(len(y), groups).adapt(plan)
    assert len(splits) == plan.n_folds
    for split in splits:
        assert len(split.members) == plan.n_members
        for train, tune in split.members:
            parts = [train, tune, split.held_out]
            assert sorted(np.concatenate(parts)) == list(range(len(y)))
            assert sum(len(np.unique(groups[part])) for part in parts) == groups.max() + 1


@given(grouped_rows(), st.sampled_from(PLANS), st.integers(20, 400))
@settings(max_examples=25, deadline=None)
def test_parts_are_in_order_of_time(rows, plan, n_times):
    _, y = rows
    times = np.random.default_rng(1).integers(0, n_times, size=len(y)).astype(float)
    splits = divisions_of(y, plan, times=times)
    assume(splits is not None)
    [split] = splits
    [(train, tune)] = split.members
    assert times[train].max() < times[tune].min()
    assert times[tune].max() < times[split.held_out].min()
    assert split.n_rows == len(y)


@given(grouped_rows(), st.sampled_from(PLANS))
@settings(max_examples=25, deadline=None)
def test_parts_with_groups_and_times_are_in_order_and_share_no_group(rows, plan):
    groups, y = rows
    times = np.random.default_rng(1).permutation(len(y)) + groups * 3.0  # groups mostly follow one another
    splits = divisions_of(y, plan, groups, times)
    assume(splits is not None)
    [split] = splits
    [(train, tune)] = split.members
    assert times[train].max() < times[tune].min()
    assert times[tune].max() < times[split.held_out].min()
    parts = [{*groups[part]} for part in (train, tune, split.held_out)]
    assert sum(map(len, parts)) == len(set.union(*parts))
    assert split.n_rows == len(train) + len(tune) + len(split.held_out) <= len(y)


def test_times_and_few_groups_reduce_the_number_of_parts():
    plan = FitConfig.for_rows(500)
    assert (plan.n_folds, plan.n_members, plan.n_tune_parts) == (5, 3, 3)
    assert RowMetadata(60).adapt(plan) is plan
    assert RowMetadata(60, times=np.arange(60.0)).adapt(plan) == dataclasses.replace(plan, n_folds=1, n_members=1)
    assert RowMetadata(60, np.arange(60)).adapt(plan) == plan
    six = RowMetadata(60, np.arange(60) % 6)
    assert six.adapt(plan) == dataclasses.replace(plan, n_folds=2, n_members=2, n_tune_parts=2)
    y = np.arange(60) // 6 % 2
    for split in divisions_of(y, plan, six.groups):
        assert len(np.unique(six.groups[split.rest])) + len(np.unique(six.groups[split.held_out])) == 6
