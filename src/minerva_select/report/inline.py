"""Inline the script, the chart library and the figures, so that the page is one file and nothing else can run."""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
from dataclasses import dataclass
from importlib import resources

from markupsafe import Markup

_ESCAPES = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


@dataclass(frozen=True)
class Library:
    """The compressed chart library, and the digest that allows it to run."""

    compressed: str  # gzip, base64
    digest: str


def read_asset(name: str) -> Markup:
    """Read a file of this package."""
    return Markup(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


def embed_json(json_text: str) -> Markup:
    """Escape JSON so that nothing in it ends the script element that holds it."""
    return Markup(json_text.translate(_ESCAPES))


def digest(script: str) -> str:
    """Hash a script for a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def security_policy(*digests: str) -> str:
    """Content security policy that runs only these scripts and sends no request; charts are saved by way of images."""
    scripts = " ".join(digests) or "'none'"
    return f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:"


@functools.cache
def chart_library() -> Library:
    """Compress Plotly from 4.8 to 2.0 MB; the page unpacks it after it is laid out."""
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 - only a page with charts needs it

    source = get_plotlyjs()
    compressed = gzip.compress(source.encode(), mtime=0)  # without a time, the same selection gives the same page
    return Library(base64.b64encode(compressed).decode(), digest(source))
