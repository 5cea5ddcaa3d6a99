"""The study of known answers: configuration, records and tables."""

from __future__ import annotations

import importlib
import inspect
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import minerva_select
from minerva_select.evaluation.records import Records
from minerva_select.problems import PROBLEMS, Problem
from minerva_select.results import Estimate
from minerva_select.selectors import KSGSelector

FOLDER = Path(__file__).parents[2] / "experiments" / "truth"
MODULES = ("baselines", "cases", "cells", "gates", "goals", "measures", "run", "table")
FIGURES = {
    "exact",
    "f1",
    "information_kept",
    "n_missed",
    "n_selected",
    "n_irrelevant",
    "precision",
    "recall",
    "seconds",
}
MEASURE_FIGURES = {"copies": {"copies_kept"}, "nearest_neighbors": {"accuracy_gain"}, "boosting": {"pr_auc_gain"}}


@pytest.fixture(scope="module")
def study():
    """Import the scripts of the study, which is not a package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})


@pytest.fixture(scope="module")
def cases(study):
    return {case.name: case for case in study.cases.load_cases()}


@pytest.fixture
def setting(study):
    return study.cells.Setting(data=None, device="cpu", n_threads=1, commit="abc")


@pytest.fixture
def small_case(study):
    """Parity of two bits among four, 60 rows, three seeds."""
    entry = {
        "name": "small", "title": "parity, small", "n_seeds": 3, "quick_seeds": 1, "information": "joint",
        "problem": {"name": "parity", "n_samples": 60, "n_features": 4, "n_bits": 2, "vary": {"noise": [0.0, 0.1]}},
        "goal": {"text": "exact in 2 of 3", "run": ["exact >= 1"], "share": 0.6, "all": ["median seconds < 10"]},
    }  # fmt: skip
    defaults = {
        "first_seed": 100,
        "baselines": ["ksg"],
        "quick_baselines": [],
        "baseline_seeds": 2,
        "baseline_time_limit": 9,
    }
    return study.cases.Case.parse(entry, defaults)


@pytest.fixture
def exact_selector(monkeypatch):
    """Replace MINERVA by a selector that finds the two bits by enumeration and reports 0.5 nats."""

    class ExactSelector:
        def __init__(self, random_state, device):
            assert device == "cpu"

        def fit(self, X, y):
            pairs = [(a, b) for a in X for b in X if a < b]
            best = max(pairs, key=lambda pair: ((X[pair[0]] ^ X[pair[1]]) == y).mean())
            bound = Estimate(0.5, 0.4, 0.6, n_rows=len(X))
            self.selection_ = SimpleNamespace(selected=best, mutual_information=bound, converged=True, warnings=())
            return self

    monkeypatch.setattr(minerva_select, "MinervaSelector", ExactSelector, raising=False)


def test_problems_accept_the_arguments_of_every_case(cases):
    for case in cases.values():
        assert bool(case.problem) != bool(case.file)
        for seed in case.seeds(quick=False) if case.problem else ():
            inspect.signature(PROBLEMS[case.kind]).bind(**case.arguments(seed), random_state=seed)


def test_every_case_has_a_goal_with_figures_that_are_measured(cases):
    assert len(cases) == len({case.title for case in cases.values()}) > 25
    for case in cases.values():
        measured = FIGURES.union(*(MEASURE_FIGURES[name] for name in case.measures))
        assert case.goal.text
        assert case.goal.run
        assert 0 < case.goal.share <= 1
        assert {condition.figure for condition in (*case.goal.run, *case.goal.all)} <= measured
        assert all(condition.statistic for condition in case.goal.all)


def test_baselines_and_measures_of_the_configuration_exist(study, cases):
    for case in cases.values():
        assert {*case.baselines, *case.quick_baselines} <= set(study.baselines.BASELINES)
        assert set(case.measures) <= set(study.measures.MEASURES)


def test_varying_arguments_take_their_values_in_turn(small_case):
    assert [small_case.arguments(seed)["noise"] for seed in small_case.seeds(quick=False)] == [0.0, 0.1, 0.0]


def test_cells_are_planned_by_method_and_baselines_use_the_first_seeds(study, small_case):
    keys = [cell.key for cell in study.run.plan_cells([small_case], ["minerva", "ksg", "forest"], quick=False)]
    assert keys == [
        *(("small", seed, "minerva") for seed in (100, 101, 102)),
        ("small", 100, "ksg"),
        ("small", 101, "ksg"),
    ]
    assert [cell.key for cell in study.run.plan_cells([small_case], ["minerva", "ksg"], quick=True)] == keys[:1]


def test_the_table_is_rendered_from_the_records_of_a_run(study, small_case, setting, exact_selector, tmp_path):
    cells = study.run.plan_cells([small_case], ["minerva", "ksg"], quick=False)
    path = tmp_path / "out" / "records.jsonl"
    study.run.run_cells(cells, Records(path), [lambda cell: study.cells.run_cell((cell, setting))] * 2)
    records = list(Records(path))
    assert len(records) == 3 + 2 * 2  # KSG leaves two records per run: with and without k
    assert all(record["error"] is None for record in records)

    page = study.table.render([small_case], records)
    ours = next(line for line in page.splitlines() if line.startswith("| parity, small | 3 of 3"))
    cells_of_line = [cell.strip() for cell in ours.strip("|").split("|")]
    assert cells_of_line[:6] == ["parity, small", "3 of 3", "3", "0", "0", "1.000"]
    assert cells_of_line[-3:] == ["1 thread", "exact in 2 of 3", "yes"]
    # The truth is log 2 for seeds 100 and 102, and log 2 minus the entropy of a 0.1 coin for seed 101
    coin = -0.1 * math.log(0.1) - 0.9 * math.log(0.9)
    expected = (2 * 0.5 / math.log(2) + 0.5 / (math.log(2) - coin)) / 3
    assert cells_of_line[8] == f"{expected:.3f}"
    assert "| problem | MINERVA | KSG | KSG, given k |" in page
    assert "7 runs on 1 thread" in page


def test_an_exception_is_recorded(study, small_case, setting, monkeypatch):
    def crash(X, y, seed, n_threads):
        raise ZeroDivisionError("no rows")

    monkeypatch.setitem(study.baselines.BASELINES, "ksg", study.baselines.Baseline(crash))
    records = study.cells.run_cell((study.cells.Cell(small_case, 100, "ksg"), setting))
    assert [record["given_k"] for record in records] == [False, True]
    assert all("ZeroDivisionError: no rows" in record["error"] for record in records)
    assert study.table.describe_runs(small_case, records[:1]) == "ZeroDivisionError"


def test_a_finished_cell_is_not_run_again(study, small_case, setting, tmp_path):
    cells, store = study.run.plan_cells([small_case], ["ksg"], quick=False), Records(tmp_path / "records.jsonl")
    study.run.run_cells(cells[:1], store, [lambda cell: study.cells.failures(cell, setting, "out of time: 9 s")])
    assert study.run.unfinished(cells, Records(store.path)) == cells[1:]


def test_cases_without_their_files_are_skipped_with_a_message(study, cases, capsys, tmp_path):
    assert study.run.keep_runnable([cases["A"], cases["monk1"]], tmp_path, has_gpu=False) == [cases["A"]]
    assert "truth/monk1.parquet" in capsys.readouterr().out


def test_a_case_from_files_has_its_target_and_markov_blanket(study, cases, tmp_path):
    (tmp_path / "truth").mkdir()
    pd.DataFrame({f"v{k}": [0, 1, 0, 1] for k in range(3)}).to_parquet(tmp_path / "truth" / "child3.parquet")
    (tmp_path / "truth" / "child3_markov_blankets.json").write_text('{"v1": ["v0"]}')
    problem = cases["child3"].load(1, tmp_path)
    assert (list(problem.X.columns), problem.y.name, problem.relevant) == (["v0", "v2"], "v1", ("v0",))


def test_a_goal_names_the_conditions_that_are_not_met(study):
    entry = {"text": "", "run": ["exact >= 1"], "share": 0.9, "all": ["median seconds < 10", "mean f1 >= 0.9"]}
    goal = study.goals.Goal.parse(entry)
    good, slow = {"exact": 1, "seconds": 2.0, "f1": 1.0}, {"exact": 0, "seconds": 50.0, "f1": 0.5}
    assert goal.shortfalls([good] * 9 + [slow]) == []
    assert goal.shortfalls([good, slow, slow]) == ["1 of 3 runs", "median seconds 50", "mean f1 0.6667"]
    assert goal.shortfalls([good, {}]) == ["1 of 2 runs"]  # a failed run has no figures
    with pytest.raises(ValueError, match="'exact = 1'"):
        study.goals.Condition.parse("exact = 1")


def test_a_ranking_selects_its_own_columns_or_the_best_k(study):
    ranking = study.baselines.Ranking(("a", "b", "c"), np.array([0.1, 0.7, 0.4]), selected=("c", "b"))
    assert (ranking.select(), ranking.select(1), ranking.select(3)) == (["b", "c"], ["b"], ["a", "b", "c"])


def test_columns_without_a_score_come_last_in_a_baseline_ranking(study):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"same": [1.0] * 200, "noise": rng.normal(size=200), "signal": rng.normal(size=200)})
    y = X["signal"] > 0
    ranking = study.baselines.BASELINES["ksg"].rank(X, y, 0, 1)
    expected = KSGSelector(random_state=0).fit(X, y)
    assert ranking.selected == expected.selection_.selected
    assert ranking.select(1) == ["signal"]
    assert ranking.select(2) == ["noise", "signal"]


def test_gates_of_relevant_columns_stay_open(study, monkeypatch):
    monkeypatch.setattr(study.gates, "N_STEPS", 200)
    monkeypatch.setattr(study.gates, "LAMBDA", 0.3)  # strong, since there are few steps
    X = np.random.default_rng(0).standard_normal((400, 4)).astype(np.float32)
    means = study.gates.train_gates(X, (X[:, 2] > 0).astype(int), is_classification=True, seed=0)
    assert means[2] > 0.5 > max(np.delete(means, 2))


def test_information_kept_of_normal_columns_follows_from_the_residual_variance(study, cases):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((20_000, 2)), columns=["a", "b"])
    y = (X["a"] + X["b"] + rng.standard_normal(20_000)).rename("y")
    problem = Problem("sum", X, y, relevant=("a", "b"), mutual_information=math.log(3) / 2)
    scores = study.measures.score(cases["redundant"], study.measures.SplitProblem(problem, None, 0), ["a"])
    # var(y) = 3 and var(y | a) = 2; the error of a log variance ratio is about sqrt(2 / 20,000) = 0.01
    assert scores["figures"]["information_kept"] == pytest.approx(math.log(3 / 2) / math.log(3), abs=0.03)


def test_copies_are_counted_beyond_the_first(study):
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0], "c": [1.0, 3.0], "d": [1.0, 2.0]})
    data = study.measures.SplitProblem(Problem("copies", X, X["a"].rename("y"), relevant=("a",)), None, 0)
    assert study.measures.copies(data, ["a", "c"]) == {"copies_kept": 0}
    assert study.measures.copies(data, ["a", "b", "c", "d"]) == {"copies_kept": 2}


def test_the_cpu_record_counts_if_both_devices_ran_and_agreement_is_reported(
    study, small_case, setting, exact_selector
):
    record = study.cells.run_cell((study.cells.Cell(small_case, 100, "minerva"), setting))[0]
    gpu = {**record, "machine": {**record["machine"], "device": "H200"}, "selected": ["f0"]}
    page = study.table.render([small_case], [gpu, record])
    assert "1 cells ran on two devices; both selected the same columns in 0." in page
    assert "| 1 thread |" in page
