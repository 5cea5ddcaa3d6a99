"""Claim: files are written atomically; checked by reading the source."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import minerva_select

SOURCE = Path(minerva_select.__file__).parent

MARK = "# not atomic:"  # marks a line that writes without io.atomic, and says why that is safe

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
    return name in WRITERS and not (is_ours and name in ("write_text", "write_parquet"))


def unmarked_writes(path):
    lines = path.read_text().splitlines()
    return [
        lines[call.lineno - 1].strip()
        for name, call in calls(path)
        if writes(name, call) and MARK not in lines[call.lineno - 1] and MARK not in lines[call.lineno - 2]
    ]


def test_files_are_written_atomically_or_the_line_says_why_not():
    modules = [path for path in SOURCE.rglob("*.py") if path.parent.name != "io"]  # io is where atomic writes are made
    assert {path.name: found for path in modules if (found := unmarked_writes(path))} == {}


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
