"""The table of all features can be sorted, searched and filtered, with a mouse and a keyboard."""

from __future__ import annotations

import re

import pytest

from full_selection import full_selection
from minerva_select.results import FeatureResult, Reason, ReasonCode, Selection

pytestmark = pytest.mark.browser

# Sorted as text, 1,234.5 would come before 20.25, and b10 before b9. There is no chart, since charts take most of the
# time to open a page.

SELECTION = Selection(
    target="y",
    features=(
        FeatureResult("b10", True, Reason(ReasonCode.CONTRIBUTES), marginal_nats=1234.5),
        FeatureResult("Alpha", False, Reason(ReasonCode.ZERO_WEIGHT), marginal_nats=-0.5),
        FeatureResult("b9", True, Reason(ReasonCode.ON_REQUEST), marginal_nats=20.25),
        FeatureResult("alpha2", False, Reason(ReasonCode.CONSTANT)),
        FeatureResult("c", True, Reason(ReasonCode.ON_REQUEST), marginal_nats=3.0),
    ),
    mutual_information=None,
    total_information=None,
    n_rows=100,
)
SORTED = ["b10", "b9", "c", "Alpha", "alpha2"]


@pytest.fixture
def report(open_report):
    return open_report(SELECTION)


def heading(report, name):
    return report.table.get_by_role("columnheader", name=name)


def test_features_are_first_sorted_by_strength_and_no_column_is_marked(report):
    assert report.features == SORTED
    assert report.table.locator("[aria-sort]").count() == 0


@pytest.mark.parametrize(
    ("column", "first", "second"),
    [
        ("Feature", ["Alpha", "alpha2", "b9", "b10", "c"], ["c", "b10", "b9", "alpha2", "Alpha"]),
        # Missing values stay last.
        ("Alone, nats", ["b10", "b9", "c", "Alpha", "alpha2"], ["Alpha", "c", "b9", "b10", "alpha2"]),
        ("Reason", ["b10", "alpha2", "b9", "c", "Alpha"], ["Alpha", "b9", "c", "alpha2", "b10"]),
    ],
)
def test_a_heading_sorts_and_reverses_the_order_the_second_time(report, column, first, second):
    button = heading(report, column).get_by_role("button")
    orders = []
    for expected in (first, second):
        button.click()
        assert report.features == expected
        orders.append(heading(report, column).get_attribute("aria-sort"))
    assert sorted(orders) == ["ascending", "descending"]


def test_enter_and_space_sort_and_keep_the_focus(report):
    button = heading(report, "Feature").get_by_role("button")
    button.focus()
    report.page.keyboard.press("Enter")
    assert report.features[0] == "Alpha"
    assert heading(report, "Feature").get_attribute("aria-sort") == "ascending"
    report.page.keyboard.press("Space")
    assert report.features[0] == "c"
    assert heading(report, "Feature").get_attribute("aria-sort") == "descending"
    assert button.evaluate("it => it === document.activeElement")


def test_only_one_column_is_marked_as_sorted(report):
    heading(report, "Feature").get_by_role("button").click()
    heading(report, "Alone, nats").get_by_role("button").click()
    assert report.table.locator("[aria-sort]").count() == 1


def test_the_search_finds_names_and_reasons_and_counts_them(report):
    search = report.page.get_by_role("searchbox", name="Search")
    search.fill("ALPHA")
    assert report.features == ["Alpha", "alpha2"]
    count = report.page.get_by_role("status").filter(has_text="features")
    assert "2 of 5" in count.inner_text()
    search.fill("kept on REQ")
    assert report.features == ["b9", "c"]
    search.fill("no such feature")
    assert report.features == []
    assert "0 of 5" in count.inner_text()
    search.fill("")
    assert report.features == SORTED


def test_enter_in_the_search_stays_on_the_page(report):
    report.page.get_by_role("searchbox", name="Search").fill("alpha2")
    report.page.keyboard.press("Enter")
    assert report.features == ["alpha2"]


def test_kept_and_dropped_features_can_be_filtered_and_searched(report):
    report.page.get_by_role("radio", name="Kept").check()
    assert report.features == ["b10", "b9", "c"]
    report.page.get_by_role("searchbox", name="Search").fill("kept on REQ")
    assert report.features == ["b9", "c"]
    report.page.get_by_role("radio", name="Dropped").check()
    assert report.features == []
    report.page.get_by_role("searchbox", name="Search").fill("")
    assert report.features == ["Alpha", "alpha2"]


def test_sorting_and_searching_include_features_that_are_not_displayed_at_first(open_report):
    report = open_report(full_selection(n_features=1000))
    first = report.features
    assert "f999" not in first
    heading(report, "Feature").get_by_role("button").click()
    heading(report, "Feature").get_by_role("button").click()
    assert report.features[:2] == ["f999", "f998"]
    report.page.get_by_role("searchbox", name="Search").fill("f50")
    assert report.features == [*(f"f{k}" for k in range(509, 499, -1)), "f50"]
    report.page.get_by_role("searchbox", name="Search").fill("")
    report.page.get_by_role("button", name=re.compile("^Show all")).click()
    assert len(report.features) == 1000
