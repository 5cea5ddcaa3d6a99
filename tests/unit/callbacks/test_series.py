"""Claims about what trackers are told."""

from __future__ import annotations

import pytest

from full_selection import full_selection
from minerva_select.callbacks.metrics import RunningStep, record_amounts, selection_amounts
from minerva_select.results import FeatureResult, Reason, ReasonCode, Selection, TrainingRecord


def test_steps_run_on_from_training_to_training():
    step = RunningStep()
    own = [("learn", 25), ("learn", 50), ("learn", 25), ("sparsify", 50), ("sparsify", 75)]
    # 50 steps, then 25, then 75
    assert [step.of(TrainingRecord(stage, n, 0.0)) for stage, n in own] == [25, 50, 75, 125, 150]
    assert step.last == 150


def test_before_the_first_record_no_step_is_done():
    assert RunningStep().last == 0


def test_penalties_are_told_where_there_are_any():
    assert record_amounts(TrainingRecord("sparsify", 25, 0.5, 0.4, sparsity_term=0.1, drift_term=0.2)) == {
        "bound/sparsify": 0.5,
        "held_out_bound/sparsify": 0.4,
        "features/sparsify": 0,
        "sparsity_term/sparsify": 0.1,
        "drift_term/sparsify": 0.2,
    }


def test_an_answer_is_told_with_what_each_selected_feature_adds():
    # The selection's features add 0.5, 0.5 / 2, ... nats, and carry 0.60 of 0.61 nats
    amounts = selection_amounts(full_selection(names=["amount"]))
    added = {name: value for name, value in amounts.items() if name.startswith("contribution/")}
    assert added == {
        "contribution/amount": 0.5,
        "contribution/f1": 0.25,
        "contribution/f2": pytest.approx(0.5 / 3),
        "contribution/f3": 0.125,
    }
    assert amounts["selected"] == 4
    assert amounts["information"] == 0.6
    assert amounts["information_kept"] == pytest.approx(0.6 / 0.61)


def test_what_was_not_measured_is_not_told():
    selection = Selection(
        "y", (FeatureResult("a", True, Reason(ReasonCode.POSITIVE_WEIGHT)),), None, None, n_rows=10, seconds=2.0
    )
    assert selection_amounts(selection) == {"selected": 1, "seconds": 2.0}
