"""The page with a keyboard and with a screen reader."""

from __future__ import annotations

import itertools
import re

import pytest

from full_selection import full_selection

pytestmark = pytest.mark.browser

# The element with the focus; null if it is outside of the page.
FOCUS = """() => {
  const at = document.activeElement;
  if (!at || at === document.body || at === document.documentElement) return null;
  window.stops ??= [];
  if (!window.stops.includes(at)) window.stops.push(at);
  const style = getComputedStyle(at);
  const seen = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
  const closed = at.tagName === "SUMMARY" && !at.parentElement.open;
  return {number: window.stops.indexOf(at), seen, closed, shown: at.outerHTML.slice(0, 120)};
}"""

# Controls that never had the focus; a group of radio buttons counts as one.
MISSED = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((it) => it.checkVisibility() && !it.disabled && !window.stops.includes(it))
  .filter((it) => !(it.type === "radio" && window.stops.some((stop) => stop.name === it.name)))
  .map((it) => it.outerHTML.slice(0, 120))"""

# Boxes that scroll but cannot be reached by keyboard.
UNREACHABLE = """() => [...document.querySelectorAll("body *")]
  .filter((it) => /auto|scroll/.test(getComputedStyle(it).overflow))
  .filter((it) => it.scrollWidth > it.clientWidth + 1 || it.scrollHeight > it.clientHeight + 1)
  .filter((it) => ![it, ...it.querySelectorAll("*")].some((stop) => window.stops.includes(stop)))
  .map((it) => it.outerHTML.slice(0, 120))"""


def tab_through(page):
    """Press Tab until the focus leaves the page; return the elements that had it."""
    stops = []
    while True:
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUS)
        if stop is None:
            return stops
        stops.append(stop)
        if stop["closed"]:
            page.keyboard.press("Enter")  # open it, so that its content comes next
        assert len(stops) < 300, "the focus does not leave the page"


@pytest.mark.parametrize("width", [390, 1440])
def test_the_keyboard_reaches_every_control_with_a_visible_focus(open_report, width):
    report = open_report(full_selection(), width)
    report.draw()
    page = report.page
    stops = tab_through(page)
    assert page.evaluate(MISSED) == []
    assert page.evaluate(UNREACHABLE) == []
    assert [stop["shown"] for stop in stops if not stop["seen"]] == []
    assert len({stop["number"] for stop in stops}) == len(stops)  # no keyboard trap
    for stop in reversed(stops):
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(FOCUS)["number"] == stop["number"]


def test_the_first_tab_stop_skips_to_the_result(open_report):
    report = open_report(full_selection())
    report.page.keyboard.press("Tab")
    assert report.page.evaluate("document.activeElement.textContent") == "Skip to the result"
    report.page.keyboard.press("Enter")
    assert report.page.evaluate("document.activeElement.contains(document.querySelector('h1'))")


def test_the_navigation_links_to_every_section_and_marks_the_current_one(open_report):
    report = open_report(full_selection())
    report.draw()
    links = report.page.get_by_role("navigation").get_by_role("link")
    for link in links.all():
        link.click()
        assert report.page.locator(link.get_attribute("href")).is_visible()
    report.page.get_by_role("link", name="Interactions", exact=True).click()
    links.and_(report.page.locator("[aria-current='true']")).get_by_text("Interactions").wait_for()


def test_headings_go_down_one_level_at_a_time_from_one_title(report):
    headings = report.page.get_by_role("heading").all()
    levels = [int(heading.evaluate("it => it.ariaLevel ?? it.tagName[1]")) for heading in headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_the_page_has_its_landmarks(report):
    for role in ("banner", "navigation", "main", "search"):
        assert report.page.get_by_role(role).count() == 1, role


def test_landmarks_of_the_same_kind_have_different_names(report):
    names = [region.aria_snapshot().splitlines()[0] for region in report.page.get_by_role("region").all()]
    assert len(names) == len(set(names))


def test_the_page_names_its_language_and_its_target(report):
    assert report.page.evaluate("document.documentElement.lang") == "en"
    assert "is_fraud" in report.page.title()


def test_every_chart_is_one_image_with_a_description(report):
    labels = [chart.get_attribute("aria-label") for chart in report.charts.all()]
    assert len(labels) == 6
    assert len(set(labels)) == 6
    assert all(len(label.split()) >= 5 for label in labels)
    assert "f0 adds most, 0.500 nats" in labels[0]


def test_every_control_has_a_name(report):
    unnamed = [
        control.evaluate("it => it.outerHTML")
        for role in ("button", "link", "searchbox", "radio", "region")
        for control in report.page.get_by_role(role).all()
        if control.and_(report.page.get_by_role(role, name=re.compile(r"\w"))).count() == 0
    ]
    assert unnamed == []


def test_table_headers_have_a_scope(report):
    scopes = report.page.evaluate("[...document.querySelectorAll('th')].map((it) => it.getAttribute('scope'))")
    assert set(scopes) == {"col", "row"}


def test_ids_are_unique(report):
    ids = report.page.evaluate("[...document.querySelectorAll('[id]')].map((it) => it.id)")
    assert len(ids) == len(set(ids))
