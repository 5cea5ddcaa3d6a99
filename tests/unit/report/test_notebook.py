"""The display of a selection in a notebook."""

from __future__ import annotations

import copy
import dataclasses
import re
from html.parser import HTMLParser

import pytest

from full_selection import full_selection, supported_selection
from minerva_select.report import figures
from minerva_select.report.notebook import MOST_DROPPED, MOST_SELECTED, render_figure_table, render_fragment
from minerva_select.results import FeatureResult, Reason, ReasonCode, Selection, SelectionWarning, WarningCode
from minerva_select.text import headline

FULL = full_selection()
HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</style></div>", "a<b>"]


class Fragment(HTMLParser):
    """Rows of the tables, text outside the style, tags and attributes."""

    def __init__(self, fragment):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.open, self.text, self.style = set(), set(), [], [], ""
        self.cards, self.rows = [], []  # rows of the key figures, and of the tables of features
        self.feed(fragment)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "br":
            self.open.append(tag)
        if tag == "table":
            self._table = self.cards if ("class", "cards") in attrs else self.rows
        if tag == "tr":
            self._table.append([])
        if tag in {"td", "th"}:
            self._table[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            self.style += data
            return
        self.text.append(data)
        if {"td", "th"} & set(self.open):
            self._table[-1][-1] += data


def test_the_headline_comes_first_then_key_figures_and_warnings():
    text = " ".join(" ".join(Fragment(render_fragment(FULL)).text).split())
    assert text.startswith(headline(FULL))
    for part in ("5,000", "12.3 s", "96%", "8 dropped"):
        assert part in text
    labels, figures = Fragment(render_fragment(FULL)).cards
    assert dict(zip(labels, figures, strict=True))["Features kept"] == "4 of 12"
    assert dict(zip(labels, figures, strict=True))["Information, at least"] == "0.600 nats0.590 to 0.610 (95%)"


def test_without_its_style_every_text_is_in_its_own_cell_or_line():
    fragment = render_fragment(supported_selection())
    assert not Fragment(fragment).tags & {"dl", "dt", "dd"}  # whose style in JupyterLab puts one text over another
    assert fragment.count("<small>") == fragment.count("<br><small>")
    cells = re.findall(r"<t[dh] [^>]*>", fragment)
    # The style of JupyterLab aligns cells to the right, and that of an untrusted notebook is removed
    assert all("text-align" in cell for cell in cells if 'class="track"' not in cell and cell != '<th scope="col">')


def test_the_values_of_a_figure_are_a_table_without_scripts():
    for kind in figures.KINDS:
        table = Fragment(render_figure_table(full_selection(HOSTILE), kind))
        assert not table.tags & {"script", "img", "style", "b "}
        assert len(table.rows) > 2


def test_a_figure_has_its_table_unless_the_renderer_has_html_of_its_own(monkeypatch):
    io = pytest.importorskip("plotly.io")
    drawn = FULL.plot("contributions")
    monkeypatch.setattr(io.renderers, "default", "plotly_mimetype")
    bundle = drawn._repr_mimebundle_()
    assert Fragment(bundle["text/html"]).rows[1] == ["f0", "0.500", "0.480 to 0.520", "0.000"]
    assert "application/vnd.plotly.v1+json" in bundle
    monkeypatch.setattr(io.renderers, "default", "notebook_connected")
    assert "<script" in drawn._repr_mimebundle_()["text/html"]
    assert copy.deepcopy(drawn).layout == drawn.layout


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
    assert len(fragment.cards) == 2


def test_proof_and_equivalents_are_below_the_reason():
    fragment = Fragment(render_fragment(supported_selection()))
    assert "proven, " in fragment.rows[1][-1]
    assert fragment.rows[1][-1].endswith("one of {total day minutes, total day charge, day cost}")
    assert fragment.rows[9][0] == "voice messages"  # after a second header: near misses are first among the dropped
