"""docs/speed.md matches the committed records, and the benchmark of speed measures and renders correctly."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
MODULES = ("catalog", "generators", "methods", "page", "stages", "summary", "work")

pytestmark = pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="benchmarks are not installed")


@pytest.fixture(scope="module")
def speed():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield SimpleNamespace(**{name: importlib.import_module(f"speed.{name}") for name in MODULES})


def record(case, cpu, method="minerva", repeat=0, error=None, wall=None):
    machine = {"cpus": 2, "memory_bytes": 4e9, "threads": None, "load": 0.5}
    return {
        "case": case, "method": method, "repeat": repeat, "error": error, "wall": wall or 2 * cpu, "cpu": cpu,
        "stages_cpu": {"screen": cpu}, "stages_wall": {}, "peak_bytes": 3e9, "before_bytes": 1e9,
        "work": dict.fromkeys(("training steps", "cells scored by networks", "boosted trees fitted",
                               "additive models fitted", "rows read from files"), 7),
        "machine": machine, "versions": {"torch": "2"}, "commit": "abc", "made": "2026-01-01T00:00:00Z",
    }  # fmt: skip


def test_every_table_of_the_page_matches_the_committed_records(speed):
    from minerva_select.evaluation.records import Records

    page = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
    records = speed.summary.latest(Records(BENCHMARKS / "speed" / "results" / "records.jsonl"))
    assert sorted(re.findall(r"<!-- speed: (\S+) -->", page)) == sorted(speed.page.TABLES)
    assert speed.page.fill(page, records) == page


def test_the_time_of_a_table_is_the_median_of_its_repeats(speed):
    records = speed.summary.latest([record("bank", cpu, repeat=k) for k, cpu in enumerate((9.0, 2.0, 3.0))])
    assert speed.summary.timing(records, "bank").cpu == 3.0


def test_the_last_record_of_a_repeat_counts_and_failures_only_without_success(speed):
    runs = [record("bank", 9.0), record("bank", 2.0), record("bank", 0.0, error="killed")]
    assert speed.summary.timing(speed.summary.latest(runs), "bank").cpu == 2.0
    late = [record("bank", 0.0, method="boruta", error="over 900 s")]
    assert speed.summary.timing(speed.summary.latest(late), "bank", "boruta") is None
    assert speed.summary.failure(speed.summary.latest(late), "bank", "boruta") == "over 900 s"


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_exponent_of_a_power_is_found(speed, power):
    records = [record(f"rows-{size}", size**power / 100) for size in speed.catalog.GROWTH_SIZES["rows"]]
    points = speed.summary.growth(speed.summary.latest(records), "rows")
    assert speed.summary.exponent(points) == pytest.approx(power)
    assert speed.summary.last_exponent(points) == pytest.approx(power)
    assert speed.summary.exponent(points[:1]) is None


def test_a_goal_is_reached_by_seconds_or_on_one_thread_by_cpu_seconds(speed):
    own = record("bank", 4.0, wall=9.0)  # the goal is 5 seconds
    line = speed.page.times(speed.summary.latest([own])).splitlines()[-1]
    assert [cell.strip() for cell in line.split("|")][2:5] == ["9.0 s (4.0 s CPU)", "5 s", "no"]
    own["machine"]["threads"] = 1
    line = speed.page.times(speed.summary.latest([own])).splitlines()[-1]
    assert [cell.strip() for cell in line.split("|")][4] == "yes, in CPU seconds"


def test_every_case_has_a_unique_name_and_known_methods(speed):
    names = [case.name for case in speed.catalog.CASES]
    assert len({*names}) == len(names)
    assert {method for case in speed.catalog.CASES for method in case.methods} <= {*speed.methods.METHODS}


def test_the_time_of_a_stage_excludes_that_of_the_stages_inside_it(speed, monkeypatch):
    from minerva_select.solvers import screen

    monkeypatch.setattr(speed.stages, "STAGES", {
        "outer": ("solvers.screen:add_pair_tables",), "inner": ("solvers.screen:sort_by_screen",),
    })  # fmt: skip
    now = [0.0]
    clock = SimpleNamespace(perf_counter=lambda: now[0], process_time=lambda: now[0])
    monkeypatch.setattr(speed.stages, "time", clock)

    def pass_time(seconds):
        now[0] += seconds

    monkeypatch.setattr(screen, "sort_by_screen", lambda: pass_time(5))
    monkeypatch.setattr(screen, "add_pair_tables", lambda: (pass_time(10), screen.sort_by_screen()))
    with speed.stages.measure_stages() as times:
        screen.add_pair_tables()
    assert (times.wall["outer"], times.wall["inner"]) == (10, 5)


def test_functions_are_restored_after_a_measurement(speed):
    from minerva_select.mi import families, training_state
    from minerva_select.solvers import vetting

    before = vetting.screen_fold, families.boost, training_state.TrainingState.take_step
    with speed.stages.measure_stages(), speed.work.count_work():
        assert vetting.screen_fold is not before[0]
    assert (vetting.screen_fold, families.boost, training_state.TrainingState.take_step) == before


def test_other_methods_find_the_columns_of_a_sum(speed):
    X, y = speed.generators.additive_numeric(400, 8)
    for method in ("gain", "permutation"):
        assert {"v0", "v1"} <= {*speed.methods.METHODS[method](X, y, 0, "cpu")}


def test_generated_tables_have_their_size_and_are_reproducible(speed):
    for make in (speed.generators.credit, speed.generators.noise, speed.generators.wide_categorical,
                 speed.generators.wide_numeric, speed.generators.additive_numeric):  # fmt: skip
        (X, y), (again, _) = make(50, 30), make(50, 30)
        assert X.shape == (50, 30)
        assert len(np.unique(y)) >= 2
        assert X.equals(again)
