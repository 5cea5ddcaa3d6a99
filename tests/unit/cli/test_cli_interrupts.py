"""Claims about Ctrl-C and the signals of schedulers."""

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
from minerva_select.cli.interrupts import Stop, Terminated, stoppable, terminable
from minerva_select.results import Progress, Selection

LEARNING = Progress("learn", 0.2)
SELECT = ("select", "data.csv", "--target", "is_fraud", "--out", "results")


def contents(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def test_the_first_signal_asks_the_fit_and_the_second_interrupts_it(capsys):
    with stoppable() as stop:
        assert stop(LEARNING) is False
        signal.raise_signal(signal.SIGINT)
        assert stop(LEARNING) is True
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert capsys.readouterr().err.count("press it again to end at once") == 1


@pytest.mark.parametrize("stages", [(), ("read",), ("read", "encode")])
def test_where_nothing_is_known_the_first_signal_interrupts(stages):
    with stoppable() as stop:
        for stage in stages:
            stop(Progress(stage, 0.0))
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert not stop.asked


def test_a_stage_that_comes_again_does_not_make_the_answer_unknown():
    stop = Stop(say=lambda _: None)
    stop(LEARNING)
    stop(Progress("encode", 0.3))
    stop.hear()
    assert stop.asked


def test_one_of_several_processes_is_interrupted_at_once():
    with stoppable(alone=False) as stop:
        stop(LEARNING)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(("number", "block"), [(signal.SIGINT, stoppable), (signal.SIGTERM, terminable)])
def test_handlers_are_put_back_also_after_an_error(number, block):
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


def test_a_signal_that_was_ignored_stays_so():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stoppable() as stop:
            stop(LEARNING)
            signal.raise_signal(signal.SIGINT)
        assert not stop.asked
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_leaves_signals_alone():
    seen = []

    def work():
        before = signal.getsignal(signal.SIGINT)
        with stoppable(), terminable():
            seen.append(signal.getsignal(signal.SIGINT) is before)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]


def test_a_termination_is_an_interrupt():
    with pytest.raises(KeyboardInterrupt) as caught, terminable():
        signal.raise_signal(signal.SIGTERM)
    assert isinstance(caught.value, Terminated)


@pytest.fixture
def signalled(folder, selector, answer):
    """A selector that is sent signals in its fit, and gives the answer early if it is asked to end."""
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


def test_a_stopped_fit_is_shown_and_written_as_usual_and_ends_with_130(fit_signalled, run):
    fit_signalled(signal.SIGINT)
    result = run(*SELECT)
    assert result.exit_code == 130
    assert "0.500 (0.480 to 0.520)" in result.stdout
    assert "Stopped by Ctrl-C: this is the best so far." in result.stderr
    assert not Selection.load("results/selection.json").converged
    assert contents("results") == ["report.html", "selection.json"]


def test_a_fit_that_was_done_when_ctrl_c_came_is_said_to_be_whole(fit_signalled, monkeypatch, answer, run):
    fit_signalled(signal.SIGINT)
    monkeypatch.setattr(Stop, "__call__", lambda self, _: setattr(self, "_has_answer", True))  # nobody is told
    result = run(*SELECT)
    assert result.exit_code == 130
    assert "Stopped by Ctrl-C: the answer is whole" in result.stderr
    assert Selection.load("results/selection.json") == answer


def test_a_stopped_fit_says_so_when_quiet_and_leaves_stdout_to_the_answer(fit_signalled, run):
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
def test_a_second_ctrl_c_and_sigterm_end_at_once_and_leave_the_work(fit_signalled, signals, code, word, run):
    fit_signalled(*signals)
    result = run(*SELECT)
    assert (result.exit_code, result.stdout) == (code, "")
    work = str(Path("results") / ".minerva")
    assert f"Unfinished work is in {work!r}; the same command with --resume goes on from there.\n" in result.stderr
    assert result.stderr.endswith(f"minerva: {word}.\n")
    assert contents("results") == [".minerva"]


def test_a_stopped_demo_ends_with_130(fit_signalled, monkeypatch, run):
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
    """Run the command, and send it a signal once its log tells of a training: exit code, and the rest of stderr."""
    program = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background ignores it
        "from minerva_select.cli import main\n"
        f"sys.argv = ['minerva', *{[*SELECT[:2], '--target', 'y', *SELECT[4:], '--verbose']!r}]\n"
        "main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as command:
        trainings = (line for line in command.stderr if ": step " in line)
        next(trainings)
        next(trainings)  # the log hears of the first before the callbacks do
        command.send_signal(number)
        rest = command.stderr.read()
    return command.returncode, rest


def test_a_real_fit_ends_early_with_an_answer_when_it_is_interrupted(table):
    code, rest = send_during_a_training(signal.SIGINT, table)
    assert code == 130
    assert "Stopped by Ctrl-C: this is the best so far." in rest
    assert "Traceback" not in rest
    assert not Selection.load(table / "results/selection.json").converged
    assert (table / "results/report.html").exists()


def test_a_real_fit_that_is_terminated_leaves_no_result(table):
    code, rest = send_during_a_training(signal.SIGTERM, table)
    assert code == 143
    assert rest.endswith("minerva: Terminated.\n")
    assert "Traceback" not in rest
    assert contents(table / "results") in ([], [".minerva"])
