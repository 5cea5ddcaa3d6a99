"""Start, help and usage errors of the command line."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys

import pytest
import typer
from rich.console import Console

from minerva_select import __version__
from minerva_select.cli import _prepare_streams, app

RUN_APP = "import contextlib\nfrom minerva_select.cli import app\nwith contextlib.suppress(SystemExit): app({!r})"


def loaded_after(program):
    heavy = "sorted({'torch', 'sklearn', 'pandas', 'pyarrow', 'jinja2'} & set(sys.modules))"
    code = f"import sys\n{program}\nprint('loaded', {heavy})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return result.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "arguments", [["--help"], ["select", "--help"], ["compare", "--help"], ["demo", "--help"], ["--version"]]
)
def test_help_imports_no_heavy_package(arguments):
    program = RUN_APP.format(arguments)
    assert loaded_after(program) == "loaded []"


def test_a_missing_file_is_refused_before_heavy_imports():
    arguments = ["select", "nowhere.csv", "--target", "y"]
    program = RUN_APP.format(arguments)
    loaded = loaded_after(program)
    assert not any(name in loaded for name in ("torch", "sklearn", "pandas", "pyarrow"))


def test_every_help_has_an_example_that_parses(run):
    commands = re.findall(r"^  (\w+) ", run("--help").stdout.split("Commands:")[1], re.MULTILINE)
    assert sorted(commands) == ["check", "compare", "demo", "estimate", "report", "reproduce", "select"]
    for command in commands:
        example = re.search(rf"Example:\n    minerva ({command}\b.*)", run(command, "--help").stdout)
        assert example is not None
        assert parsed(example[1].split())


def test_the_first_help_shows_the_most_common_commands_and_they_parse(run):
    examples = re.findall(r"^    minerva (.+?)(?:  .*)?$", run("--help").stdout, re.MULTILINE)
    assert [example.split()[0] for example in examples] == ["demo", "select", "select"]
    assert all(parsed(example.split()) for example in examples)


def parsed(arguments):
    """Parsed parameters; an unknown or missing option is an error."""
    group = typer.main.get_command(app)
    command = group.commands[arguments[0]]
    return command.make_context(command.name, arguments[1:]).params


def test_version_and_module_entry():
    result = subprocess.run(
        [sys.executable, "-m", "minerva_select", "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout == f"minerva {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["select", "data.csv"],
        ["select", "data.csv", "--target"],
        ["select", "data.csv", "--target", "is_fraud", "--n-features", "two"],
        ["select", "data.csv", "--target", "is_fraud", "--color"],
        ["estimate", "data.csv", "--x", "amount"],
        ["guess"],
    ],
)
def test_usage_errors_exit_with_2(folder, arguments, run):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error" in result.stderr


def test_characters_that_the_terminal_lacks_are_escaped(monkeypatch):
    screen = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(screen, encoding="ascii"))
    _prepare_streams()
    Console().print("✓ größe")
    assert screen.getvalue() == rb"\u2713 gr\xf6\xdfe" + b"\n"


def test_a_warning_is_printed_as_one_line(folder, answer):
    answer.save("selection.json")
    program = (
        "import sys, warnings, minerva_select.cli, minerva_select.report\n"
        "render = minerva_select.report.render\n"
        "def warn(selection):\n"
        "    warnings.warn('two\\nlines')\n"
        "    return render(selection)\n"
        "minerva_select.report.render = warn\n"
        "sys.argv = ['minerva', 'report', 'selection.json']\n"
        "minerva_select.cli.main()\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stderr == "minerva: warning: two\\nlines\nWrote report.html.\n"


INTERRUPTED = """
import importlib.abc, os, runpy, signal, sys

class Interrupt(importlib.abc.MetaPathFinder):
    def find_spec(self, name, *_):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
sys.meta_path.insert(0, Interrupt())
runpy.run_module("minerva_select", run_name="__main__")
"""


def test_ctrl_c_during_the_imports_shows_no_traceback():
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (-signal.SIGINT, "")
