"""benchmarks/attack keeps its findings and reports its own errors."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

ATTACK = Path(__file__).parents[2] / "benchmarks" / "attack"

pytestmark = pytest.mark.skipif(not ATTACK.is_dir(), reason="benchmarks are not installed")


@pytest.fixture
def load(monkeypatch):
    """Import a script of the attack, which is not a package."""
    monkeypatch.syspath_prepend(str(ATTACK))

    def load(name):
        spec = importlib.util.spec_from_file_location(f"attack_{name}", ATTACK / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    yield load
    sys.modules.pop("result", None)


def test_the_shortest_input_of_a_finding_is_kept_and_named(load, tmp_path, monkeypatch):
    fuzz = load("fuzz")

    def find(name, end, folder, seed):
        (folder / "count").write_bytes((7).to_bytes(8, "little"))
        fuzz.keep(folder, "KeyError in reader.py:1", b"long input", "Traceback")
        fuzz.keep(folder, "KeyError in reader.py:1", b"short", "Traceback")

    monkeypatch.setattr(fuzz, "_run_children", find)
    result = fuzz.fuzz("csv", 1.0, tmp_path / "crashes")
    [kept] = (tmp_path / "crashes").glob("csv-*.bin")
    assert kept.read_bytes() == b"short"
    assert kept.with_suffix(".txt").read_text().splitlines()[1] == "Traceback"
    assert (result.n_trials, result.n_failures) == (7, 1)
    assert "KeyError in reader.py:1" in result.note
    assert kept.name in result.note


def test_without_findings_the_fuzzer_creates_no_folder(load, tmp_path, monkeypatch):
    fuzz = load("fuzz")
    monkeypatch.setattr(fuzz, "_run_children", lambda *_: None)
    assert fuzz.fuzz("csv", 1.0, tmp_path / "crashes").n_failures == 0
    assert [*tmp_path.iterdir()] == []


def test_a_part_that_raises_is_a_failure_and_does_not_stop_the_others(load, monkeypatch, capsys):
    run = load("run")

    def raise_error(quick):
        yield run.Result("one", 1, 0, 0.0)
        raise OSError("no disk")

    monkeypatch.setattr(run, "PARTS", {"disks": raise_error, "load": lambda quick: [run.Result("two", 2, 0, 0.0)]})
    results = list(run.results(["disks", "load"], quick=True))
    assert [(part, result.n_failures) for part, result in results] == [("disks", 0), ("disks", 1), ("load", 0)]
    assert results[1][1].note == "OSError: no disk"
    assert "no disk" in capsys.readouterr().err


def test_results_of_parts_that_are_not_run_again_are_kept(load, tmp_path, monkeypatch):
    run, out = load("run"), tmp_path / "results.jsonl"
    parts = {name: lambda quick, name=name: [run.Result(f"new {name}", 1, 0, 0.0)] for name in run.PARTS}
    monkeypatch.setattr(run, "PARTS", parts)
    run.write(out, [{"part": part, "attack": f"old {part}"} for part in ("fuzz", "load")])
    monkeypatch.setattr(sys, "argv", ["run.py", "--only", "limits", "load", "--out", str(out)])
    with pytest.raises(SystemExit) as end:
        run.main()
    assert end.value.code == 0
    attacks = [json.loads(line)["attack"] for line in out.read_text().splitlines()]
    assert attacks == ["new limits", "old fuzz", "new load"]
