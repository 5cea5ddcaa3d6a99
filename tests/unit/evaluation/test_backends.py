"""Tasks on the user's joblib backend: Dask with two processes, and joblib's own."""

from __future__ import annotations

import dataclasses
import os
import sys
import time

import joblib
import pytest
import torch
from backend_tasks import LOCATED, CountedPickles, LocatedSelector, die, fail, process_of, total
from correlation_selector import method

from minerva_select.codes import FailureCode
from minerva_select.evaluation import compare, repeat_fits
from minerva_select.evaluation.backends import limit_threads, run_on_backend, user_backend
from minerva_select.evaluation.dataset import read_dataset
from minerva_select.evaluation.tasks import fit_method


@pytest.fixture(scope="module")
def cluster():
    """The process ids of a Dask cluster's two workers."""
    distributed = pytest.importorskip("distributed", reason="needs the package distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as local,
        distributed.Client(local) as client,
    ):
        yield set(client.run(os.getpid).values())


def without_times(comparison):
    """A comparison without what depends on when and in which process it ran."""
    rows = [
        dataclasses.replace(row, seconds=None, peak_bytes=None, warnings=())
        for row in (*comparison.results, comparison.all_features)
    ]
    return dataclasses.replace(comparison, results=tuple(rows[:-1]), all_features=rows[-1], seconds=0.0)


def test_a_dask_cluster_compares_methods_with_the_same_result(table, cluster, monkeypatch):
    X, y = table[0][["a", "b"]], table[1]
    monkeypatch.setattr("minerva_select.evaluation.tasks.fit_in_process", fit_method)  # saves two imports of torch
    local = compare(X, y, [LOCATED, "lasso"])
    assert process_of(local.results[0]) == os.getpid()
    monkeypatch.setattr("minerva_select.evaluation.tasks.fit_in_process", None)  # fails if it is called
    seen = []
    with joblib.parallel_config(backend="dask"):
        remote = compare(X, y, [LOCATED, "lasso"], progress=seen.append)
    assert without_times(remote) == without_times(local)
    located = remote.results[0]
    assert (located.failures, located.kept, located.information.n_rows) == ((), (("a",),), 20)
    assert process_of(located) in cluster
    assert {one.stage for one in seen} >= {"LOCATED", "Lasso", "information, LOCATED", "score, all features"}


@pytest.mark.parametrize("backend", ["dask", "loky"])
def test_processes_repeat_fits_with_the_same_result(backend, table, cluster):
    settings = {"n_repeats": 4, "subsample": 0.5, "random_state": 0}
    local = repeat_fits(LocatedSelector(), *table, **settings)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        remote = repeat_fits(LocatedSelector(), *table, **settings)
    assert [dataclasses.replace(one, warnings=()) for one in remote] == [
        dataclasses.replace(one, warnings=()) for one in local
    ]
    assert {process_of(one) for one in local} == {os.getpid()}
    processes = {process_of(one) for one in remote}
    assert processes <= cluster if backend == "dask" else processes.isdisjoint({os.getpid()})


def test_data_are_sent_once_and_not_with_every_task(cluster):
    data = CountedPickles([1, 2, 3])
    with joblib.parallel_config(backend="dask"):
        assert dict(run_on_backend([total] * 8, data)) == dict.fromkeys(range(8), 6)
    assert data.n_pickled == 1


def test_a_dataset_reports_its_size_so_that_it_is_sent_once(table):
    dataset = read_dataset(*table, categorical_features="auto", target_type="auto", n_splits=1, held_out=0.33, seed=0)
    assert sys.getsizeof(dataset) >= 3 * 60 * 8  # three columns of floats, and more


@pytest.mark.parametrize("backend", ["dask", "threading", "loky"])
def test_an_error_is_a_failure_and_the_other_tasks_continue(backend, cluster):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        results = dict(run_on_backend([total, fail, total], CountedPickles([1])))
    assert results[0] == results[2] == 1
    assert results[1].code is FailureCode.ERROR
    assert "ZeroDivisionError" in results[1].message


def test_results_of_a_backend_that_returns_them_together_are_the_same(monkeypatch):
    with joblib.parallel_config(backend="threading", n_jobs=2):
        monkeypatch.setattr(type(user_backend()), "supports_return_generator", False)
        assert dict(run_on_backend([total] * 3, CountedPickles([1]))) == dict.fromkeys(range(3), 1)


def test_a_task_that_kills_its_worker_does_not_lose_the_others():
    with joblib.parallel_config(backend="loky", n_jobs=2):
        results = dict(run_on_backend([total, die, total], CountedPickles([1])))
    assert results[0] == results[2] == 1
    assert results[1].code is FailureCode.PROCESS_DIED


def test_failed_and_slow_methods_are_rows_and_finished_ones_do_not_run_again(table, ran, monkeypatch, tmp_path):
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    methods = [method("works"), method("fails", fault="no rows")]
    with joblib.parallel_config(backend="threading", n_jobs=2):
        works, fails = compare(*table, methods, cache_dir=tmp_path).results
        (slow,) = compare(*table, [method("works")], time_limit=1e-9).results
    assert works.kept == (("a", "c", "d"),)
    assert works.peak_bytes is None  # the process has other work too
    assert fails.failure.code is FailureCode.ERROR
    assert slow.failure.code is FailureCode.OUT_OF_TIME
    assert slow.failure.seconds > 1e-9
    (again,) = compare(*table, [method("works")], cache_dir=tmp_path).results
    assert again.kept == works.kept
    assert "works" not in ran  # which lists fits in their own process


def test_a_backend_is_the_users_only_if_one_was_chosen():
    assert user_backend() is None
    with joblib.parallel_config(n_jobs=2):
        assert user_backend() is None
    with joblib.parallel_config(backend="loky"):
        assert type(user_backend()).__name__ == "LokyBackend"


def test_parallel_fits_share_the_cores_unless_the_user_sets_threads(monkeypatch):
    before = torch.get_num_threads()
    monkeypatch.setattr(joblib, "cpu_count", lambda: 4)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    with limit_threads(2):
        assert torch.get_num_threads() == before
    monkeypatch.delenv("OMP_NUM_THREADS")
    for n_jobs, n_threads in ((2, 2), (3, 1), (9, 1)):
        with limit_threads(n_jobs):
            assert torch.get_num_threads() == n_threads
    assert torch.get_num_threads() == before
