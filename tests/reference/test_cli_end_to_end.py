"""Complete runs of the command line on small tables with known relevant features."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from minerva_select.problems import equality
from minerva_select.results import Selection

pytestmark = pytest.mark.reference

INFORMATION = equality(n_samples=1, n_levels=3).mutual_information


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """2,000 rows with six columns of three levels and an identifier; y tells whether f1 equals f4."""
    problem = equality(n_samples=2_000, n_features=6, n_levels=3, relevant=(1, 4), random_state=0)
    path = tmp_path_factory.mktemp("data") / "table.parquet"
    frame = problem.X.assign(y=problem.y)
    frame.insert(0, "id", range(len(frame)))
    frame.to_parquet(path)
    return path


def minerva(*arguments):
    command = [sys.executable, "-m", "minerva_select", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_select_finds_the_two_columns_and_writes_the_results(table, tmp_path):
    result = minerva("select", table, "--target", "y", "--ignore", "id", "--drop", "f0", "--out", tmp_path, "--json")
    assert result.returncode == 0, result.stderr
    selection = Selection.from_json(result.stdout)
    assert selection.selected == ("f1", "f4")
    assert selection.target == "y"
    assert [feature.feature for feature in selection.features] == ["f0", "f1", "f2", "f3", "f4", "f5"]
    assert Selection.load(tmp_path / "selection.json") == selection
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert selection.headline in page
    # With 2,000 rows the estimate is within a tenth of the exact value
    assert selection.mutual_information.nats == pytest.approx(INFORMATION, rel=0.1)


@pytest.mark.slow
def test_the_same_seed_prints_the_same_table(table):
    first, second = (minerva("select", table, "--target", "y", "--ignore", "id", "--seed", 4) for _ in range(2))
    assert first.returncode == 0, first.stderr
    first_table, second_table = (re.sub(r"in [\d.]+ s;", "", result.stdout) for result in (first, second))
    assert first_table == second_table


@pytest.mark.slow
def test_quiet_prints_the_selected_names(table):
    result = minerva("select", table, "--target", "y", "--ignore", "id", "--quiet")
    assert (result.returncode, result.stdout, result.stderr) == (0, "f1\nf4\n", "")


@pytest.mark.slow
def test_estimate_gives_joint_marginal_and_conditional_information(table):
    together = json.loads(minerva("estimate", table, "--x", "f1,f4", "--y", "y", "--json").stdout)
    alone = json.loads(minerva("estimate", table, "--x", "f1", "--y", "y", "--json").stdout)
    given = json.loads(minerva("estimate", table, "--x", "f1", "--y", "y", "--given", "f4", "--json").stdout)
    # I(f1; y) = 0, so by the chain rule I(f1; y | f4) = I(f1, f4; y), within a tenth for 2,000 rows
    assert together["nats"] == pytest.approx(INFORMATION, rel=0.1)
    assert alone["nats"] == pytest.approx(0.0, abs=0.03)
    assert given["nats"] == pytest.approx(INFORMATION, rel=0.15)


def test_the_demo_is_exact(tmp_path):
    result = minerva("demo", "--out", tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert Selection.load(tmp_path / "selection.json").selected == ("f3", "f8")


def test_a_constant_target_is_refused_in_one_sentence(table, tmp_path):
    import pandas as pd

    path = tmp_path / "constant.csv"
    pd.DataFrame({"a": range(100), "y": 1}).to_csv(path, index=False)
    result = minerva("select", path, "--target", "y", "--out", tmp_path / "results")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("minerva: ")
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "results" / "selection.json").exists()
