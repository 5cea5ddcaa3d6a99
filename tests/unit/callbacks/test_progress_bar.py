"""The progress bar in a terminal."""

from __future__ import annotations

import copy
import io
import pickle

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.control import strip_control_codes

from full_selection import full_selection
from minerva_select.callbacks import ProgressBar
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


def test_a_terminal_shows_stage_percentage_bound_and_number_of_features(screen, console):
    with ProgressBar(console) as bar:
        bar(Progress("sparsify", 0.5, bound=0.25, n_features=1200))
    drawn = screen.getvalue()
    for part in ("pruning", "50%", "0.250 nats, 1,200 features"):
        assert part in drawn


@pytest.mark.parametrize(
    ("progress", "shown"),
    [
        (Progress("vet", 0.9, n_features=1), "1 feature"),
        (Progress("learn", 0.1, bound=-0.0312), "-0.031 nats"),
        (Progress("learn", 1.7), "100%"),  # a fraction out of range does not end the fit
        (Progress("fit 2 of 5 [bold]", 0.4), "fit 2 of 5 [bold]"),  # not one of our stages, and not markup
    ],
)
def test_a_terminal_shows_what_is_known(screen, console, progress, shown):
    with ProgressBar(console) as bar:
        bar(progress)
    assert shown in screen.getvalue()


def test_the_time_left_follows_from_the_speed_so_far(screen):
    seconds = [0.0]
    console = Console(file=screen, width=80, force_terminal=True, color_system=None, get_time=lambda: seconds[-1])
    with ProgressBar(console) as bar:
        for fraction in (0.1, 0.2, 0.3, 0.4):
            seconds.append(30 * fraction)
            bar(Progress("encode", fraction, bound=0.25, n_features=1200))
    # 12 seconds for 40% leave 18 seconds for 60%
    assert "40% 0.250 nats, 1,200 features 0:00:12 00:18 left" in screen.getvalue()


def test_a_smaller_fraction_starts_a_new_estimate_of_the_time_left(screen):
    seconds = [0.0]
    console = Console(file=screen, width=80, force_terminal=True, color_system=None, get_time=lambda: seconds[-1])
    with ProgressBar(console) as bar:
        for second, fraction in ((80, 0.8), (90, 0.9), (100, 0.0), (101, 0.25), (102, 0.5)):
            seconds.append(float(second))
            bar(Progress("learn", fraction))
    assert "50%  0:00:02 00:02 left" in screen.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_the_bar_is_one_line_that_fits_the_terminal(screen, width):
    with ProgressBar(Console(file=screen, width=width, force_terminal=True, color_system=None)) as bar:
        bar(Progress("encode", 0.4, bound=0.25, n_features=1200))
    lines = [line for line in screen.getvalue().replace("\x1b[2K", "").split("\r") if "encoding rows" in line]
    assert lines
    assert all(cell_len(strip_control_codes(line.split("\n")[0])) <= width for line in lines)


def test_nothing_is_drawn_outside_a_terminal_or_if_quiet(screen):
    log = io.StringIO()
    for bar in (ProgressBar(Console(file=log, force_terminal=True)), ProgressBar(Console(file=screen), quiet=True)):
        with bar:
            bar(Progress("learn", 0.5))
    assert log.getvalue() == ""
    assert screen.getvalue() == ""


def test_text_printed_during_a_fit_stays_on_stdout(capsys, screen, console):
    with ProgressBar(console):
        print("the answer")  # noqa: T201
    assert capsys.readouterr().out == "the answer\n"
    assert "the answer" not in screen.getvalue()


@pytest.mark.parametrize("selection", [full_selection(), None])
def test_as_a_callback_the_bar_starts_and_ends_with_each_fit(screen, console, selection):
    bar = ProgressBar(console)
    for stage in ("learn", "vet"):
        bar.on_begin({})
        bar(Progress(stage, 0.5))
        bar.on_end(selection)
        bar(Progress("too late", 0.5))
    drawn = screen.getvalue()
    assert drawn.index("learning") < drawn.index("vetting")
    assert "too late" not in drawn


def test_in_a_with_block_the_bar_stays_after_a_fit(screen, console):
    with ProgressBar(console) as bar:
        bar.on_begin({})
        bar.on_end(full_selection())
        bar(Progress("repeat 1 of 2", 0.0))
    assert "repeat 1 of 2" in screen.getvalue()


def test_a_copy_has_the_parameters_but_not_the_state(console):
    with ProgressBar(quiet=True) as quiet, ProgressBar(console) as bar:
        assert pickle.loads(pickle.dumps(quiet)).quiet
        bar.console = None  # a console cannot be copied
        assert vars(copy.deepcopy(bar)) == {"console": None, "quiet": False}
        assert repr(bar) == "ProgressBar(console=None, quiet=False)"
