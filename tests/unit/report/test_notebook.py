"""Claims about how a selection is shown in a notebook."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser

import pytest

from full_selection import full_selection
from minerva_select.report.notebook import MOST_DROPPED, MOST_SELECTED, as_html
from minerva_select.results import FeatureResult, Reason, ReasonCode, Selection
from minerva_select.text import headline

FULL = full_selection()


class Shown(HTMLParser):
    """Rows of the tables, text outside the style, and every tag and attribute of a fragment."""

    def __init__(self, fragment):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.open, self.rows, self.text, self.style = set(), set(), [], [], [], ""
        self.feed(fragment)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            self.style += data
            return
        self.text.append(data)
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def test_the_answer_comes_first_with_its_figures_warnings_and_words():
    text = " ".join(" ".join(Shown(as_html(FULL)).text).split())
    assert text.startswith(headline(FULL))
    for words in (
        "Features kept 4 of 12",
        "0.600 nats 0.590 to 0.610",
        "Rows 5,000 in 12.3 s",
        "96% of what",
        "8 dropped",
    ):
        assert words in text


def test_the_table_has_the_selected_features_then_the_dropped_ones_folded():
    shown = Shown(as_html(FULL))
    assert shown.rows[0] == ["Feature", "Adds, nats", "", "Alone, nats", "Why"]
    assert [row[0] for row in shown.rows[1:5]] == ["f0", "f1", "f2", "f3"]
    assert shown.rows[1][1:] == ["0.500", "", "0.000", "adds 0.5 nats together with f1matters only with others"]
    assert [row[0] for row in shown.rows[6:8]] == ["f4", "f5"]
    assert shown.rows[6][-1] == "adds nothing once f0 is known"
    assert "details" in shown.tags


def test_bars_are_as_long_as_what_the_features_add_in_the_colour_of_their_role():
    fragment = as_html(FULL)
    assert '<span class="bar together" style="width:100.0%">' in fragment
    assert '<span class="bar alone" style="width:25.0%">' in fragment  # f3 adds a quarter of what f0 adds


def test_five_thousand_features_stay_short():
    fragment = as_html(full_selection(n_features=5000, n_selected=100))
    shown = Shown(fragment)
    assert len(shown.rows) == 2 + MOST_SELECTED + MOST_DROPPED
    assert len(fragment) < 30_000
    text = " ".join(shown.text)
    assert f"{100 - MOST_SELECTED} more are in" in text
    assert f"{4900 - MOST_DROPPED:,} more are in" in text


def test_every_rule_of_the_style_is_scoped_and_nothing_is_run_or_asked_for():
    fragment = as_html(FULL)
    shown = Shown(fragment)
    selectors = [rule.split("{")[0] for rule in shown.style.split("}") if "{" in rule]
    assert len(selectors) > 20
    for selector in selectors:
        assert all(".minerva-selection" in part for part in selector.split(",")), selector
    assert not shown.tags & {"script", "link", "img", "iframe"}
    assert "url(" not in fragment
    assert "://" not in fragment


def test_colours_follow_the_page_and_the_themes_of_jupyterlab():
    style = Shown(as_html(FULL)).style
    assert "color-scheme: light dark" in style
    assert '[data-jp-theme-light="false"] .minerva-selection' in style
    assert '[data-jp-theme-light="true"] .minerva-selection' in style


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</style></div>",
        "{{ 7 * 7 }}",
        "&amp;",
        "a" * 300 + '" onclick="alert(1)',
    ],
)
def test_hostile_names_are_shown_as_text(name):
    hostile = dataclasses.replace(full_selection([name]), target=name, warnings=(name,))
    shown, plain = Shown(as_html(hostile)), Shown(as_html(FULL))
    assert shown.tags == plain.tags
    assert shown.attributes <= plain.attributes
    assert shown.rows[1][0] == (name if len(name) <= 60 else name[:30] + "…" + name[-29:])


def test_formulas_in_names_are_left_alone_and_control_characters_are_spelled_out():
    fragment = as_html(full_selection(["$x$", "two\nlines", ""]))
    assert 'class="minerva-selection tex2jax_ignore mathjax_ignore"' in fragment
    assert [row[0] for row in Shown(fragment).rows[1:4]] == ["$x$", r"two\nlines", '""']


def test_weights_are_shown_where_contributions_were_not_measured_and_nothing_where_neither_was():
    weighed = Selection(
        "y", (FeatureResult("a", True, Reason(ReasonCode.POSITIVE_WEIGHT), weight=0.5),), None, None, n_rows=10
    )
    assert Shown(as_html(weighed)).rows == [["Feature", "Weight", "", "Why"], ["a", "0.500", "", "stayed"]]
    asked = Selection("y", (FeatureResult("a", True, Reason(ReasonCode.ON_REQUEST)),), None, None, n_rows=10)
    assert Shown(as_html(asked)).rows == [["Feature", "Why"], ["a", "kept on request"]]


def test_a_selection_of_nothing_is_shown():
    empty = Selection("y", (), None, None, n_rows=10)
    shown = Shown(as_html(empty))
    assert shown.rows == []
    assert "table" not in shown.tags
