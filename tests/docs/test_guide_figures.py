"""Claim: figures that several pages quote are those of the page that a benchmark writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not (DOCS / "guide").is_dir(), reason="docs/ is in a clone only")


def rows(page):
    """Rows of all tables of a page, as lists of cells."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines if line.startswith("| ")]


def row(page, name):
    """The row of a name with the most figures."""
    return max((cells for cells in rows(page) if cells[0] == name), key=len)


def test_tables_of_noise_are_counted_as_measured():
    counts = [re.match(r"(\d+) of (\d+)", cells[2]) for cells in rows("correlated.md") if "noise" in cells[0][:18]]
    right, fits = (sum(int(match[k]) for match in counts if match) for k in (1, 2))
    for page in ("../README.md", "decisions.md", "known-answers.md", "guide/few.md", "guide/lightgbm.md"):
        assert f"{right} of {fits}" in (DOCS / page).read_text(encoding="utf-8"), page


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("MINERVA", "MINERVA"),
        ("LightGBM gain, told MINERVA's number of columns", "LightGBM gain, given k"),
        ("LightGBM gain, columns above the mean", "LightGBM gain above mean"),
    ],
)
def test_the_comparison_with_gain_is_that_of_the_real_tables(ours, theirs):
    share, columns, _, seconds = row("guide/lightgbm.md", ours)[1:]
    measured = row("real.md", theirs)
    assert (share, columns, seconds) == (measured[2], measured[6], f"{measured[7]} s")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("noise, 300 to 2,000 rows", "correlated noise, 300 to 2,000 rows"),
        ("Friedman's function with a near-copy of every column", "Friedman, a near-copy of every column"),
    ],
)
def test_times_are_those_of_the_correlated_tables(ours, theirs):
    assert row("guide/time.md", ours)[1] == f"{row('correlated.md', theirs)[10]} s (median)"
