"""Access to the scripts in docs/builder, which are not a package."""

from __future__ import annotations

import importlib
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
        patch.syspath_prepend(str(BUILDER))
        yield importlib.import_module
    for name in ("api_pages", "build", "links", "staging"):
        sys.modules.pop(name, None)
