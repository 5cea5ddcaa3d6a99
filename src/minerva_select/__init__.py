"""MINERVA finds which features of a table carry information about a target, together.

Public names load on first use, so ``import minerva_select`` is fast: torch and scikit-learn load with the first fit.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from minerva_select.version import __version__

# torch reads this when it loads. Threads that spin for long block other processes on the same cores: on two cores, two
# fits of 2 s took 10 s each, and take 4 s with this setting.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

if TYPE_CHECKING:
    from minerva_select.data.open_table import open_source
    from minerva_select.preflight import check_table
    from minerva_select.results import Estimate, Selection
    from minerva_select.selectors import MinervaSelector, mutual_information

_HOME = {
    "Estimate": "minerva_select.results",
    "MinervaSelector": "minerva_select.selectors",
    "Selection": "minerva_select.results",
    "check_table": "minerva_select.preflight",
    "mutual_information": "minerva_select.selectors",
    "open_source": "minerva_select.data.open_table",
}
_PACKAGES = ("callbacks", "errors", "evaluation", "problems", "results", "selectors")

__all__ = [
    "Estimate",
    "MinervaSelector",
    "Selection",
    "__version__",
    "check_table",
    "mutual_information",
    "open_source",
]


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name in _PACKAGES:
        return importlib.import_module(f"minerva_select.{name}")
    raise AttributeError(f"module 'minerva_select' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_PACKAGES])
