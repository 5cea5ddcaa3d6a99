"""Claims about many fits on a backend of the user's: Dask's with two processes, and joblib's own."""

from __future__ import annotations

import dataclasses
import os
import sys
import time

import joblib
import pytest
import torch
from correlation import method
from crowd import LOCATED, Located, Parcel, die, fail, total

from minerva_select.evaluation import compare, repeat_fits
from minerva_select.evaluation.backends import perform_all, share_of_threads, user_backend
from minerva_select.evaluation.dataset import read_study
from minerva_select.evaluation.fitting import perform


@pytest.fixture(scope="module")
def cluster():
    """The process ids of a Dask cluster's two workers."""
    distributed = pytest.importorskip("distributed", reason="the cluster is of the package distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as local,
        distributed.Client(local) as client,
    ):
        yield set(client.run(os.getpid).values())


def without_times(comparison):
    """A comparison less what depends on when and in which process it was made."""
    rows = [
        dataclasses.replace(row, seconds=None, peak_bytes=None, notes=())
        for row in (*comparison.standings, comparison.reference)
    ]
    return dataclasses.replace(comparison, standings=tuple(rows[:-1]), reference=rows[-1], seconds=0.0)


def test_a_dask_cluster_compares_methods_to_the_same_answer(table, cluster, monkeypatch):
    X, y = table[0][["a", "b"]], table[1]
    monkeypatch.setattr(
        "minerva_select.evaluation.fitting.fit_apart", lambda fit, limit: perform(fit)
    )  # saves two imports
    alone = compare(X, y, [LOCATED, "lasso"])
    assert alone.standings[0].notes == (str(os.getpid()),)
    monkeypatch.setattr("minerva_select.evaluation.fitting.fit_apart", None)  # whoever calls it fails
    told = []
    with joblib.parallel_config(backend="dask"):
        spread = compare(X, y, [LOCATED, "lasso"], progress=told.append)
    assert without_times(spread) == without_times(alone)
    located = spread.standings[0]
    assert (located.status, located.kept, located.information.n_rows) == ("", (("a",),), 20)
    assert int(located.notes[0]) in cluster
    assert {one.stage for one in told} >= {"LOCATED", "Lasso", "information, LOCATED", "score, all features"}


@pytest.mark.parametrize("backend", ["dask", "loky"])
def test_processes_repeat_fits_to_the_same_answer(backend, table, cluster):
    settings = {"n_repeats": 4, "subsample": 0.5, "random_state": 0}
    alone = repeat_fits(Located(), *table, **settings)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        spread = repeat_fits(Located(), *table, **settings)
    assert [dataclasses.replace(one, warnings=()) for one in spread] == [
        dataclasses.replace(one, warnings=()) for one in alone
    ]
    assert {one.warnings for one in alone} == {(str(os.getpid()),)}
    processes = {int(one.warnings[0]) for one in spread}
    assert processes <= cluster if backend == "dask" else processes.isdisjoint({os.getpid()})


def test_data_are_sent_once_and_not_with_every_task(cluster):
    parcel = Parcel([1, 2, 3])
    with joblib.parallel_config(backend="dask"):
        outcomes = dict(perform_all([total] * 8, parcel))
    assert outcomes == dict.fromkeys(range(8), (6, None))
    assert parcel.n_packed == 1


def test_a_study_says_its_size_so_that_it_is_sent_once(table):
    study = read_study(*table, categorical_features="auto", target_type="auto", n_splits=1, held_out=0.33, seed=0)
    assert sys.getsizeof(study) >= 3 * 60 * 8  # of three columns of floats, and more


@pytest.mark.parametrize("backend", ["dask", "threading", "loky"])
def test_an_error_is_told_in_words_and_the_other_tasks_go_on(backend, cluster):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        outcomes = dict(perform_all([total, fail, total], Parcel([1])))
    assert outcomes[0] == outcomes[2] == (1, None)
    assert outcomes[1][1].startswith("ZeroDivisionError: no rows")


def test_results_of_a_backend_that_gives_them_all_at_once_are_the_same(monkeypatch):
    with joblib.parallel_config(backend="threading", n_jobs=2):
        monkeypatch.setattr(type(user_backend()), "supports_return_generator", False)
        assert dict(perform_all([total] * 3, Parcel([1]))) == dict.fromkeys(range(3), (1, None))


def test_a_task_that_ends_its_worker_takes_no_other_with_it():
    with joblib.parallel_config(backend="loky", n_jobs=2):
        outcomes = dict(perform_all([total, die, total], Parcel([1])))
    assert outcomes[0] == outcomes[2] == (1, None)
    assert outcomes[1][0] is None
    assert outcomes[1][1].startswith("TerminatedWorkerError")


def test_a_failed_method_and_a_slow_one_are_rows_that_say_so_and_are_not_tried_again(
    table, at_once, monkeypatch, tmp_path
):
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    methods = [method("works"), method("fails", fault="no rows")]
    with joblib.parallel_config(backend="threading", n_jobs=2):
        works, fails = compare(*table, methods, cache_dir=tmp_path).standings
        (slow,) = compare(*table, [method("works")], time_limit=1e-9).standings
    assert works.kept == (("a", "c", "d"),)
    assert works.peak_bytes is None  # of a process that does other things too
    assert fails.status.startswith("ZeroDivisionError: no rows")
    assert slow.status.startswith("out of time: took ")
    assert slow.status.endswith(" of 1e-09 s")
    assert "works" not in at_once  # which lists the fits in processes of their own
    (again,) = compare(*table, [method("works")], cache_dir=tmp_path).standings
    assert again.kept == works.kept
    assert "works" not in at_once  # nor here: the cell was recorded


def test_a_backend_is_the_users_only_where_one_was_chosen():
    assert user_backend() is None
    with joblib.parallel_config(n_jobs=2):
        assert user_backend() is None
    with joblib.parallel_config(backend="loky"):
        assert type(user_backend()).__name__ == "LokyBackend"


def test_fits_at_once_share_the_cores_unless_the_user_says_otherwise(monkeypatch):
    before = torch.get_num_threads()
    monkeypatch.setattr(joblib, "cpu_count", lambda: 4)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    with share_of_threads(2):
        assert torch.get_num_threads() == before
    monkeypatch.delenv("OMP_NUM_THREADS")
    for n_at_once, n_threads in ((2, 2), (3, 1), (9, 1)):
        with share_of_threads(n_at_once):
            assert torch.get_num_threads() == n_threads
    assert torch.get_num_threads() == before
