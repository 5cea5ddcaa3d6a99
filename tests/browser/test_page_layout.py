"""The page fits every width, is readable in light and dark, and prints."""

from __future__ import annotations

import dataclasses
import re
from io import BytesIO

import pytest

from full_selection import full_selection

pytestmark = pytest.mark.browser

WIDTHS = [390, 1440]
LONG = "x" * 300

# Visible texts whose contrast with their background is too low by WCAG 2. Backgrounds and text may be transparent; a
# canvas parses all notations of colors. Large text, which has a lower limit, and text on heat maps are left out.
FAINT_TEXT = """limit => {
  const pen = Object.assign(document.createElement("canvas"), {width: 1, height: 1})
    .getContext("2d", {willReadFrequently: true});
  const over = (colors) => {
    pen.clearRect(0, 0, 1, 1);
    for (const color of colors) { pen.fillStyle = color; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.unshift(getComputedStyle(at).backgroundColor);
    return ["white", ...layers];
  };
  const covers = (box, it) =>
    box.left <= it.left && it.right <= box.right && box.top <= it.top && it.bottom <= box.bottom;
  const pictures = [...document.querySelectorAll("image")].map((it) => it.getBoundingClientRect());
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const words = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    if (!words || ["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.tagName) || !element.checkVisibility()) continue;
    if (pictures.some((box) => covers(box, element.getBoundingClientRect()))) continue;
    if (size >= 24 || (size >= 18.66 && style.fontWeight >= 700)) continue;
    const background = behind(element), ink = element instanceof SVGElement ? style.fill : style.color;
    const [dark, light] = [luminance(over(background)), luminance(over([...background, ink]))].sort((a, b) => a - b);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < limit) faint.push(`${words.slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return faint;
}"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("names", [(), (LONG, "y" * 150, f"{LONG} and more")], ids=["short", "long"])
def test_the_page_does_not_scroll_sideways(open_report, width, names):
    report = open_report(full_selection(names), width)
    report.draw()
    assert report.page.evaluate("document.scrollingElement.scrollWidth") <= width


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_has_enough_contrast(open_report, dark):
    report = open_report(full_selection(), dark=dark)
    report.draw()
    assert report.page.evaluate(FAINT_TEXT, 4.5) == []  # WCAG 2, level AA


# Number of labels of a chart that overlap another label or the mark.
OVERLAPS = """chart => {
  const boxes = (selector) => [...chart.querySelectorAll(selector)].map((it) => it.getBoundingClientRect());
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const labels = boxes(".annotation-text, .xtick text, .ytick text");
  const marks = boxes(".scatterlayer .trace:last-child .point");
  if (labels.length < 10 || marks.length !== 1) throw new Error("looks at the wrong marks");
  return labels.filter((box, k) => [...labels.slice(k + 1), ...marks].some((other) => meet(box, other))).length;
}"""


@pytest.mark.parametrize("n_selected", [2, 9])
@pytest.mark.parametrize("entropy", [0.6, 5.0])
def test_no_label_of_the_path_overlaps_another_or_the_selected_point(open_report, n_selected, entropy):
    selection = dataclasses.replace(full_selection(n_selected=n_selected), target_entropy=entropy, pairs=(), history=())
    report = open_report(selection, width=390)
    report.draw()
    (chart,) = report.page.locator("#path .chart").all()
    assert chart.evaluate(OVERLAPS) == 0


def test_names_above_the_heat_map_are_horizontal_if_they_fit(open_report):
    names = ["merchant_category", "merchant_country", "merchant_risk"]
    for width, flat in ((1440, True), (390, False)):
        report = open_report(full_selection(names, n_selected=3), width)
        report.draw()
        heads = report.page.locator("#pairs .xtick text").all()
        turned = ["rotate" in head.get_attribute("transform") for head in heads]
        assert turned == [not flat] * 3, width


def test_the_page_follows_the_color_scheme_and_its_button(open_report):
    page = open_report(full_selection()).page
    light = brightness(page)
    page.emulate_media(color_scheme="dark")
    page.locator("[role=switch][aria-checked=true]").wait_for()  # the page hears of the change a little later
    dark = brightness(page)
    switch = page.get_by_role("switch", name="Dark mode")
    assert switch.is_checked()
    switch.click()
    assert not switch.is_checked()
    light_again = brightness(page)
    assert min(light, light_again) > 200
    assert dark < 60


def test_printing_is_in_readable_colors_on_white(open_report):
    report = open_report(full_selection(), dark=True)
    report.draw()
    pdf = report.page.pdf()
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 1
    report.page.emulate_media(media="print")
    report.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert brightness(report.page) > 200
    assert report.page.evaluate(FAINT_TEXT, 4.5) == []


def brightness(page):
    """Mean brightness of the screen, from 0 to 255."""
    image = pytest.importorskip("PIL.Image")
    gray = image.open(BytesIO(page.screenshot())).convert("L").resize((1, 1), image.Resampling.BOX)
    return gray.getpixel((0, 0))
