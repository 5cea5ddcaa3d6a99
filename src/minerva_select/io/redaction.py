"""Redaction of credentials in text that ends up in logs, messages and results."""

from __future__ import annotations

import re

_PASSWORD = re.compile(r"(?<=://)[^\s@]*:[^\s@]*@")  # greedy: a password may contain slashes
_USER = re.compile(r"(?<=://)[^\s/@]*@")
_QUERY = re.compile(r"(://[^\s?]*\?)[^\s=]*=\S*")  # may hold the signature of a signed URL


def without_secrets(text: str) -> str:
    """Remove the user, password and query from every URL in a text."""
    for secret in (_PASSWORD, _USER):
        text = secret.sub("", text)
    return _QUERY.sub(r"\1...", text)
