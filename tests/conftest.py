"""Fast fits and a small table, for the tests of several packages."""

from __future__ import annotations

import contextlib
import dataclasses

import pytest

from minerva_select.problems import equality

collect_ignore_glob = ["*conftest.py"]  # with --doctest-modules, all conftest.py would be imported under one name


@contextlib.contextmanager
def small_fits():
    """Make every fit small: two folds with one small critic each, few and large steps, one thread.

    For tests of how a fit handles its input and its result, at a tenth of the usual time. One thread, because
    parallel tests with several threads each slow each other down.
    """
    import torch

    from minerva_select.config import FitConfig, Schedule

    schedule = Schedule(
        max_steps=125, batch_size=256, learning_rate=5e-3, weight_decay=0.1, patience=2, patience_at_zero=3
    )
    config = dataclasses.replace(
        FitConfig.for_rows(1000), n_folds=2, n_members=1, width=64, dropout=0.0, schedule=schedule
    )
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FitConfig, "for_rows", classmethod(lambda cls, *n_rows: config))
        yield
    torch.set_num_threads(n_threads)


@pytest.fixture(scope="module")
def use_small_fits():
    """Small fits for all tests of a module."""
    with small_fits():
        yield


@pytest.fixture(scope="session")
def pair():
    """400 rows, five columns with three levels; the target is whether f0 equals f3."""
    return equality(n_samples=400, n_features=5, n_levels=3, relevant=(0, 3), random_state=0)


@pytest.fixture(scope="session")
def fitted(pair):
    """A selector fitted to this table; tests must not change it."""
    from minerva_select import MinervaSelector

    with small_fits():
        return MinervaSelector(random_state=0).fit(pair.X, pair.y)
