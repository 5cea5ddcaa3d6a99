"""Claims about the process that runs tasks, and about what it measures."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time

import joblib
import numpy as np
import pytest

from minerva_select.errors import InputError
from minerva_select.evaluation.worker import DiedError, FailedError, OutOfTimeError, Worker, describe, measured


def test_a_task_out_of_time_is_an_error_and_the_next_task_runs():
    with Worker(time.sleep) as worker:
        with pytest.raises(OutOfTimeError, match=r"after 0\.1 s"):
            worker.ask(60, limit=0.1)
        assert worker.ask(0) is None


def test_a_dead_process_is_an_error_with_its_exit_code():
    with Worker(os._exit) as worker, pytest.raises(DiedError, match="exit code 3"):
        worker.ask(3)


def test_a_process_that_was_killed_says_so():
    with Worker(_kill_self) as worker, pytest.raises(DiedError, match="killed, as when memory runs out"):
        worker.ask(9)  # what a system short of memory sends


def _kill_self(number):
    os.kill(os.getpid(), number)


def test_an_error_of_a_task_comes_back_in_words_and_the_process_goes_on():
    with Worker(math.sqrt) as worker:
        with pytest.raises(FailedError, match="ValueError: "):
            worker.ask(-1.0)
        process = worker._process
        assert worker.ask(4.0) == 2.0
        assert worker._process is process


def test_an_error_of_ours_is_told_by_its_sentence_alone():
    assert describe(InputError("Column 'a' is empty; drop it.")) == "Column 'a' is empty; drop it."


def test_an_error_of_others_is_told_on_one_line_with_its_place():
    try:
        raise KeyError("two\nlines")
    except KeyError as error:
        line = describe(error)
    assert line.startswith("KeyError: ")
    assert "(test_worker.py:" in line
    assert "\n" not in line


def test_a_script_without_a_main_guard_is_not_run_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import math\nfrom minerva_select.evaluation.worker import Worker\n"
        "print('once')\nwith Worker(math.sqrt) as worker:\n    print(worker.ask(9.0))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("once\n3.0\n", "")


def test_peak_memory_counts_what_a_call_gave_back():
    n_bytes = 64 << 20
    before, _, low = measured(lambda: None)
    total, seconds, high = measured(lambda: float(np.ones(n_bytes // 8).sum()))
    # The array is gone when the call returns; pages shared with others make the mark a little uncertain
    assert (before, total) == (None, n_bytes / 8)
    assert high - low > 0.8 * n_bytes
    assert 0 < seconds < 10


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can set its mark back")
def test_peak_memory_of_an_earlier_call_is_forgotten():
    n_bytes = 64 << 20
    _, _, high = measured(lambda: float(np.ones(n_bytes // 8).sum()))
    _, _, low = measured(lambda: None)
    assert high - low > 0.8 * n_bytes


def test_a_task_may_use_all_cores_by_threads():
    with Worker(joblib.effective_n_jobs) as worker:
        assert worker.ask(2) == 2
