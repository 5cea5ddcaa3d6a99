"""Shell completion."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from minerva_select.cli.completion import column_names
from minerva_select.cli.options import METHOD_NAMES
from minerva_select.cli.reproduce import EXPERIMENTS
from minerva_select.evaluation import METHODS
from minerva_select.evaluation.paper import EXPERIMENT_NAMES

COLUMNS = ["id", "amount", "country", "is_fraud", "late"]


@pytest.fixture
def complete(folder, monkeypatch, run):
    """Completions of bash for an incomplete line."""

    def ask(line):
        words = line.split(" ")
        monkeypatch.setenv("_MINERVA_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        result = run()
        assert (result.exit_code, result.stderr) == (0, "")
        return result.stdout.split()

    return ask


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("minerva se", ["select"]),
        ("minerva select data.csv --tar", ["--target"]),
        ("minerva select data.csv --target ", COLUMNS),
        ("minerva select data.csv --target is", ["is_fraud"]),
        ("minerva select data.csv --seed 3 --keep la", ["late"]),
        (
            "minerva select data.csv --target is_fraud --ignore id,",
            ["id,amount", "id,country", "id,is_fraud", "id,late"],
        ),
        ("minerva select data.csv --drop id,la", ["id,late"]),
        ("minerva select data.csv --categorical co", ["country"]),
        ("minerva select data.csv --time-column id,", []),
        ("minerva compare data.csv --target am", ["amount"]),
        ("minerva estimate data.csv --x am", ["amount"]),
        ("minerva select --target is", []),
        ("minerva select nowhere.csv --target is", []),
        ("minerva select s3://store/data.parquet --target is", []),
        ("minerva select data.csv --solver ", ["vetting", "paper"]),
        ("minerva estimate data.csv --device c", ["cpu", "cuda"]),
        ("minerva compare data.csv --methods minerva,bo", ["minerva,boruta", "minerva,boosting"]),
        ("minerva reproduce ", list(EXPERIMENTS)),
    ],
)
def test_completions(line, offered, complete):
    assert complete(line) == offered


def test_choices_match_the_known_names():
    assert tuple(METHODS) == METHOD_NAMES
    assert sorted((*EXPERIMENT_NAMES, "all")) == sorted(EXPERIMENTS)


def test_the_header_of_every_format_is_read(tmp_path):
    table = pa.table({"a": [1], "b": [2]})
    parquet.write_table(table, tmp_path / "one.parquet")
    feather.write_feather(table, tmp_path / "one.feather")
    (tmp_path / "one.csv").write_text("a;b\n1;2\n")
    (tmp_path / "one.tsv").write_text("a\tb\n1\t2\n")
    for name in ("one.parquet", "one.feather", "one.csv", "one.tsv", "*.parquet", ""):
        assert list(column_names(str(tmp_path / name))) == ["a", "b"]


def test_a_truncated_header_offers_no_partial_name(tmp_path):
    (tmp_path / "wide.csv").write_text(",".join(f"column_{i:05d}" for i in range(6000)))  # 78 kB, of which 64 are read
    names = column_names(str(tmp_path / "wide.csv"))
    assert len(names) > 1000
    assert {len(name) for name in names} == {12}


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"PAR1", b'"'])
@pytest.mark.parametrize("name", ["bad.csv", "bad.parquet", "bad.feather", "bad.xlsx"])
def test_a_file_that_is_not_a_table_offers_nothing(tmp_path, name, content, capfd):
    (tmp_path / name).write_bytes(content)
    assert [*column_names(str(tmp_path / name))] in ([], [""])
    assert capfd.readouterr() == ("", "")


def test_names_that_a_shell_would_run_are_not_offered(folder, complete):
    (folder / "data.csv").write_text('amount,"a b",$(touch run),`touch run`,a;b,größe,*\n1,2,3,4,5,6,7\n')
    assert complete("minerva select data.csv --target ") == ["amount", "größe"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_real_bash_completes_columns(folder):
    command = folder / "bin" / "minerva"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m minerva_select "$@"\n')
    command.chmod(0o755)
    script = (
        'eval "$(_MINERVA_COMPLETE=source_bash minerva)"\n'
        "COMP_WORDS=(minerva select data.csv --target a); COMP_CWORD=4\n"
        '_minerva_completion minerva; echo "${COMPREPLY[@]}"; complete -p minerva\n'
    )
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", "-c", script], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True
    )
    assert result.stdout == "amount\ncomplete -o default -F _minerva_completion minerva\n"
    assert result.stderr == ""
