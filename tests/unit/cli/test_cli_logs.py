"""``--verbose`` and ``--quiet``."""

from __future__ import annotations

import io
import logging
import re

import pytest

from minerva_select.cli.verbosity import log_to_stderr
from minerva_select.results import Estimate

HALF = Estimate(0.5, 0.48, 0.52, n_rows=20)


def test_verbose_shows_log_lines_with_the_time(capsys):
    logger = logging.getLogger("minerva_select")
    with log_to_stderr(verbose=True, quiet=False):
        logger.info("learn: two\nlines")
        logger.debug("details")
    logger.info("later")
    assert re.fullmatch(r"\d\d:\d\d:\d\d learn: two\\nlines\n", capsys.readouterr().err)
    assert not logger.handlers
    assert logger.level == logging.NOTSET


def test_without_verbose_nothing_is_logged(capsys):
    with log_to_stderr(verbose=False, quiet=False):
        logging.getLogger("minerva_select").info("learn")
    assert capsys.readouterr().err == ""


def test_log_lines_go_to_the_current_stderr(capsys, monkeypatch):
    above_the_bar = io.StringIO()
    with log_to_stderr(verbose=True, quiet=False):
        monkeypatch.setattr("sys.stderr", above_the_bar)
        logging.getLogger("minerva_select").info("learn")
    assert above_the_bar.getvalue().endswith(" learn\n")


@pytest.mark.usefixtures("folder", "selector")
@pytest.mark.parametrize(
    "command",
    [
        ["select", "data.csv", "--target", "is_fraud"],
        ["compare", "data.csv", "--target", "is_fraud"],
        ["estimate", "data.csv", "--x", "amount", "--y", "is_fraud"],
        ["demo"],
    ],
    ids=lambda command: command[0],
)
def test_verbose_and_quiet_contradict_each_other(command, run, assert_refused):
    assert_refused(run(*command, "-v", "-q"), "--verbose and --quiet")


def test_verbose_logs_the_size_of_the_table(folder, selector, run):
    result = run("select", "data.csv", "--target", "is_fraud", "--verbose")
    assert result.exit_code == 0
    assert selector.seen["verbose"] == 1
    assert "read 20 rows x 5 columns" in result.stderr


def test_a_quiet_estimate_prints_a_number(folder, monkeypatch, run):
    monkeypatch.setattr("minerva_select.selectors.mutual_information", lambda *_, **__: HALF)
    result = run("estimate", "data.csv", "--x", "amount", "--y", "is_fraud", "--quiet")
    assert (result.stdout, result.stderr) == ("0.5\n", "")


def test_a_quiet_report_prints_nothing(folder, answer, run):
    answer.save("selection.json")
    result = run("report", "selection.json", "-q")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert (folder / "report.html").exists()
