"""Claim: no relative link of README.md reaches a package index."""

from __future__ import annotations

import pytest

ADDRESS = "https://forge.example/team/minerva"
README = """
[![alt](docs/p.png)](docs/report.md) and ![q](q.png)

| a | [`x`](docs/x.md#part), [site](https://site.example), [here](#below), [mail](mailto:a@b.example) |

```
[not a link](docs/code.md)
```
"""


@pytest.fixture(scope="session")
def hook(load):
    return load("metadata_hook")


def test_links_lead_to_the_tag_and_pictures_to_the_raw_file(hook):
    text = hook.resolve_links(README, ADDRESS, "v1.2")
    assert f"[![alt]({ADDRESS}/raw/v1.2/docs/p.png)]({ADDRESS}/blob/v1.2/docs/report.md)" in text
    assert f"![q]({ADDRESS}/raw/v1.2/q.png)" in text
    assert f"[`x`]({ADDRESS}/blob/v1.2/docs/x.md#part)" in text


def test_without_an_address_links_become_text_and_pictures_are_left_out(hook):
    text = hook.resolve_links(README, "", "v1.2")
    assert " and \n" in text
    assert "| `x`, [site](https://site.example), [here](#below)" in text
    assert "png" not in text


@pytest.mark.parametrize("address", ["", ADDRESS])
def test_other_links_and_code_are_left_alone(hook, address):
    text = hook.resolve_links(README, address, "v1.2")
    for part in ("[site](https://site.example)", "[here](#below)", "[mail](mailto:a@b.example)"):
        assert part in text
    assert "```\n[not a link](docs/code.md)\n```" in text


@pytest.mark.parametrize("address", ["", ADDRESS])
def test_the_readme_has_no_relative_link_left(hook, load, address):
    readme = (load("dist").ROOT / "README.md").read_text()
    resolved = hook.resolve_links(readme, address, "v1.2")
    assert hook.TARGET.findall(readme)
    assert hook.TARGET.findall(hook.FENCE.sub("", resolved)) == []


def test_project_urls_follow_from_the_address(hook):
    assert hook.project_urls("", "", "v1.2") == {}
    urls = hook.project_urls(ADDRESS, "https://docs.example", "v1.2")
    assert urls["Documentation"] == "https://docs.example"
    assert all(url.startswith(ADDRESS) for name, url in urls.items() if name != "Documentation")
