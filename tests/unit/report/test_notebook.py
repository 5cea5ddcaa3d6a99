"""The display of a selection in a notebook."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser

import pytest

from full_selection import full_selection, supported_selection
from minerva_select.report.notebook import MOST_DROPPED, MOST_SELECTED, render_fragment
from minerva_select.results import FeatureResult, Reason, ReasonCode, Selection, SelectionWarning, WarningCode
from minerva_select.text import headline

FULL = full_selection()


class Fragment(HTMLParser):
    """Rows of the tables, text outside the style, tags and attributes."""

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


def test_the_headline_comes_first_then_key_figures_and_warnings():
    text = " ".join(" ".join(Fragment(render_fragment(FULL)).text).split())
    assert text.startswith(headline(FULL))
    for part in ("Features kept 4 of 12", "0.600 nats 0.590 to 0.610", "5,000", "12.3 s", "96%", "8 dropped"):
        assert part in text


def test_the_table_has_the_selected_features_and_a_folded_one_the_dropped():
    fragment = Fragment(render_fragment(FULL))
    assert len(fragment.rows[0]) == 6
    assert [row[0] for row in fragment.rows[1:5]] == ["f0", "f1", "f2", "f3"]
    assert fragment.rows[1][1:4] == ["0.500", "", "0.000"]
    assert fragment.rows[1][4] == "▁▂▃▄▅▆▇█ ↗"
    assert fragment.rows[1][5].startswith(str(FULL.features[0].reason))
    assert [row[0] for row in fragment.rows[6:8]] == ["f4", "f5"]
    assert fragment.rows[6][-1] == str(FULL.features[4].reason)
    assert "details" in fragment.tags


def test_bars_show_the_contribution_in_the_color_of_the_role():
    fragment = render_fragment(FULL)
    assert '<span class="bar together" style="width:100.0%">' in fragment
    assert '<span class="bar alone" style="width:25.0%">' in fragment  # f3 adds a quarter of what f0 adds


def test_five_thousand_features_stay_short():
    fragment = render_fragment(full_selection(n_features=5000, n_selected=100))
    parsed = Fragment(fragment)
    assert len(parsed.rows) == 2 + MOST_SELECTED + MOST_DROPPED
    assert len(fragment) < 30_000
    text = " ".join(parsed.text)
    assert f"{100 - MOST_SELECTED} more are in" in text
    assert f"{4900 - MOST_DROPPED:,} more are in" in text


def test_every_style_rule_is_scoped_and_nothing_runs_or_is_fetched():
    fragment = render_fragment(FULL)
    parsed = Fragment(fragment)
    selectors = [rule.split("{")[0] for rule in parsed.style.split("}") if "{" in rule]
    assert len(selectors) > 20
    for selector in selectors:
        assert all(".minerva-selection" in part for part in selector.split(",")), selector
    assert not parsed.tags & {"script", "link", "img", "iframe"}
    assert "url(" not in fragment
    assert "://" not in fragment


def test_colors_follow_the_page_and_the_themes_of_jupyterlab():
    style = Fragment(render_fragment(FULL)).style
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
    warning = SelectionWarning(WarningCode.LEAK, (name,), {"target": name})
    selection = dataclasses.replace(full_selection([name]), target=name, warnings=(warning,))
    hostile, plain = Fragment(render_fragment(selection)), Fragment(render_fragment(FULL))
    assert hostile.tags == plain.tags
    assert hostile.attributes <= plain.attributes
    assert hostile.rows[1][0] == (name if len(name) <= 60 else name[:30] + "…" + name[-29:])


def test_formulas_in_names_are_not_typeset_and_control_characters_are_escaped():
    fragment = render_fragment(full_selection(["$x$", "two\nlines", ""]))
    assert 'class="minerva-selection tex2jax_ignore mathjax_ignore"' in fragment
    assert [row[0] for row in Fragment(fragment).rows[1:4]] == ["$x$", r"two\nlines", '""']


def test_weights_are_shown_if_contributions_were_not_measured():
    reason = Reason(ReasonCode.POSITIVE_WEIGHT, values={"weight": 0.5})
    weighted = Selection("y", (FeatureResult("a", True, reason, weight=0.5),), None, None, n_rows=10)
    _, row = Fragment(render_fragment(weighted)).rows
    assert row == ["a", "0.500", "", str(reason)]


def test_columns_without_values_are_left_out():
    requested = Selection("y", (FeatureResult("a", True, Reason(ReasonCode.ON_REQUEST)),), None, None, n_rows=10)
    _, row = Fragment(render_fragment(requested)).rows
    assert row == ["a", str(requested.features[0].reason)]


def test_an_empty_selection_is_displayed():
    fragment = Fragment(render_fragment(Selection("y", (), None, None, n_rows=10)))
    assert fragment.rows == []
    assert "table" not in fragment.tags


def test_proof_and_equivalents_are_below_the_reason():
    fragment = Fragment(render_fragment(supported_selection()))
    assert "proven, " in fragment.rows[1][-1]
    assert fragment.rows[1][-1].endswith("one of {total day minutes, total day charge, day cost}")
    assert fragment.rows[9][0] == "voice messages"  # after a second header: near misses are first among the dropped
