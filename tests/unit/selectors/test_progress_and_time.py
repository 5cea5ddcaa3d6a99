"""Claims about what a running fit tells, and when it stops."""

from __future__ import annotations

import logging
import time

import numpy as np
import pandas as pd
import pytest
import torch

from minerva_select import MinervaSelector
from minerva_select.codes import StopCause, WarningCode
from minerva_select.config import RowSampleConfig
from minerva_select.data import memory_budget
from minerva_select.problems import equality
from minerva_select.results import Progress
from minerva_select.selectors import PaperSelector


@pytest.fixture
def told(use_small_fits, pair, caplog):
    """What a fit tells its callbacks and the log."""
    seen = []
    with caplog.at_level(logging.INFO, logger="minerva_select"):
        selector = MinervaSelector(random_state=0, verbose=1, callbacks=(seen.append,)).fit(pair.X, pair.y)
    return selector, seen, caplog.records


def test_callbacks_and_the_log_follow_the_history(told):
    selector, seen, records = told
    assert all(isinstance(progress, Progress) for progress in seen)
    assert [progress.stage for progress in seen] == [record.stage for record in selector.history_]
    assert [progress.bound for progress in seen] == [record.held_out_bound for record in selector.history_]
    assert [record.name for record in records] == ["minerva_select"] * len(seen)
    first = selector.history_[0]
    assert records[0].getMessage() == (
        f"{first.stage}: step {first.step}, bound {first.held_out_bound:.4f} nats, {first.n_features} features"
    )


def test_progress_never_falls_back(told):
    _, seen, _ = told
    fractions = [progress.fraction for progress in seen]
    assert fractions == sorted(fractions)
    assert 0 < fractions[0] < fractions[-1] <= 1


def test_the_stages_of_a_fit_are_all_told(told):
    _, seen, _ = told
    # The screen finds the pair, and the pair tells all: nothing is left to learn
    assert {"screen", "refit"} <= {progress.stage for progress in seen}


@pytest.mark.usefixtures("use_small_fits")
def test_without_verbose_nothing_is_logged(pair, caplog):
    with caplog.at_level(logging.DEBUG, logger="minerva_select"):
        MinervaSelector(random_state=0).fit(pair.X[["f1", "f2"]], pair.X["f1"])
    assert caplog.records == []


@pytest.mark.usefixtures("use_small_fits")
def test_a_callback_can_stop_a_fit(pair):
    def stop(progress):
        raise KeyboardInterrupt

    selector = MinervaSelector(random_state=0, callbacks=[stop])
    with pytest.raises(KeyboardInterrupt):
        selector.fit(pair.X, pair.y)
    assert not hasattr(selector, "selection_")


@pytest.mark.parametrize("kind", [MinervaSelector, PaperSelector])
def test_a_time_limit_ends_a_fit_and_the_answer_says_so(kind):
    problem = equality(n_samples=20_000, n_features=20, random_state=0)
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    start = time.monotonic()
    selection = kind(random_state=0, time_limit=0.1).fit(problem.X, problem.y).selection_
    seconds = time.monotonic() - start
    torch.set_num_threads(n_threads)
    assert not selection.converged
    expected = {"cause": StopCause.TIME_LIMIT, "seconds": 0.1}
    assert (selection.warnings[-1].code, selection.warnings[-1].values) == (WarningCode.NOT_CONVERGED, expected)
    # Without a limit this takes 1.6 s or 40; a few steps of every stage come after the limit, on a busy machine too
    assert seconds < 5.1
    assert selection.seconds <= seconds
    assert len(selection.features) == 20


@pytest.mark.usefixtures("use_small_fits")
@pytest.mark.parametrize("memory", [None, "1MiB"])
def test_where_the_time_is_too_short_for_all_rows_some_stand_for_them(monkeypatch, memory):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.integers(0, 3, 30_000) for name in "abc"})
    y = ((X.a == X.b) & (rng.random(30_000) < 0.01)).astype(int)
    whole = MinervaSelector(random_state=0, max_memory=memory, time_limit=30).fit(X, y).selection_
    few_rows = RowSampleConfig(cells_per_second_of_limit=3 * 4_000 / 30, min_rows_within_limit=1)
    monkeypatch.setattr(memory_budget, "ROW_SAMPLE", few_rows)
    asked = {"sample_weight": np.ones(len(y)), "groups": np.arange(len(y)) // 2}
    drawn = MinervaSelector(random_state=0, max_memory=memory, time_limit=30).fit(X, y, **asked).selection_
    assert whole.n_rows == 30_000
    assert WarningCode.ROWS_SAMPLED not in {warning.code for warning in whole.warnings}
    assert 3_700 < drawn.n_rows < 4_300
    assert drawn.warnings[0].code is WarningCode.ROWS_SAMPLED
    assert drawn.warnings[0].values == {"seconds": 30.0, "n_total": 30_000, "n_rows": drawn.n_rows}
    # Every rare one counts for itself, and each of the others for several: the entropy of the target is as it was
    assert drawn.target_entropy == pytest.approx(whole.target_entropy, rel=0.05)
    assert drawn.selected == whole.selected == ("a", "b")
    assert drawn.provenance.fingerprint == whole.provenance.fingerprint
