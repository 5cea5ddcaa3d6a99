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
    """Where a selection comes from.

    Attributes
    ----------
    created : str
        Date and time, ISO 8601, UTC.
    fingerprint : str
        Hash of the shape, the column names and a sample of the rows.
    n_columns : int
        Number of columns, with the target.
    device : str
        Device that the fit ran on.
    data : str, optional
        Name of the file.
    command : str, optional
        Command line.

    Examples
    --------
    >>> Provenance("2026-01-31T12:00:00+00:00", "f2c1", n_columns=31, device="cpu").device
    'cpu'
    """

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
