"""The explanation of a selection as a whole."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from full_selection import full_selection, supported_selection
from minerva_select import text
from minerva_select.text.formatting import printable


def test_paragraphs_come_in_the_order_a_reader_needs():
    kinds = [part.kind for part in text.explain(full_selection())]
    assert kinds == ["headline", "together", "alone", "dropped", "dropped", "dropped", "stability"]
    assert set(kinds[1:]) <= set(text.PARAGRAPH_HEADINGS)
    kinds = [part.kind for part in text.explain(supported_selection())]
    assert list(dict.fromkeys(kinds)) == ["headline", "together", "alone", "supporting", "dropped"]


@given(names=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), max_size=8, unique=True))
def test_any_name_is_shown_on_one_line(names):
    selection = full_selection(names)
    parts = text.explain(selection)
    for part in parts:
        assert not any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in part.text)
    (together,) = [part.text for part in parts if part.kind == "together"]
    first, second = (printable(name, limit=40) or "''" for name in selection.selected[:2])
    assert together.startswith(f"{first} and {second} ")
