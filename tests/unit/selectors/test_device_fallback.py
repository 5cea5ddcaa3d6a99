"""A device that fails is replaced by the CPU, with one warning and the answer of the CPU."""

import warnings

import numpy as np
import pytest
import torch

from minerva_select import MinervaSelector, mutual_information
from minerva_select.codes import WarningCode
from minerva_select.errors import DivergenceError, MinervaWarning
from minerva_select.problems import equality
from minerva_select.selectors import estimation, solver_selector
from minerva_select.selectors.device_fallback import compute_or_fall_back

CUDA, CPU = torch.device("cuda"), torch.device("cpu")
FAILURES = [
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    RuntimeError("CUDA error: device-side assert triggered\nCompile with TORCH_USE_CUDA_DSA."),
    TypeError("Cannot convert a MPS Tensor to float64 dtype."),
    NotImplementedError("not implemented for this device"),
]


def failing(error, compute=str):
    def on(device):
        if device.type != "cpu":
            raise error
        return compute(device)

    return on


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_a_failed_computation_is_repeated_on_the_cpu(error):
    value, warning = compute_or_fall_back(failing(error), CUDA)
    assert value == "cpu"
    assert warning.code == WarningCode.DEVICE_FAILED
    assert warning.values["device"] == "cuda"
    assert "\n" not in str(warning)


def test_a_working_device_is_used():
    assert compute_or_fall_back(str, CUDA) == ("cuda", None)


@pytest.mark.parametrize("device", [CUDA, CPU])
def test_errors_of_the_fit_itself_are_raised(device):
    def diverge(_):
        raise DivergenceError("Training diverged.")

    with pytest.raises(DivergenceError):
        compute_or_fall_back(diverge, device)


def test_a_process_of_a_distributed_run_keeps_its_device():
    with pytest.raises(RuntimeError):
        compute_or_fall_back(failing(RuntimeError("gone")), CUDA, allowed=False)


def test_a_fit_on_a_device_that_fails_gives_the_answer_of_the_cpu(monkeypatch):
    problem = equality(n_samples=400, n_features=4, relevant=(0, 2), random_state=0)
    expected = MinervaSelector(device="cpu", random_state=0).fit(problem.X, problem.y).selection_
    solve, devices = MinervaSelector._solve, []

    def fail_late(self, context):
        devices.append(context.device.type)
        if context.device.type == "cuda":
            context.rng.random(10)  # a fit that got far before the device failed
            raise FAILURES[0]
        return solve(self, context)

    monkeypatch.setattr(MinervaSelector, "_solve", fail_late)
    monkeypatch.setattr(solver_selector, "find_device", lambda name: CUDA)
    with pytest.warns(MinervaWarning) as caught:
        found = MinervaSelector(device="auto", random_state=0).fit(problem.X, problem.y).selection_
    assert len([one for one in caught if "CPU" in str(one.message)]) == 1
    assert devices == ["cuda", "cpu"]
    assert found.features == expected.features
    assert found.mutual_information == expected.mutual_information
    assert [one.code for one in found.warnings if one not in expected.warnings] == [WarningCode.DEVICE_FAILED]
    assert found.provenance.device == "cpu"


def test_an_estimate_on_a_device_that_fails_is_that_of_the_cpu(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(300, 2))
    expected = mutual_information(X, X[:, 0] > 0, device="cpu", random_state=0)
    estimate = estimation._estimate_discrete

    def fail(*arguments):
        if arguments[-1].type == "cuda":
            raise FAILURES[1]
        return estimate(*arguments)

    monkeypatch.setattr(estimation, "_estimate_discrete", fail)
    monkeypatch.setattr(estimation, "find_device", lambda name: CUDA)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert mutual_information(X, X[:, 0] > 0, random_state=0) == expected
    assert len(caught) == 1
