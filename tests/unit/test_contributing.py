"""Claim: every function that CONTRIBUTING.md names on the route of a CSV file exists."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"

pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="CONTRIBUTING.md is in a clone only")


def named():
    """Dotted names of the numbered steps."""
    if not PAGE.is_file():
        return []
    route = PAGE.read_text().split("## From a CSV file")[1].split("\n## ")[0]
    return sorted({*re.findall(r"`((?!minerva|tests|selection|report\.html)[a-z_]+(?:\.\w+)+)`", route)})


def test_the_route_has_at_most_40_steps():
    assert 25 <= len(re.findall(r"^\d+\. `", PAGE.read_text(), re.MULTILINE)) <= 40


@pytest.mark.parametrize("name", named())
def test_every_step_of_the_route_exists(name):
    module, _, attribute = f"minerva_select.{name}".rpartition(".")
    try:
        assert hasattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError:
        pytest.fail(f"There is no module {module}.")
