"""Reports in a real Chromium that may not send requests."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from full_selection import full_selection
from minerva_select.problems import equality


@pytest.fixture(scope="module")
def browser():
    """A Chromium for the tests of a module.

    Not of a session: while it is open, an event loop runs in this thread and would disturb tests that start their own.
    """
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("there is no Chromium; apt-get install chromium")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # the sandbox does not start for root
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield started
        started.close()


@dataclass
class Report:
    """An open report, with its errors and requests."""

    page: object
    path: Path
    since: float = 0.0  # time.perf_counter() when it was opened
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def charts(self):
        """The charts, drawn or not; no other image has a name."""
        return self.page.get_by_role("img", name=re.compile(r"\w"))

    @property
    def table(self):
        """The table of all features."""
        return self.page.get_by_role("region", name="All features").get_by_role("table").last

    @property
    def features(self):
        """Names in the table, as displayed."""
        return self.table.get_by_role("rowheader").all_inner_texts()

    def draw(self):
        """Wait for all charts and return them."""
        charts = self.charts.all()
        for chart in charts:
            chart.locator("svg").first.wait_for()
        return charts

    def check(self):
        """Check that there was no error and no request, and that no name ran as a script."""
        assert self.errors == []
        assert self.requests == []
        assert self.page.evaluate("window.__pwned") is None

    def watch(self):
        self.page.route("**/*", self._route)
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _route(self, route):
        if route.request.url == self.path.as_uri():
            route.continue_()
        else:
            self.requests.append(route.request.url)
            route.abort()


@contextlib.contextmanager
def reports(browser, folder):
    """A function that writes the report of a selection and opens it; all are checked at the end."""
    opened = []

    def open_report(selection, width=1440, *, dark=False, script=True):
        path = folder / f"report{len(opened)}.html"
        selection.report(path)
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            reduced_motion="reduce",
        )
        context.set_default_timeout(20_000)
        opened.append(report := Report(context.new_page(), path))
        report.watch()
        report.since = time.perf_counter()
        report.page.goto(path.as_uri())
        return report

    yield open_report
    for report in opened:
        report.check()
        report.page.context.close()


@pytest.fixture
def open_report(browser, tmp_path):
    """A function that opens the report of a selection in its own page."""
    with reports(browser, tmp_path) as open_it:
        yield open_it


@pytest.fixture(scope="module")
def report(browser, tmp_path_factory):
    """The report of a made-up selection with all sections; tests must not change it."""
    with reports(browser, tmp_path_factory.mktemp("report")) as open_it:
        opened = open_it(full_selection())
        opened.draw()
        yield opened


@pytest.fixture(scope="module")
def experiment_a(use_small_fits):
    """The selection of Experiment A: the target says whether two of 30 columns are equal."""
    return _fit(equality(n_samples=3000, random_state=0))


@pytest.fixture(scope="module")
def wide(use_small_fits):
    """The same with 1,000 columns."""
    return _fit(equality(n_samples=3000, n_features=1000, random_state=0))


def _fit(problem):
    from minerva_select import MinervaSelector

    return MinervaSelector(random_state=0).fit(problem.X, problem.y).selection_
