"""The table of all features can be sorted, searched and narrowed, by mouse and by keyboard."""

from __future__ import annotations

import re

import pytest

from full_selection import full_selection
from minerva_select.results import FeatureResult, Reason, ReasonCode, Selection

pytestmark = pytest.mark.browser

# Sorted as text, 1,234.5 would come before 20.25, and b10 before b9. Nothing in it makes a chart: they take most of the
# time in which a page opens.
SELECTION = Selection(
    target="y",
    features=(
        FeatureResult("b10", True, Reason(ReasonCode.CONTRIBUTES), marginal_nats=1234.5),
        FeatureResult("Alpha", False, Reason(ReasonCode.CONTRIBUTES), marginal_nats=-0.5),
        FeatureResult("b9", True, Reason(ReasonCode.CONTRIBUTES), marginal_nats=20.25),
        FeatureResult("alpha2", False, Reason(ReasonCode.CONSTANT)),
        FeatureResult("c", True, Reason(ReasonCode.CONTRIBUTES), marginal_nats=3.0),
    ),
    mutual_information=None,
    total_information=None,
    n_rows=100,
)
RANKED = ["b10", "b9", "c", "Alpha", "alpha2"]


@pytest.fixture
def report(open_report):
    return open_report(SELECTION)


def heading(report, name):
    return report.table.get_by_role("columnheader", name=name)


def test_features_are_ranked_at_first_and_no_column_claims_to_be_sorted(report):
    assert report.features == RANKED
    assert report.table.locator("[aria-sort]").count() == 0


@pytest.mark.parametrize(
    ("column", "first", "second"),
    [
        ("Feature", ["Alpha", "alpha2", "b9", "b10", "c"], ["c", "b10", "b9", "alpha2", "Alpha"]),
        # What was not measured stays last.
        ("Alone, nats", ["b10", "b9", "c", "Alpha", "alpha2"], ["Alpha", "c", "b9", "b10", "alpha2"]),
        ("Why", ["b10", "b9", "c", "alpha2", "Alpha"], ["Alpha", "alpha2", "c", "b9", "b10"]),
    ],
)
def test_a_heading_sorts_and_sorts_the_other_way_when_used_again(report, column, first, second):
    button = heading(report, column).get_by_role("button")
    orders = []
    for expected in (first, second):
        button.click()
        assert report.features == expected
        orders.append(heading(report, column).get_attribute("aria-sort"))
    assert sorted(orders) == ["ascending", "descending"]


def test_enter_and_space_sort_too_and_the_focus_stays(report):
    button = heading(report, "Feature").get_by_role("button")
    button.focus()
    report.page.keyboard.press("Enter")
    assert report.features[0] == "Alpha"
    assert heading(report, "Feature").get_attribute("aria-sort") == "ascending"
    report.page.keyboard.press("Space")
    assert report.features[0] == "c"
    assert heading(report, "Feature").get_attribute("aria-sort") == "descending"
    assert button.evaluate("it => it === document.activeElement")


def test_one_column_at_a_time_is_sorted(report):
    heading(report, "Feature").get_by_role("button").click()
    heading(report, "Alone, nats").get_by_role("button").click()
    assert report.table.locator("[aria-sort]").count() == 1


def test_the_search_looks_at_names_and_reasons_in_any_case_and_says_how_many(report):
    search = report.page.get_by_role("searchbox", name="Search")
    search.fill("ALPHA")
    assert report.features == ["Alpha", "alpha2"]
    assert "2 of 5" in report.page.get_by_role("status").inner_text()
    search.fill("some")
    assert report.features == ["b9", "c"]
    search.fill("no such feature")
    assert report.features == []
    assert "0 of 5" in report.page.get_by_role("status").inner_text()
    search.fill("")
    assert report.features == RANKED


def test_enter_in_the_search_does_not_leave_the_page(report):
    report.page.get_by_role("searchbox", name="Search").fill("alpha2")
    report.page.keyboard.press("Enter")
    assert report.features == ["alpha2"]


def test_kept_and_dropped_features_can_be_shown_alone_and_searched(report):
    report.page.get_by_role("radio", name="Kept").check()
    assert report.features == ["b10", "b9", "c"]
    report.page.get_by_role("searchbox", name="Search").fill("some")
    assert report.features == ["b9", "c"]
    report.page.get_by_role("radio", name="Dropped").check()
    assert report.features == []
    report.page.get_by_role("searchbox", name="Search").fill("")
    assert report.features == ["Alpha", "alpha2"]


def test_sorting_and_searching_reach_features_that_are_not_shown_at_first(open_report):
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
