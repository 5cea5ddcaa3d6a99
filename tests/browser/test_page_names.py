"""Names are displayed as text wherever the page shows them, whatever they contain."""

from __future__ import annotations

import dataclasses

import pytest

from full_selection import full_selection
from minerva_select.results import SelectionWarning, WarningCode

pytestmark = pytest.mark.browser

SCRIPTS = [
    "<script>window.__pwned=1</script>",
    "</script><script>window.__pwned=2</script>",
    '"><img src=x onerror=window.__pwned=3>',
    "' onmouseover='window.__pwned=4' x='",
    "<svg onload=window.__pwned=5>",
    "<a href='javascript:window.__pwned=6'>a</a>",
    "javascript:window.__pwned=7",
    "<!--<script>",
    "]]></style></title></template>",
]
# Short enough to be displayed in full on an axis
LOOKS = [
    "<b>bold</b>",
    "a<br>b",
    "&lt;i&gt;",
    "%{y}",
    "{{ 7 * 7 }}",
    "$x^2$",
    "${1+1}",
    "tick`",
    'it\'s "so"',
    "\\u003cb",
]
WORDS = ["__proto__", "constructor", "NaN", "2020-01-01", "10", "9", "true"]
WRITING = ["💳 сумма", "金額", "المبلغ", "🧑🏽‍💻", "e\u0301"]
# Invisible and direction characters are escaped.
ESCAPED = {"two\nlines": "two\\nlines", "tab\there": "tab\\there", "\u202egnp": "\\u202egnp", "nul\0": "nul\\x00"}

BARS = ".bars .point"  # class names of plotly; bars have no role

# Kinds of elements, event handlers and links of the page
ELEMENTS = """() => {
  const all = [...document.querySelectorAll("*")];
  const handlers = all.flatMap((it) => it.getAttributeNames()).filter((name) => name.startsWith("on"));
  const links = all.filter((it) => it.tagName.toLowerCase() === "a").map((it) => it.getAttribute("href"))
    .filter((href) => href && !href.startsWith("#"));
  return [...new Set([...all.map((it) => it.tagName.toLowerCase()), ...handlers, ...links])].sort();
}"""


def selection_of(names):
    """Every name is a selected feature, and also wherever else a user can give text."""
    selection = full_selection(names, n_features=len(names) + 4, n_selected=len(names))
    first = names[0]
    return dataclasses.replace(
        selection,
        target=first,
        warnings=tuple(SelectionWarning(WarningCode.LEAK, (name,), {"target": name}) for name in names),
        settings=dict.fromkeys(names, names),
        versions={name: name for name in names},
        provenance=dataclasses.replace(selection.provenance, data=first, command=first, device=first),
    )


def elements_of(report):
    report.draw()
    report.page.get_by_text("How training went").click()
    for summary in report.page.get_by_text("Data", exact=True).all():
        summary.click()
    return report.page.evaluate(ELEMENTS)


def test_names_run_no_script_and_make_no_element(open_report):
    n_names = len(SCRIPTS + LOOKS)
    plain = elements_of(open_report(selection_of([f"f{k}" for k in range(n_names)])))
    for first in SCRIPTS[:3]:  # the first is also the name of the target, which is in the title
        report = open_report(selection_of(sorted([*SCRIPTS, *LOOKS], key=lambda name: name != first)))
        assert elements_of(report) == plain
        assert first in report.page.title()
        report.check()


def test_the_table_and_the_axis_show_names_unchanged(open_report):
    names = [*LOOKS, *WORDS, *WRITING]
    report = open_report(selection_of(names))
    assert set(names) <= set(report.features)
    contributions = report.draw()[0].text_content()
    assert [name for name in names if name not in contributions] == []


def test_invisible_characters_are_escaped(open_report):
    report = open_report(selection_of([*ESCAPED, ""]))
    shown = report.features
    assert set(ESCAPED.values()) <= set(shown)
    assert "no name" in shown
    contributions = report.draw()[0].text_content()
    assert [name for name in ESCAPED.values() if name not in contributions] == []


def test_pointing_at_a_bar_shows_the_name_unchanged(open_report):
    names = [*SCRIPTS, *LOOKS, *WRITING]
    report = open_report(selection_of(names))
    chart = report.draw()[0]
    texts = set()
    for bar in chart.locator(BARS).all():
        bar.scroll_into_view_if_needed()
        box = bar.bounding_box()
        report.page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
        for _ in range(20):  # plotly checks the pointer every 50 ms; some bars have the same text
            report.page.wait_for_timeout(80)
            if (text := chart.locator(".hoverlayer").text_content()) not in {"", *texts}:
                break
        texts.add(text)
    assert [name for name in names if not any(text.startswith(name) for text in texts)] == []


def test_long_names_that_differ_in_the_middle_have_their_own_rows(open_report):
    names = [f"{'x' * 150}{letter}{'x' * 149}" for letter in "abc"]
    report = open_report(selection_of(names))
    assert set(names) <= set(report.features)
    assert report.draw()[0].locator(BARS).count() == len(names) + 2 + 2  # the two substitutes, each with a pale part


def test_hostile_names_are_found_by_the_search(open_report):
    report = open_report(selection_of([*SCRIPTS, *LOOKS]))
    report.page.get_by_role("searchbox", name="Search").fill("<B>bold")
    assert "<b>bold</b>" in report.features
    report.page.get_by_role("searchbox", name="Search").fill("no <b>such")
    assert report.features == []
