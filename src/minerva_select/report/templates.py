"""Load the templates of the page and of the notebook display."""

from __future__ import annotations

import functools
from typing import Any

import jinja2

from minerva_select.text import formatting
from minerva_select.text.effects import summarize_effect
from minerva_select.text.metadata import describe_conversion
from minerva_select.text.proof import describe_proof, is_supporting
from minerva_select.text.roles import describe_choice, describe_proven_role, describe_role


@functools.cache
def load_template(name: str) -> jinja2.Template:
    """Load a template of this package."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("minerva_select", "report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_escape_control_characters,
    )
    environment.filters.update(
        describe_conversion=describe_conversion,
        describe_choice=describe_choice,
        describe_proof=describe_proof,
        describe_proven_role=describe_proven_role,
        describe_role=describe_role,
        interval=formatting.interval,
        number=formatting.number,
        printable=formatting.printable,
        setting=formatting.setting,
        summarize_effect=summarize_effect,
    )
    environment.tests["supporting"] = is_supporting
    return environment.get_template(name)


def _escape_control_characters(value: Any) -> Any:
    """Escape control characters in every value, since they are not valid in HTML."""
    return formatting.escape(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
