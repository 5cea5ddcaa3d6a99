"""Claims about fits beside other work: in threads, forks and workers; and what a fit leaves as it was: the process."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import os
import random
import signal
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from minerva_select import MinervaSelector, mutual_information
from minerva_select.config import FitConfig
from minerva_select.errors import InputError
from minerva_select.selectors import PaperSelector

pytestmark = pytest.mark.usefixtures("brief_fits")

REAL_PLAN = FitConfig.__dict__["for_rows"]
PATIENCE = 60.0  # seconds; a fit here takes less than one


@pytest.fixture(scope="module")
def brief_fits(use_small_fits):
    """Trainings of 25 steps with dropout, which draws in every one of them."""
    plan = FitConfig.for_rows(1)
    brief = dataclasses.replace(plan, dropout=0.3, schedule=dataclasses.replace(plan.schedule, max_steps=25))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FitConfig, "for_rows", classmethod(lambda cls, *n_rows: brief))
        yield


@pytest.fixture
def three_threads():
    """A machine with three threads, for this thread and for new ones."""
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def fit(problem, seed=0, device="cpu", kind=MinervaSelector, **parameters):
    """All that a selection says, but for when it was made."""
    selection = kind(random_state=seed, device=device, **parameters).fit(problem.X, problem.y).selection_
    return {**json.loads(selection.to_json()), "seconds": None, "provenance": None, "settings": None}


def meet(barrier):
    """A callback that waits, the first time it is called, until as many fits are at the same point."""
    waited = []

    def wait(progress):
        if not waited:
            waited.append(progress.stage)
            barrier.wait(PATIENCE)

    return wait


# Threads


def test_two_fits_in_two_threads_give_each_the_answer_that_it_gives_alone(pair):
    alone = [fit(pair, seed) for seed in (0, 1)]
    barrier = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda seed: fit(pair, seed, callbacks=[meet(barrier)]), (0, 1)))
    assert together == alone
    assert alone[0] != alone[1]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_two_fits_in_two_threads_on_a_gpu_find_what_each_finds_alone(pair):
    """The columns: sums on a GPU are in no order, so that digits differ."""

    def kept(seed, callbacks=()):
        answer = fit(pair, seed, device="cuda", callbacks=callbacks)
        return [result["feature"] for result in answer["features"] if result["selected"]]

    alone = [kept(seed) for seed in (0, 1)]
    barrier = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda seed: kept(seed, [meet(barrier)]), (0, 1))) == alone


def test_a_fit_within_a_fit_changes_neither(pair):
    alone, inner = fit(pair), []

    def fit_once(progress):
        if not inner:
            inner.append(fit(pair))

    assert fit(pair, callbacks=[fit_once]) == alone == inner[0]


def test_two_estimates_in_two_threads_are_those_alone(pair):
    def estimate(seed):
        return mutual_information(pair.X[["f0", "f3"]], pair.y, random_state=seed, device="cpu")

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(estimate, (0, 1))) == [estimate(0), estimate(1)]


@pytest.mark.usefixtures("three_threads")
def test_the_number_of_threads_is_put_back_however_fits_overlap(pair):
    first_in, second_in, first_out = threading.Event(), threading.Event(), threading.Event()

    def first():
        fit(pair, callbacks=[lambda progress: (first_in.set(), second_in.wait(PATIENCE))[:0]])
        first_out.set()
        return torch.get_num_threads()

    def second():
        first_in.wait(PATIENCE)
        fit(pair, callbacks=[lambda progress: (second_in.set(), first_out.wait(PATIENCE))[:0]])
        return torch.get_num_threads()

    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(first), pool.submit(second)]
        assert [run.result(PATIENCE) for run in runs] == [3, 3]
    with ThreadPoolExecutor(1) as pool:  # a thread that is new to torch has what torch was told last
        assert pool.submit(torch.get_num_threads).result(PATIENCE) == 3
    assert torch.get_num_threads() == 3


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_a_fit_on_one_thread_is_the_same_to_the_last_bit_however_many_there_are(pair, n_threads):
    expected, before = fit(pair), torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        assert fit(pair) == expected
    finally:
        torch.set_num_threads(before)


# The process


def state_of_the_process():
    """What a fit shares with all other code in its process."""
    backends = torch.backends
    return {
        "torch draws": torch.get_rng_state().tolist(),
        "numpy draws": repr(np.random.get_state()),  # noqa: NPY002 - the global state is the point
        "python draws": random.getstate(),
        "threads of torch": (torch.get_num_threads(), torch.get_num_interop_threads()),
        "dtype and device": (torch.get_default_dtype(), torch.get_default_device()),
        "deterministic": (
            torch.are_deterministic_algorithms_enabled(),
            torch.is_deterministic_algorithms_warn_only_enabled(),
            backends.cudnn.deterministic,
            backends.cudnn.benchmark,
        ),
        "precision": (torch.get_float32_matmul_precision(), backends.cuda.matmul.allow_tf32, backends.cudnn.allow_tf32),
        "gradients": (torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_anomaly_enabled()),
        "floating point": np.geterr(),
        "warnings": list(warnings.filters),
        "signals": [signal.getsignal(number) for number in signal.valid_signals()],
        "environment": dict(os.environ),
        "folder": Path.cwd(),
        "logging": {
            name: (logger.level, logger.handlers[:], logger.propagate, logger.disabled)
            for name, logger in [("", logging.root), ("minerva", logging.getLogger("minerva_select"))]
        },
        "python threads": sorted(thread.name for thread in threading.enumerate()),
        "hooks": (sys.excepthook, threading.excepthook, sys.unraisablehook),
    }


def stop_at_once(progress):
    raise KeyError("a callback that fails")


def fail(pair, **parameters):
    with pytest.raises(KeyError):
        fit(pair, callbacks=[stop_at_once], **parameters)


def refuse(pair):
    with pytest.raises(InputError):
        fit(pair, n_features_to_select=99)


WORK = {
    "fit": fit,
    "fit of the paper": lambda pair: fit(pair, kind=PaperSelector),
    "estimate": lambda pair: mutual_information(pair.X, pair.y, random_state=0),
    "fit that fails": fail,
    "fit of the paper that fails": lambda pair: fail(pair, kind=PaperSelector),
    "fit that is refused": refuse,
    "verbose fit": lambda pair: fit(pair, verbose=1),
}


@pytest.mark.usefixtures("three_threads", "brief_paper")
@pytest.mark.parametrize("work", WORK.values(), ids=WORK.keys())
def test_the_process_is_left_as_it_was(pair, work):
    before = state_of_the_process()
    work(pair)
    after = state_of_the_process()
    assert {name for name in before if before[name] != after[name]} == set()


# Workers


def fit_few(seed, X, y):
    return MinervaSelector(random_state=seed, device="cpu").fit(X, y).selection_.features


@pytest.fixture
def few(pair, monkeypatch):
    """60 rows and the real plan for them, which is small: a worker that starts anew knows of no other."""
    monkeypatch.setattr(FitConfig, "for_rows", REAL_PLAN)
    return pair.X[:60], pair.y[:60]


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_workers_of_joblib_give_the_answers_of_this_process(few, backend):
    if backend == "multiprocessing" and torch.cuda.is_initialized():
        pytest.skip("a process that has used a GPU cannot be forked")
    found = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(fit_few)(seed, *few) for seed in (0, 1))
    assert found == [fit_few(seed, *few) for seed in (0, 1)]


@pytest.mark.slow
def test_a_search_over_a_pipeline_in_two_workers_is_that_in_one(few):
    pipeline = make_pipeline(MinervaSelector(random_state=0, device="cpu"), LogisticRegression())
    grid = {"minervaselector__n_features_to_select": [1, 2]}
    one, two = (GridSearchCV(pipeline, grid, cv=2, n_jobs=n_jobs).fit(*few) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    assert one.best_params_ == two.best_params_


FORK = """
import dataclasses, os, torch
from minerva_select import MinervaSelector, mutual_information
from minerva_select.config import FitConfig
from minerva_select.problems import equality

plan = FitConfig.for_rows(20_000)
plan = dataclasses.replace(plan, schedule=dataclasses.replace(plan.schedule, max_steps=25))
FitConfig.for_rows = classmethod(lambda cls, *n_rows: plan)
torch.set_num_threads(2)
torch.rand(1000, 1000).exp().sum()  # starts the threads that no fork has
problem = equality(n_samples=6_000, n_features=12, n_levels=3, relevant=(0, 3), random_state=0)  # joined by threads
child = os.fork()
if child == 0:
    MinervaSelector(random_state=0, device="cpu").fit(problem.X, problem.y)
    mutual_information(problem.X[["f0", "f3"]], problem.y, random_state=0, device="cpu")
    os._exit(0 if torch.get_num_threads() == 2 else 1)
raise SystemExit(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_a_fork_of_a_process_whose_torch_has_threads_can_fit():
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    with subprocess.Popen([sys.executable, "-c", FORK], env=environment, start_new_session=True) as process:
        try:
            assert process.wait(PATIENCE) == 0
        finally:  # where the child hangs, so does its parent
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize(("given", "expected"), [({}, "1000"), ({"GOMP_SPINCOUNT": "7"}, "7")])
def test_threads_wait_busily_for_a_while_only_unless_the_user_says_otherwise(given, expected):
    known = {name: value for name, value in os.environ.items() if name != "GOMP_SPINCOUNT"}
    code = "import minerva_select, os, sys; print(os.environ['GOMP_SPINCOUNT'], 'torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], env=known | given, capture_output=True, text=True, check=True)
    assert run.stdout == f"{expected} False\n"
