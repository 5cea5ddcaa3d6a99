"""The study that holds selections against known answers: its configuration, its records and its tables."""

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
MODULES = ("cells", "gates", "goals", "measures", "rivals", "rows", "run", "table")
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
FIGURES_OF_MEASURES = {"copies": {"copies_kept"}, "neighbours": {"accuracy_gain"}, "boosting": {"pr_auc_gain"}}


@pytest.fixture(scope="module")
def study():
    """The modules of the study, which is a folder of scripts and no package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})


@pytest.fixture(scope="module")
def rows(study):
    return {row.name: row for row in study.rows.load_rows()}


@pytest.fixture
def setting(study):
    return study.cells.Setting(data=None, device="cpu", n_threads=1, commit="abc")


@pytest.fixture
def small_row(study):
    """Parity of two bits among four, 60 rows, three seeds."""
    entry = {
        "name": "small", "title": "parity, small", "n_seeds": 3, "quick_seeds": 1, "information": "joint",
        "problem": {"name": "parity", "n_samples": 60, "n_features": 4, "n_bits": 2, "vary": {"noise": [0.0, 0.1]}},
        "goal": {"words": "exact in 2 of 3", "run": ["exact >= 1"], "share": 0.6, "all": ["median seconds < 10"]},
    }  # fmt: skip
    defaults = {"first_seed": 100, "rivals": ["ksg"], "quick_rivals": [], "rival_seeds": 2, "rival_time_limit": 9}
    return study.rows.Row.parse(entry, defaults)


@pytest.fixture
def knowing_selector(monkeypatch):
    """A stand-in for MINERVA that finds the columns whose sum has the target's parity, at 0.5 nats."""

    class Knowing:
        def __init__(self, random_state, device):
            assert device == "cpu"

        def fit(self, X, y):
            pairs = [(a, b) for a in X for b in X if a < b]
            best = max(pairs, key=lambda pair: ((X[pair[0]] ^ X[pair[1]]) == y).mean())
            bound = Estimate(0.5, 0.4, 0.6, n_rows=len(X))
            self.selection_ = SimpleNamespace(selected=best, mutual_information=bound, converged=True, warnings=())
            return self

    monkeypatch.setattr(minerva_select, "MinervaSelector", Knowing, raising=False)


def test_samplers_take_the_arguments_of_every_row(rows):
    for row in rows.values():
        assert bool(row.problem) != bool(row.file)
        for seed in row.seeds(quick=False) if row.problem else ():
            inspect.signature(PROBLEMS[row.kind]).bind(**row.arguments(seed), random_state=seed)


def test_every_row_has_a_goal_in_words_and_in_figures_that_are_measured(rows):
    assert len(rows) == len({row.title for row in rows.values()}) > 25
    for row in rows.values():
        measured = FIGURES.union(*(FIGURES_OF_MEASURES[name] for name in row.measures))
        assert row.goal.words
        assert row.goal.run
        assert 0 < row.goal.share <= 1
        assert {rule.figure for rule in (*row.goal.run, *row.goal.all)} <= measured
        assert all(rule.statistic for rule in row.goal.all)


def test_rivals_and_measures_of_the_configuration_exist(study, rows):
    for row in rows.values():
        assert {*row.rivals, *row.quick_rivals} <= set(study.rivals.RIVALS)
        assert set(row.measures) <= set(study.measures.MEASURES)


def test_arguments_that_vary_take_their_values_in_turn(small_row):
    assert [small_row.arguments(seed)["noise"] for seed in small_row.seeds(quick=False)] == [0.0, 0.1, 0.0]


def test_a_plan_is_ours_first_and_rivals_on_the_first_seeds(study, small_row):
    keys = [cell.key for cell in study.run.plan([small_row], ["minerva", "ksg", "forest"], quick=False)]
    assert keys == [
        *(("small", seed, "minerva") for seed in (100, 101, 102)),
        ("small", 100, "ksg"),
        ("small", 101, "ksg"),
    ]
    assert [cell.key for cell in study.run.plan([small_row], ["minerva", "ksg"], quick=True)] == keys[:1]


def test_records_of_a_run_become_the_table(study, small_row, setting, knowing_selector, tmp_path):
    cells = study.run.plan([small_row], ["minerva", "ksg"], quick=False)
    path = tmp_path / "out" / "records.jsonl"
    study.run.run_cells(cells, Records(path), [lambda cell: study.cells.perform((cell, setting))] * 2)
    records = list(Records(path))
    assert len(records) == 3 + 2 * 2  # KSG leaves two records a run: told k, and not told
    assert all(record["error"] is None for record in records)

    page = study.table.render([small_row], records)
    ours = next(line for line in page.splitlines() if line.startswith("| parity, small | 3 of 3"))
    cells_of_line = [cell.strip() for cell in ours.strip("|").split("|")]
    assert cells_of_line[:6] == ["parity, small", "3 of 3", "3", "0", "0", "1.000"]
    assert cells_of_line[-3:] == ["1 thread", "exact in 2 of 3", "yes"]
    # Truth is log 2 at seeds 100 and 102, and log 2 minus the entropy of a coin of 0.1 at seed 101
    coin = -0.1 * math.log(0.1) - 0.9 * math.log(0.9)
    expected = (2 * 0.5 / math.log(2) + 0.5 / (math.log(2) - coin)) / 3
    assert cells_of_line[8] == f"{expected:.3f}"
    assert "| problem | MINERVA | KSG | KSG, told k |" in page
    assert "7 runs on 1 thread" in page


def test_a_crash_becomes_a_record(study, small_row, setting, monkeypatch):
    def crash(X, y, seed, n_threads):
        raise ZeroDivisionError("no rows")

    monkeypatch.setitem(study.rivals.RIVALS, "ksg", study.rivals.Rival(crash))
    records = study.cells.perform((study.cells.Cell(small_row, 100, "ksg"), setting))
    assert [record["given_k"] for record in records] == [False, True]
    assert all("ZeroDivisionError: no rows" in record["error"] for record in records)
    assert study.table.standing(small_row, records[:1]) == "ZeroDivisionError"


def test_a_finished_cell_is_not_run_again(study, small_row, setting, tmp_path):
    cells, store = study.run.plan([small_row], ["ksg"], quick=False), Records(tmp_path / "records.jsonl")
    study.run.run_cells(cells[:1], store, [lambda cell: study.cells.failures(cell, setting, "out of time: 9 s")])
    assert study.run.unfinished(cells, Records(store.path)) == cells[1:]


def test_rows_without_their_files_are_left_out_with_a_line(study, rows, capsys, tmp_path):
    assert study.run.runnable([rows["A"], rows["monk1"]], tmp_path, has_gpu=False) == [rows["A"]]
    assert capsys.readouterr().out.startswith("Left out: monk1, truth/monk1.parquet not found")


def test_rows_from_files_know_target_truth_and_blanket(study, rows, tmp_path):
    (tmp_path / "truth").mkdir()
    pd.DataFrame({f"v{k}": [0, 1, 0, 1] for k in range(3)}).to_parquet(tmp_path / "truth" / "child3.parquet")
    (tmp_path / "truth" / "child3_markov_blankets.json").write_text('{"v1": ["v0"]}')
    problem = rows["child3"].make(1, tmp_path)
    assert (list(problem.X.columns), problem.y.name, problem.relevant) == (["v0", "v2"], "v1", ("v0",))


def test_a_goal_names_what_falls_short(study):
    entry = {"words": "", "run": ["exact >= 1"], "share": 0.9, "all": ["median seconds < 10", "mean f1 >= 0.9"]}
    goal = study.goals.Goal.parse(entry)
    good, slow = {"exact": 1, "seconds": 2.0, "f1": 1.0}, {"exact": 0, "seconds": 50.0, "f1": 0.5}
    assert goal.shortfalls([good] * 9 + [slow]) == []
    assert goal.shortfalls([good, slow, slow]) == ["1 of 3 runs", "median seconds 50", "mean f1 0.6667"]
    assert goal.shortfalls([good, {}]) == ["1 of 2 runs"]  # a failed run has no figures
    with pytest.raises(ValueError, match="'exact = 1' is no rule"):
        study.goals.Rule.parse("exact = 1")


def test_a_ranking_keeps_its_own_choice_or_the_best_k(study):
    ranking = study.rivals.Ranking(("a", "b", "c"), np.array([0.1, 0.7, 0.4]), kept=("c", "b"))
    assert (ranking.keep(), ranking.keep(1), ranking.keep(3)) == (["b", "c"], ["b"], ["a", "b", "c"])


def test_a_rival_is_the_baseline_of_the_library_and_columns_without_part_come_last(study):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"same": [1.0] * 200, "noise": rng.normal(size=200), "signal": rng.normal(size=200)})
    y = X["signal"] > 0
    ranking = study.rivals.RIVALS["ksg"].rank(X, y, 0, 1)
    expected = KSGSelector(random_state=0).fit(X, y)
    assert ranking.kept == expected.selection_.selected
    assert ranking.keep(1) == ["signal"]
    assert ranking.keep(2) == ["noise", "signal"]


def test_gates_of_relevant_columns_stay_open(study, monkeypatch):
    monkeypatch.setattr(study.gates, "N_STEPS", 200)
    monkeypatch.setattr(study.gates, "LAMBDA", 0.3)  # few steps, so a strong pull
    X = np.random.default_rng(0).standard_normal((400, 4)).astype(np.float32)
    means = study.gates.train_gates(X, (X[:, 2] > 0).astype(int), is_classification=True, seed=0)
    assert means[2] > 0.5 > max(np.delete(means, 2))


def test_information_kept_of_normal_columns_follows_from_the_residual_variance(study, rows):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((20_000, 2)), columns=["a", "b"])
    y = (X["a"] + X["b"] + rng.standard_normal(20_000)).rename("y")
    problem = Problem("sum", X, y, relevant=("a", "b"), mutual_information=math.log(3) / 2)
    judged = study.measures.judge(rows["redundant"], study.measures.Study(problem, None, 0), ["a"])
    # var(y) = 3 and var(y | a) = 2; the error of a log variance ratio is about sqrt(2 / 20,000) = 0.01
    assert judged["figures"]["information_kept"] == pytest.approx(math.log(3 / 2) / math.log(3), abs=0.03)


def test_copies_are_counted_beyond_the_first(study):
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0], "c": [1.0, 3.0], "d": [1.0, 2.0]})
    known = study.measures.Study(Problem("copies", X, X["a"].rename("y"), relevant=("a",)), None, 0)
    assert study.measures.copies(known, ["a", "c"]) == {"copies_kept": 0}
    assert study.measures.copies(known, ["a", "b", "c", "d"]) == {"copies_kept": 2}


def test_the_cpu_counts_where_both_devices_ran_and_agreement_is_told(study, small_row, setting, knowing_selector):
    record = study.cells.perform((study.cells.Cell(small_row, 100, "minerva"), setting))[0]
    gpu = {**record, "machine": {**record["machine"], "device": "H200"}, "selected": ["f0"]}
    page = study.table.render([small_row], [gpu, record])
    assert "1 cells ran on two devices; both selected the same columns in 0." in page
    assert "| 1 thread |" in page
