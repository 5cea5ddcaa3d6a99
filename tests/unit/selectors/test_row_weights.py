"""Claims about how much each row counts."""

from __future__ import annotations

import numpy as np
import pytest

from minerva_select import MinervaSelector
from minerva_select.selectors import PaperSelector

pytestmark = pytest.mark.usefixtures("use_small_fits")


def select(X, y, sample_weight=None, **parameters):
    return MinervaSelector(random_state=0, **parameters).fit(X, y, sample_weight=sample_weight).selection_


def test_rows_of_weight_zero_are_left_out(pair):
    counted = np.arange(400) % 4 != 0
    weighted = select(pair.X, pair.y, counted.astype(float))
    assert weighted.n_rows == weighted.mutual_information.n_rows == 300
    assert weighted.features == select(pair.X[counted], pair.y[counted]).features


@pytest.mark.parametrize("weight", [2.5, np.full(400, 2.5), [0.125] * 400], ids=["number", "array", "list"])
def test_equal_weights_change_nothing(fitted, pair, weight):
    assert select(pair.X, pair.y, weight).features == fitted.selection_.features


def test_rows_that_hardly_count_do_not_blur_the_answer(pair):
    rng = np.random.default_rng(0)
    noise = np.arange(400) >= 250
    y = pair.y.where(~noise, rng.integers(0, 2, size=400))
    selection = select(pair.X, y, np.where(noise, 1e-6, 1.0))
    assert selection.selected == pair.relevant
    # With the noise counted, 150 of 400 labels are a coin's: the flip rate is 0.19, and the most there is to know
    # falls below 0.25 nats; without it the two columns tell everything
    assert selection.mutual_information.nats > 0.9 * selection.target_entropy


def test_a_column_that_matters_only_in_light_rows_is_not_needed(pair):
    light = np.arange(400) < 100
    y = pair.X["f1"].where(~light, pair.X["f2"])
    assert select(pair.X, y, np.where(light, 1e-6, 1.0)).selected == ("f1",)


@pytest.mark.usefixtures("brief_paper")
def test_the_solver_of_the_paper_draws_rows_in_proportion_to_their_weights(pair, monkeypatch):
    drawn = []

    def note(x, y, held_out, *rest):
        drawn.extend([x, held_out[0]])
        raise StopIteration

    monkeypatch.setattr("minerva_select.selectors.paper.solve_paper", note)
    weights = np.where(pair.X["f1"] == 1, 1.0, 1e-9)
    with pytest.raises(StopIteration):
        PaperSelector(random_state=0).fit(pair.X[["f1"]], pair.y, sample_weight=weights)
    # Rows of weight 1 have one level in common; a row of any other comes up with probability of about 1e-6
    assert [len(part.codes.unique()) for part in drawn] == [1, 1]
