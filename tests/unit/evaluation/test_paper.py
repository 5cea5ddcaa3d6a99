"""The paper's experiments: configurations, records and tables."""

from __future__ import annotations

import dataclasses
import importlib.util

import numpy as np
import pandas as pd
import pytest

from minerva_select.codes import FailureCode
from minerva_select.errors import InputError, MissingPackageError
from minerva_select.evaluation.failures import Failure, attempt
from minerva_select.evaluation.methods import METHODS
from minerva_select.evaluation.paper import (
    EXPERIMENT_NAMES,
    experiment_a,
    experiment_b,
    fraud,
    mine,
    read_configuration,
    reproduce,
)
from minerva_select.evaluation.paper.tasks import Task, run_tasks
from minerva_select.evaluation.records import Records
from minerva_select.problems import gaussian, switching


def double(task):
    if task.settings["number"] < 0:
        raise InputError("The number is below 0; give another.")
    return {"doubled": 2 * task.settings["number"]}


@pytest.fixture
def in_this_process(monkeypatch):
    monkeypatch.setattr(
        "minerva_select.evaluation.paper.tasks.run_in_process", lambda function, task, limit: attempt(function, task)
    )


@pytest.mark.parametrize("name", EXPERIMENT_NAMES)
@pytest.mark.parametrize("quick", [False, True])
def test_tasks_of_a_configuration_are_distinct(name, quick):
    configuration = read_configuration(name, quick=quick)
    module = {"a": experiment_a, "b": experiment_b, "fraud": fraud, "mine": mine}[name]
    tasks = module.make_tasks(configuration, None)
    assert len({repr(sorted(task.settings.items())) for task in tasks}) == len(tasks) > 3
    assert len({task.label for task in tasks}) == len(tasks)


@pytest.mark.parametrize("name", ["a", "b"])
def test_all_methods_run(name):
    configuration = read_configuration(name)
    assert set(configuration["methods"]) == set(METHODS)
    assert set(configuration.published) <= {*METHODS, "all"}


def test_the_quick_variant_has_fewer_rows_and_all_the_methods():
    whole, quick = read_configuration("a"), read_configuration("a", quick=True)
    assert quick["rows"] < whole["rows"] == 50_000
    assert quick["methods"] == whole["methods"]


def test_an_unknown_experiment_and_a_missing_or_broken_file_are_refused(tmp_path):
    with pytest.raises(InputError, match="fruad"):
        read_configuration("fruad")
    with pytest.raises(InputError, match="configuration"):
        read_configuration("a", folder=tmp_path)
    (tmp_path / "a.toml").write_text("rows = ")
    with pytest.raises(InputError, match="TOML"):
        read_configuration("a", folder=tmp_path)


def test_a_finished_task_does_not_run_again(in_this_process, tmp_path):
    tasks = [Task(str(number), {"number": number}) for number in (1, 2)]
    first = run_tasks(tasks[:1], double, Records(tmp_path / "r.jsonl"))
    seen = []
    both = run_tasks(tasks, double, Records(tmp_path / "r.jsonl"), report=lambda *progress: seen.append(progress))
    assert both[0] == first[0]  # with its time
    assert [record["doubled"] for record in both] == [2, 4]
    assert len(Records(tmp_path / "r.jsonl")) == 2
    assert seen == [("1", 0.0), ("2", 0.5), ("done", 1.0)]


def test_a_failure_is_recorded(in_this_process, tmp_path):
    (record,) = run_tasks([Task("below", {"number": -1})], double, Records(tmp_path / "r.jsonl"))
    assert record["failure"]["code"] == FailureCode.ERROR
    assert "below 0" in record["failure"]["message"]
    assert "doubled" not in record


def test_a_task_runs_in_its_own_process_and_can_run_out_of_time(tmp_path):
    settings = {"experiment": "mine", "rows": 10**7, "dimension": 50, "correlation": 0.5, "seed": 0}
    (record,) = run_tasks([Task("long", settings)], mine.run_task, Records(tmp_path / "r.jsonl"), 0.1)
    assert record["failure"] == dataclasses.asdict(Failure(FailureCode.OUT_OF_TIME, seconds=0.1))


def test_experiment_a_runs_every_method_with_and_without_k(in_this_process, tmp_path, monkeypatch):
    monkeypatch.setattr(
        experiment_a, "select", lambda task, *_: _answer(["f3", "f8", "f9"][: task.settings["n_features"]])
    )
    ((table,), records) = reproduce(read_configuration("a"), Records(tmp_path / "a.jsonl"))
    assert len(records) == 2 * len(METHODS)
    assert len(table.rows) == len(METHODS)
    row = dict(zip(table.header[:3], table.rows[2][:3], strict=True))
    assert row == {"method": "KSG", "paper: kept": "all 30", "outcome": "type II"}
    assert table.rows[2][3:] == ("3, 8, 9", "type II", "3, 8", "exact", "1.5", "200")
    ((quick,), records) = reproduce(read_configuration("a", quick=True), Records(tmp_path / "quick.jsonl"))
    assert len(records) == len(METHODS)
    assert quick.rows[2][3:] == ("3, 8, 9", "type II", "1.5", "200")


def test_experiment_a_reads_the_authors_data(tmp_path):
    X = pd.DataFrame({f"f{place}": np.arange(40) % (place + 2) for place in range(30)})
    X.assign(y=(X["f3"] == X["f8"]).astype(int)).to_parquet(tmp_path / "a.parquet")
    task = experiment_a.make_tasks(read_configuration("a"), tmp_path / "a.parquet")[0]
    assert task.settings["data"] == "authors"
    problem = experiment_a._problem(task)
    assert problem.X.shape == (40, 30)
    assert problem.relevant == ("f3", "f8")


def test_experiment_b_scores_all_features_selections_and_relevant_features(in_this_process, tmp_path, monkeypatch):
    truth = list(switching(1).relevant)
    monkeypatch.setattr(experiment_b, "select", lambda *_: _answer([*truth[1:], "f0"]))
    monkeypatch.setattr(experiment_b, "_r_squared", lambda problem, features, settings: (0.9, len(features) / 100))
    (found, scores), records = reproduce(read_configuration("b"), Records(tmp_path / "b.jsonl"))
    assert [row[0] for row in scores.rows[:2]] == ["all features", "MINERVA, without k"]
    assert scores.rows[0] == ("all features", "40", "0.8615", "0.9000", "0.7990", "0.4000")
    assert scores.rows[-1][:2] == ("relevant features", "10")
    by_method = {row[0]: row for row in found.rows}
    assert by_method["KSG"] == ("KSG", "7 of 10", "9 of 10", "type I", "missed: 6; irrelevant: 0", "1.5", "200")
    assert len(records) == len(METHODS) + 3


@pytest.mark.reference
def test_a_model_explains_the_switch_by_its_ten_columns_and_not_by_noise():
    pytest.importorskip("catboost", reason="catboost is not installed")
    problem = switching(3_000, random_state=0)
    settings = {"test_share": 0.2, "trees": 60, "depth": 4, "seed": 0}
    in_sample, out_of_sample = experiment_b._r_squared(problem, problem.relevant, settings)
    noise = [name for name in problem.X.columns if name not in problem.relevant][:10]
    # Sums of sines behind a switch: a model of 60 shallow trees explains a good part of them, and nothing of noise
    assert in_sample > out_of_sample > 0.2
    assert experiment_b._r_squared(problem, noise, settings)[1] < 0.05
    assert experiment_b._r_squared(problem, [], settings) == (0.0, 0.0)


@pytest.mark.parametrize(("name", "package"), [("b", "catboost"), ("fraud", "imblearn"), ("mine", "matplotlib")])
def test_an_experiment_without_its_package_is_refused(name, package, monkeypatch, tmp_path):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda sought: None if sought == package else find_spec(sought))
    with pytest.raises(MissingPackageError, match=package):
        reproduce(read_configuration(name), Records(tmp_path / "r.jsonl"))


def test_failures_run_again_and_timeouts_only_with_another_limit(in_this_process, tmp_path):
    records = Records(tmp_path / "r.jsonl")
    error, timeout = Failure(FailureCode.ERROR, "no rows"), Failure(FailureCode.OUT_OF_TIME, seconds=5.0)
    for index, failure in enumerate((error, timeout), start=1):
        records.append({"task": {"number": index}, "failure": dataclasses.asdict(failure)})
    one, two = (Task(str(number), {"number": number}) for number in (1, 2))
    assert run_tasks([one], double, records, 5)[0]["doubled"] == 2
    assert run_tasks([two], double, records, 5)[0]["failure"]["code"] == FailureCode.OUT_OF_TIME
    assert run_tasks([two], double, records, 9)[0]["doubled"] == 4


def test_oversampling_balances_the_classes_and_keeps_levels():
    pytest.importorskip("imblearn", reason="imbalanced-learn is not installed")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"amount": rng.normal(size=200), "country": rng.integers(0, 5, size=200).astype(float)})
    X["shop"] = rng.integers(0, 9, size=200).astype(float)
    y = (np.arange(200) < 10).astype(np.int64)
    more, classes = fraud._oversample(X, y, np.array([False, True, True]), seed=0)
    assert np.bincount(classes).tolist() == [190, 190]
    assert set(more["country"]) <= set(range(5))
    assert set(more["shop"]) <= set(range(9))
    pd.testing.assert_frame_equal(more.iloc[:200].reset_index(drop=True), X, check_dtype=False)


def test_the_rarest_of_many_levels_become_one():
    codes = np.repeat(np.arange(60.0), np.arange(60) + 1)
    joined = fraud._join_rare_levels(codes)
    assert len(np.unique(joined)) == fraud.MAX_LEVELS
    assert (joined[codes >= 21] == codes[codes >= 21]).all()  # the 39 most common
    assert (joined[codes < 21] == -1).all()
    np.testing.assert_array_equal(fraud._join_rare_levels(codes[codes < 40]), codes[codes < 40])


def test_fewer_rows_keep_every_positive():
    X, labels = pd.DataFrame({"a": range(100)}), pd.Series([1] * 5 + [0] * 95)
    fewer, left = fraud._drop_negatives(X, labels, 30, seed=0)
    assert len(fewer) == len(left) == 30
    assert left.sum() == 5


def test_recall_and_precision_are_those_of_a_hand_worked_example():
    # Four positives; three rows are flagged, two of them positive
    scores = fraud._scores(np.array([1, 1, 1, 1, 0, 0]), np.array([0.9, 0.8, 0.2, 0.1, 0.7, 0.0]))
    assert scores["recall"] == 0.5
    assert scores["precision"] == pytest.approx(2 / 3)
    # Precision at each positive, by falling probability: 1, 1, 3/4, 4/5
    assert scores["pr_auc"] == pytest.approx((1 + 1 + 3 / 4 + 4 / 5) / 4)


def test_the_model_is_scored_on_rows_that_neither_selection_nor_training_saw(monkeypatch, tmp_path):
    pytest.importorskip("imblearn", reason="imbalanced-learn is not installed")
    rng = np.random.default_rng(0)
    payments = pd.DataFrame({"row": np.arange(900.0), "other": rng.normal(size=900)})
    payments["Class"] = (rng.random(900) < 0.1).astype(int)
    payments.to_parquet(tmp_path / "p.parquet")
    seen = {}

    class Model:
        best_estimator = "stand-in"

        def predict_proba(self, X):
            seen.setdefault("scored", []).append(set(X["row"]))
            return np.column_stack([1 - X["row"] / 900, X["row"] / 900])

    def remember(task, X, y, categorical_features):
        seen["selected on"] = set(X["row"])
        return _answer(["row"])

    def learn(X, y, settings):
        seen["learned on"] = set(X["row"])
        return Model()

    monkeypatch.setattr(fraud, "select", remember)
    monkeypatch.setattr(fraud, "_search_model", learn)
    tasks = fraud.make_tasks(read_configuration("fraud"), tmp_path / "p.parquet")
    record = fraud.run_task(next(task for task in tasks if task.settings["method"]))
    real = set(range(900))
    tested = seen["scored"][1]
    assert len(tested) == 300
    assert tested <= real
    assert not tested & seen["selected on"]
    assert not tested & seen["learned on"]
    assert not seen["selected on"] & seen["learned on"] & real
    assert record["n_positives"] == payments["Class"].sum()


def test_a_file_without_the_target_is_refused(tmp_path):
    pd.DataFrame({"Clas": [0, 1], "a": [1, 2]}).to_parquet(tmp_path / "p.parquet")
    task = fraud.make_tasks(read_configuration("fraud"), tmp_path / "p.parquet")[0]
    with pytest.raises(InputError, match="'Clas'"):
        fraud.run_task(task)


@pytest.mark.reference
@pytest.mark.slow
def test_the_bound_of_mine_comes_near_the_closed_form_and_stays_near_zero_without_dependence():
    # With 1,000 held-out rows and one permutation, the bound has a standard error of about 0.03 nats
    strong, none = gaussian(5_000, correlation=0.9), gaussian(5_000, correlation=0.0)
    assert mine._held_out_bound(strong.X, strong.y.to_frame(), 0) == pytest.approx(strong.mutual_information, abs=0.12)
    assert mine._held_out_bound(none.X, none.y.to_frame(), 0) == pytest.approx(0.0, abs=0.05)


def test_the_plot_of_mine_is_a_png(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    records = [
        {"task": {"dimension": d, "correlation": r}, "truth": 1.0, "bound": 0.9, "failure": None}
        for d in (1, 2)
        for r in (0.0, 0.5)
    ]
    mine.plot(records, tmp_path / "mine.png")
    assert (tmp_path / "mine.png").read_bytes().startswith(b"\x89PNG")


def _answer(selected):
    return {"selected": selected, "seconds": 1.5, "peak_bytes": 200_000_000}
