"""Claim: README.md fits on a screen, its code runs, and its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from minerva_select import Selection
from minerva_select.cli import app

PAGE = Path(__file__).parents[2] / "README.md"

pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="README.md is in a clone only")


@pytest.fixture(scope="module")
def text():
    return PAGE.read_text()


def blocks(text, language):
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for name, block in found if name == language]


def test_it_is_one_screen_with_both_commands_and_one_picture(text):
    assert len(text.splitlines()) <= 60
    assert {"`make demo`", "`make test`"} <= set(re.findall(r"`[^`\n]+`", text))
    assert len(re.findall(r"!\[", text)) == 1


def test_every_relative_link_leads_to_a_file(text):
    targets = re.findall(r"\]\((?!\w+:)([^)#\s]+)", text)
    assert len(targets) > 10
    assert [target for target in targets if not (PAGE.parent / target).exists()] == []


@pytest.mark.usefixtures("use_small_fits")
def test_its_python_runs_as_it_is(text, pair, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(text, "python")
    names = {"X": pair.X, "y": pair.y}
    exec(compile(code, "README.md", "exec"), names)  # our own file
    assert isinstance(names["selector"].selection_, Selection)
    assert names["X_selected"].shape == (len(pair.y), 2)
    assert "f3" in capsys.readouterr().out
    assert (tmp_path / "report.html").is_file()


def test_its_shell_commands_are_commands_of_the_program(text):
    lines = [line.split("  #")[0] for block in blocks(text, "") for line in block.splitlines()]
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("minerva ")]
    assert [words[0] for words in commands] == ["demo", "select"]
    for name, *options in commands:
        known = {option for parameter in _command(name).params for option in parameter.opts}
        assert {word for word in options if word.startswith("--")} <= known


def _command(name):
    import typer

    return typer.main.get_command(app).commands[name]
