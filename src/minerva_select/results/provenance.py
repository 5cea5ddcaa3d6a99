"""Where a selection comes from: data, device, versions."""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform
from collections.abc import Iterable
from dataclasses import dataclass

from minerva_select.version import __version__


@dataclass(frozen=True)
class Provenance:
    """Where a selection comes from."""

    created: str  # ISO 8601, UTC
    fingerprint: str  # hash of the shape, the column names and a sample of the rows
    n_columns: int
    device: str
    data: str | None = None  # file name
    command: str | None = None


def versions(packages: Iterable[str] = ("torch", "scikit-learn", "numpy", "pandas")) -> dict[str, str]:
    """Return the versions of Python, MINERVA and the installed packages, on which results may depend."""
    found = {}
    for name in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return {"minerva": __version__, "python": platform.python_version(), **found}
