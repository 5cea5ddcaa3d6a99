"""Claim: every public name has a page in the API reference."""

from __future__ import annotations

import importlib

import pytest


@pytest.fixture(scope="module")
def api(load):
    return load("api_pages")


@pytest.fixture(scope="module")
def pages(api):
    return api.write_pages()


@pytest.mark.parametrize(
    "module", ["", ".callbacks", ".evaluation", ".problems", ".results", ".selectors"], ids=lambda name: name or "top"
)
def test_every_name_in_all_is_listed(api, pages, module):
    names = [name for name in importlib.import_module(f"minerva_select{module}").__all__ if not name.startswith("_")]
    homes = {name: full for name, full in api.canonical_names().items() if name in names}
    assert len(homes) == len(names)
    assert all(f"{full}.rst" in pages for full in homes.values())
    listed = pages[f"minerva_select{module}.rst"]
    assert all(f"   {name}\n" in listed or f"   ~{homes[name]}\n" in listed for name in names)


def test_a_name_of_two_modules_has_one_page(pages):
    assert "minerva_select.MinervaSelector.rst" in pages
    assert "minerva_select.selectors.MinervaSelector.rst" not in pages


def test_a_page_of_codes_has_the_meaning_of_each(pages):
    page = pages["minerva_select.results.ReasonCode.rst"]
    assert "``ReasonCode.NOISE``\n     - ``noise``\n     - indistinguishable from noise on held-out rows" in page


def test_members_of_other_packages_are_left_out(pages):
    page = pages["minerva_select.MinervaSelector.rst"]
    assert "MinervaSelector.fit\n" in page
    assert "get_params" not in page
