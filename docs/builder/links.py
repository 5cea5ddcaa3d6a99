"""Find links of a built site that lead nowhere, and anything that it would load from a network."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.targets: list[tuple[str, str]] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors.update(value for name in ("id", "name") if (value := values.get(name)))
        name = "href" if tag == "a" else LOADED.get(tag, "")
        if (target := values.get(name)) and not (tag == "link" and values.get("rel") == "canonical"):
            self.targets.append((tag, target))


def find_broken(site: Path) -> list[str]:
    """Broken internal links as ``page: target``, and files that a page would load from elsewhere.

    Parameters
    ----------
    site : Path
        Folder of a built site.

    Returns
    -------
    list of str
        Empty if every link has a target.
    """
    pages = {}
    for path in sorted(site.rglob("*.html")):
        if "_static" not in path.relative_to(site).parts:
            pages[path.resolve()] = page = _Page()
            page.feed(path.read_text(encoding="utf-8"))
    return [
        f"{path.relative_to(site.resolve())}: {target}"
        for path, page in pages.items()
        for tag, target in page.targets
        if not _leads_somewhere(path, tag, target, pages)
    ]


def _leads_somewhere(path: Path, tag: str, target: str, pages: dict[Path, _Page]) -> bool:
    parts = urlsplit(target)
    if parts.scheme == "data":
        return True
    if parts.scheme or parts.netloc:
        return tag == "a"
    file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not file.exists():
        return False
    return not parts.fragment or file not in pages or unquote(parts.fragment) in pages[file].anchors
