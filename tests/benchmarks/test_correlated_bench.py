"""The study of correlated columns: generators, scores, goals, and continuing a run."""

from __future__ import annotations

import importlib
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from minerva_select.evaluation.records import Records

FOLDER = Path(__file__).parents[2] / "experiments"
MODULES = ("catalog", "cells", "contributions", "friedman", "goals", "known", "noise", "page", "paths", "scoring")
ALL_RELEVANT = [f"a{k}" for k in range(5)]


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        modules = {name: importlib.import_module(f"correlated.{name}") for name in (*MODULES, "tables", "__main__")}
        yield SimpleNamespace(**{name.strip("_"): module for name, module in modules.items()})


@pytest.fixture(scope="module")
def coarse(study):
    return study.friedman.coarse_versions(0, rows=(400,))


def record(case="near_copies", group="near_copies", seed=0, k=None, seconds=2.0, error=None, nats=0.5, **figures):
    return {
        "case": case, "group": group, "seed": seed, "k": k, "seconds": seconds, "error": error, "figures": figures,
        "selected": [], "exact": figures.get("right"), "commit": "abc", "bound": {"nats": nats},
        "machine": {"cpus": 2}, "versions": {"minerva": "0.1"},
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(0, 10, 2))
def test_near_copies_have_nearly_the_ranks_of_their_column(study, seed):
    table = study.friedman.near_copies(seed, n_copies=2, rows=(500,))
    assert table.X.shape == (500, 30)
    for k in range(10):
        family = table.X[[f"a{k}", f"b{k}", f"c{k}"]].rank().to_numpy()
        # Noise of 0.002 on a range of 1 moves ranks by about one of 500
        assert np.abs(np.corrcoef(family.T)).min() > 0.999


def test_every_column_gets_every_kind_of_near_copy(study):
    for k in range(10):
        assert {study.friedman.copy_kind(seed, k) for seed in range(20)} == set(study.friedman.COPIES)


def test_the_target_depends_on_five_columns_and_alternates_between_regression_and_classification(study):
    regression, binary = (study.friedman.near_copies(seed, rows=(2_000,)) for seed in (0, 1))
    assert [unit.columns for unit in regression.relevant] == [(f"a{k}", f"b{k}") for k in range(5)]
    assert regression.y.nunique() == 2_000
    assert binary.y.mean() == pytest.approx(0.5, abs=0.05)  # 4 standard errors of 2,000 rows
    residuals = regression.y - study.friedman.signal(regression.X[[f"a{k}" for k in range(10)]].to_numpy())
    assert residuals.std() == pytest.approx(1.0, abs=0.07)  # 4 standard errors


def test_near_copies_have_20_tables_of_three_sizes(study):
    rows = [study.friedman.ROWS[seed // 2 % len(study.friedman.ROWS)] for seed in range(20)]
    assert sorted(rows) == [2_000] * 8 + [10_000] * 8 + [50_000] * 4


def test_coarse_versions_are_determined_by_their_column(coarse):
    assert coarse.X.shape == (400, 60)
    for unit in coarse.relevant:
        (column,) = unit.columns
        assert (coarse.X.groupby(unit.coarse[0])[column].agg(np.ptp) <= 1 / 8).all()
        assert (coarse.X[list(unit.coarse[1:])].sum(axis=1) == 1).all()


def test_the_lost_signal_is_that_of_the_missing_columns(study, coarse):
    lost = study.friedman.signal_lost
    assert lost(coarse, ALL_RELEVANT) == 0.0
    # 5 a4 has variance 25 / 12 of 23.9 in all; 400 rows and one shuffle leave an error of about 10%
    assert lost(coarse, ALL_RELEVANT[:4]) == pytest.approx(25 / 12 / 23.9, rel=0.3)
    assert 0 < lost(coarse, [*ALL_RELEVANT[:4], "bin4"]) < 0.1 * lost(coarse, ALL_RELEVANT[:4])
    assert lost(coarse, []) == pytest.approx(1.0, abs=0.25)


def test_noise_tables_have_the_promised_sizes_and_targets(study):
    tables = [study.noise.independent_noise(seed) for seed in range(6)]
    assert {table.X.shape for table in tables} == {(400, 31), (5_000, 31)}
    assert [table.y.nunique() for table in tables] == [2, 2, 4, 4, 400, 5_000]
    for seed in range(6):
        table = study.noise.correlated_noise(seed)
        assert 300 <= len(table.X) <= 2_000
        assert 10 <= table.X.shape[1] <= 40
        assert len(table.y.unique()) in ((2,), (4,), range(300, 2_001))[seed % 3]
        assert table.relevant == ()


def test_correlated_noise_is_correlated_and_has_near_copies(study):
    values = study.noise.factor_model(1_000, 20, np.random.default_rng(0))
    correlations = np.abs(np.corrcoef(values.T))[np.triu_indices(20, 1)]
    assert np.median(correlations) > 0.1  # independent columns: 0.02
    assert any(name.startswith("copy") for name in study.noise.correlated_noise(0).X.columns)


def test_doubled_noise_has_every_row_twice(study):
    table = study.noise.doubled_noise(0)
    half = len(table.X) // 2
    pd.testing.assert_frame_equal(table.X[:half], table.X[half:].reset_index(drop=True))
    assert table.y[:half].tolist() == table.y[half:].tolist()


@pytest.mark.parametrize(
    ("selected", "wrong"),
    [
        (ALL_RELEVANT, {}),
        (ALL_RELEVANT[:4], {"n_lost": 1}),
        ([*ALL_RELEVANT[:4], "bin4"], {"n_lost": 1, "n_coarse_only": 1}),
        ([*ALL_RELEVANT, "bin4", "is4_1"], {"n_coarse_too": 2}),
        ([*ALL_RELEVANT, "a7", "is8_0"], {"n_irrelevant": 2}),
    ],
)
def test_scores_of_coarse_versions(study, coarse, selected, wrong):
    figures = study.scoring.score_units(coarse, selected)
    counts = {name: value for name, value in figures.items() if name.startswith("n_") and name != "n_selected"}
    assert {name: value for name, value in counts.items() if value} == wrong
    assert figures["right"] == (not wrong)
    assert figures["right_ignoring_coarse"] == (not wrong or wrong == {"n_coarse_too": 2})


def test_any_one_of_a_pair_is_right_and_both_are_wrong(study):
    table = study.friedman.near_copies(0, rows=(100,))
    score = study.scoring.score_units
    assert score(table, ["a0", "b1", "a2", "b3", "b4"])["right"]
    assert score(table, ["a0", "b0", "a1", "a2", "a3", "a4"])["n_twice"] == 1
    assert not score(table, ["a0", "b0", "a1", "a2", "a3", "a4"])["right"]


def test_noise_is_right_only_if_nothing_is_selected(study):
    table = study.noise.independent_noise(0)
    assert study.scoring.score_units(table, [])["right"]
    assert not study.scoring.score_units(table, ["x0"])["right"]


def test_any_of_accepts_subsets_that_are_not_empty(study):
    X = pd.DataFrame(np.zeros((4, 3)), columns=["a", "b", "c"])
    table = study.tables.Table(X, X["a"], study.tables.single_columns(("a", "b")), any_of=True)
    right = [study.scoring.score_units(table, selected)["right"] for selected in ([], ["a"], ["a", "b"], ["a", "c"])]
    assert right == [False, True, True, False]


def test_blankets_are_scored_by_precision_and_recall(study):
    X = pd.DataFrame(np.zeros((4, 3)), columns=["a", "b", "c"])
    table = study.tables.Table(X, X["a"], study.tables.single_columns(("a", "b")))
    figures = study.scoring.score_blanket(table, ["a"])
    assert (figures["precision"], figures["recall"], figures["right"]) == (1.0, 0.5, False)
    assert figures["f1"] == pytest.approx(2 / 3)


def test_path_differences_join_the_fit_without_k_and_those_with_k(study):
    full = record("path_x", "path", path={"1": 0.2, "2": 0.35}) | {"selected": ["a", "b", "c"]}
    told = {1: 0.25, 2: 0.3, 3: 0.4, 4: 0.5}  # the path ends with the selection, at 3
    fits = [full, *(record("path_x", "path", k=k, nats=nats, path={}) for k, nats in told.items())]
    differences = study.paths.path_differences(fits)
    assert differences == {1: pytest.approx(-0.05), 2: pytest.approx(0.05), 3: None}
    assert study.goals.path_within(0.06)(fits[:3]).reached
    assert not study.goals.path_within(0.01)(fits[:3]).reached
    assert not study.goals.path_within(0.06)(fits).reached  # the path has no set of 3


def test_intervals_overlap_if_they_share_a_point(study):
    overlaps = study.contributions.overlaps
    assert overlaps([0.1, 0.0, 0.2], [0.3, 0.2, 0.4])
    assert not overlaps([0.1, 0.0, 0.2], [0.3, 0.21, 0.4])
    assert overlaps([0.1, None, None], [0.3, 0.2, 0.4]) is None


def test_a_failed_fit_counts_as_wrong(study):
    runs = [record(right=True), record(seed=1, seconds=None, error="ValueError: no rows")]
    assert not study.goals.right_in(0.9)(runs).reached
    assert study.goals.right_in(0.5)(runs).reached
    assert not study.goals.mean_f1(0.6)([record(f1=1.0, precision=1.0, recall=1.0), runs[1]]).reached


def test_every_goal_has_cases_and_every_case_a_goal(study):
    catalog = study.catalog.load_catalog()
    for goal in study.goals.GOALS:
        assert study.page.n_planned(goal) > 0
        assert set(goal.cases) <= set(catalog)
    for case in catalog.values():
        assert sum(goal.covers(case.group, case.name) for goal in study.goals.GOALS) == 1
        assert case.n_quick <= case.n_tables
    counts = [study.page.n_planned(goal) for goal in study.goals.GOALS if "of" in goal.target.split()]
    assert counts == [20, 20, 60, 200, 20, 20]


def test_a_run_continues_where_it_stopped_and_repeats_what_failed(study, tmp_path):
    cases = [study.catalog.load_catalog()["near_copies"]]
    cells = study.main.plan_cells(cases, study.main.parse_seeds(["0-2", "4"]), quick=False)
    assert [cell.seed for cell in cells] == [0, 1, 2, 4]
    store = Records(tmp_path / "records.jsonl")

    def submit(cell):
        future = Future()
        error = "ValueError: no rows" if cell.seed == 1 else None
        future.set_result(record(seed=cell.seed, error=error, right=True))
        return future

    study.main.run_cells(cells[:3], store, submit)
    remaining = study.main.unfinished(cells, Records(store.path))
    assert [cell.seed for cell in remaining] == [1, 4]


def test_cases_without_their_files_are_skipped_with_a_message(study, capsys, tmp_path):
    assert [case.name for case in study.main.choose_cases(["A", "monk1", "path_churn"], tmp_path)] == ["A"]
    assert "truth/monk1.parquet" in capsys.readouterr().out


def test_an_exception_is_recorded(study, tmp_path):
    failed = study.cells.run_cell(study.cells.Cell("path_churn", 0, 3), tmp_path, "abc")
    assert "FileNotFoundError" in failed["error"]
    assert failed["k"] == 3


def test_the_page_counts_the_last_record_and_shows_earlier_seconds(study):
    catalog = study.catalog.load_catalog()
    runs = [record(right=False, n_lost=1), record(right=True, n_lost=0, signal_lost=0.0)]
    page = study.page.render(list(catalog.values()), runs, before=[record(seconds=1.5, right=True)])
    assert "| 1 of 1 | yes, so far |" in page
    line = next(line for line in page.splitlines() if line.startswith(f"| {catalog['near_copies'].title} |"))
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1:5] == ["1", "1", "-", "0"]
    assert cells[-4:] == ["2.0", "2.0", "1.5", "0"]
