"""Claims about PaperSelector on a table: what it reads, and what its weights become."""

from __future__ import annotations

import numpy as np
import pytest

from minerva_select.codes import ReasonCode, StopCause, WarningCode
from minerva_select.config import PaperSettings
from minerva_select.problems import equality
from minerva_select.selectors import PaperSelector

pytestmark = pytest.mark.usefixtures("use_small_fits")


def fit(X, y, **parameters):
    return PaperSelector(random_state=0, **parameters).fit(X, y)


@pytest.fixture(scope="module")
def copied():
    """500 rows of four columns; the target is the second."""
    problem = equality(n_samples=500, n_features=4, n_levels=3, relevant=(0, 2), random_state=0)
    return problem.X, problem.X["f1"].rename("y")


@pytest.fixture(scope="module")
def answer(copied, use_small_fits):
    """Algorithm 1 with large steps, so that a few hundred do."""
    settings = PaperSettings(
        sparsity=0.3, learning_rate=3e-3, weight_rate=0.2, batch_size=125, max_steps_learn=150, max_steps_sparsify=250
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("minerva_select.selectors.paper.PaperSettings", lambda: settings)
        return fit(*copied, sparsity=0.3, learning_rate=3e-3)


def test_the_weights_of_other_columns_end_at_exactly_zero(answer):
    assert answer.selection_.selected == ("f1",)
    assert answer.weights_[[0, 2, 3]].tolist() == [0.0, 0.0, 0.0]
    # A single weight ends where its norm is target_norm, which is 1; the last steps' noise is some hundredths
    assert answer.weights_[1] == pytest.approx(1.0, abs=0.1)
    reasons = [result.reason for result in answer.selection_.features]
    zero, positive = ReasonCode.ZERO_WEIGHT, ReasonCode.POSITIVE_WEIGHT
    assert [reason.code for reason in reasons] == [zero, positive, zero, zero]
    assert reasons[1].values == {"weight": answer.weights_[1]}
    assert answer.scores_.tolist() == answer.weights_.tolist()


def test_the_history_has_both_stages_and_all_three_terms(answer):
    learn = [record for record in answer.history_ if record.stage == "learn"]
    sparsify = [record for record in answer.history_ if record.stage == "sparsify"]
    assert answer.history_ == (*learn, *sparsify)
    assert len(learn) > 0
    assert all(record.sparsity_term == record.drift_term == 0 for record in learn)
    assert all(record.n_features == 4 for record in learn)
    # c1 times the ratio of the norms, between c1 for one weight and 2 c1 for four equal ones
    assert all(0.3 <= record.sparsity_term <= 0.6 + 1e-6 for record in sparsify)
    assert sparsify[-1].sparsity_term == pytest.approx(0.3, abs=1e-6)
    assert any(record.drift_term > 0 for record in sparsify)
    assert sparsify[-1].n_features == 1
    assert all(record.bound != 0 and record.held_out_bound is not None for record in answer.history_)


def test_the_bound_stays_below_the_entropy_of_the_target(answer, copied):
    selection = answer.selection_
    shares = copied[1].value_counts(normalize=True)
    # Counted on the training rows, four fifths of all
    assert selection.target_entropy == pytest.approx(-(shares * np.log(shares)).sum(), abs=0.01)
    assert 0 < selection.mutual_information.nats <= selection.target_entropy
    assert selection.mutual_information.nats <= selection.total_information.nats


@pytest.mark.usefixtures("brief_paper")
def test_coefficients_reach_the_solver(copied, monkeypatch):
    given = {"sparsity": 0.7, "norm_drift": 0, "target_norm": 2, "learning_rate": 1e-4, "threshold": 0.5}
    seen = []

    def note(x, y, held_out, units, settings, *rest):
        seen.append(settings)
        raise StopIteration

    monkeypatch.setattr("minerva_select.selectors.paper.solve_paper", note)
    with pytest.raises(StopIteration):
        fit(*copied, **given)
    (settings,) = seen
    assert {name: getattr(settings, name) for name in given} == given
    assert settings.batch_size == 100


@pytest.mark.usefixtures("brief_paper")
def test_a_number_takes_the_largest_weights_and_a_group_counts_as_one(copied):
    X, y = copied
    selector = fit(X.assign(constant=1), y, n_features_to_select=3, keep=["constant"], feature_groups=[["f0", "f2"]])
    assert selector.support_[0] == selector.support_[2]
    assert selector.weights_[0] == selector.weights_[2]
    assert selector.support_[4]
    assert selector.support_[[0, 1, 3, 4]].sum() == 3
    assert (selector.weights_[~selector.support_] == 0).all()
    dropped = selector.selection_.features[int(np.flatnonzero(~selector.support_)[0])]
    assert dropped.reason.code in {ReasonCode.BEYOND_COUNT, ReasonCode.ZERO_WEIGHT}


@pytest.mark.usefixtures("brief_paper")
def test_copies_follow_their_original_only_on_demand(copied):
    X, y = copied
    X = X.assign(again=X["f1"])
    dropped, kept = fit(X, y), fit(X, y, redundant="keep")
    for selector, selected in ((dropped, False), (kept, True)):
        original, copy = selector.selection_.features[1], selector.selection_.features[4]
        assert original.substitutes == ("again",)
        assert (copy.selected, copy.reason.code, copy.reason.columns) == (selected, ReasonCode.EQUIVALENT, ("f1",))
        assert copy.weight == (original.weight if selected else 0)


@pytest.mark.usefixtures("brief_paper")
def test_keeping_one_of_a_group_keeps_the_group(copied):
    X, y = copied
    selector = fit(X, y, n_features_to_select=1, keep=["f0"], feature_groups=[["f0", "f3"]])
    assert selector.selection_.selected == ("f0", "f3")
    reasons = [result.reason for result in selector.selection_.features]
    assert {reasons[0].code, reasons[3].code} == {ReasonCode.ON_REQUEST}
    assert (reasons[0].columns, reasons[3].columns) == ((), ("f0",))


@pytest.mark.usefixtures("brief_paper")
def test_a_run_that_is_out_of_steps_says_so(copied):
    selection = fit(*copied).selection_
    assert not selection.converged
    (warning,) = selection.warnings
    assert (warning.code, warning.values["cause"]) == (WarningCode.NOT_CONVERGED, StopCause.STEP_LIMIT)


@pytest.mark.usefixtures("brief_paper")
def test_permuting_the_columns_permutes_the_weights(copied):
    X, y = copied
    first, second = fit(X, y), fit(X[["f3", "f1", "f0", "f2"]], y)
    assert second.weights_.tolist() == first.weights_[[3, 1, 0, 2]].tolist()
    assert second.history_ == first.history_
