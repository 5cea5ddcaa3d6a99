"""Access to the scripts in docs/builder, which are not a package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILDER = ROOT / "docs" / "builder"


@pytest.fixture(scope="session")
def load():
    """Import a script of docs/builder."""
    if not BUILDER.is_dir():
        pytest.skip("docs/ is in a clone only")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BUILDER))  # the scripts import each other
        yield load_script
    for name in ("api_pages", "links", "staging"):
        sys.modules.pop(name, None)


def load_script(name):
    """A module by the path of its file: there is also a package build, which the tests of release/ import."""
    if name != "build":
        return importlib.import_module(name)
    specification = importlib.util.spec_from_file_location("site_build", BUILDER / "build.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
