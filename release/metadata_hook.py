"""Fill in what the package metadata takes from the public address: project URLs and the links of README.md.

Package indexes show README.md without the files around it, so relative links break there. With an address, they
become links to the tag of the release. Without one, they become plain text, and pictures are left out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

FENCE = re.compile(r"^(```.*?^```)$", re.DOTALL | re.MULTILINE)
RELATIVE = r"(?!\w+:|#)([^)\s]+)"  # a target without a scheme that is not an anchor of the same page
PICTURE = re.compile(rf"!\[[^\]]*\]\({RELATIVE}\)")
PICTURE_LINK = re.compile(rf"\[!\[[^\]]*\]\([^)]*\)\]\({RELATIVE}\)")
LINK = re.compile(rf"\[([^\]]*)\]\({RELATIVE}\)")
TARGET = re.compile(rf"\]\({RELATIVE}\)")


class AddressHook(MetadataHookInterface):
    """Set ``readme`` and ``urls``; the address is ``repository`` in [tool.hatch.metadata.hooks.custom]."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the two fields."""
        address = str(self.config.get("repository", "")).rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": resolve_links(text, address, f"v{metadata['version']}"),
        }
        metadata["urls"] = project_urls(address, str(self.config.get("documentation", "")), f"v{metadata['version']}")


def project_urls(address: str, documentation: str, tag: str) -> dict[str, str]:
    """URLs that a package index lists beside the description; none without an address.

    Examples
    --------
    >>> project_urls("https://forge.example/team/minerva", "", "v1.0")["Changelog"]
    'https://forge.example/team/minerva/blob/v1.0/CHANGELOG.md'
    """
    if not address:
        return {}
    return {
        "Documentation": documentation or f"{address}/tree/{tag}/docs",
        "Source": address,
        "Issues": f"{address}/issues",
        "Changelog": f"{address}/blob/{tag}/CHANGELOG.md",
    }


def resolve_links(text: str, address: str, tag: str) -> str:
    """Replace the relative links of a Markdown text, except in code blocks.

    Examples
    --------
    >>> resolve_links("[a](docs/a.md#b) ![p](p.png) [c](#c)", "https://forge.example/x", "v1.0")
    '[a](https://forge.example/x/blob/v1.0/docs/a.md#b) ![p](https://forge.example/x/raw/v1.0/p.png) [c](#c)'
    >>> resolve_links("[a](docs/a.md) ![p](p.png) [c](#c)", "", "v1.0")
    'a  [c](#c)'
    """
    parts = FENCE.split(text)
    return "".join(part if FENCE.fullmatch(part) else _resolve(part, address, tag) for part in parts)


def _resolve(text: str, address: str, tag: str) -> str:
    if not address:
        for pattern, replacement in ((PICTURE_LINK, ""), (PICTURE, ""), (LINK, r"\1")):
            text = pattern.sub(replacement, text)
        return text
    text = PICTURE.sub(lambda match: match[0].replace(f"({match[1]})", f"({address}/raw/{tag}/{match[1]})"), text)
    return TARGET.sub(rf"]({address}/blob/{tag}/\1)", text)
