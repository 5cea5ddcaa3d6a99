"""Fits of about a second, and a table to fit, for the tests of several layers."""

from __future__ import annotations

import contextlib
import dataclasses

import pytest

from minerva_select.problems import equality

collect_ignore_glob = ["*conftest.py"]  # else every one is imported again for its examples, under one and the same name


@contextlib.contextmanager
def small_fits():
    """Make every fit small while entered: two folds, one small critic each, few and large steps, one thread.

    For claims about what a fit does with its input and its answer, at a tenth of the price of the real sizes. One
    thread, because two fits at a time with two threads each wait for one another most of the time.
    """
    import torch

    from minerva_select.config import FitConfig, Schedule

    schedule = Schedule(
        max_steps=125, batch_size=256, learning_rate=5e-3, weight_decay=0.1, patience=2, patience_at_zero=3
    )
    plan = dataclasses.replace(
        FitConfig.for_rows(1000), n_folds=2, n_members=1, width=64, dropout=0.0, schedule=schedule
    )
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FitConfig, "for_rows", classmethod(lambda cls, *n_rows: plan))
        yield
    torch.set_num_threads(n_threads)


@pytest.fixture(scope="module")
def small_plan():
    """Small fits for all tests of a module."""
    with small_fits():
        yield


@pytest.fixture(scope="session")
def pair():
    """400 rows of five columns of three levels; the target is whether f0 equals f3."""
    return equality(n_samples=400, n_features=5, n_levels=3, relevant=(0, 3), random_state=0)


@pytest.fixture(scope="session")
def fitted(pair):
    """The selector of that table; to look at, not to change."""
    from minerva_select import MinervaSelector

    with small_fits():
        return MinervaSelector(random_state=0).fit(pair.X, pair.y)
