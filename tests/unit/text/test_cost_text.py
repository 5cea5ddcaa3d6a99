"""What a model loses, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from full_selection import full_selection, made_up_cost
from minerva_select.results import ScoreEstimate, ScoreMetric, ScoreModel
from minerva_select.text.cost import METRICS, MODELS, describe_cost, describe_cost_rows, describe_difference
from minerva_select.text.metadata import cards

COST = made_up_cost(214, 4)


def test_one_line_has_both_scores_and_their_difference():
    line = describe_cost(COST)
    assert line == str(COST)
    for part in ("AUC 0.912", "all 214 columns", "0.911", "4 kept", "-0.001", "-0.004 to 0.002"):
        assert part in line


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"n_kept": 214}, ("which are kept",)),
        ({"n_kept": 1, "n_columns": 1, "n_usable": 1}, ("the only column, which is kept",)),
        ({"n_kept": 0}, ("with none",)),
        ({"n_columns": 50}, ("the 50 strongest of 214 columns",)),
        ({"difference": ScoreEstimate(-0.0001, -0.0002, 0.0)}, ("difference 0.000",)),
    ],
)
def test_special_cases_are_named(changes, parts):
    line = describe_cost(replace(COST, **changes))
    assert all(part in line for part in parts)
    assert "-0.000" not in line


def test_every_metric_and_model_has_a_name():
    assert METRICS.keys() == {*ScoreMetric}
    assert MODELS.keys() == {*ScoreModel}
    assert "5,000 held-out rows" in describe_cost_rows(COST)


def test_one_tile_has_the_score_of_the_kept_columns():
    with_cost, without = full_selection(), replace(full_selection(), cost=None)
    (tile,) = (card for card in cards(with_cost) if card not in list(cards(without)))
    assert tile.label.startswith("AUC")
    assert tile.figure == "0.911"
    assert tile.notes == describe_difference(with_cost.cost)
    assert describe_difference(replace(COST, n_kept=214))[0] == "0.904 to 0.918 (95%)"
