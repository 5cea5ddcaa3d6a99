"""Tasks in a fresh process, and the time and memory of a call."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time

import joblib
import numpy as np
import pytest

from minerva_select.codes import FailureCode
from minerva_select.errors import InputError
from minerva_select.evaluation.failures import Failure, attempt, describe_error
from minerva_select.evaluation.worker import measure_call, run_in_process


def test_a_task_out_of_time_is_killed():
    start = time.monotonic()
    assert run_in_process(time.sleep, 60, time_limit=0.1) == Failure(FailureCode.OUT_OF_TIME, seconds=0.1)
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("task", ["exit", "kill"])
def test_a_process_that_dies_is_a_failure(task):
    assert run_in_process(_end_process, task) == Failure(FailureCode.PROCESS_DIED)


def _end_process(task):
    if task == "exit":
        os._exit(3)
    os.kill(os.getpid(), signal.SIGKILL)  # as a system that is out of memory does


def test_an_error_of_a_task_is_a_failure_with_its_message():
    failure = run_in_process(math.sqrt, -1.0)
    assert failure.code is FailureCode.ERROR
    assert "ValueError" in failure.message


def test_a_timeout_error_of_the_task_itself_is_an_error():
    assert attempt(_time_out).code is FailureCode.ERROR


def _time_out():
    raise TimeoutError


def test_our_own_errors_are_described_by_their_message():
    assert describe_error(InputError("Column 'a' is empty; drop it.")) == "Column 'a' is empty; drop it."


def test_other_errors_are_described_in_one_line_with_their_location():
    try:
        raise KeyError("two\nlines")
    except KeyError as error:
        line = describe_error(error)
    assert line.startswith("KeyError: ")
    assert "(test_worker.py:" in line
    assert "\n" not in line


def test_a_script_without_a_main_guard_is_not_run_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import math\nfrom minerva_select.evaluation.worker import run_in_process\n"
        "print('once')\nprint(run_in_process(math.sqrt, 9.0))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("once\n3.0\n", "")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_worker_ends_when_its_parent_is_killed(tmp_path):
    pid_file = tmp_path / "pid"
    script = tmp_path / "script.py"
    script.write_text(
        "import os, time\nfrom minerva_select.evaluation.worker import run_in_process\n"
        "def task(path):\n    open(path, 'w').write(str(os.getpid()))\n    time.sleep(600)\n"
        f"run_in_process(task, {str(pid_file)!r})\n"
    )
    parent = subprocess.Popen([sys.executable, str(script)])
    _wait_until(lambda: pid_file.exists() and pid_file.read_text())
    parent.kill()
    parent.wait()
    worker = int(pid_file.read_text())
    _wait_until(lambda: not _is_running(worker))


def _is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_peak_memory_includes_what_a_call_released():
    n_bytes = 64 << 20
    before, _, low = measure_call(lambda: None)
    total, seconds, high = measure_call(lambda: float(np.ones(n_bytes // 8).sum()))
    # The array is released when the call returns; pages shared with others make the peak a little uncertain
    assert (before, total) == (None, n_bytes / 8)
    assert high - low > 0.8 * n_bytes
    assert 0 < seconds < 10


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can reset the peak")
def test_peak_memory_excludes_earlier_calls():
    n_bytes = 64 << 20
    _, _, high = measure_call(lambda: float(np.ones(n_bytes // 8).sum()))
    _, _, low = measure_call(lambda: None)
    assert high - low > 0.8 * n_bytes


def test_a_task_may_use_all_cores_by_threads():
    assert run_in_process(joblib.effective_n_jobs, 2) == 2
