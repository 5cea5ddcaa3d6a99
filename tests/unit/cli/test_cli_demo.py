"""``minerva demo``."""

from __future__ import annotations

import pytest

from minerva_select import problems
from minerva_select.results import Estimate, FeatureResult, Reason, ReasonCode, Selection


@pytest.fixture
def small_demo(folder, selector, monkeypatch):
    sampler = problems.equality
    monkeypatch.setattr(
        "minerva_select.problems.equality", lambda random_state: sampler(n_samples=500, random_state=random_state)
    )
    return selector


def demo_answer(*selected):
    features = tuple(
        FeatureResult(
            f"f{i}", f"f{i}" in selected, Reason(ReasonCode.CONTRIBUTES if f"f{i}" in selected else ReasonCode.NOISE)
        )
        for i in range(30)
    )
    half = Estimate(0.5, 0.48, 0.52, n_rows=500)
    return Selection("y", features, half, half, n_rows=500)


def test_the_demo_describes_the_problem_and_the_selection(folder, small_demo, run):
    small_demo.answer = demo_answer("f3", "f8")
    result = run("demo", "--seed", 5)
    assert result.exit_code == 0
    for words in (
        "500 rows with 30 features",
        "y is 1 where f3 equals f8",
        "One feature at a time",
        "2 of 30 features carry at least 0.500 nats about y",
        "exact: 2 found, 0 missed, 0 irrelevant",
        "together they carry 0.500 of the 0.500 nats",
    ):
        assert words in result.stdout
    assert Selection.load("minerva-demo/selection.json") == small_demo.answer
    assert (folder / "minerva-demo/report.html").exists()
    assert small_demo.seen["random_state"] == 5


def test_the_demo_exits_with_1_if_the_selection_is_not_exact(folder, small_demo, run):
    small_demo.answer = demo_answer("f3", "f9")
    result = run("demo", "--out", "elsewhere")
    assert result.exit_code == 1
    assert "type I (misses relevant features): 1 found, 1 missed, 1 irrelevant" in result.stdout
    assert "together they" not in result.stdout
    assert (folder / "elsewhere/selection.json").exists()
