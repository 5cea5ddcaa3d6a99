"""Claim: version and dependencies are the same in every file that names them."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml

from minerva_select import __version__

CONDA_NAMES = {"torch": "pytorch"}


@pytest.fixture(scope="module")
def root(load):
    return load("dist").ROOT


@pytest.fixture(scope="module")
def recipe(root):
    return yaml.safe_load((root / "release" / "conda" / "recipe.yaml").read_text())


def test_recipe_and_citation_have_the_version_of_the_package(root, recipe):
    assert recipe["context"]["version"] == __version__
    assert yaml.safe_load((root / "CITATION.cff").read_text())["version"] == __version__


def test_the_recipe_needs_what_the_package_needs(root, recipe):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    needed = set()
    for requirement in project["dependencies"]:
        name, bound = re.fullmatch(r"([\w-]+)(.*)", requirement).groups()
        needed.add(f"{CONDA_NAMES.get(name, name)} {bound}")
    assert {line for line in recipe["requirements"]["run"] if not line.startswith("python ")} == needed
    variants = yaml.safe_load((root / "release" / "conda" / "variants.yaml").read_text())
    assert project["requires-python"] == f">={variants['python_min'][0]}"


def test_every_python_of_the_classifiers_is_tested(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    workflow = root / ".github" / "workflows" / "tests.yml"
    if not workflow.is_file():
        pytest.skip("workflows are in a clone only")
    stated = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert yaml.safe_load(workflow.read_text())["jobs"]["tests"]["strategy"]["matrix"]["python"] == stated
