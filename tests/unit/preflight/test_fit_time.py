"""Claim: the expected time of a fit grows with the work, and takes the processor into account."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits

from minerva_select.preflight import fit_time
from minerva_select.preflight.fit_time import FitWork, estimate_fit_seconds, relative_speed
from minerva_select.preflight.table_check import read_input

WORK = {"n_rows": 5000, "n_columns": 20, "n_informative": 8, "n_outcomes": 2}


@pytest.mark.parametrize("name", WORK)
def test_more_rows_columns_information_or_classes_take_longer(name):
    assert FitWork(**{**WORK, name: 3 * WORK[name]}).seconds > FitWork(**WORK).seconds


def test_each_class_of_a_target_counts():
    digits = load_digits()
    assert FitWork.of(read_input(digits.data, digits.target).data, 1797, 64).n_outcomes == 10


def test_columns_that_carry_information_alone_are_counted():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=1000)
    X = np.column_stack([rng.normal(size=(1000, 5)), y[:, None] + rng.normal(size=(1000, 3))])
    assert FitWork.of(read_input(X, y).data, 1000, 8).n_informative == 3


def test_a_processor_of_half_the_speed_takes_twice_as_long(monkeypatch):
    rng = np.random.default_rng(0)
    data = read_input(rng.normal(size=(200, 3)), rng.integers(2, size=200)).data
    seconds = []
    for speed in (1.0, 2.0):
        monkeypatch.setattr(fit_time, "relative_speed", lambda speed=speed: speed)
        seconds.append(estimate_fit_seconds(data, 200, 3))
    assert seconds[1] == pytest.approx(2 * seconds[0])


def test_the_speed_of_the_processor_is_measured_in_a_fraction_of_a_second():
    assert 0.01 < relative_speed() < 100


def test_the_speed_is_measured_on_one_thread():
    """A second thread does not start before others end on a busy machine, and the fit is not slower by as much."""
    program = """
import dataclasses, time
from minerva_select.preflight import fit_time
fit_time.FIT_TIME = dataclasses.replace(fit_time.FIT_TIME, n_trials=300)
fit_time.relative_speed()  # loads what it needs
process, thread = time.process_time(), time.thread_time()
fit_time.relative_speed()
thread, process = time.thread_time() - thread, time.process_time() - process
print((process - thread) / thread)
"""
    variables = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    output = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=True)
    assert float(output.stdout) < 0.05  # 0 on one thread, except for rounding of the clocks
