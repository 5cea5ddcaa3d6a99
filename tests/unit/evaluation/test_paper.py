"""Claims about the paper's experiments: their configurations, the rows that are kept, and the tables."""

from __future__ import annotations

import importlib.util

import numpy as np
import pandas as pd
import pytest

from minerva_select.errors import InputError, MissingPackageError
from minerva_select.evaluation.methods import METHODS
from minerva_select.evaluation.paper import (
    NAMES,
    experiment_a,
    experiment_b,
    fraud,
    mine,
    read_configuration,
    reproduce,
)
from minerva_select.evaluation.paper.cells import Cell, run_cells
from minerva_select.evaluation.records import Records
from minerva_select.problems import gaussian, switching


def double(cell):
    if cell.task["number"] < 0:
        raise InputError("The number is below 0; give another.")
    return {"doubled": 2 * cell.task["number"]}


class HereAndNow:
    """Stands in for the worker's process: the same calls, made in this one."""

    def __init__(self, perform):
        self.perform = perform

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def ask(self, cell, limit):
        from minerva_select.evaluation.worker import FailedError

        try:
            return self.perform(cell)
        except InputError as error:
            raise FailedError(str(error)) from None


@pytest.fixture
def in_this_process(monkeypatch):
    monkeypatch.setattr("minerva_select.evaluation.paper.cells.Worker", HereAndNow)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("quick", [False, True])
def test_every_configuration_makes_cells_that_differ(name, quick):
    configuration = read_configuration(name, quick=quick)
    module = {"a": experiment_a, "b": experiment_b, "fraud": fraud, "mine": mine}[name]
    cells = module.cells(configuration, None)
    tasks = [repr(sorted(cell.task.items())) for cell in cells]
    assert len(set(tasks)) == len(tasks) > 3
    assert len({cell.label for cell in cells}) == len(cells)


@pytest.mark.parametrize("name", ["a", "b"])
def test_every_method_of_the_paper_and_every_one_of_ours_is_asked(name):
    configuration = read_configuration(name)
    assert set(configuration["methods"]) == set(METHODS)
    assert set(configuration.theirs) <= {*METHODS, "all"}


def test_the_quick_variant_has_fewer_rows_and_all_the_methods():
    whole, quick = read_configuration("a"), read_configuration("a", quick=True)
    assert quick["rows"] < whole["rows"] == 50_000
    assert quick["methods"] == whole["methods"]
    assert (whole.command, quick.command) == ("minerva reproduce a", "minerva reproduce a --quick")


def test_an_unknown_experiment_and_a_missing_or_broken_file_are_one_sentence(tmp_path):
    with pytest.raises(InputError, match="no experiment 'fruad'; did you mean 'fraud'"):
        read_configuration("fruad")
    with pytest.raises(InputError, match="run the command in a clone"):
        read_configuration("a", folder=tmp_path)
    (tmp_path / "a.toml").write_text("rows = ")
    with pytest.raises(InputError, match="not valid TOML"):
        read_configuration("a", folder=tmp_path)


def test_a_finished_cell_is_not_computed_again(in_this_process, tmp_path):
    cells = [Cell(str(number), {"number": number}) for number in (1, 2)]
    first = run_cells(cells[:1], double, Records(tmp_path / "r.jsonl"))
    told = []
    both = run_cells(cells, double, Records(tmp_path / "r.jsonl"), tell=lambda label, done: told.append((label, done)))
    assert both[0] == first[0]  # the very record, its time of making too
    assert [record["doubled"] for record in both] == [2, 4]
    assert len(Records(tmp_path / "r.jsonl")) == 2
    assert told == [("1", 0.0), ("2", 0.5), ("done", 1.0)]


def test_a_cell_that_fails_is_a_record_that_says_so(in_this_process, tmp_path):
    (record,) = run_cells([Cell("below", {"number": -1})], double, Records(tmp_path / "r.jsonl"))
    assert record["error"] == "The number is below 0; give another."
    assert "doubled" not in record


def test_a_cell_runs_in_a_process_of_its_own_and_can_run_out_of_time(tmp_path):
    task = {"experiment": "mine", "rows": 10**7, "dimension": 50, "correlation": 0.5, "seed": 0}
    (record,) = run_cells([Cell("long", task)], mine.perform, Records(tmp_path / "r.jsonl"), limit=0.1)
    assert record["error"] == "out of time after 0.1 s"


def test_experiment_a_asks_every_method_twice_and_fills_every_row(in_this_process, tmp_path, monkeypatch):
    monkeypatch.setattr(experiment_a, "select", lambda task, *_: _answer(["f3", "f8", "f9"][: task["told"]]))
    ((table,), records) = reproduce(read_configuration("a"), Records(tmp_path / "a.jsonl"))
    assert len(records) == 2 * len(METHODS)
    assert len(table.rows) == len(METHODS)
    row = dict(zip(table.header[:3], table.rows[2][:3], strict=True))
    assert row == {"method": "KSG", "paper kept": "all 30", "verdict": "type II"}
    assert table.rows[2][3:] == ("3, 8, 9", "type II", "3, 8", "exact", "1.5", "200")
    ((quick,), records) = reproduce(read_configuration("a", quick=True), Records(tmp_path / "quick.jsonl"))
    assert len(records) == len(METHODS)
    assert quick.rows[2][3:] == ("3, 8, 9", "type II", "1.5", "200")


def test_experiment_a_reads_the_authors_rows_where_they_are_given(tmp_path):
    X = pd.DataFrame({f"f{place}": np.arange(40) % (place + 2) for place in range(30)})
    X.assign(y=(X["f3"] == X["f8"]).astype(int)).to_parquet(tmp_path / "a.parquet")
    cell = experiment_a.cells(read_configuration("a"), tmp_path / "a.parquet")[0]
    assert cell.task["data"] == "the authors'"
    problem = experiment_a._problem(cell)
    assert problem.X.shape == (40, 30)
    assert problem.relevant == ("f3", "f8")


def test_experiment_b_scores_all_features_every_selection_and_the_truth(in_this_process, tmp_path, monkeypatch):
    truth = list(switching(1).relevant)
    monkeypatch.setattr(experiment_b, "select", lambda *_: _answer([*truth[1:], "f0"]))
    monkeypatch.setattr(experiment_b, "_r_squared", lambda problem, features, task: (0.9, len(features) / 100))
    (found, worth), records = reproduce(read_configuration("b"), Records(tmp_path / "b.jsonl"))
    assert [row[0] for row in worth.rows[:2]] == ["all features", "MINERVA, not told"]
    assert worth.rows[0] == ("all features", "40", "0.8615", "0.9000", "0.7990", "0.4000")
    assert worth.rows[-1][:2] == ("the truth", "10")
    by_method = {row[0]: row for row in found.rows}
    assert by_method["KSG"] == ("KSG", "7 of 10", "9 of 10", "type I", "not 6; too many: 0", "1.5", "200")
    assert len(records) == len(METHODS) + 3


@pytest.mark.reference
def test_a_model_explains_the_switch_with_its_ten_columns_and_not_with_noise():
    pytest.importorskip("catboost", reason="catboost is not installed")
    problem = switching(3_000, random_state=0)
    task = {"test_share": 0.2, "trees": 60, "depth": 4, "seed": 0}
    in_sample, out_of_sample = experiment_b._r_squared(problem, problem.relevant, task)
    noise = [name for name in problem.X.columns if name not in problem.relevant][:10]
    # Sums of sines behind a switch: a model of 60 shallow trees explains a good part of them, and nothing of noise
    assert in_sample > out_of_sample > 0.2
    assert experiment_b._r_squared(problem, noise, task)[1] < 0.05
    assert experiment_b._r_squared(problem, [], task) == (0.0, 0.0)


@pytest.mark.parametrize(("name", "package"), [("b", "catboost"), ("fraud", "imblearn"), ("mine", "matplotlib")])
def test_an_experiment_without_its_package_names_the_command_that_installs_it(name, package, monkeypatch, tmp_path):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda sought: None if sought == package else find_spec(sought))
    with pytest.raises(MissingPackageError, match=rf"{package}.*pip install 'minerva-select\[paper\]'"):
        reproduce(read_configuration(name), Records(tmp_path / "r.jsonl"))


def test_what_failed_is_tried_again_and_what_ran_out_of_time_only_with_another_limit(in_this_process, tmp_path):
    records = Records(tmp_path / "r.jsonl")
    records.append(
        {"task": {"number": 1}, "error": "not installed"}, {"task": {"number": 2}, "error": "out of time after 5 s"}
    )
    one, two = (Cell(str(number), {"number": number}) for number in (1, 2))
    assert run_cells([one], double, records, limit=5)[0]["doubled"] == 2
    assert run_cells([two], double, records, limit=5)[0]["error"] == "out of time after 5 s"
    assert run_cells([two], double, records, limit=9)[0]["doubled"] == 4


def test_oversampling_balances_the_classes_and_keeps_categories_whole():
    pytest.importorskip("imblearn", reason="imbalanced-learn is not installed")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"amount": rng.normal(size=200), "country": rng.integers(0, 5, size=200).astype(float)})
    X["shop"] = rng.integers(0, 9, size=200).astype(float)
    y = (np.arange(200) < 10).astype(np.int64)
    more, classes = fraud._oversampled(X, y, np.array([False, True, True]), seed=0)
    assert np.bincount(classes).tolist() == [190, 190]
    assert set(more["country"]) <= set(range(5))
    assert set(more["shop"]) <= set(range(9))
    pd.testing.assert_frame_equal(more.iloc[:200].reset_index(drop=True), X, check_dtype=False)


def test_the_rarest_of_many_levels_become_one():
    codes = np.repeat(np.arange(60.0), np.arange(60) + 1)
    joined = fraud._joined(codes)
    assert len(np.unique(joined)) == fraud.MOST_LEVELS
    assert (joined[codes >= 21] == codes[codes >= 21]).all()  # the 39 commonest
    assert (joined[codes < 21] == -1).all()
    np.testing.assert_array_equal(fraud._joined(codes[codes < 40]), codes[codes < 40])


def test_fewer_rows_keep_every_positive():
    X, labels = pd.DataFrame({"a": range(100)}), pd.Series([1] * 5 + [0] * 95)
    fewer, left = fraud._fewer_negatives(X, labels, 30, seed=0)
    assert len(fewer) == len(left) == 30
    assert left.sum() == 5


def test_recall_and_precision_are_those_of_a_hand_worked_example():
    # Four positives; flagged are three rows, two of them positive
    measures = fraud._measures(np.array([1, 1, 1, 1, 0, 0]), np.array([0.9, 0.8, 0.2, 0.1, 0.7, 0.0]))
    assert measures["recall"] == 0.5
    assert measures["precision"] == pytest.approx(2 / 3)
    # Precision at each positive, by falling probability: 1, 1, 3/4, 4/5
    assert measures["pr_auc"] == pytest.approx((1 + 1 + 3 / 4 + 4 / 5) / 4)


def test_the_third_part_is_untouched_by_the_second_and_the_first(monkeypatch, tmp_path):
    """The model is scored on rows that neither selection nor learning saw, as they were."""
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

    def learn(X, y, task):
        seen["learned on"] = set(X["row"])
        return Model()

    monkeypatch.setattr(fraud, "select", remember)
    monkeypatch.setattr(fraud, "_search", learn)
    cell = next(
        cell for cell in fraud.cells(read_configuration("fraud"), tmp_path / "p.parquet") if cell.task["method"]
    )
    record = fraud.perform(cell)
    real = set(range(900))
    tested = seen["scored"][1]
    assert len(tested) == 300
    assert tested <= real
    assert not tested & seen["selected on"]
    assert not tested & seen["learned on"]
    assert not seen["selected on"] & seen["learned on"] & real
    assert record["n_positives"] == payments["Class"].sum()


def test_a_file_without_the_target_names_the_column_that_is_missing(tmp_path):
    pd.DataFrame({"Clas": [0, 1], "a": [1, 2]}).to_parquet(tmp_path / "p.parquet")
    cell = fraud.cells(read_configuration("fraud"), tmp_path / "p.parquet")[0]
    with pytest.raises(InputError, match="no column 'Class'; did you mean 'Clas'"):
        fraud.perform(cell)


@pytest.mark.reference
def test_the_bound_of_mine_comes_near_the_closed_form_and_stays_near_zero_without_dependence():
    # A bound on 1,000 held-out rows of one shuffle has a standard error of about 0.03 nats
    strong, none = gaussian(5_000, correlation=0.9), gaussian(5_000, correlation=0.0)
    assert mine._held_out_bound(strong.X, strong.y.to_frame(), 0) == pytest.approx(strong.mutual_information, abs=0.12)
    assert mine._held_out_bound(none.X, none.y.to_frame(), 0) == pytest.approx(0.0, abs=0.05)


def test_the_plot_of_mine_is_a_picture(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    records = [
        {"task": {"dimension": d, "correlation": r}, "truth": 1.0, "bound": 0.9, "error": None}
        for d in (1, 2)
        for r in (0.0, 0.5)
    ]
    mine.plot(records, tmp_path / "mine.png")
    assert (tmp_path / "mine.png").read_bytes().startswith(b"\x89PNG")


def _answer(selected):
    return {"selected": selected, "seconds": 1.5, "peak_bytes": 200_000_000}
