"""Claim: the examples of the gallery have a question as their title, use public names only, and run."""

from __future__ import annotations

import ast
import importlib
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PATHS = sorted(EXAMPLES.glob("*.py"))

pytestmark = pytest.mark.skipif(not PATHS, reason="examples/ is in a clone only")

each_example = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def test_there_are_at_least_twelve():
    assert len(PATHS) >= 12


@each_example
def test_the_title_is_a_question_with_an_introduction(path):
    title, underline, empty, introduction = ast.get_docstring(tree(path)).split("\n")[:4]
    assert title.endswith("?")
    assert len(underline) == len(title)
    assert set(underline) == {"="}
    assert empty == ""
    assert introduction


@each_example
def test_imported_names_are_public_and_exist(path):
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("minerva_select"):
            module = importlib.import_module(node.module)
            public = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
            assert {alias.name for alias in node.names} <= set(public)


@pytest.mark.slow
@pytest.mark.usefixtures("use_small_fits")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["estimates_to_doubt", "nothing_to_find", "near_copies"])
def test_short_examples_run(name, monkeypatch, tmp_path):
    mpl = pytest.importorskip("matplotlib")
    mpl.use("agg")
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(EXAMPLES / f"{name}.py"))
    assert names["__doc__"].strip()
    assert list(tmp_path.iterdir()) == []
