"""Claims about benchmarks/attack: what it finds is kept, and what fails in it is told."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

ATTACK = Path(__file__).parents[2] / "benchmarks" / "attack"

pytestmark = pytest.mark.skipif(not ATTACK.is_dir(), reason="the attack is in a clone only")


@pytest.fixture
def load(monkeypatch):
    """Read a script of the attack, which is no package, as a module."""
    monkeypatch.syspath_prepend(str(ATTACK))

    def load(name):
        spec = importlib.util.spec_from_file_location(f"attack_{name}", ATTACK / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    yield load
    sys.modules.pop("result", None)


def test_an_input_that_breaks_a_reader_is_kept_and_named(load, tmp_path, monkeypatch):
    fuzz = load("fuzz")

    def find(name, end, folder, seed):
        (folder / "count").write_bytes((7).to_bytes(8, "little"))
        fuzz.keep(folder, "KeyError in csv_files.py:1: '...'", b"long and hostile", "Traceback")
        fuzz.keep(folder, "KeyError in csv_files.py:1: '...'", b"hostile", "Traceback")

    monkeypatch.setattr(fuzz, "_run_children", find)
    row = fuzz.fuzz("csv", 1.0, tmp_path / "crashes")
    [kept] = (tmp_path / "crashes").glob("csv-*.bin")
    assert kept.read_bytes() == b"hostile"
    assert kept.with_suffix(".txt").read_text().splitlines()[1] == "Traceback"
    assert (row.tried, row.lost) == (7, 1)
    assert row.note.startswith(f"KeyError in csv_files.py:1: '...' (kept as crashes/{kept.name}); 0 distinct outcomes")


def test_a_fuzzer_that_finds_nothing_leaves_no_folder(load, tmp_path, monkeypatch):
    fuzz = load("fuzz")
    monkeypatch.setattr(fuzz, "_run_children", lambda *_: None)
    assert fuzz.fuzz("csv", 1.0, tmp_path / "crashes").lost == 0
    assert [*tmp_path.iterdir()] == []


def test_a_part_that_fails_is_a_loss_and_not_the_end_of_the_others(load, monkeypatch, capsys):
    run = load("run")

    def break_down(quick):
        yield run.Result("one", 1, 0, 0.0)
        raise OSError("no disk")

    monkeypatch.setattr(run, "PARTS", {"disks": break_down, "load": lambda quick: [run.Result("two", 2, 0, 0.0)]})
    found = [(part, row.what, row.lost, row.note) for part, row in run.results(["disks", "load"], quick=True)]
    assert found == [
        ("disks", "one", 0, ""),
        ("disks", "the rest of disks, which failed", 1, "OSError: no disk"),
        ("load", "two", 0, ""),
    ]
    assert "no disk" in capsys.readouterr().err


def test_rows_of_the_parts_that_are_not_run_again_stay(load, tmp_path, monkeypatch):
    run, out = load("run"), tmp_path / "rows.jsonl"
    parts = {name: lambda quick, name=name: [run.Result(f"new {name}", 1, 0, 0.0)] for name in run.PARTS}
    monkeypatch.setattr(run, "PARTS", parts)
    run.write(out, [{"part": part, "what": f"old {part}"} for part in ("fuzz", "load")])
    monkeypatch.setattr(sys, "argv", ["run.py", "--only", "limits", "load", "--out", str(out)])
    with pytest.raises(SystemExit) as end:
        run.main()
    assert end.value.code == 0
    assert [json.loads(line)["what"] for line in out.read_text().splitlines()] == ["new limits", "old fuzz", "new load"]
