"""Claims about the progress bar."""

from __future__ import annotations

import copy
import io
import pickle

import pytest
from rich.console import Console

from full_selection import full_selection
from minerva_select.callbacks import ProgressBar
from minerva_select.callbacks.display import found_by
from minerva_select.callbacks.remaining_time import Clock, spell
from minerva_select.results import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def screen():
    return Terminal()


@pytest.fixture
def console(screen):
    return Console(file=screen, width=100, force_terminal=True)


def test_a_terminal_sees_stage_bound_and_features_left(screen, console):
    with ProgressBar(console) as bar:
        bar(Progress("sparsify", 0.5, bound=0.25, n_features=12))
    drawn = screen.getvalue()
    assert "pruning" in drawn
    assert "50%" in drawn
    assert "0.250 nats, 12 features" in drawn


def test_a_stage_of_another_task_is_shown_as_it_is(screen, console):
    with ProgressBar(console) as bar:
        bar(Progress("fit 2 of 5 [bold]", 0.4))
    assert "fit 2 of 5 [bold]" in screen.getvalue()


def test_a_narrow_terminal_has_room_for_everything(screen):
    with ProgressBar(Console(file=screen, width=80, force_terminal=True, color_system=None)) as bar:
        clock = bar._screen._clock
        clock._start = clock._since = clock._since - 12.0  # begun 12 seconds ago
        bar(Progress("encode", 0.4, bound=0.25, n_features=1200))
    # 12 seconds for 40% leave 18 seconds for 60%, to the nearest five
    line = next(line for line in screen.getvalue().split("\r") if "encoding rows" in line)
    assert "40% 0.250 nats, 1,200 features 0:12, about 20 s left" in line


def test_nothing_is_drawn_away_from_a_terminal_or_when_quiet(screen):
    log = io.StringIO()
    for bar in (ProgressBar(Console(file=log, force_terminal=True)), ProgressBar(Console(file=screen), quiet=True)):
        with bar:
            bar(Progress("learn", 0.5))
    assert log.getvalue() == ""
    assert screen.getvalue() == ""


def test_what_is_printed_meanwhile_stays_on_stdout(capsys, screen, console):
    with ProgressBar(console):
        print("the answer")  # noqa: T201
    assert capsys.readouterr().out == "the answer\n"
    assert "the answer" not in screen.getvalue()


def test_what_is_not_known_yet_is_not_said():
    assert found_by(Progress("read", 0.0)) == ""
    assert found_by(Progress("vet", 0.9, n_features=1)) == "1 feature"
    assert found_by(Progress("learn", 0.1, bound=-0.0312)) == "-0.031 nats"


def test_a_fraction_out_of_range_does_not_stop_the_fit(screen, console):
    with ProgressBar(console) as bar:
        bar(Progress("learn", 1.7))
    assert "100%" in screen.getvalue()


@pytest.mark.parametrize("answer", [full_selection(), None])
def test_a_bar_among_the_callbacks_begins_and_ends_with_each_fit(screen, console, answer):
    bar = ProgressBar(console)
    for stage in ("learn", "vet"):
        bar.on_begin({})
        bar(Progress(stage, 0.5))
        assert bar._screen is not None
        bar.on_end(answer)
        assert bar._screen is None
        bar(Progress("too late", 0.5))
    drawn = screen.getvalue()
    assert drawn.index("learning") < drawn.index("vetting")
    assert "too late" not in drawn


def test_a_bar_that_was_entered_stays_until_it_is_left(screen, console):
    with ProgressBar(console) as bar:
        bar.on_begin({})
        bar.on_end(full_selection())
        bar(Progress("repeat 1 of 2", 0.0))
    assert "repeat 1 of 2" in screen.getvalue()


def test_a_copy_of_a_bar_in_use_is_a_bar_not_in_use(console):
    with ProgressBar(quiet=True) as quiet, ProgressBar(console) as bar:
        assert pickle.loads(pickle.dumps(quiet)).quiet
        bar.console = None  # a console is no more to be copied than a terminal is
        assert copy.deepcopy(bar)._screen is None
        assert repr(bar) == "ProgressBar(console=None, quiet=False)"


def clock_at(seconds):
    """A clock whose time is the latest of this list."""
    return Clock(lambda: seconds[-1])


def test_no_time_is_said_to_be_left_before_it_can_be_known():
    seconds = [0.0]
    clock = clock_at(seconds)
    seconds.append(1.0)
    clock.note(0.5)
    assert str(clock) == "0:01"
    seconds.append(3601.0)
    clock.note(0.01)
    assert str(clock) == "1:00:01"


def test_the_time_left_shrinks_while_nothing_is_told():
    seconds = [0.0]
    clock = clock_at(seconds)
    seconds.append(30.0)
    clock.note(0.5)
    assert str(clock) == "0:30, about 30 s left"
    seconds.append(50.0)
    assert str(clock) == "0:50, about 10 s left"
    seconds.append(90.0)
    assert str(clock) == "1:30, about 5 s left"  # late, and still at it


def test_one_hop_of_the_fraction_hardly_moves_the_time_left():
    seconds = [0.0]
    clock = clock_at(seconds)
    for tenth in range(1, 601):  # a minute of a task that takes two
        seconds.append(tenth / 10)
        clock.note(tenth / 1200)
    assert str(clock) == "1:00, about 1 min left"
    seconds.append(60.1)
    clock.note(0.9)  # the estimate that this alone gives is 7 s
    assert str(clock) == "1:00, about 1 min left"


def test_another_task_has_its_own_time_left():
    seconds = [0.0]
    clock = clock_at(seconds)
    seconds.append(100.0)
    clock.note(0.9)
    clock.note(0.0)
    assert str(clock) == "1:40"
    seconds.append(110.0)
    clock.note(0.25)  # 10 seconds for a quarter
    assert str(clock) == "1:50, about 30 s left"


def test_times_are_as_rough_as_they_are_known():
    assert [spell(seconds) for seconds in (0, 7.6, 57, 89, 91, 3569, 3571)] == [
        "5 s",
        "10 s",
        "55 s",
        "1 min",
        "2 min",
        "59 min",
        "1.0 h",
    ]
