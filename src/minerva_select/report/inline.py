"""What makes the page one file: its script, the chart library and the figures, inlined so that nothing else can run."""

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
    """The chart library as the page carries it, and the digest by which the browser lets it run."""

    packed: str  # gzip in base64
    digest: str


def asset(name: str) -> Markup:
    """Read a file of the page that lies beside this module.

    Examples
    --------
    >>> asset("page.css").startswith(":root")
    True
    """
    return Markup(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


def embedded(json_text: str) -> Markup:
    r"""JSON that can stand in a script element: nothing in it ends the element.

    Examples
    --------
    >>> print(embedded('{"name": "</script>"}'))
    {"name": "\u003c/script\u003e"}
    """
    return Markup(json_text.translate(_ESCAPES))


def digest(script: str) -> str:
    """Name a script in a content security policy.

    Examples
    --------
    >>> digest("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def policy(*digests: str) -> str:
    """Content security policy of the page: these scripts may run, no others, and no request may leave.

    Examples
    --------
    >>> policy("'sha256-x'")
    "default-src 'none'; script-src 'sha256-x'; style-src 'unsafe-inline'; img-src data:"
    """
    scripts = " ".join(digests) or "'none'"
    return f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:"


@functools.cache
def chart_library() -> Library:
    """Plotly, packed: 2.0 MB of the page in place of 4.8, unpacked once the rest of the page stands."""
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 - only a page with charts needs it

    source = get_plotlyjs()
    packed = gzip.compress(source.encode(), mtime=0)  # without the time, so that the same selection is the same page
    return Library(base64.b64encode(packed).decode(), digest(source))
