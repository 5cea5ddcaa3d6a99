"""Claims about docs/trust.md and docs/licences.md: they say what the records, the tests and the metadata say."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from minerva_select.results import SCHEMA_VERSION

ROOT = Path(__file__).parents[2]
TRUST, LICENCES = ROOT / "docs" / "trust.md", ROOT / "docs" / "licences.md"
ATTACK = ROOT / "benchmarks" / "attack"

pytestmark = pytest.mark.skipif(not ATTACK.is_dir(), reason="the attack is in a clone only")

RECORD = {
    "part": "faults",
    "what": "kill -9 | then --resume",
    "tried": 1_050,
    "lost": 0,
    "seconds": 61.4,
    "note": "two\nlines",
    "versions": {"minerva": "0.1.0", "python": "3.11.7"},
    "machine": {"cpus": 2, "memory_bytes": 25e9, "threads": "1"},
    "made": "2026-11-16T10:00:00Z",
    "commit": "0123456789ab",
}


def load(path):
    """A script, which is no part of a package, as a module."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def attack_page():
    return load(ATTACK / "page.py")


def test_the_table_of_the_attack_is_that_of_the_committed_records(attack_page):
    page = TRUST.read_text(encoding="utf-8")
    assert page == attack_page.fill(page, attack_page.read(attack_page.RECORDS))
    assert page.count("<!-- attack -->") == 1


def test_nothing_was_lost_in_the_committed_records(attack_page):
    assert [one["what"] for one in attack_page.read(attack_page.RECORDS) if one["lost"]] == []


def test_a_record_is_a_row_and_the_last_row_is_their_sum(attack_page):
    lines = attack_page.table([RECORD, {**RECORD, "part": "load", "lost": 1, "tried": 200}]).splitlines()
    assert lines[2] == "| faults | kill -9 \\| then --resume | 1,050 | 0 | 61 s | two lines |"
    assert lines[4] == "| **in all** | | **1,250** | **1** | **123 s** | |"
    made = "Made 2026-11-16 on 2 cores and 25 GB: minerva 0.1.0, python 3.11.7."
    assert lines[-1] == f"{made} Commits: 0123456789ab (faults, load)."


def test_every_test_and_every_page_that_is_named_is_there():
    page = TRUST.read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/.]+)`", page) + [f"docs/{one}" for one in re.findall(r"\]\((\w+\.md)\)", page)]
    assert len(named) > 5
    assert [one for one in named if not (ROOT / one).exists()] == []


def test_a_test_that_is_named_without_its_folder_is_beside_the_one_before():
    page = TRUST.read_text(encoding="utf-8")
    for folder, name in re.findall(r"`(tests/[\w/]+)/\w+\.py`, `(test_\w+\.py)`", page):
        assert (ROOT / folder / name).exists(), name


def test_every_command_that_is_named_can_be_made():
    named = {
        *re.findall(r"`make\s+([\w-]+)`", TRUST.read_text(encoding="utf-8") + LICENCES.read_text(encoding="utf-8"))
    }
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"attack", "audit", "test-lowest"} <= named <= {*targets}


def test_every_promise_names_what_holds_it_to_that():
    page = TRUST.read_text(encoding="utf-8")
    tables = re.findall(r"^\|[^\n]*\| tested in \|\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    promises = [line for table in tables for line in table.splitlines()]
    assert len(promises) > 10
    assert [line for line in promises if not re.search(r"`tests/|`make", line.split("|")[-2])] == []


def test_the_schema_that_the_page_names_is_the_one_that_is_written():
    assert f"`schema_version` (now {SCHEMA_VERSION})" in TRUST.read_text(encoding="utf-8")


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def rows(mark):
    """Rows of a table of the page of licences, by package."""
    page = LICENCES.read_text(encoding="utf-8")
    table = re.search(rf"<!-- licences: {mark} -->\n(.*?)<!-- end -->", page, re.DOTALL)[1]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.strip().splitlines()[2:]]
    return {name: (version, licence) for name, version, licence, _ in cells}


def names(requirements):
    return {canonicalize_name(Requirement(one).name) for one in requirements}


def test_every_dependency_is_listed_with_its_licence():
    listed = rows("run")
    assert names(project()["dependencies"]) <= {*listed}
    extras = [
        one for extra in load(ROOT / "docs" / "licences.py").EXTRAS for one in project()["optional-dependencies"][extra]
    ]
    assert names(extras) <= {*rows("extras")}
    for name, (version, licence) in (listed | rows("extras")).items():
        assert version[0].isdigit(), name
        assert licence not in ("", "not stated"), name


def test_nothing_that_runs_binds_those_who_use_it():
    assert [name for name, (_, licence) in rows("run").items() if "GPL" in licence] == []


def test_listed_versions_are_those_of_the_constraints():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    listed = rows("run") | rows("extras")
    assert {name: version for name, (version, _) in listed.items() if pinned.get(name, version) != version} == {}


def test_the_lowest_versions_tested_are_those_that_are_allowed():
    lines = (ROOT / "constraints-lowest.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    pinned = {canonicalize_name(name): version for name, version in pinned.items()}
    optional = project()["optional-dependencies"]
    wanted = [*project()["dependencies"], *optional["paper"], *(one for one in optional["dev"] if "polars" in one)]
    for text in wanted:
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        assert pinned[name] in requirement.specifier, name
        [lowest] = [one.version for one in requirement.specifier]
        if name != "torch":  # older builds of torch cannot be had everywhere
            assert f"{pinned[name]}.0".startswith(f"{lowest}."), name
