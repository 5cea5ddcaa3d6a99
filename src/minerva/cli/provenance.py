"""The command as it was typed, kept with the answer that it gave."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Sequence

import typer

from minerva.results import Selection

_TYPED = "minerva.typed"
_PASSWORD = re.compile(r"(?<=://)[^\s@]*:[^\s@]*@")  # up to the last slash that a secret may hold
_USER = re.compile(r"(?<=://)[^\s/@]*@")
_QUERY = re.compile(r"(://[^\s?]*\?)[^\s=]*=\S*")  # of an address that is signed, its signature


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


def without_secrets(argument: str) -> str:
    """Leave the user, the password and the signature out of an address.

    Examples
    --------
    >>> without_secrets("s3://ann:s3cret@store/sales/part-?.parquet")
    's3://store/sales/part-?.parquet'
    >>> without_secrets("https://store/sales.parquet?X-Signature=0a1b&Expires=9")
    'https://store/sales.parquet?...'
    """
    for secret in (_PASSWORD, _USER):
        argument = secret.sub("", argument)
    return _QUERY.sub(r"\1...", argument)
