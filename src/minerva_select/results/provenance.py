"""Where an answer comes from, and with what it was made."""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform
import re
from collections.abc import Iterable
from dataclasses import dataclass

from minerva_select.version import __version__

_PASSWORD = re.compile(r"(?<=://)[^\s@]*:[^\s@]*@")  # up to the last slash that a secret may hold
_USER = re.compile(r"(?<=://)[^\s/@]*@")
_QUERY = re.compile(r"(://[^\s?]*\?)[^\s=]*=\S*")  # of an address that is signed, its signature


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


def without_secrets(text: str) -> str:
    """Leave the user, the password and the signature out of every address in a text.

    Examples
    --------
    >>> without_secrets("s3://ann:s3cret@store/sales/part-?.parquet")
    's3://store/sales/part-?.parquet'
    >>> without_secrets("https://store/sales.parquet?X-Signature=0a1b&Expires=9")
    'https://store/sales.parquet?...'
    """
    for secret in (_PASSWORD, _USER):
        text = secret.sub("", text)
    return _QUERY.sub(r"\1...", text)
