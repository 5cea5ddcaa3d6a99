"""Metrics for TensorBoard and MLflow."""

from __future__ import annotations

import pytest

from full_selection import full_selection
from minerva_select.callbacks.metrics import StepCounter, record_metrics, selection_metrics
from minerva_select.results import FeatureResult, Reason, ReasonCode, Selection, TrainingRecord


def test_steps_of_all_trainings_are_contributions_up():
    steps = StepCounter()
    own = [("learn", 25), ("learn", 50), ("learn", 25), ("sparsify", 50), ("sparsify", 75)]
    # 50 steps, then 25, then 75
    assert [steps.update(TrainingRecord(stage, n, 0.0)) for stage, n in own] == [25, 50, 75, 125, 150]
    assert steps.total == 150


def test_there_are_no_steps_before_the_first_record():
    assert StepCounter().total == 0


def test_penalties_are_metrics_if_there_are_any():
    assert record_metrics(TrainingRecord("sparsify", 25, 0.5, 0.4, sparsity_term=0.1, drift_term=0.2)) == {
        "bound/sparsify": 0.5,
        "held_out_bound/sparsify": 0.4,
        "features/sparsify": 0,
        "sparsity_term/sparsify": 0.1,
        "drift_term/sparsify": 0.2,
    }


def test_a_selection_has_the_contribution_of_each_selected_feature():
    # The selection's features contribute 0.5, 0.5 / 2, ... nats and carry 0.60 of 0.61 nats
    metrics = selection_metrics(full_selection(names=["amount"]))
    contributions = {name: value for name, value in metrics.items() if name.startswith("contribution/")}
    assert contributions == {
        "contribution/amount": 0.5,
        "contribution/f1": 0.25,
        "contribution/f2": pytest.approx(0.5 / 3),
        "contribution/f3": 0.125,
    }
    assert metrics["selected"] == 4
    assert metrics["information"] == 0.6
    assert metrics["information_kept"] == pytest.approx(0.6 / 0.61)


def test_numbers_that_were_not_measured_are_left_out():
    selection = Selection(
        "y", (FeatureResult("a", True, Reason(ReasonCode.POSITIVE_WEIGHT)),), None, None, n_rows=10, seconds=2.0
    )
    assert selection_metrics(selection) == {"selected": 1, "seconds": 2.0}
