"""Claim: links of the pages lead to pages of the site, to the repository, or become text."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

ADDRESS = "https://forge.example/minerva"


@pytest.fixture(scope="module")
def staging(load):
    return load("staging")


@pytest.mark.parametrize(
    ("text", "page", "expected"),
    [
        ("[a](solver.md#screen)", "method.md", "[a](solver.md#screen)"),
        ("[solver.md](solver.md#screen)", "method.md", "[](solver.md#screen)"),
        ("[a](../CHANGELOG.md#x)", "releasing.md", "[a](changelog.md#x)"),
        ("[a](../../CHANGELOG.md)", "guide/time.md", "[a](../changelog.md)"),
        ("[a](docs/method.md)", "../CHANGELOG.md", "[a](method.md)"),
        ("[a](../../examples/a_leak.py)", "guide/few.md", "[a](../gallery/a_leak.rst)"),
        ("[a](../examples)", "get-started.md", "[a](gallery/index.rst)"),
        ("[a](../LICENSE)", "method.md", f"[a]({ADDRESS}/blob/main/LICENSE)"),
        ("[a](https://example.org) [b](#c)", "method.md", "[a](https://example.org) [b](#c)"),
        ("```\n[a](../LICENSE)\n```", "method.md", "```\n[a](../LICENSE)\n```"),
    ],
)
def test_links_are_resolved_by_where_their_file_is(staging, text, page, expected):
    assert staging.resolve_links(text, Path(page), ADDRESS) == expected


def test_a_page_that_no_contents_list_is_added_to_the_user_guide(staging, tmp_path):
    (tmp_path / "index.md").write_text("```{toctree}\nuser-guide\nlisted\n```\n")
    for name in ("user-guide", "listed", "new"):
        (tmp_path / f"{name}.md").write_text("# Page\n")
    staging.list_other_pages(tmp_path)
    assert (tmp_path / "user-guide.md").read_text().endswith("\nnew\n```\n")


def test_relative_links_of_all_pages_lead_to_files_of_the_repository(staging):
    broken = []
    for page in sorted((staging.ROOT / "docs").rglob("*.md")):
        targets = [match[3] for match in staging.LINK.finditer(staging.FENCE.sub("", page.read_text()))]
        made = ("gallery/", "api/")  # by the build
        broken += [f"{page.name}: {t}" for t in targets if not (page.parent / t).exists() and not t.startswith(made)]
    assert broken == []


def test_without_an_address_links_to_other_files_become_text(staging):
    assert staging.resolve_links("see [the license](../LICENSE).", Path("method.md"), "") == "see the license."


def test_an_inventory_has_the_format_that_sphinx_reads(staging):
    content = staging.inventory("pandas", "# comment\npandas.DataFrame class reference/$.html#$\n")
    *head, body = content.split(b"\n", 4)
    assert head[0] == b"# Sphinx inventory version 2"
    assert zlib.decompress(body) == b"pandas.DataFrame py:class 1 reference/$.html#$ -\n"


def test_every_inventory_has_a_name_a_role_and_an_address_per_line(staging):
    paths = sorted((staging.BUILDER / "inventories").glob("*.txt"))
    assert [path.stem for path in paths] == ["pandas", "sklearn", "torch"]
    for path in paths:
        lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
        assert all(name.startswith(path.stem) and role in ("class", "function") for name, role, _ in lines)


def test_files_that_did_not_change_are_not_written_again(staging, tmp_path):
    pages = staging.stage(tmp_path)
    page = pages / "method.md"
    before = page.stat().st_mtime_ns
    staging.stage(tmp_path)
    assert page.stat().st_mtime_ns == before
    assert (pages / "changelog.md").is_file()
    assert (pages / "api" / "minerva_select.MinervaSelector.rst").is_file()
