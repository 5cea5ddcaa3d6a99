"""docs/trust.md and docs/licenses.md agree with the records, the tests and the package metadata."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from minerva_select.results.json_format import SCHEMA_VERSION

ROOT = Path(__file__).parents[2]
TRUST, LICENSES = ROOT / "docs" / "trust.md", ROOT / "docs" / "licenses.md"
ATTACK = ROOT / "benchmarks" / "attack"

pytestmark = pytest.mark.skipif(not ATTACK.is_dir(), reason="benchmarks are not installed")

RECORD = {
    "part": "faults",
    "attack": "kill -9 | then --resume",
    "n_trials": 1_050,
    "n_failures": 0,
    "seconds": 61.4,
    "note": "two\nlines",
    "versions": {"minerva": "0.1.0", "python": "3.11.7"},
    "machine": {"cpus": 2, "memory_bytes": 25e9, "threads": "1"},
    "made": "2026-11-16T10:00:00Z",
    "commit": "0123456789ab",
}


def load(path):
    """Import a script that is not part of a package."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def attack_page():
    return load(ATTACK / "page.py")


def test_the_table_of_the_attack_matches_the_committed_records(attack_page):
    page = TRUST.read_text(encoding="utf-8")
    assert page == attack_page.fill(page, attack_page.read(attack_page.RECORDS))
    assert page.count("<!-- attack -->") == 1


def test_the_committed_records_have_no_failures(attack_page):
    assert [record["attack"] for record in attack_page.read(attack_page.RECORDS) if record["n_failures"]] == []


def test_every_record_is_a_row_and_the_last_row_is_the_total(attack_page):
    lines = attack_page.table([RECORD, {**RECORD, "part": "load", "n_failures": 1, "n_trials": 200}]).splitlines()
    assert lines[2] == "| faults | kill -9 \\| then --resume | 1,050 | 0 | 61 s | two lines |"
    assert lines[4] == "| **total** | | **1,250** | **1** | **123 s** | |"
    assert "0123456789ab (faults, load)" in lines[-1]


def test_every_named_test_and_page_exists():
    page = TRUST.read_text(encoding="utf-8")
    paths = re.findall(r"`(tests/[\w/.]+)`", page) + [f"docs/{name}" for name in re.findall(r"\]\((\w+\.md)\)", page)]
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_a_test_named_without_its_folder_is_in_the_folder_of_the_previous_one():
    page = TRUST.read_text(encoding="utf-8")
    for folder, name in re.findall(r"`(tests/[\w/]+)/\w+\.py`, `(test_\w+\.py)`", page):
        assert (ROOT / folder / name).exists(), name


def test_every_named_make_target_exists():
    named = {
        *re.findall(r"`make\s+([\w-]+)`", TRUST.read_text(encoding="utf-8") + LICENSES.read_text(encoding="utf-8"))
    }
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"attack", "audit", "test-lowest"} <= named <= {*targets}


def test_every_guarantee_names_its_test():
    page = TRUST.read_text(encoding="utf-8")
    tables = re.findall(r"^\|[^\n]*\| tested in \|\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    guarantees = [line for table in tables for line in table.splitlines()]
    assert len(guarantees) > 10
    assert [line for line in guarantees if not re.search(r"`tests/|`make", line.split("|")[-2])] == []


def test_the_page_names_the_current_schema_version():
    assert f"`schema_version` (now {SCHEMA_VERSION})" in TRUST.read_text(encoding="utf-8")


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def rows(mark):
    """Rows of a table in docs/licenses.md by package."""
    page = LICENSES.read_text(encoding="utf-8")
    table = re.search(rf"<!-- licenses: {mark} -->\n(.*?)<!-- end -->", page, re.DOTALL)[1]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.strip().splitlines()[2:]]
    return {name: (version, license_) for name, version, license_, _ in cells}


def names(requirements):
    return {canonicalize_name(Requirement(one).name) for one in requirements}


def test_every_dependency_is_listed_with_its_license():
    listed = rows("run")
    assert names(project()["dependencies"]) <= {*listed}
    extras = [
        one for extra in load(ROOT / "docs" / "licenses.py").EXTRAS for one in project()["optional-dependencies"][extra]
    ]
    assert names(extras) <= {*rows("extras")}
    for name, (version, license_) in (listed | rows("extras")).items():
        assert version[0].isdigit(), name
        assert license_ not in ("", "not stated"), name


def test_no_dependency_has_a_gpl_license():
    assert [name for name, (_, license_) in rows("run").items() if "GPL" in license_] == []


def test_listed_versions_match_the_constraints():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    listed = rows("run") | rows("extras")
    assert {name: version for name, (version, _) in listed.items() if pinned.get(name, version) != version} == {}


def test_the_lowest_tested_versions_are_the_lowest_allowed_ones():
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
        if name != "torch":  # older builds of torch are not available everywhere
            assert f"{pinned[name]}.0".startswith(f"{lowest}."), name
