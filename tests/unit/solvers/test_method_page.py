import dataclasses
import re
from pathlib import Path

import pytest

from minerva_select.config import PaperSettings

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "method.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="docs are not installed")


def test_every_test_that_the_page_names_exists():
    named = set(re.findall(r"`(test_\w+)`", PAGE.read_text(encoding="utf-8")))
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert named
    assert named - set(re.findall(r"^def (test_\w+)\(", source, flags=re.MULTILINE)) == set()


def test_every_file_that_the_page_names_exists():
    named = set(re.findall(r"`([a-z_/]+\.py)`", PAGE.read_text(encoding="utf-8")))
    assert named
    assert [name for name in named if not (ROOT / "src" / "minerva_select" / name).is_file()] == []


def test_every_function_and_class_that_the_page_names_exists():
    named = set(re.findall(r"`(?:\w+\.)*([A-Za-z_]+)`", PAGE.read_text(encoding="utf-8")))
    named = {name for name in named if not name.startswith("test_") and name != "py"}
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    defined = set(re.findall(r"\b(?:def|class) (\w+)|\b(\w+): ", source, flags=re.MULTILINE))
    assert named
    assert named - {name for names in defined for name in names} == set()


def test_the_page_has_the_defaults_of_the_paper_solver():
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([\d.e-]+) \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    defaults = dataclasses.asdict(PaperSettings())
    assert len(rows) == 6
    assert {name: float(value) for name, value in rows} == {name: defaults[name] for name, _ in rows}
