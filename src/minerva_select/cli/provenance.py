"""The command as it was typed, kept with the answer that it gave."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Sequence

import typer

from minerva_select.io.redaction import without_secrets
from minerva_select.results import Selection

_TYPED = "minerva.typed"


def remember(ctx: typer.Context, arguments: Sequence[str]) -> None:
    """Keep the arguments of the command line for :func:`with_command`."""
    ctx.meta[_TYPED] = tuple(arguments)


def with_command(selection: Selection, ctx: typer.Context, data: str | None = None) -> Selection:
    """The same selection, which knows the command and the data that it comes from, without passwords."""
    if selection.provenance is None:
        return selection
    provenance = dataclasses.replace(
        selection.provenance,
        command=shlex.join(["minerva", *map(without_secrets, ctx.meta.get(_TYPED, ()))]),
        data=None if data is None else without_secrets(data),
    )
    return dataclasses.replace(selection, provenance=provenance)
