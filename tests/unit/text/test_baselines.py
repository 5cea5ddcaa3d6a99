"""Every score and rule of a baseline has a description, also with values that a damaged file may contain."""

from __future__ import annotations

import pytest

from minerva_select.codes import BorutaDecision, ScoreMeasure, ScoreRule
from minerva_select.text.baselines import describe_score

VALUES = {
    "score": 0.25,
    "passed": True,
    "threshold": 0.02,
    "n_requested": 4,
    "step": 2,
    "dependence": 0.5,
    "relevance": 0.3,
    "redundancy": 0.1,
    "round": 1,
    "n_rounds": 3,
    "decision": BorutaDecision.TENTATIVE,
}


@pytest.mark.parametrize("rule", ScoreRule)
@pytest.mark.parametrize("measure", ScoreMeasure)
def test_every_measure_and_rule_has_its_own_text(measure, rule):
    text = describe_score({**VALUES, "measure": measure, "rule": rule})
    assert "–" not in text
    assert len(text) <= 80
    others = [describe_score({**VALUES, "measure": other, "rule": rule}) for other in ScoreMeasure if other != measure]
    others += [describe_score({**VALUES, "measure": measure, "rule": other}) for other in ScoreRule if other != rule]
    others.append(describe_score({**VALUES, "measure": measure, "rule": rule, "passed": False}))
    assert text not in others


@pytest.mark.parametrize(
    ("step", "ordinal"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (22, "22nd"), (113, "113th"), (1001, "1,001st")],
)
def test_steps_are_ordinal_numbers(step, ordinal):
    assert f"added {ordinal} " in describe_score({"measure": "forward_step", "step": step, "dependence": 0.5})


@pytest.mark.parametrize("junk", [None, [], {}, "x", float("nan"), 10**250])
@pytest.mark.parametrize("name", [*VALUES, "measure", "rule"])
def test_any_value_can_be_described(name, junk):
    for measure in ScoreMeasure:
        assert describe_score({**VALUES, "measure": measure, "rule": ScoreRule.ABOVE_SHARE, name: junk})
