"""Claim: whatever writes a file writes it whole or not at all; found by reading the source."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import minerva_select

SOURCE = Path(minerva_select.__file__).parent

WHOLE = {
    "results/files.py": "where files are written whole",
    "data/csv_files.py": "text in memory, no file",
    "data/opening.py": "writes what StagingDirectory.write gives a name to once it is whole",
    "data/scratch.py": "an empty file, to be locked",
    "data/store_files.py": "rows are added to a file, and store.json says how many of them count",
    "evaluation/records.py": "lines are added to a file, and one that was cut short does not count",
    "evaluation/study.py": "rows for another process, in a temporary folder that goes with the run",
    "evaluation/worker.py": "a switch of the kernel, no file",
}

WRITERS = {
    *("write_text", "write_bytes", "tofile", "savez", "savez_compressed", "savetxt", "save_file", "write_feather"),
    *("to_csv", "to_parquet", "to_feather", "to_pickle", "to_excel", "write_csv", "write_parquet", "sink_parquet"),
    *("write_html", "write_image", "ParquetWriter", "NamedTemporaryFile", "mkstemp", "copyfile", "copytree", "dump"),
    *("symlink_to", "hardlink_to", "touch"),
}


def calls(path):
    """Calls of a module, without those in the examples of its docstrings, each as its name and itself."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            yield node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""), node


def writes(name, call):
    """Whether a call makes or changes a file."""
    given = [ast.unparse(argument) for argument in (*call.args, *(keyword.value for keyword in call.keywords))]
    if name in ("open", "fdopen", "OSFile", "memory_map", "memmap"):
        flags = any(flag in text for text in given for flag in ("O_WRONLY", "O_RDWR", "O_CREAT"))
        return flags or any(text.strip("'\"") != text and set("wax+") & set(text.strip("'\"")) for text in given)
    is_ours = isinstance(call.func, ast.Name)  # a function that is judged where it is defined
    return name in WRITERS and not (is_ours and name == "write_text")


def writing_modules():
    return {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if any(writes(name, call) for name, call in calls(path))
    }


def test_files_are_written_in_places_that_write_them_whole():
    assert writing_modules() == WHOLE.keys(), "use minerva_select.results.atomic_write, or say here why it is whole"


@pytest.mark.parametrize(
    "line",
    ['path.open("w")', 'open(path, mode="ab")', "os.open(path, os.O_CREAT)", "path.write_text(text)", "np.savez(path)"],
)
def test_a_line_that_writes_is_seen(line, tmp_path):
    (tmp_path / "module.py").write_text(line)
    assert [writes(name, call) for name, call in calls(tmp_path / "module.py")] == [True]


@pytest.mark.parametrize("line", ["path.open()", 'open(path, "rb")', "os.open(path, os.O_RDONLY)", "text.write(line)"])
def test_a_line_that_reads_is_none_of_them(line, tmp_path):
    (tmp_path / "module.py").write_text(line)
    assert [writes(name, call) for name, call in calls(tmp_path / "module.py")] == [False]
