"""Claim: a link that leads nowhere is found, and so is a file from a network."""

from __future__ import annotations

import pytest


@pytest.fixture
def site(tmp_path):
    (tmp_path / "b.html").write_text('<p id="here">b</p>')
    return tmp_path


@pytest.mark.parametrize(
    ("body", "broken"),
    [
        ('<a href="b.html#here">b</a> <a href="#top">top</a><p id="top">', []),
        ('<a href="https://example.org/">elsewhere</a>', []),
        ('<a href="c.html">c</a>', ["a.html: c.html"]),
        ('<a href="b.html#there">b</a>', ["a.html: b.html#there"]),
        ('<img src="missing.png">', ["a.html: missing.png"]),
        ('<script src="https://example.org/x.js"></script>', ["a.html: https://example.org/x.js"]),
    ],
)
def test_broken_links_are_found(load, site, body, broken):
    (site / "a.html").write_text(body)
    assert load("links").find_broken(site) == broken
