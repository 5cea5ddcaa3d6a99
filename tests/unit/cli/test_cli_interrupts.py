"""Ctrl-C and SIGTERM."""

from __future__ import annotations

import dataclasses
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from minerva_select import problems
from minerva_select.cli.interrupts import StopRequest, Terminated, raise_on_sigterm, stop_on_ctrl_c
from minerva_select.results import Progress, Selection

LEARNING = Progress("learn", 0.2)
SELECT = ("select", "data.csv", "--target", "is_fraud", "--out", "results")


def contents(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def test_the_first_signal_requests_a_stop_and_the_second_interrupts(capsys):
    with stop_on_ctrl_c() as stop:
        assert stop(LEARNING) is False
        signal.raise_signal(signal.SIGINT)
        assert stop(LEARNING) is True
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert capsys.readouterr().err.count("Ctrl-C:") == 1


@pytest.mark.parametrize("stages", [(), ("read",), ("read", "encode")])
def test_without_a_result_the_first_signal_interrupts(stages):
    with stop_on_ctrl_c() as stop:
        for stage in stages:
            stop(Progress(stage, 0.0))
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert not stop.requested


def test_a_result_stays_known_in_later_stages():
    stop = StopRequest(write=lambda _: None)
    stop(LEARNING)
    stop(Progress("encode", 0.3))
    stop.handle_signal()
    assert stop.requested


def test_a_process_of_a_distributed_run_is_interrupted_at_once():
    with stop_on_ctrl_c(single_process=False) as stop:
        stop(LEARNING)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(("number", "block"), [(signal.SIGINT, stop_on_ctrl_c), (signal.SIGTERM, raise_on_sigterm)])
def test_handlers_are_restored_after_an_error(number, block):
    before = signal.getsignal(number)
    seen = []

    def fail():
        with block():
            seen.append(signal.getsignal(number))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert seen != [before]
    assert signal.getsignal(number) is before


def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stop_on_ctrl_c() as stop:
            stop(LEARNING)
            signal.raise_signal(signal.SIGINT)
        assert not stop.requested
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_do_not_change_handlers():
    seen = []

    def work():
        before = signal.getsignal(signal.SIGINT)
        with stop_on_ctrl_c(), raise_on_sigterm():
            seen.append(signal.getsignal(signal.SIGINT) is before)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]


def test_termination_is_an_interrupt():
    with pytest.raises(KeyboardInterrupt) as caught, raise_on_sigterm():
        signal.raise_signal(signal.SIGTERM)
    assert isinstance(caught.value, Terminated)


@pytest.fixture
def signalled(folder, selector, answer):
    """A selector that receives signals in its fit and returns early if a stop is requested."""
    early = dataclasses.replace(answer, converged=False)

    class Signalled(selector):
        signals = (signal.SIGINT,)

        def fit(self, X, y, **rows):
            if self.seen.get("cache_dir"):
                self.seen["cache_dir"].mkdir()
                (self.seen["cache_dir"] / "checkpoint.json").write_text("{}")
            for callback in self.seen["callbacks"]:
                callback(LEARNING)
            for number in self.signals:
                signal.raise_signal(number)
            stopped = [callback(LEARNING) for callback in self.seen["callbacks"]]
            self.selection_ = early if True in stopped else answer
            return self

    return Signalled


@pytest.fixture
def fit_signalled(signalled, monkeypatch):
    def install(*signals):
        signalled.signals = signals
        monkeypatch.setattr("minerva_select.selectors.MinervaSelector", signalled)

    return install


def test_a_stopped_fit_is_printed_and_written_and_exits_with_130(fit_signalled, run):
    fit_signalled(signal.SIGINT)
    result = run(*SELECT)
    assert result.exit_code == 130
    assert "0.500 (0.480 to 0.520)" in result.stdout
    assert "best selection so far" in result.stderr.splitlines()[-1]
    assert not Selection.load("results/selection.json").converged
    assert contents("results") == ["report.html", "selection.json"]


def test_a_fit_that_was_complete_at_ctrl_c_says_so(fit_signalled, monkeypatch, answer, run):
    fit_signalled(signal.SIGINT)
    monkeypatch.setattr(
        StopRequest, "__call__", lambda self, _: setattr(self, "_has_result", True)
    )  # never returns True
    result = run(*SELECT)
    assert result.exit_code == 130
    assert "complete" in result.stderr.splitlines()[-1]
    assert Selection.load("results/selection.json") == answer


def test_a_stopped_fit_says_so_on_stderr_even_if_quiet(fit_signalled, run):
    fit_signalled(signal.SIGINT)
    result = run(*SELECT, "--json")
    assert result.exit_code == 130
    assert not Selection.from_json(result.stdout).converged
    quiet = run(*SELECT, "--quiet")
    assert (quiet.exit_code, quiet.stdout) == (130, "a\nb\\nc\n")
    assert "Stopped by Ctrl-C" in quiet.stderr


@pytest.mark.parametrize(
    ("signals", "code", "word"),
    [((signal.SIGINT, signal.SIGINT), 130, "Interrupted"), ((signal.SIGTERM,), 143, "Terminated")],
)
def test_a_second_ctrl_c_and_sigterm_end_at_once_and_keep_the_checkpoint(fit_signalled, signals, code, word, run):
    fit_signalled(*signals)
    result = run(*SELECT)
    assert (result.exit_code, result.stdout) == (code, "")
    first, *_ = [line for line in result.stderr.splitlines() if "--resume" in line]
    assert repr(str(Path("results") / ".minerva")) in first
    assert result.stderr.endswith(f"minerva: {word}.\n")
    assert contents("results") == [".minerva"]


def test_a_stopped_demo_exits_with_130(fit_signalled, monkeypatch, run):
    small = problems.equality(n_samples=500, random_state=0)
    monkeypatch.setattr("minerva_select.problems.equality", lambda random_state: small)
    fit_signalled(signal.SIGINT)
    result = run("demo")
    assert result.exit_code == 130
    assert "Stopped by Ctrl-C" in result.stderr
    assert Path("minerva-demo/selection.json").exists()


@pytest.fixture
def table(tmp_path):
    """A table whose fit takes some seconds."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(1, 5, size=(3000, 8))).add_prefix("f")
    X.assign(y=(X.f1 == X.f4).astype(int)).to_csv(tmp_path / "data.csv", index=False)
    return tmp_path


def send_during_a_training(number, folder):
    """Run the command and send it a signal when its log shows a training; return exit code and rest of stderr."""
    program = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # background jobs ignore it
        "from minerva_select.cli import main\n"
        f"sys.argv = ['minerva', *{[*SELECT[:2], '--target', 'y', *SELECT[4:], '--verbose']!r}]\n"
        "main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as command:
        trainings = (line for line in command.stderr if ": step " in line)
        next(trainings)
        next(trainings)  # the first is logged before the callbacks are called
        command.send_signal(number)
        rest = command.stderr.read()
    return command.returncode, rest


def test_an_interrupted_real_fit_ends_early_with_a_selection(table):
    code, rest = send_during_a_training(signal.SIGINT, table)
    assert code == 130
    assert "Stopped by Ctrl-C" in rest
    assert "Traceback" not in rest
    assert not Selection.load(table / "results/selection.json").converged
    assert (table / "results/report.html").exists()


def test_a_terminated_real_fit_leaves_no_result(table):
    code, rest = send_during_a_training(signal.SIGTERM, table)
    assert code == 143
    assert rest.endswith("minerva: Terminated.\n")
    assert "Traceback" not in rest
    assert contents(table / "results") in ([], [".minerva"])
