"""Sphinx extension: references to public names, and scripts that only some pages need."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import api_pages
import examples_output

CLASS = re.compile(r"<class '(?:\w+\.)*(\w+)'>")


def resolve_reference(
    app: Sphinx, environment: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.reference | None:
    """Find the page of a public name that a docstring mentions without its module, or with a private one."""
    target = str(node.get("reftarget", "")).lstrip("~.")
    if node.get("refdomain") != "py" or not target:
        return None
    owner, _, member = target.rpartition(".")
    names = api_pages.canonical_names()
    full = names.get(target.rpartition(".")[2]) or (
        f"{names[owner.rpartition('.')[2]]}.{member}" if owner.rpartition(".")[2] in names else None
    )
    if full is None or full == target:
        return None
    domain = environment.get_domain("py")
    return domain.resolve_xref(environment, node["refdoc"], app.builder, node["reftype"], full, node, content)


def shorten_defaults(
    app: Sphinx, what: str, name: str, value: object, options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Show a class that is a default value by its name."""
    return signature and CLASS.sub(r"\1", signature), returns


def add_plotly(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object) -> None:
    """Load the plotly library on pages with a figure."""
    if "site-figure" in context.get("body", ""):
        app.add_js_file(examples_output.PLOTLY_SCRIPT, loading_method=None, priority=100)


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Add the plotly library."""
    if exception is None:
        examples_output.copy_plotly(Path(app.outdir) / "_static")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hooks."""
    app.connect("missing-reference", resolve_reference)
    app.connect("autodoc-process-signature", shorten_defaults)
    app.connect("html-page-context", add_plotly)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
