"""Claims about who hears of a fit, and how far it is said to be."""

from __future__ import annotations

import logging
import math

import numpy as np
import pytest

from full_selection import full_selection
from minerva_select.results import TrainingRecord
from minerva_select.selectors import progress
from minerva_select.selectors.progress import PAPER_STAGES, VETTING_STAGES, ProgressEstimate, ProgressReporter, Stage


class Listener:
    def __init__(self, answer=None):
        self.heard = []
        self.answer = answer

    def on_begin(self, settings):
        self.heard.append(("begin", dict(settings)))

    def __call__(self, progress):
        self.heard.append((progress.stage, progress.fraction))
        return self.answer

    def on_end(self, selection):
        self.heard.append(("end", selection))


def record(stage="learn", step=25):
    return TrainingRecord(stage, step, bound=0.3, held_out_bound=0.25, n_features=7)


def test_a_stage_nears_the_share_that_it_is_given_of_what_is_left():
    progress = ProgressEstimate([Stage("learn", 1, n_steps=100), Stage("vet", 3, n_steps=100)])
    # learn is given 1/4 of the way, of which 1 - 1/e is behind it after 100 steps
    learned = progress.step("learn", 100)
    assert learned == pytest.approx(0.25 * (1 - math.exp(-1)))
    # vet is the last, and given all that is left, also what learn has not used
    assert progress.step("vet", 100) == pytest.approx(learned + (1 - learned) * (1 - math.exp(-1)))


def test_trainings_of_one_stage_follow_one_another():
    together, alone = (ProgressEstimate([Stage("sparsify", 1), Stage("vet", 1)]) for _ in range(2))
    for step in (25, 50, 25, 50):  # two trainings, each counting from zero
        fraction = together.step("sparsify", step)
    assert fraction == pytest.approx(alone.step("sparsify", 100))


@pytest.mark.parametrize("stages", [["learn", "sparsify", "vet"], ["screen", "vet"], ["vet", "estimate"]])
def test_a_skipped_stage_makes_no_jump(stages):
    progress, before = ProgressEstimate(VETTING_STAGES), 0.0
    for stage in stages:
        for step in range(25, 500, 25):
            fraction = progress.step(stage, step)
            # 25 of 150 steps are 1 - exp(-1/6) = 15% of a stage, and no stage is more than what is left
            assert before < fraction < before + 0.16
            before = fraction


def test_the_same_stage_comes_again_after_another():
    progress = ProgressEstimate(VETTING_STAGES)
    first = progress.step("sparsify", 10_000)
    progress.step("learn", 10_000)
    again = progress.step("sparsify", 25)
    assert again > first
    assert progress.step("sparsify", 10_000) > again


def test_what_begins_anew_does_not_fall_back():
    progress = ProgressEstimate(VETTING_STAGES)
    reached = progress.step("vet", 400)
    assert progress.step("screen", 25) >= reached  # the device was out of memory, and all is done again
    assert progress.step("never heard of", 25) >= reached


def test_the_papers_second_stage_is_most_of_its_way():
    progress = ProgressEstimate(PAPER_STAGES)
    assert progress.step("learn", 10_000) == pytest.approx(0.2)
    assert 0.2 < progress.step("sparsify", 800) < 0.8


def test_encoded_rows_are_a_share_of_their_stage():
    listener = Listener()
    reporter = ProgressReporter([listener], verbose=0)
    reporter.begin({})
    for n_done in (0, 500, 1000):
        reporter.on_rows_encoded(n_done, 1000)
    encode = VETTING_STAGES[0].share / sum(stage.share for stage in VETTING_STAGES)
    assert [fraction for _, fraction in listener.heard[1:]] == pytest.approx([0, encode / 2, encode])


def test_with_a_time_limit_the_fraction_is_at_least_that_of_the_time(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    listener = Listener()
    reporter = ProgressReporter([listener], verbose=0, time_limit=10.0)
    for seconds in (1.0, 8.0, 12.0):
        now[0] = 100.0 + seconds
        reporter.on_record(record(step=int(seconds)))
    assert [fraction for _, fraction in listener.heard] == pytest.approx([0.1, 0.8, 1.0])


def test_a_callback_hears_the_settings_the_records_and_the_answer():
    listener, heard, selection = Listener(), [], full_selection()
    with ProgressReporter([listener, heard.append], verbose=0) as reporter:  # the second is a plain callable
        reporter.begin({"method": "PaperSelector"})
        reporter.on_record(record())
        reporter.end(selection)
    assert [what for what, _ in listener.heard] == ["begin", "learn", "end"]
    assert listener.heard[0][1] == {"method": "PaperSelector"}
    assert listener.heard[-1][1] is selection
    assert [(one.stage, one.bound, one.n_features, one.record) for one in heard] == [("learn", 0.25, 7, record())]


def attend(callbacks, *, end):
    """A fit that begins, and then does this with its reporter."""
    with ProgressReporter(callbacks, verbose=0) as reporter:
        reporter.begin({})
        end(reporter)


def test_a_fit_that_fails_ends_with_nothing():
    listener = Listener()
    with pytest.raises(ZeroDivisionError):
        attend([listener], end=lambda reporter: 1 / 0)
    assert listener.heard == [("begin", {}), ("end", None)]


def test_what_fails_before_the_beginning_is_not_heard_of():
    listener = Listener()
    with pytest.raises(ZeroDivisionError), ProgressReporter([listener], verbose=0):
        raise ZeroDivisionError
    assert listener.heard == []


def test_a_callback_that_cannot_begin_ends_the_fit_and_hears_of_the_end():
    class Broken(Listener):
        def on_begin(self, settings):
            raise OSError("disk full")

    first, broken, third = Listener(), Broken(), Listener()
    with pytest.raises(OSError, match="disk full"), ProgressReporter([first, broken, third], verbose=0) as reporter:
        reporter.begin({})
    assert first.heard == [("begin", {}), ("end", None)]
    assert broken.heard == [("end", None)]
    assert third.heard == []


def test_all_hear_of_the_end_also_where_one_fails():
    class Broken(Listener):
        def on_end(self, selection):
            raise OSError("disk full")

    first, third, selection = Listener(), Listener(), full_selection()
    with pytest.raises(OSError, match="disk full"):
        attend([first, Broken(), third], end=lambda reporter: reporter.end(selection))
    assert first.heard[-1] == third.heard[-1] == ("end", selection)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [(True, True), (np.True_, True), (False, False), (None, False), (1, False), ("yes", False)],
)
def test_only_true_asks_for_an_end(answer, wanted):
    reporter = ProgressReporter([Listener(answer), Listener()], verbose=0)
    assert not reporter.stop_requested
    reporter.on_record(record())
    assert reporter.stop_requested is wanted


def test_who_has_asked_for_an_end_need_not_ask_again():
    listener = Listener(answer=True)
    reporter = ProgressReporter([listener], verbose=0)
    reporter.on_rows_encoded(1, 2)
    listener.answer = None
    reporter.on_record(record())
    assert reporter.stop_requested


def test_the_log_has_a_line_a_record_where_it_is_asked_for(caplog):
    with caplog.at_level(logging.INFO, logger="minerva_select"):
        ProgressReporter([], verbose=0).on_record(record())
        ProgressReporter([], verbose=1).on_record(record())
        ProgressReporter([], verbose=1).on_record(TrainingRecord("vet", 50, bound=0.3, n_features=2))
    assert [line.getMessage() for line in caplog.records] == [
        "learn: step 25, bound 0.2500 nats, 7 features",
        "vet: step 50, bound 0.3000 nats, 2 features",
    ]


def test_verbose_prints_by_itself_and_logs_where_a_log_shows_it(capsys, monkeypatch):
    log = logging.getLogger("minerva_select")
    monkeypatch.setattr(log, "level", logging.WARNING)
    monkeypatch.setattr(log, "_cache", {})
    ProgressReporter([], verbose=1).on_record(record())
    assert "nats" in capsys.readouterr().out
    heard = []
    handler = logging.Handler()
    monkeypatch.setattr(handler, "emit", lambda line: heard.append(line.getMessage()))
    monkeypatch.setattr(log, "level", logging.INFO)
    monkeypatch.setattr(log, "_cache", {})
    monkeypatch.setattr(log, "handlers", [handler])
    ProgressReporter([], verbose=1).on_record(record())
    assert len(heard) == 1
    assert capsys.readouterr().out == ""
