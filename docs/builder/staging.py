"""Collect the sources of the site in one folder: pages with resolved links, examples, inventories, API pages."""

from __future__ import annotations

import re
import shutil
import tomllib
import zlib
from pathlib import Path

import api_pages

ROOT = Path(__file__).resolve().parents[2]
BUILDER = ROOT / "docs" / "builder"
# Pages outside docs/, with their name in the site
OUTSIDE = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
FILE_NAME = re.compile(r"(docs/)?[\w-]+\.md")
IMAGE = re.compile(r'<img src="([^"]*)" alt="([^"]*)" width="(\d+)">')
FENCE = re.compile(r"^(```.*?^```)$", re.DOTALL | re.MULTILINE)


def stage(folder: Path) -> Path:
    """Fill the folder and return the folder of the pages; files that did not change keep their time."""
    pages = folder / "docs"
    for path in sorted((ROOT / "docs").rglob("*")):
        relative = path.relative_to(ROOT / "docs")
        if path.is_file() and path.suffix != ".py" and "builder" not in relative.parts:
            _write(pages / relative, _content(path, relative))
    for source, name in OUTSIDE.items():
        _write(pages / name, _content(ROOT / source, Path("..") / source))
    for path in sorted((ROOT / "examples").glob("*")):
        if path.is_file():
            _write(folder / "examples" / path.name, path.read_bytes())
    for path in sorted((BUILDER / "inventories").glob("*.txt")):
        _write(folder / "inventories" / f"{path.stem}.inv", inventory(path.stem, path.read_text(encoding="utf-8")))
    list_other_pages(pages)
    for name, text in api_pages.write_pages().items():
        _write(pages / "api" / name, text.encode())
    return pages


def list_other_pages(pages: Path) -> None:
    """Add pages that no table of contents lists to the user guide."""
    listed = {line.strip() for path in pages.rglob("*.md") for line in path.read_text(encoding="utf-8").splitlines()}
    names = sorted(path.stem for path in pages.glob("*.md") if path.stem not in {*listed, "index"})
    if names:
        guide = pages / "user-guide.md"
        contents = "".join(f"{name}\n" for name in names)
        text = guide.read_text(encoding="utf-8") + f"\n```{{toctree}}\n:maxdepth: 1\n:caption: More\n\n{contents}```\n"
        _write(guide, text.encode())


def _write(path: Path, content: bytes) -> None:
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _content(path: Path, page: Path) -> bytes:
    """Content of a file; ``page`` is its path relative to docs."""
    if path.suffix != ".md":
        return path.read_bytes()
    text = IMAGE.sub(r"![\2](\1){width=\3px}", path.read_text(encoding="utf-8"))  # Sphinx copies no file of an HTML tag
    return resolve_links(text, page, repository()).encode()


def repository() -> str:
    """Public address of the repository, as in the metadata of the packages; empty if it has none yet."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]).rstrip("/")


def resolve_links(text: str, page: Path, address: str) -> str:
    """Replace links to files that are not pages of the site by links to the repository, or by their text.

    Parameters
    ----------
    text : str
        A page as Markdown.
    page : Path
        Its path relative to ``docs``.
    address : str
        Address of the repository; if it is empty, such links become text.

    Examples
    --------
    >>> resolve_links("[a](../CHANGELOG.md) [b](../LICENSE)", Path("releasing.md"), "")
    '[a](changelog.md) b'
    >>> resolve_links("[b](../LICENSE)", Path("releasing.md"), "https://forge.example/minerva")
    '[b](https://forge.example/minerva/blob/main/LICENSE)'
    """
    parts = FENCE.split(text)
    return "".join(part if FENCE.fullmatch(part) else _resolve(part, page, address) for part in parts)


def _resolve(text: str, page: Path, address: str) -> str:
    folder = (ROOT / "docs" / page).parent
    up = "" if page.parts[0] == ".." else "../" * (len(page.parts) - 1)

    def replace(match: re.Match[str]) -> str:
        picture, label, target, anchor = match[1], match[2], match[3], match[4] or ""
        file = (folder / target).resolve()
        if not file.is_relative_to(ROOT):
            return match[0]
        relative = file.relative_to(ROOT).as_posix()
        if relative in OUTSIDE:
            return f"[{label}]({up}{OUTSIDE[relative]}{anchor})"
        if relative == "examples" or relative.startswith("examples/"):
            name = f"gallery/{file.stem}.rst" if file.suffix == ".py" else "gallery/index.rst"
            return f"[{label}]({up}{name})"
        if relative.startswith("docs/"):
            target = relative[5:] if page.parts[0] == ".." else target
            label = "" if FILE_NAME.fullmatch(label) else label  # Sphinx fills in the title
            return f"{picture}[{label}]({target}{anchor})"
        return f"{picture}[{label}]({address}/blob/main/{relative}{anchor})" if address else label

    return LINK.sub(replace, text)


def inventory(project: str, lines: str) -> bytes:
    """Inventory of another project's site, for intersphinx: without it, building would need a network connection.

    ``lines`` has a name, its role and its address relative to the site per line; ``$`` stands for the name.
    """
    entries = [line.split() for line in lines.splitlines() if line and not line.startswith("#")]
    body = "".join(f"{name} py:{role} 1 {address} -\n" for name, role, address in entries)
    head = f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n"
    return (head + "# The remainder of this file is compressed using zlib.\n").encode() + zlib.compress(body.encode())


def clear(folder: Path) -> None:
    """Remove a folder, if it exists."""
    if folder.exists():
        shutil.rmtree(folder)
