"""Claims about the progress bar."""

from __future__ import annotations

import io

from rich.console import Console

from minerva.cli.progress import ProgressBar, found
from minerva.results import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_stage_bound_and_features_left():
    screen = Terminal()
    with ProgressBar(Console(file=screen, width=100, force_terminal=True)) as bar:
        bar(Progress("sparsify [bold]", 0.5, bound=0.25, n_features=12))
    drawn = screen.getvalue()
    assert "sparsify [bold]" in drawn
    assert "50%" in drawn
    assert "0.250 nats, 12 features" in drawn


def test_nothing_is_drawn_away_from_a_terminal_or_when_quiet():
    log, screen = io.StringIO(), Terminal()
    for bar in (ProgressBar(Console(file=log, force_terminal=True)), ProgressBar(Console(file=screen), quiet=True)):
        with bar:
            bar(Progress("learn", 0.5))
    assert log.getvalue() == ""
    assert screen.getvalue() == ""


def test_what_is_printed_meanwhile_stays_on_stdout(capsys):
    screen = Terminal()
    with ProgressBar(Console(file=screen, width=100, force_terminal=True)):
        print("the answer")  # noqa: T201
    assert capsys.readouterr().out == "the answer\n"
    assert "the answer" not in screen.getvalue()


def test_what_is_not_known_yet_is_not_said():
    assert found(Progress("read", 0.0)) == ""
    assert found(Progress("vet", 0.9, n_features=1)) == "1 feature"
    assert found(Progress("learn", 0.1, bound=-0.0312)) == "-0.031 nats"


def test_a_fraction_out_of_range_does_not_stop_the_fit():
    screen = Terminal()
    with ProgressBar(Console(file=screen, width=100, force_terminal=True)) as bar:
        bar(Progress("learn", 1.7))
    assert "100%" in screen.getvalue()
