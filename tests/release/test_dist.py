"""Claim: `make dist` builds complete packages, and its checks see what is missing."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def dist(load):
    return load("dist")


@pytest.fixture(scope="session")
def built(dist, tmp_path_factory):
    """Folder with an sdist and a wheel."""
    for tool in ("build", "twine"):
        pytest.importorskip(tool)
    folder = tmp_path_factory.mktemp("built") / "dist"
    command = [sys.executable, str(dist.ROOT / "release" / "dist.py"), "--out", str(folder)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def only(folder, ending):
    (path,) = Path(folder).glob(f"*{ending}")
    return path


def test_the_wheel_has_the_template_the_types_and_no_tests(built):
    with zipfile.ZipFile(only(built, ".whl")) as archive:
        names = archive.namelist()
    for name in (
        "report/page.html.j2",
        "report/page.css",
        "report/page.js",
        "results/selection.schema.json",
        "py.typed",
    ):
        assert f"minerva_select/{name}" in names
    assert "minerva_select/evaluation/paper/configurations/a.toml" in names
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"minerva_select"}


def test_a_file_missing_from_the_wheel_and_a_foreign_one_are_reported(built, dist, tmp_path):
    wheel = tmp_path / "other.whl"
    with zipfile.ZipFile(only(built, ".whl")) as archive, zipfile.ZipFile(wheel, "w") as other:
        for name in archive.namelist():
            if name != "minerva_select/report/page.html.j2":
                other.writestr(name, archive.read(name))
        other.writestr("tests/test_x.py", "")
    assert dist.check_wheel(wheel) == [
        "wheel: minerva_select/report/page.html.j2 is missing",
        "wheel: tests/test_x.py does not belong there",
    ]


def test_a_link_of_the_readme_without_its_file_is_reported(built, dist, monkeypatch):
    monkeypatch.setattr(dist, "readme_links", lambda: ["docs/nowhere.md#part", "docs/", "CHANGELOG.md"])
    assert dist.check_sdist(only(built, ".tar.gz")) == ["sdist: README.md names docs/nowhere.md, which is missing"]


def test_a_release_needs_the_address_a_matching_tag_and_a_dated_section(dist, tmp_path, monkeypatch):
    (tmp_path / "src" / "minerva_select").mkdir(parents=True)
    (tmp_path / "src" / "minerva_select" / "version.py").write_text('"""Version."""\n\n__version__ = "1.0"\n')
    settings = tmp_path / "pyproject.toml"
    changes = tmp_path / "CHANGELOG.md"
    settings.write_text('[tool.hatch.metadata.hooks.custom]\nrepository = ""\n')
    changes.write_text("# Changelog\n\n## 1.0 (unreleased)\n")
    readme = tmp_path / "README.md"
    readme.write_text("pip install .    # from a clone\n")
    monkeypatch.setattr(dist, "ROOT", tmp_path)
    assert len(dist.check_release("v0.9")) == 4
    settings.write_text('[tool.hatch.metadata.hooks.custom]\nrepository = "https://forge.example/x"\n')
    changes.write_text("# Changelog\n\n## 1.0 (2026-11-19)\n")
    readme.write_text("pip install minerva-select\n")
    assert dist.check_release("v1.0") == []


def test_a_missing_tool_ends_with_its_install_command(dist, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "twine" else object())
    with pytest.raises(SystemExit, match="twine"):
        dist.require_tools()


def test_without_hatchling_the_script_names_it_instead_of_failing_to_import(dist):
    program = f"import runpy, sys\nsys.path.insert(0, {str(dist.ROOT / 'release')!r})\n"
    program += "import importlib.util as u\nfind = u.find_spec\n"
    program += "u.find_spec = lambda name, package=None: None if name == 'hatchling' else find(name, package)\n"
    program += "sys.modules['hatchling'] = None\nrunpy.run_path('release/dist.py', run_name='__main__')"
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=dist.ROOT)
    assert result.returncode == 1
    assert result.stderr == "Building packages needs hatchling; install: python -m pip install -e '.[release]'\n"
