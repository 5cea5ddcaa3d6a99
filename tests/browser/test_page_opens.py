"""Reports of all sizes open quickly and without a network."""

from __future__ import annotations

import dataclasses
import time

import pytest

from full_selection import full_selection

pytestmark = pytest.mark.browser


def test_the_report_of_experiment_a_names_the_two_features_that_matter_only_together(open_report, experiment_a):
    report = open_report(experiment_a)
    assert len(report.draw()) >= 3
    report.check()
    assert report.page.get_by_role("heading", level=1).inner_text().startswith("2 of 30 features")
    text = report.page.get_by_role("main").inner_text()
    assert "f3 and f8 matter only together" in text or "f8 and f3 matter only together" in text


def test_the_report_of_a_thousand_features_opens(open_report, wide):
    report = open_report(wide)
    assert len(report.draw()) >= 3
    report.check()
    assert report.page.get_by_role("heading", level=1).inner_text().startswith("2 of 1,000 features")
    report.page.get_by_role("searchbox", name="Search").fill("f999")
    assert report.features == ["f999"]


def test_the_report_of_five_thousand_features_is_small_and_opens_within_three_seconds(open_report):
    selection = full_selection(n_features=5000, n_selected=40)
    report = open_report(selection)
    report.charts.first.locator("svg").first.wait_for()
    assert seconds_of(report) < 3
    assert report.path.stat().st_size < 6e6
    report.page.get_by_role("searchbox", name="Search").fill("f4321")
    assert report.features == ["f4321"]


def seconds_of(report):
    """Seconds since the report was opened, or the CPU time of its process if that is less.

    Other load on the machine adds to the first only.
    """
    elapsed = time.perf_counter() - report.since
    browser = report.page.context.new_cdp_session(report.page)
    browser.send("Performance.enable")
    metrics = {metric["name"]: metric["value"] for metric in browser.send("Performance.getMetrics")["metrics"]}
    return min(elapsed, metrics["ProcessTime"])


@pytest.mark.parametrize("n_features", [5, 300])
def test_the_result_and_all_features_are_displayed_without_javascript(open_report, n_features):
    report = open_report(full_selection(n_features=n_features, n_selected=2), script=False)
    assert report.page.get_by_role("heading", level=1).is_visible()
    assert len(report.features) == n_features
    assert report.charts.count() == 0  # the tables replace them
    assert report.page.get_by_role("region", name="data").count() == 6
    assert report.page.get_by_role("button").count() == 0  # buttons need scripts


@pytest.mark.parametrize("n_features", [0, 1])
def test_reports_of_few_features_open(open_report, n_features):
    full = full_selection(n_selected=2)
    nothing_else = dict.fromkeys(("path", "pairs", "suspects", "weight_history"), ())
    report = open_report(dataclasses.replace(full, features=full.features[:n_features], effects=None, **nothing_else))
    assert len(report.features) == n_features
    report.draw()
    report.check()
