"""Save the command with its selection."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Sequence

import typer

from minerva_select.io.redaction import without_secrets
from minerva_select.results import Selection

_ARGUMENTS = "minerva.arguments"


def remember_arguments(ctx: typer.Context, arguments: Sequence[str]) -> None:
    """Store the arguments of the command line for :func:`with_command`."""
    ctx.meta[_ARGUMENTS] = tuple(arguments)


def with_command(selection: Selection, ctx: typer.Context, data: str | None = None) -> Selection:
    """Return the selection with its command and data file, without passwords."""
    if selection.provenance is None:
        return selection
    provenance = dataclasses.replace(
        selection.provenance,
        command=shlex.join(["minerva", *map(without_secrets, ctx.meta.get(_ARGUMENTS, ()))]),
        data=None if data is None else without_secrets(data),
    )
    return dataclasses.replace(selection, provenance=provenance)
