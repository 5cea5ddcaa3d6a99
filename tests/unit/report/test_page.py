"""The HTML report: its sections, tables, charts and safety."""

from __future__ import annotations

import ast
import base64
import dataclasses
import gzip
import hashlib
import itertools
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from full_selection import full_selection, selection_of, supported_selection
from minerva_select.report import render
from minerva_select.report.inline import embed_json
from minerva_select.results import (
    FeatureResult,
    PathPoint,
    Reason,
    ReasonCode,
    Role,
    Selection,
    SelectionWarning,
    WarningCode,
)
from minerva_select.text.captions import chart_heading, remark
from minerva_select.text.effects import NO_EFFECTS

KEPT = Reason(ReasonCode.CONTRIBUTES, values={"nats": 0.5})
KINDS = ("contributions", "effects", "pair_map", "path", "pairs", "training", "stability")
VOID = {"meta", "input"}
SHOWN = tuple(kind for kind in KINDS if kind != "training")  # not folded
SECTIONS = ["result", "warnings", "findings", "next", *SHOWN, "features", "details", "training"]
HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!--",
    "</table></style>",
    "{{ 7 * 7 }}",
    "&amp;",
    "'",
    "a]]>b",
]


class Page(HTMLParser):
    """Elements, attributes, headings, tables and scripts of a page."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.open = [], [], []
        self.text, self.scripts, self.headings, self.tables = [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append([dict(attrs), ""])
        if tag in {"h1", "h2", "h3"}:
            self.headings.append([tag, ""])
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in {"td", "th"}:
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "script" in self.open:
            self.scripts[-1][1] += data
        elif "style" not in self.open:
            self.text.append(data)
        if self.headings and self.open and self.open[-1] == self.headings[-1][0]:
            self.headings[-1][1] += data
        if {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += data

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())

    @property
    def features(self):
        """Rows of the table of all features, whose last column is the reason."""
        return next(table for table in self.tables if table[0][-1] == "Reason")

    def values(self, attribute):
        return [value for name, value in self.attributes if name == attribute]


def hostile_selection():
    """The full selection with hostile names, and all of them wherever else a file can hold text."""
    every = " ".join(HOSTILE)
    copy = FeatureResult(
        every, False, Reason(ReasonCode.EQUIVALENT, (every,)), replaced_by=(every,), role=Role.SUBSTITUTE
    )
    document = json.loads(full_selection(HOSTILE).to_json()) | {
        "target": every,
        "warnings": [{"code": "leak", "columns": [every], "values": {every: every, "target": every}}],
        "settings": {every: [every, {every: every}]},
        "versions": {every: every},
        "provenance": dict.fromkeys(("created", "fingerprint", "device", "data", "command"), every) | {"n_columns": 9},
    }
    document["features"].append(json.loads(selection_of(copy).to_json())["features"][0])
    document["features"][0]["reason"] = {"code": "equivalent", "columns": [every], "values": {}}
    return Selection.from_json(json.dumps(document))


@pytest.fixture(scope="module")
def source():
    return render(full_selection())


@pytest.fixture(scope="module")
def full(source):
    return Page(source)


def test_sections_come_in_the_order_a_reader_needs(full):
    sections = [value for value in full.values("id") if value in SECTIONS]
    assert sections == SECTIONS
    titles = [title for tag, title in full.headings if tag == "h2"]
    assert [title for title in titles if title in {chart_heading(full_selection(), kind).title for kind in KINDS}] == [
        chart_heading(full_selection(), kind).title for kind in SHOWN
    ]


def test_the_title_is_the_headline_and_headings_never_skip_a_level(full):
    assert full.headings[0] == ["h1", full_selection().headline]
    levels = [int(tag[1]) for tag, _ in full.headings]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_every_link_leads_to_a_section_of_the_page(full):
    anchors = {f"#{value}" for value in full.values("id")}
    links = full.values("href")
    assert len(links) == len(SECTIONS)  # the skip link, and the sections without the folded one
    assert set(links) <= anchors


def test_the_table_of_the_path_names_all_features_of_a_set():
    names = [f"column {k}" for k in range(9)]
    words = Page(render(full_selection(names, n_selected=9))).words
    assert ", ".join(names[:5]) in words.replace(" ,", ",")


def test_the_result_has_its_key_figures(full):
    for part in ("4 of 12", "0.600 nats", "0.866 bits", "98%", "87%", "90%", "5,000"):
        assert part in full.words


def test_the_table_has_every_feature_with_its_numbers_and_reason(full):
    first, dropped, last = (full.features[k] for k in (1, 5, -1))
    assert len(full.features) == 13
    assert {len(row) for row in full.features} == {9}
    assert first[0] == "f0"
    assert first[2:7] == ["0.5000.480 to 0.520", "0.0000.000 to 0.001", "▁▂▃▄▅▆▇█ ↗", "100%", "f1"]
    assert first[8] == str(full_selection().features[0].reason)
    assert dropped[0] == "f4"
    assert dropped[2:7] == ["0.001-0.002 to 0.004", "0.100", "", "10%", ""]
    assert last[:7] == ["f11", "dropped", "", "0.000", "", "0%", ""]


def test_the_table_has_proof_near_misses_and_equivalents():
    page = Page(render(supported_selection()))
    heading, *rows = page.features
    assert heading[2] == "Proof"
    table = {row[0]: row for row in rows}
    assert [table[name][2] for name in ("intl plan", "total eve minutes", "state", "area code")] == [
        *("proven", "supporting", "on request", "")
    ]
    assert [row[0] for row in rows[7:10]] == ["voice messages", "account length", "total day charge"]
    assert table["total day minutes"][-2] == "one of {total day minutes, total day charge, day cost}"


def test_what_is_left_behind_is_on_the_first_screen():
    source = render(supported_selection())
    first = source[source.index("<h1") : source.index('id="findings"')]
    assert first.count("0.007") == 2  # headline and card
    assert first.count("supporting</small>") == 2  # names of the features


def test_the_page_says_how_the_selection_was_made(full):
    made = full_selection().provenance
    for part in (made.command, made.data, made.fingerprint, made.device, "5,000 rows, 13 columns", "python 3.11.7"):
        assert part in full.words


def test_parameters_are_listed():
    settings = {"time_limit": None, "feature_groups": {"g": ["a", "b"]}, "verbose": True}
    page = Page(render(selection_of(settings=settings)))
    for part in ("time_limit not set", 'feature_groups {"g": ["a", "b"]}', "verbose yes"):
        assert part in page.words


def test_every_warning_is_shown_once_and_more_than_three_are_folded():
    warnings = tuple(SelectionWarning(WarningCode.NEAR_COPY, (f"f{k}", "g")) for k in range(5))
    page = Page(render(selection_of(warnings=warnings)))
    assert [page.words.count(str(warning)) for warning in warnings] == [1] * 5
    assert "2 more" in page.words
    few = Page(render(selection_of(warnings=warnings[:3])))
    assert [few.words.count(str(warning)) for warning in warnings] == [1, 1, 1, 0, 0]
    assert "details" not in few.tags


def test_the_kept_names_can_be_copied_as_a_python_list_in_column_order():
    names = ['it\'s "so"', "two\nlines", "back\\slash", "\u202egnp", "größe", "<b>"]
    page = Page(render(selection_of(*(FeatureResult(name, True, KEPT) for name in names))))
    (copied,) = page.values("data-text")
    assert ast.literal_eval(copied) == names
    assert Page(render(selection_of(FeatureResult("a", False, KEPT)))).values("data-text") == []


def test_the_information_is_the_same_number_everywhere_also_if_all_columns_showed_less():
    less = dataclasses.replace(full_selection().total_information, nats=0.55)
    words = Page(render(dataclasses.replace(full_selection(), total_information=less))).words
    assert "100% of 0.600 nats" in words
    assert "0.550" not in words


def test_the_kept_features_are_named_below_the_headline_and_the_rest_counted():
    page = render(full_selection(n_features=100, n_selected=20))
    names = page[page.index('<ul class="names"') : page.index('<dl class="cards"')]
    assert re.findall(r"<bdi>(.*?)</bdi>", names) == [f"f{k}" for k in range(12)]
    assert "and 8 more" in names


def test_a_selection_without_effects_says_so_instead_of_drawing_them():
    without = Page(render(dataclasses.replace(full_selection(), effects=None)))
    assert NO_EFFECTS in without.words
    assert without.values("role").count("img") == len(KINDS) - 2
    assert NO_EFFECTS not in Page(render(selection_of())).words  # nothing is kept


def test_a_path_of_one_set_is_a_remark_instead_of_a_chart():
    kept = FeatureResult("a", True, KEPT, contribution_nats=0.5)
    selection = selection_of(kept, path=(PathPoint(1, ("a",), 0.5, 0.48, 0.52),))
    page = Page(render(selection))
    assert remark(selection, "path") in page.words
    assert page.values("role").count("img") == 1  # of contributions


def test_an_interval_that_rounds_to_its_estimate_is_left_out():
    result = FeatureResult("a", False, KEPT, marginal_nats=0.0001, marginal_low=0.0, marginal_high=0.0003)
    assert Page(render(selection_of(result))).features[1][2] == "0.000"


def test_every_chart_has_a_description_and_its_data(full):
    descriptions = [value for value in full.values("aria-label") if "chart" in value or "Heat map" in value]
    assert full.values("role").count("img") == len(descriptions) == len(KINDS)
    assert full.tags.count("details") == len(KINDS) + 1  # training is folded
    contributions, _, _, path, *_ = full.tables
    assert contributions[1] == ["f0", "0.500", "0.480 to 0.520", "0.000"]
    assert path[4] == ["f0, f1, f2, f3", "4", "0.600", "0.590 to 0.610"]


@pytest.mark.parametrize(
    ("selection", "absent"),
    [
        (selection_of(), 'id="first"'),
        (selection_of(FeatureResult("a", True, Reason(ReasonCode.ON_REQUEST))), 'id="contributions"'),
        (selection_of(FeatureResult("a", False, Reason(ReasonCode.CONSTANT))), "Information kept"),
        (selection_of(FeatureResult("a", True, Reason(ReasonCode.SCORE), weight=0.3), found=None), " nats</"),
    ],
    ids=["no feature", "no numbers", "nothing found", "a baseline"],
)
def test_sections_without_content_are_left_out(selection, absent):
    source = render(selection)
    page = Page(source)
    assert absent not in source
    assert len(page.features) == 1 + len(selection.features)
    assert page.open == []


def test_weights_are_shown_if_contributions_were_not_measured():
    reason = Reason(ReasonCode.POSITIVE_WEIGHT, values={"weight": 0.3})
    weighted = selection_of(FeatureResult("a", True, reason, weight=-0.3), found=None)
    page = Page(render(weighted))
    assert page.features[1] == ["a", "kept", "-0.300", str(reason)]
    assert page.tables[0][1] == ["a", "-0.300"]
    assert chart_heading(weighted, "contributions").caption in page.words


def test_numbers_that_are_not_finite_are_left_blank():
    broken = float("nan")
    feature = FeatureResult("a", True, KEPT, broken, broken, broken, broken, float("inf"))
    assert Page(render(selection_of(feature))).features[1] == ["a", "kept", "", "", str(KEPT)]


def test_hostile_names_are_shown_as_text(full):
    page = Page(render(hostile_selection()))
    assert set(page.tags) == set(full.tags)
    assert {attribute for attribute, _ in page.attributes} == {attribute for attribute, _ in full.attributes}
    assert len(page.scripts) == len(full.scripts)
    assert set(HOSTILE) < {row[0] for row in page.features}
    assert any("equivalent to" in row[-1] and "<" in row[-1] for row in page.features)


def test_control_and_direction_characters_are_escaped():
    reason = Reason(ReasonCode.EQUIVALENT, ("adds\x1b[31m",))
    page = render(selection_of(FeatureResult("a\x00b\nc\ud800\u202e", True, reason, weight=1.0)))
    assert "a\\x00b\\nc\\ud800\\u202e" in page
    assert "adds\\x1b[31m" in page
    page.encode("utf-8")


def test_names_are_isolated_from_the_direction_of_the_text_around_them():
    page = render(
        selection_of(
            FeatureResult("שלום", True, KEPT, partners=("مرحبا", "b")),
            FeatureResult("", False, KEPT),
        )
    )
    for name in ("שלום", "مرحبا", "b"):
        assert f"<bdi>{name}</bdi>" in page
    assert Page(page).features[2][0] == "no name"


def test_only_the_scripts_of_the_page_run_and_no_request_is_sent(source, full):
    policy = next(value for value in full.values("content") if "default-src" in value)
    assert policy.startswith("default-src 'none'; ")
    (script,) = [text for attributes, text in full.scripts if "type" not in attributes]
    (library,) = [text for attributes, text in full.scripts if attributes.get("id") == "library"]
    texts = [script.encode(), gzip.decompress(base64.b64decode(library))]
    digests = [base64.b64encode(hashlib.sha256(text).digest()).decode() for text in texts]
    assert re.findall(r"'sha256-([^']+)'", policy) == digests
    for forbidden in ("unsafe-eval", "connect-src", "http:", "https:"):
        assert forbidden not in policy
    assert not set(full.tags) & {"link", "img", "iframe", "object", "embed", "base"}
    assert not {attribute for attribute, _ in full.attributes} & {"src", "action", "onclick", "onload"}
    for forbidden in ("http://", "https://", "url(", "javascript:"):
        assert forbidden not in source


def test_figures_are_json_in_light_and_dark(full):
    figures = [json.loads(text) for attributes, text in full.scripts if attributes.get("type") == "application/json"]
    assert len(figures) == len(KINDS)
    for figure in figures:
        assert figure["light"]["data"]
        assert figure["light"] != figure["dark"]


def test_embedded_json_cannot_end_its_element_and_reads_back():
    value = {"<!--": "</script>&\u2028\u2029\ud800"}
    written = embed_json(json.dumps(value, ensure_ascii=False))
    assert not set(written) & set("<>&\u2028\u2029")
    assert json.loads(written) == value


def test_a_page_without_charts_has_no_chart_library():
    page = render(selection_of(FeatureResult("a", False, Reason(ReasonCode.CONSTANT))))
    assert len(page) < 60_000
    assert "library" not in Page(page).values("id")


def test_the_page_of_5000_features_has_every_row_and_stays_small():
    page = render(full_selection(n_features=5000, n_selected=12))
    assert len(page.encode()) < 6_000_000 / 1.5  # names and reasons may be longer than here
    table = page[page.index('<table id="table">') : page.index('id="details"')]
    assert table.count("<tr") == 5001
    assert table.index('id="rest" hidden') > table.index("<bdi>f199</bdi>")


def test_a_saved_selection_gives_the_same_page(source):
    assert render(Selection.from_json(full_selection().to_json())) == source


def test_the_report_needs_neither_torch_pandas_nor_scikit_learn():
    program = (
        "import sys\n"
        "from minerva_select.report import render\n"
        "from minerva_select.results import Estimate, FeatureResult, Reason, ReasonCode, Selection\n"
        "half = Estimate(0.5, 0.4, 0.6, n_rows=9)\n"
        "kept = FeatureResult('a', True, Reason(ReasonCode.CONTRIBUTES), contribution_nats=0.5)\n"
        "assert 'application/json' in render(Selection('y', (kept,), half, half, n_rows=9))\n"
        "print(sorted({'torch', 'pandas', 'sklearn', 'pyarrow'} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_report_writes_the_rendered_page(tmp_path, source):
    full_selection().report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == source


def test_names_that_differ_by_white_space_are_quoted():
    one, other = (FeatureResult(name, True, KEPT) for name in ("dup", "dup "))
    page = render(selection_of(one, other, found=None))
    assert "<bdi>dup</bdi>" in page
    assert "<bdi>&#39;dup &#39;</bdi>" in page
