"""Claims about ``minerva demo``."""

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
        FeatureResult(f"f{i}", f"f{i}" in selected, Reason(ReasonCode.CONTRIBUTES) if f"f{i}" in selected else "no")
        for i in range(30)
    )
    half = Estimate(0.5, 0.48, 0.52, n_rows=500)
    return Selection("y", features, half, half, n_rows=500)


def test_the_demo_tells_the_problem_the_answer_and_the_point(folder, small_demo, run):
    small_demo.answer = demo_answer("f3", "f8")
    result = run("demo", "--seed", 5)
    assert result.exit_code == 0
    for words in (
        "500 rows of 30 features, each a number from 1 to 5",
        "y is 1 where f3 equals f8",
        "One feature at a time",
        "2 of 30 features carry 0.500 nats about y",
        "exact: 2 found, 0 missed, 0 irrelevant",
        "the two together have 0.500 of y's 0.500",
    ):
        assert words in result.stdout
    assert Selection.load("minerva-demo/selection.json") == small_demo.answer
    assert (folder / "minerva-demo/report.html").exists()
    assert small_demo.seen["random_state"] == 5


def test_the_demo_ends_with_1_when_the_answer_is_not_the_truth(folder, small_demo, run):
    small_demo.answer = demo_answer("f3", "f9")
    result = run("demo", "--out", "elsewhere")
    assert result.exit_code == 1
    assert "type I (misses relevant features): 1 found, 1 missed, 1 irrelevant" in result.stdout
    assert "the two together" not in result.stdout
    assert (folder / "elsewhere/selection.json").exists()
