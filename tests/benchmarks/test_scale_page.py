"""docs/scale.md matches the committed records, and the benchmark renders records correctly."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks" / "scale"
PAGE = ROOT / "docs" / "scale.md"
MODULES = ("tables", "tasks", "datasets", "commands", "throughput")

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="benchmarks are not installed")


@pytest.fixture(scope="module")
def bench():
    """Import the scripts of the benchmark, which is not a package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})


def record(task, error=None, **figures):
    machine = {"cpus": 2, "memory_bytes": 25e9, "threads": None, "gpu": None}
    return {"task": task, "error": error, "figures": figures, "machine": machine}


def growth_record(task, n_rows, n_columns, fit_seconds):
    return record(task, n_rows=n_rows, n_columns=n_columns, fit_seconds=fit_seconds, loading_seconds=None)


def test_every_table_of_the_page_matches_the_committed_records(bench):
    page, records = PAGE.read_text(encoding="utf-8"), bench.tables.gather(FOLDER / "results")
    named = re.findall(r"<!-- scale: (\S+) -->", page)
    assert sorted(named) == sorted(bench.tables.GROUPS)
    for name in named:
        assert f"<!-- scale: {name} -->\n\n{bench.tables.table(name, records)}\n\n<!-- end -->" in page


def test_every_task_has_a_unique_name_and_a_table(bench):
    tasks = bench.tasks.TASKS
    assert len({task.name for task in tasks}) == len(tasks)
    assert {task.group for task in tasks} <= {*bench.tables.GROUPS}


def test_time_that_grows_faster_than_cells_is_flagged(bench):
    records = {
        "rows-equality-30000": growth_record("rows-equality-30000", 30_000, 10, 2.0),
        "rows-equality-300000": growth_record("rows-equality-300000", 300_000, 10, 20.0),
        "rows-equality-3000000": growth_record("rows-equality-3000000", 3_000_000, 10, 220.0),
    }
    ends = [line.split("|")[-4:-1] for line in bench.tables.table("growth", records).splitlines()[2:]]
    assert [[cell.strip() for cell in end] for end in ends] == [
        ["-", "-", "-"],
        ["x 10", "x 10", "yes"],
        ["x 10", "x 11", "no"],
    ]


def test_a_pattern_is_found_by_its_columns_or_by_their_proxies(bench):
    answer = bench.datasets.KnownAnswer(
        patterns={"pair": ("a", "b"), "single": ("c",)}, proxies={"a": ("copy of a", "coarse a"), "c": ("copy of c",)}
    )
    assert answer.score(["coarse a", "b", "noise"]) == {
        "n_patterns": 2,
        "missed": ["single"],
        "by_proxy": {"a": "coarse a"},
        "noise": ["noise"],
    }
    exact = answer.score(["a", "b", "copy of a", "c"])
    assert exact == {"n_patterns": 2, "missed": [], "by_proxy": {}, "noise": []}


def test_a_failed_record_counts_only_without_a_successful_one(bench, tmp_path):
    from minerva_select.evaluation.records import Records

    Records(tmp_path / "cpu.jsonl").append(
        record("fraud", seconds=5), record("fraud", "killed"), record("rate", "killed")
    )
    Records(tmp_path / "gpu.jsonl").append(record("fraud", seconds=1), record("rate", seconds=2))
    found = bench.tables.gather(tmp_path)
    assert (found["fraud"]["figures"], found["rate"]["figures"]) == ({"seconds": 5}, {"seconds": 2})


def test_a_throughput_whose_repeats_differ_is_not_shown(bench):
    steady, noisy = bench.throughput.Timing.of([1.0, 1.01, 1.02, 1.03, 9.0]), bench.throughput.Timing.of([1, 2, 3, 4])
    assert steady.median == 1.02
    assert (steady.is_reliable, noisy.is_reliable) == (True, False)
    limits = {"memory_limit": 1e9, "compute_limit": 1e8}
    line = {"batch_size": 64, "seconds_per_step": None, "rows_per_second": None, "share_of_limit": None, "spread": 0.4}
    record_of = {"lines": [limits | line], "operations_per_second": {}, "bytes_per_second": 1e12, "precision": "tf32"}
    figures = {**record_of, "bytes_per_row": 1, "operations_per_row": 1}
    page = bench.tables.throughput({"throughput": record("throughput", **figures)})
    assert "| 64 | - | - | 1,000.0 M | 100.0 M | - | 40.0% |" in page


def test_memory_of_children_is_counted(bench):
    child = "import time; x = b'x' * 60_000_000; time.sleep(1)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert 60e6 < bench.commands.measure([sys.executable, "-c", parent]).peak_bytes < 200e6


def test_the_error_of_a_failed_command_has_its_output(bench):
    with pytest.raises(bench.commands.CommandError, match="exit code 3: no such table"):
        bench.commands.measure(["sh", "-c", "echo no such table >&2; exit 3"])
