"""Access to the scripts in release/, which are not a package."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def load():
    """Import a script of release/."""
    if not (ROOT / "release").is_dir():
        pytest.skip("release/ is in a clone only")
    pytest.importorskip("hatchling")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "release"))
        yield importlib.import_module
    for name in ("dist", "metadata_hook"):
        sys.modules.pop(name, None)
