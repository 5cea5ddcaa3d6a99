"""Where an answer comes from, and with what it was made."""

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
    fingerprint: str  # of the table's shape, names and a sample of its rows
    n_columns: int
    device: str
    data: str | None = None  # the name of the file, where there is one
    command: str | None = None


def versions(packages: Iterable[str] = ("torch", "scikit-learn", "numpy", "pandas")) -> dict[str, str]:
    """Versions of Python, of MINERVA and of those packages that are installed: what an answer may depend on.

    Examples
    --------
    >>> sorted(versions(["numpy", "no-such-package"]))
    ['minerva', 'numpy', 'python']
    """
    found = {}
    for name in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return {"minerva": __version__, "python": platform.python_version(), **found}
