"""The study of real tables: splits, judges, shares, records and pages, on tiny tables."""

from __future__ import annotations

import importlib
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import minerva_select
from minerva_select.evaluation.records import Records
from minerva_select.results import Estimate

FOLDER = Path(__file__).parents[2] / "experiments" / "real"
MODULES = (
    "cases",
    "encoding",
    "scores",
    "judges",
    "methods",
    "contributions",
    "cells",
    "summary",
    "figure",
    "formatting",
    "goals",
    "run",
    "table",
)
N_ROWS = 90

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="experiments are in a clone only")


@pytest.fixture(scope="module")
def study():
    """Import the scripts of the study, which is not a package; other studies have modules of the same names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        for name in MODULES:
            patch.delitem(sys.modules, name, raising=False)
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
        for name in MODULES:
            del sys.modules[name]


@pytest.fixture
def configuration(study):
    return study.cases.load_study()


@pytest.fixture
def folder(tmp_path):
    """A data folder with a table of two classes: x decides, text helps, noise and the leak do not belong."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=N_ROWS)
    frame = pd.DataFrame({
        "x": np.where(np.arange(N_ROWS) % 10 == 0, np.nan, x),
        "text": np.where(x > 1, "high", "low"),
        "noise": rng.normal(size=N_ROWS),
        "leak": x > 0,
        "y": np.where(x > 0, "yes", "no"),
    })  # fmt: skip
    frame.to_parquet(tmp_path / "small.parquet")
    return tmp_path


@pytest.fixture
def case(study):
    return study.cases.Case("small", "small.parquet", "y", drop=("leak",))


@pytest.fixture
def setting(study, folder):
    return study.cells.Setting(folder, first_seed=100, device="cpu", n_threads=1, commit="abc")


def make_record(table, split, method, kept, information, *, source=None, n_columns=4, **changes):
    """A finished run with the same information for every judge, and a PR-AUC of 0.5 plus the information."""
    scores = {"information": information, "auc": 0.9, "pr_auc": 0.5 + information}
    found = {"contributions": [], "mutual_information": {"nats": 0.3}, "total_information": None, "left_behind": None}
    return {
        "table": table, "split": split, "seed": 100 + split, "method": method, "source": source, "max_rows": None,
        "error": None, "versions": {"minerva": "0.1"}, "machine": {"cpus": 2, "threads": 1, "device": "cpu"},
        "commit": "abc", "made": "now", "n_train": 60, "n_test": 30, "n_columns": n_columns, "n_classes": 2,
        "rarer_share": 0.02, "kept": kept, "seconds": 3.0, "cpu_seconds": 2.0, "judge_seconds": {}, "found": found,
        "scores": dict.fromkeys(("boosting", "extra_trees", "linear"), scores), **changes,
    }  # fmt: skip


def test_information_is_the_log_loss_of_the_prior_minus_that_of_the_model(study):
    y, prior = np.array([0, 0, 0, 1]), np.array([0.75, 0.25])
    probabilities = np.array([[0.9, 0.1], [0.9, 0.1], [0.6, 0.4], [0.5, 0.5]])
    scores = study.scores.score_probabilities(probabilities, y, prior)
    loss = -(2 * math.log(0.9) + math.log(0.6) + math.log(0.5)) / 4
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert scores["log_loss"] == pytest.approx(loss)
    assert scores["information"] == pytest.approx(entropy - loss)
    assert (scores["auc"], scores["pr_auc"]) == (1.0, 1.0)


def test_nothing_kept_has_no_information(study):
    y, prior = np.array([0, 0, 0, 1]), np.array([0.75, 0.25])
    scores = study.scores.score_nothing(y, prior)
    assert scores["information"] == 0.0
    assert (scores["auc"], scores["pr_auc"]) == (0.5, 0.25)
    assert study.scores.score_nothing(np.array([1.0, 2.0]), None) == {"r2": 0.0}


def test_a_share_is_the_ratio_of_mean_information_or_r2(study):
    kept, every = ([{"information": value} for value in values] for values in ((0.1, 0.2), (0.2, 0.4)))
    assert study.scores.share(kept, every) == pytest.approx(0.5)
    assert study.scores.share([{"r2": 0.6}], [{"r2": 0.8}]) == pytest.approx(0.75)
    assert study.scores.share([{"information": 0.1}], [{"information": -0.1}]) is None


def test_r2_of_the_mean_is_0_and_of_the_truth_1(study):
    y = np.array([1.0, 2.0, 6.0])
    assert study.scores.r2(np.full(3, 3.0), y) == 0.0
    assert study.scores.r2(y, y) == 1.0


def test_the_configuration_names_known_methods_and_distinct_tables(study, configuration):
    assert len({case.name for case in configuration.tables}) == len(configuration.tables) == 14
    assert configuration.simulated == {"card_fraud"}
    assert {*configuration.methods, *configuration.quick_methods} <= set(study.cells.NAMES)
    assert set(study.methods.LABELS) == set(study.cells.NAMES)
    assert sum(case.quick for case in configuration.tables) >= 3


def test_leaks_are_dropped_and_classes_become_codes(case, folder):
    X, y = case.load(folder)
    assert list(X.columns) == ["x", "text", "noise"]
    assert set(y.tolist()) == {0, 1}


def test_a_split_is_seeded_stratified_and_has_one_third_test_rows(study):
    y = np.repeat([0, 1], [240, 60])
    X = pd.DataFrame({"row": np.arange(300)})
    split = study.cases.split_rows(X, y, is_classification=True, seed=1)
    assert (len(split.y_train), len(split.y_test), split.y_test.sum()) == (200, 100, 20)
    assert not set(split.X_train["row"]) & set(split.X_test["row"])
    assert split.X_train.equals(study.cases.split_rows(X, y, is_classification=True, seed=1).X_train)
    small = study.cases.split_rows(X, y, is_classification=True, seed=1, max_rows=(50, 20))
    assert (len(small.y_train), len(small.y_test), small.y_train.sum()) == (50, 20, 10)
    assert set(small.X_train["row"]) <= set(split.X_train["row"])


def test_codes_of_text_come_from_training_rows(study, monkeypatch):
    monkeypatch.setattr(study.encoding, "MIN_LEVEL_ROWS", 2)
    train = pd.DataFrame({"text": ["b", "b", "b", "a", "a", "rare"], "number": [1.0, np.nan, 3.0, 5.0, 1.0, 1.0]})
    test = pd.DataFrame({"text": ["a", "unknown", None], "number": [np.nan, 2.0, 2.0]})
    codes = study.encoding.encode_codes(train, test)
    assert codes.is_text.tolist() == [True, False]
    assert codes.train[:, 0].tolist() == [0, 0, 0, 1, 1, 2]
    assert codes.test[:, 0].tolist() == [1, 2, 2]
    filled = study.encoding.encode_by_target(train[["number"]], test[["number"]], np.arange(6) % 2, seed=0)
    assert filled.train[1, 0] == filled.test[0, 0] == 1.0  # the median of the training rows


def test_probabilities_are_sharpened_and_mixed_with_the_prior(study):
    found = study.judges.recalibrate(np.array([[0.2, 0.8]]), np.array([0.5, 0.5]), 2.0, 0.1)
    assert found[0, 1] == pytest.approx(0.9 * 0.64 / 0.68 + 0.05)


def test_every_judge_finds_the_information_of_the_deciding_column(study, monkeypatch):
    pytest.importorskip("lightgbm")
    monkeypatch.setattr(study.judges, "N_BOOSTERS", 1)
    monkeypatch.setattr(study.judges, "N_TREES", 40)
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300), "noise": rng.normal(size=300)})
    for y in ((X["x"] > 0).to_numpy().astype(int), X["x"].to_numpy()):
        split = study.cases.split_rows(X, y, is_classification=y.dtype == int, seed=0)
        good, bad = (study.judges.judge(split, [name], 1)[0] for name in ("x", "noise"))
        for judge in study.judges.JUDGES:
            # H(y) is 0.69 nats, R2 at most 1; noise on 100 test rows is near 0 and may be below
            assert study.scores.gain(good[judge]) > 0.4 > study.scores.gain(bad[judge]) + 0.2


def test_a_cell_leaves_a_record_with_scores_versions_and_machine(study, case, setting, monkeypatch):
    pytest.importorskip("lightgbm")
    monkeypatch.setattr(study.judges, "N_BOOSTERS", 1)
    monkeypatch.setattr(study.judges, "N_TREES", 40)
    monkeypatch.setattr(study.methods, "PACKAGES", ())
    record = study.cells.run_cell((study.cells.Cell(case, 0, "all"), setting))
    assert record["error"] is None
    assert (record["kept"], record["n_columns"], record["n_train"]) == (["x", "text", "noise"], 3, 60)
    assert set(record["scores"]) == set(study.judges.JUDGES)
    assert record["scores"]["linear"]["information"] > 0
    assert (record["commit"], record["seed"], record["machine"]["threads"]) == ("abc", 100, 1)
    assert "numpy" in record["versions"]


def test_an_exception_is_recorded(study, case, setting, monkeypatch):
    def crash(split, n_threads, device):
        raise ZeroDivisionError("no rows")

    monkeypatch.setitem(study.methods.METHODS, "gain", crash)
    monkeypatch.setattr(study.methods, "PACKAGES", ())
    record = study.cells.run_cell((study.cells.Cell(case, 0, "gain"), setting))
    assert "ZeroDivisionError: no rows" in record["error"]
    assert "failed: LightGBM gain above mean on small, split 0" in study.table.describe_machines([record])


def test_slow_methods_run_on_the_first_split_only(study, configuration, case):
    cells = study.run.plan_cells(configuration, [case], ["minerva", "boruta", "gain_k"], n_splits=3)
    assert [cell.key for cell in cells] == [*(("small", k, "minerva") for k in range(3)), ("small", 0, "boruta")]
    assert cells[-1].limits.max_rows == 50_000


def test_a_finished_cell_is_not_run_again(study, configuration, case, setting, tmp_path):
    cells = study.run.plan_cells(configuration, [case], ["all", "gain"], n_splits=2)
    store = Records(tmp_path / "out" / "records.jsonl")
    study.run.run_cells(cells[:1], store, [lambda cell: study.cells.failure(cell, setting, "out of time")])
    assert study.run.unfinished(cells, Records(store.path)) == cells[1:]


def test_a_cell_that_depends_on_minerva_is_run_again_when_its_record_changes(study, case):
    def remaining(records):
        return study.run.unfinished(study.run.plan_dependent([case], ["gain_k"], 2, records), records)

    ours = make_record("small", 0, "minerva", ["x", "text"], 0.3)
    assert [(cell.key, cell.k) for cell in remaining([ours])] == [(("small", 0, "gain_k"), 2)]
    told = make_record("small", 0, "gain_k", ["x", "noise"], 0.3, source=2)
    assert remaining([ours, told]) == []
    assert [cell.k for cell in remaining([ours, told, {**ours, "kept": ["x"]}])] == [1]


def test_contributions_are_checked_on_the_first_split(study, case):
    records = [make_record("small", split, "minerva", ["x"], 0.3) for split in range(3)]
    cells = study.run.plan_dependent([case], ["gain_k", "contributions"], 3, records)
    assert [cell.split for cell in cells if cell.method == "contributions"] == [0]


def test_missing_data_ends_with_one_line(study, configuration, monkeypatch, tmp_path, capsys):
    assert "MINERVA_DATA" in study.run.find_missing(configuration.tables, None)
    with pytest.raises(SystemExit) as error:
        study.run.parse(configuration, ["--tables", "churn", "--data", str(tmp_path)])
    assert error.value.code == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "real/churn.parquet not found" in line


def test_contributions_are_compared_with_estimates_given_the_other_kept_columns(study, monkeypatch):
    asked = []

    def estimate(X, y, given, random_state, device):
        asked.append((list(X.columns), None if given is None else list(given.columns)))
        return Estimate(0.3, 0.2, 0.4, n_rows=len(X))

    monkeypatch.setattr(minerva_select, "mutual_information", estimate, raising=False)
    X = pd.DataFrame(np.arange(90.0).reshape(30, 3), columns=["a", "b", "c"])
    split = study.cases.split_rows(X, np.arange(30) % 2, is_classification=True, seed=0)
    reported = [{"feature": "a", "low": 0.1, "high": 0.25}, {"feature": "c", "low": 0.45, "high": 0.5}]
    checks = study.contributions.check_contributions(split, reported, "cpu")
    assert asked == [(["a"], ["c"]), (["c"], ["a"])]
    assert [check["overlaps"] for check in checks] == [True, False]
    assert checks[0]["given"] == {"nats": 0.3, "low": 0.2, "high": 0.4}
    study.contributions.check_contributions(split, reported[:1], "cpu")
    assert asked[-1] == (["a"], None)


def test_intervals_overlap_if_they_share_a_value(study):
    first = {"low": 0.1, "high": 0.2}
    assert study.contributions.overlaps(first, {"low": 0.2, "high": 0.3})
    assert not study.contributions.overlaps(first, {"low": 0.21, "high": 0.3})
    assert study.contributions.overlaps(first, {"low": None, "high": None}) is None


def test_the_interval_over_splits_accounts_for_shared_rows(study):
    low, high = study.summary.interval([0.0, 0.2], test_ratio=0.5)
    # The standard deviation is 0.1414, its factor sqrt(1/2 + 1/2) = 1, and t of one degree of freedom is 12.706
    assert (low, high) == (
        pytest.approx(0.1 - 12.706 * 0.14142, abs=1e-3),
        pytest.approx(0.1 + 12.706 * 0.14142, abs=1e-3),
    )
    assert study.summary.interval([0.1], test_ratio=0.5) is None


def test_shares_use_the_splits_of_both_and_the_last_record_counts(study):
    records = [
        make_record("small", 0, "all", list("abcd"), 0.4),
        make_record("small", 1, "all", list("abcd"), 0.2),
        make_record("small", 0, "gain", ["a"], 0.1),
        make_record("small", 0, "gain", ["a", "b"], 0.3),
        make_record("small", 7, "gain", ["a"], 0.9),
    ]
    outcome = next(
        found for found in study.summary.summarize(study.summary.group_runs(records)) if found.method == "gain"
    )
    assert outcome.share == pytest.approx(0.75)
    assert (outcome.kept_share, outcome.n_splits, outcome.metric) == (0.5, 1, "pr_auc")
    assert outcome.value_share == pytest.approx(0.8 / 0.9)
    assert study.summary.below_goal([outcome, replace(outcome, shares={"linear": 0.95})]) == ["small"]


def test_the_page_and_the_figure_are_rendered_from_records(study, configuration, tmp_path):
    pytest.importorskip("matplotlib")
    checks = [{"overlaps": True}, {"overlaps": False}, {"overlaps": None}]
    records = [
        make_record("creditcard_ulb", split, method, kept, information)
        for split, every in enumerate((0.2, 0.3))
        for method, kept, information in (("all", list("abcd"), every), ("minerva", ["a"], every - 0.02))
    ]
    records.append(make_record("creditcard_ulb", 0, "contributions", None, 0.0, checks=checks))
    records += [
        make_record("card_fraud", 0, *of_method) for of_method in (("all", list("abcd"), 0.4), ("minerva", [], 0.0))
    ]
    page = study.table.render(configuration, records, "real.svg")
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")
    ]
    # Shares: 0.46 / 0.5 of the information, and 1.46 / 1.5 of PR-AUC
    assert ["MINERVA", "1", "0.920", "0.920", "0.973", "1: creditcard_ulb", "25%", "2.0"] in lines
    assert ["creditcard_ulb", "PR-AUC 0.750", "0.920 (0.730)"] in lines
    assert ["MINERVA", *["-0.0200 (-0.0200 to -0.0200)"] * 3] in lines
    assert ["MINERVA", *["-0.4000"] * 3] in lines  # a simulated table has no part in the means
    assert ["no table below 0.95", "creditcard_ulb", "no"] in lines
    assert ["at most 60% of the columns", "25%", "yes"] in lines
    assert ["contributions overlap separate estimates for 95% of the kept columns", "1 of 2", "no"] in lines
    assert ["creditcard_ulb", "2", "0.300", "-", "-", "1 of 2"] in lines
    assert ["all tables", "", "", "", "", "1 of 2 (50%)"] in lines
    assert "7 runs on 1 thread of 2 cores; commit abc; minerva 0.1" in page
    study.figure.draw(study.summary.summarize(study.summary.group_runs(records)), tmp_path / "real.svg")
    assert (tmp_path / "real.svg").read_text().count("<svg") == 1
