"""The study of mutual information: closed forms, drawn rows, planned cells, goals and the page."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import norm

FOLDER = Path(__file__).parents[2] / "experiments"
MODULES = (
    *("beyond_normal", "case", "catalog", "cells", "conditional", "discrete", "distributions", "figure", "goals"),
    *("independence", "mixed", "page", "summary", "transforms", "__main__"),
)
# True values of the package benchmark-mi 0.1.3 by the start of a name, without a transform
PUBLISHED = {
    "1v1-normal-0.75": 0.413339, "1v1-bimodal-0.75": 0.413339, "1v1-additive-0.1": 1.709438,
    "1v1-additive-0.75": 0.333333, "multinormal-dense-2-2": 0.293893, "multinormal-dense-3-3": 0.413339,
    "multinormal-dense-5-5": 0.592812, "multinormal-dense-25-25": 1.292184, "multinormal-dense-50-50": 1.624265,
    "multinormal-sparse": 1.021651, "student-identity-1-1-1": 0.224171, "student-identity-2-2-1": 0.431946,
    "student-identity-2-2-2": 0.193147, "student-identity-3-3-2": 0.290922, "student-identity-3-3-3": 0.178712,
    "student-identity-5-5-2": 0.448151, "student-identity-5-5-3": 0.298544,
}  # fmt: skip
TRANSFORMS = ("normal_cdf", "wiggly", "half_cube", "swissroll_x", "spiral", "asinh")


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        modules = {name: importlib.import_module(f"mi.{name}") for name in MODULES}
        yield SimpleNamespace(**{name.strip("_"): module for name, module in modules.items()})


def record(case="1v1-normal-0.75", n_rows=5_000, seed=0, method="auto", nats=0.4, truth=0.413, half=0.05, **rest):
    return {
        "case": case, "n_rows": n_rows, "seed": seed, "method": method, "truth": truth, "nats": nats,
        "low": nats - half, "high": nats + half, "seconds": 2.0, "error": None, "commit": "abc",
        "machine": {"cpus": 2}, "versions": {"minerva": "0.1"}, **rest,
    }  # fmt: skip


def runs_of(study, records):
    return study.summary.latest(records)


def test_the_40_tasks_have_their_published_information(study):
    tasks = study.beyond_normal.make_tasks()
    assert len(tasks) == 40
    for name, task in tasks.items():
        base = name
        while base.startswith(TRANSFORMS):
            base = base.split("-", 1)[1]
        expected = next(value for start, value in PUBLISHED.items() if base.startswith(start))
        assert task.information == pytest.approx(expected, abs=1e-6), name


def test_tasks_have_the_published_numbers_of_columns(study):
    shapes = {name: (task.n_x, task.n_y) for name, task in study.beyond_normal.make_tasks().items()}
    assert shapes["swissroll_x-normal_cdf-1v1-normal-0.75"] == (2, 1)
    assert shapes["multinormal-dense-50-50-0.5"] == (50, 50)
    assert [sum(fits(n_y) for _, n_y in shapes.values()) for fits in study.summary.SIZES.values()] == [10, 23, 7]


def test_every_case_draws_its_columns_and_the_same_rows_for_the_same_seed(study):
    for case in study.catalog.load_catalog().values():
        first, second, other = (case.sample(60, seed) for seed in (0, 0, 1))
        assert (first.X.shape, first.y.shape) == ((60, case.shape[0]), (60, case.shape[1])), case.name
        assert first.X.equals(second.X)
        assert first.y.equals(second.y)
        assert not (first.X.equals(other.X) and first.y.equals(other.y))
        assert case.information >= 0


def test_student_information_is_the_mean_log_density_ratio(study):
    x, y = study.distributions.student(2, 3, 2).draw(200_000, np.random.default_rng(0))

    def log_density(values):
        n = values.shape[1]
        constant = gammaln((2 + n) / 2) - gammaln(1) - n / 2 * math.log(2 * math.pi)
        return constant - (2 + n) / 2 * np.log1p((values**2).sum(axis=1) / 2)

    pointwise = log_density(np.hstack([x, y])) - log_density(x) - log_density(y)
    # The standard error is 0.0015
    assert study.distributions.student(2, 3, 2).information == pytest.approx(pointwise.mean(), abs=0.006)


@pytest.mark.parametrize("width", [0.1, 0.5, 0.75])
def test_additive_information_is_the_mean_log_density_ratio(study, width):
    task = study.distributions.additive(width)
    _, y = task.draw(100_000, np.random.default_rng(0))
    # The density of y is the share of [0, 1] within the width, divided by its length
    density = (np.minimum(y + width, 1) - np.maximum(y - width, 0)) / (2 * width)
    assert task.information == pytest.approx(float(-np.log(2 * width) - np.log(density).mean()), abs=0.01)


def test_normal_rows_have_their_covariance(study):
    covariance = np.array([[2.0, 0.6, 0.3], [0.6, 1.0, 0.2], [0.3, 0.2, 0.5]])
    task = study.distributions.normal(covariance, 2)
    x, y = task.draw(100_000, np.random.default_rng(0))
    # The standard error of an entry is 0.01 at most
    np.testing.assert_allclose(np.cov(np.hstack([x, y]).T), covariance, atol=0.04)


def test_maps_of_single_columns_increase(study):
    values = np.linspace(-6, 6, 4_001)[:, None]
    maps = study.transforms
    bimodal = maps.bimodal(0.3, 0.0, 5.0)
    for apply in (maps.half_cube, maps.wiggly_x, maps.wiggly_y, bimodal):
        assert (np.diff(apply(values)[:, 0]) > 0).all()
    # Three tenths of the rows are around 0, and half of those are below it
    assert float(bimodal(norm.ppf(np.array([[0.15]])))[0, 0]) == pytest.approx(0.0, abs=1e-3)


def test_a_spiral_is_undone_by_the_opposite_rotation(study):
    values = np.random.default_rng(0).standard_normal((50, 4))
    turned = study.transforms.spiral(1)(values)
    angle = -(turned**2).sum(axis=1) / 4  # norms do not change
    a = np.cos(angle) * turned[:, 1] - np.sin(angle) * turned[:, 2]
    b = np.sin(angle) * turned[:, 1] + np.cos(angle) * turned[:, 2]
    np.testing.assert_allclose(np.column_stack([turned[:, 0], a, b, turned[:, 3]]), values, atol=1e-12)


def test_a_swiss_roll_winds_outwards(study):
    rolled = study.transforms.swiss_roll(np.linspace(0, 1, 100)[:, None])
    assert (np.diff(np.hypot(*rolled.T)) > 0).all()


def test_discrete_information_is_its_definition(study):
    information = study.discrete.information
    assert information(np.full((3, 4), 1 / 12)) == pytest.approx(0.0, abs=1e-12)
    assert information(np.eye(4) / 4) == pytest.approx(math.log(4))
    # A uniform bit and a copy that is wrong in a tenth of the rows
    entropy = -0.1 * math.log(0.1) - 0.9 * math.log(0.9)
    assert information(study.discrete.noisy_copy(2, 0.2)) == pytest.approx(math.log(2) - entropy)


def test_conditional_cases_have_the_information_worked_out_by_hand(study):
    truths = {case.name: case.information for case in study.conditional.make_conditional_cases()}
    assert len(truths) == 10
    entropy = -0.1 * math.log(0.1) - 0.9 * math.log(0.9)
    for name in ("chain-end-given-middle", "chain-of-5-given-neighbors", "bits-in-a-chain", "two-copies-of-a-bit"):
        assert truths[name] == pytest.approx(0.0, abs=1e-12)
    assert truths["exclusive-or"] == pytest.approx(math.log(2) - entropy)
    # z | x has variance 0.36, and y = 0.8 z plus noise of variance 0.36
    assert truths["chain-middle-given-end"] == pytest.approx(math.log(1 + 0.64) / 2)
    # The ends of the chain have correlation 0.64, and noise changes nothing
    assert truths["given-5-noise-columns"] == pytest.approx(-math.log(1 - 0.64**2) / 2)
    # Partial correlation of two columns of variance 1.25 given a column of variance 2.25 and covariance 1 with both
    partial = -(1 / 2.25) / (1.25 - 1 / 2.25)
    assert truths["two-given-a-sum"] == pytest.approx(-math.log(1 - partial**2) / 2)


def test_information_of_a_class_is_the_mean_log_likelihood_ratio(study):
    shares, means, deviations = np.array([0.7, 0.3]), np.array([0.0, 0.0]), np.array([0.01, 2.0])
    rng = np.random.default_rng(0)
    classes = rng.choice(2, size=100_000, p=shares)
    value = rng.normal(means[classes], deviations[classes])
    densities = norm.pdf(value[:, None], means, deviations)
    ratio = densities[np.arange(len(value)), classes] / (densities @ shares)
    found = study.mixed.mixture_information(shares, means, deviations)
    # The standard error is 0.002
    assert found == pytest.approx(float(np.log(ratio).mean()), abs=0.008)


def test_mapped_cases_have_the_rows_of_their_original(study):
    cases = study.catalog.load_catalog()
    mapped = [case for case in cases.values() if case.original]
    assert len(mapped) == 10
    for case in mapped:
        first, second = case.sample(50, 0), cases[case.original].sample(50, 0)
        for column in first.X:
            order, original = first.X[column].to_numpy().argsort(), second.X[column].to_numpy().argsort()
            assert order.tolist() in (original.tolist(), original.tolist()[::-1]), case.name


def test_baselines_run_on_numbers_only_and_the_first_seed_comes_first(study):
    cases = study.catalog.load_catalog()
    cells = study.cells.plan_cells([cases["noisy-bit"], cases["1v1-normal-0.75"]], rows=[1_000])
    assert {cell.method for cell in cells if cell.case == "noisy-bit"} == {"auto"}
    assert len({cell.method for cell in cells if cell.case == "1v1-normal-0.75"}) == 5
    assert [cell.seed for cell in cells] == sorted(cell.seed for cell in cells)
    assert {cell.n_rows for cell in cells} == {1_000}


def test_a_record_finishes_its_cell_unless_it_failed(study):
    cell = study.cells.Cell("1v1-normal-0.75", 5_000, 0, "auto")
    assert study.cells.unfinished([cell], []) == [cell]
    assert study.cells.unfinished([cell], [record()]) == []
    assert study.cells.unfinished([cell], [record(error="failed")]) == [cell]


def test_a_cell_is_estimated_and_an_exception_is_recorded(study):
    cell = study.cells.Cell("multinormal-dense-2-2-0.5", 200, 0, "cca")
    found = study.cells.run_cell(cell, "abc")
    assert found["error"] is None
    assert found["low"] < found["nats"] < found["high"]
    assert found["truth"] == pytest.approx(0.293893, abs=1e-6)
    refused = study.cells.run_cell(study.cells.Cell("noisy-bit", 200, 0, "cca"), "abc")
    assert refused["error"].startswith("InputError")
    assert refused["nats"] is None


def test_figures_are_means_and_counts(study):
    found = study.summary.measure([record(nats=0.403, truth=0.413), record(nats=0.713, truth=0.413)])
    assert (found.n, found.n_covered) == (2, 1)
    assert found.error == pytest.approx(0.155)
    assert found.width == pytest.approx(0.1)
    assert study.summary.measure([]) is None


def test_only_the_last_record_of_a_cell_counts(study):
    runs = runs_of(study, [record(nats=0.1), record(nats=0.4)])
    assert [one["nats"] for one in runs.values()] == [0.4]
    assert len(study.summary.failed([record(), record(error="failed")])) == 1


def test_excess_is_the_error_beyond_the_best_baseline(study):
    case = study.catalog.load_catalog()["1v1-normal-0.75"]
    baselines = [record(method=method, nats=0.413 + 0.01 * k) for k, method in enumerate(("ksg", "cca", "infonce"))]
    ours = record(nats=0.363)
    assert study.summary.excess_over_best(runs_of(study, [ours, *baselines]), case, 5_000) is None
    complete = runs_of(study, [ours, *baselines, record(method="mine", nats=0.9)])
    assert study.summary.excess_over_best(complete, case, 5_000) == pytest.approx(0.05)


def test_changes_compare_a_mapped_case_with_its_original(study):
    cases = study.catalog.load_catalog()
    mapped = cases["1v1-normal-0.75-exp"]
    records = [record(case=mapped.original, n_rows=2_000, nats=0.41), record(case=mapped.name, n_rows=2_000, nats=0.38)]
    assert study.summary.changes_by_maps(runs_of(study, records), cases.values(), "auto") == pytest.approx([0.03])


def test_goals_are_reached_or_not_and_say_what_has_run(study):
    catalog = list(study.catalog.load_catalog().values())
    tasks = [case for case in catalog if case.group == "tasks"]
    close = [record(case=case.name, truth=case.information, nats=case.information + 0.01) for case in tasks]
    far = [record(case=case.name, truth=case.information, nats=case.information + 0.20) for case in tasks]
    accuracy = study.goals.GOALS[0]
    assert accuracy.measure(runs_of(study, close), accuracy.cases(catalog)) == ("0.010", True)
    assert accuracy.measure(runs_of(study, far), accuracy.cases(catalog)) == ("0.200", False)
    assert accuracy.measure({}, accuracy.cases(catalog)) is None
    assert accuracy.count(runs_of(study, close), catalog) == (40, 120)
    # Every goal can be measured, whatever has run
    assert all(goal.measure({}, goal.cases(catalog)) is None for goal in study.goals.GOALS)


def test_the_page_marks_what_has_not_run(study):
    page = study.page.render([record(method="ksg", nats=0.4)], "figure.svg")
    lines = [line for line in page.splitlines() if line.startswith("| 1v1-normal-0.75 |")]
    assert lines == ["| 1v1-normal-0.75 | 1 + 1 | 0.413 | not run | 0.400 | not run | not run | not run |"]
    assert "| noisy-bit | 1 + 1 | 0.368 | not run | - | - | - | - |" in page


def test_the_figure_has_a_panel_for_every_method(study, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "figure.svg"
    study.figure.draw(
        list(study.catalog.load_catalog().values()), runs_of(study, [record(), record(method="ksg")]), path
    )
    assert path.read_text().count('id="axes_') == 5


def test_the_quick_study_has_few_short_cells(study):
    cells = study.main.plan(study.main.parse(["--quick", "--commit", "abc"]))
    assert 30 <= len(cells) <= 80
    assert max(cell.n_rows for cell in cells) <= 2_000
    assert {cell.seed for cell in cells} == {0}
