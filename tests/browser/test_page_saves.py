"""Names are copied, the table and the charts are saved, from a page on disk and without a network."""

from __future__ import annotations

import ast
import csv
import io

import pytest

from full_selection import full_selection

pytestmark = pytest.mark.browser

NAMES = ["plain", 'say "so", twice', "größe", "a b"]


@pytest.fixture
def opened(open_report):
    report = open_report(full_selection(NAMES))
    report.draw()
    return report


def saved(report, button):
    """Name and bytes of the file that a button saves."""
    with report.page.expect_download() as download:
        button.click()
    return download.value.suggested_filename, download.value.path().read_bytes()


def test_the_kept_names_are_copied_as_a_python_list(opened):
    page = opened.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the names").click()
    page.get_by_text("Copied", exact=True).wait_for()
    assert ast.literal_eval(page.evaluate("navigator.clipboard.readText()")) == NAMES


def test_names_are_copied_where_the_clipboard_api_is_refused(open_report):
    page = open_report(full_selection(NAMES)).page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')); }")
    page.get_by_role("button", name="Copy the names").click()
    page.get_by_text("Copied", exact=True).wait_for()
    assert ast.literal_eval(page.evaluate("navigator.clipboard.readText()")) == NAMES


def test_the_table_is_saved_as_csv_with_every_feature_and_number(opened):
    name, content = saved(opened, opened.page.get_by_role("button", name="Save as CSV"))
    assert name == "features.csv"
    rows = {row["feature"]: row for row in csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""))}
    assert list(rows)[:4] == NAMES
    assert len(rows) == 12
    first, dropped = rows["plain"], rows["f11"]
    assert (first["selected"], first["role"], first["effect"]) == ("true", "only with others", "▁▂▃▄▅▆▇█ ↗")
    interval = [first[f"contribution_{end}"] for end in ("nats", "low", "high")]
    assert [float(number) for number in interval] == [0.5, 0.48, 0.52]
    assert (dropped["selected"], dropped["contribution_nats"], dropped["marginal_nats"]) == ("false", "", "0.000")


def test_the_csv_has_all_features_whatever_the_table_shows(open_report):
    report = open_report(full_selection(n_features=300))
    report.page.get_by_role("searchbox", name="Search").fill("f299")
    _, content = saved(report, report.page.get_by_role("button", name="Save as CSV"))
    assert content.count(b"\r\n") == 301


def test_a_name_that_a_spreadsheet_would_compute_gets_an_apostrophe(open_report):
    report = open_report(full_selection(["=1+1", "@x", "-5"]))
    _, content = saved(report, report.page.get_by_role("button", name="Save as CSV"))
    rows = [*csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""))]
    assert [row["feature"] for row in rows[:3]] == ["'=1+1", "'@x", "-5"]  # a number is no formula


@pytest.mark.parametrize(("kind", "start"), [("SVG", b"<svg"), ("PNG", b"\x89PNG")])
@pytest.mark.parametrize("chart", ["Contribution of each feature", "How the target goes with each feature"])
def test_a_chart_is_saved_as_a_picture_with_a_background(opened, chart, kind, start):
    name, content = saved(opened, opened.page.get_by_role("button", name=f"{chart}: save as {kind}"))
    assert name.endswith(f".{kind.lower()}")
    assert content.startswith(start)
    if kind == "PNG":
        image = pytest.importorskip("PIL.Image").open(io.BytesIO(content))
        assert image.width > 1200  # twice the width of the chart
        assert image.convert("RGBA").getpixel((1, 1)) == (255, 255, 255, 255)
    else:
        assert b"plain" in content
        assert b"rgb(255, 255, 255)" in content


def test_training_is_folded_and_drawn_when_it_is_opened(open_report):
    report = open_report(full_selection())
    report.draw()
    chart = report.page.locator("#training .chart")
    assert not chart.is_visible()
    report.page.get_by_text("How training went").click()
    chart.locator("svg").first.wait_for()
    assert chart.locator("svg").first.bounding_box()["width"] > 400


def test_charts_below_the_fold_are_drawn_without_scrolling(open_report):
    report = open_report(full_selection())
    assert len(report.draw()) == 6
    assert report.page.evaluate("scrollY") == 0


def test_names_of_forty_letters_are_not_cut_on_a_wide_screen(open_report):
    names = [f"average_amount_of_the_last_{k}_payments_usd" for k in (5, 6, 7)]
    for width, is_whole in ((1440, True), (390, False)):
        report = open_report(full_selection(names), width)
        labels = report.draw()[0].text_content()
        assert [name in labels for name in names] == [is_whole] * 3, width


def test_the_feature_table_fits_a_wide_screen(open_report):
    box = open_report(full_selection()).page.locator("#features .scroll")
    assert box.evaluate("it => it.scrollWidth <= it.clientWidth")


def test_print_breaks_lines_between_words(open_report):
    page = open_report(full_selection(), width=700).page
    page.emulate_media(media="print")
    broken = page.evaluate(
        """() => [...document.querySelectorAll("#features thead th, #features td.reason")].filter((cell) => {
          const range = document.createRange();
          const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const text = walker.currentNode.textContent;
            for (const word of text.matchAll(/[A-Za-z]+/g)) {
              range.setStart(walker.currentNode, word.index);
              range.setEnd(walker.currentNode, word.index + word[0].length);
              if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) return true;
            }
          }
          return false;
        }).map((cell) => cell.textContent)"""
    )
    assert broken == []
