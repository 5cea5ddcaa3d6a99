"""Claim: small fits take no more training steps, refits and passes over the data than recorded in limits.json."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="benchmarks are not installed")

RECORD = BENCHMARKS / "speed" / "limits.json"
RECORDED = json.loads(RECORD.read_text()) if RECORD.exists() else {}


@pytest.fixture(scope="module")
def limits():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield importlib.import_module("speed.limits")


@pytest.mark.parametrize("name", RECORDED)
def test_the_fit_does_no_more_work_than_recorded(limits, name):
    assert limits.exceeded(RECORDED[name], limits.work_of(name)) == []


def test_every_fit_is_recorded_and_none_counts_nothing(limits):
    assert {*RECORDED} == {*limits.FITS}
    for name, work in RECORDED.items():
        assert work["training steps"] > 0, name
    assert RECORDED["streamed"]["rows read from files"] > 0


def test_more_work_than_recorded_is_noticed(limits):
    recorded = {"training steps": 100, "boosted trees fitted": 8}
    assert limits.exceeded(recorded, {"training steps": 120, "boosted trees fitted": 10}) == []
    assert limits.exceeded(recorded, {"training steps": 126, "boosted trees fitted": 8}) == [
        "training steps: 126, recorded 100"
    ]
