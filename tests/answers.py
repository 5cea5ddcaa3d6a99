"""Checks of results and error messages, and fits of a few steps."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math

import pytest


@contextlib.contextmanager
def tiny_fits():
    """Make every fit a few steps long, for tests that do not need a trained critic."""
    from minerva_select.config import COMPARISON, FitConfig, PaperSettings, Schedule

    schedule = Schedule(max_steps=4, batch_size=32, evaluate_every=2, patience=1, patience_at_zero=1)
    config = dataclasses.replace(
        FitConfig.for_rows(10), n_folds=2, n_members=1, width=8, dropout=0.0, schedule=schedule
    )
    settings = PaperSettings(batch_size=32, max_steps_learn=4, max_steps_sparsify=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FitConfig, "for_rows", classmethod(lambda cls, *n_rows: config))
        patch.setattr("minerva_select.selectors.paper.PaperSettings", lambda: settings)
        patch.setattr("minerva_select.evaluation.downstream.COMPARISON", dataclasses.replace(COMPARISON, n_bootstrap=2))
        yield


def assert_finite(document: str) -> None:
    """Check that every number in a JSON document is finite."""

    def walk(value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                walk(item)
        assert not isinstance(value, float) or math.isfinite(value)

    walk(json.loads(document))


def assert_one_sentence(message: str, key_part: str = "") -> None:
    """Check that a message is one sentence and contains the key part."""
    assert key_part in message
    assert message[-1] in ".?"
    assert "\n" not in message
    assert ". " not in message[:-1]
