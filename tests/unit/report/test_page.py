"""Claims about the HTML report."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import hashlib
import itertools
import json
import math
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from full_selection import full_selection
from minerva_select.report import render
from minerva_select.report.inline import embedded
from minerva_select.report.numbers import MOST_ROWS, numbers
from minerva_select.results import (
    Estimate,
    FeatureResult,
    PairResult,
    PathPoint,
    Reason,
    ReasonCode,
    Role,
    Selection,
)
from minerva_select.text.captions import caption
from minerva_select.text.feature_order import bar_lengths, digits_for, ranked
from minerva_select.text.formatting import duration, interval, number, printable
from minerva_select.text.metadata import estimate_notes

HALF = Estimate(0.5, 0.48, 0.52, n_rows=1000)
VOID = {"meta", "input"}
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
    """Elements, attributes and headings of a page, the text of each row of each table, and its scripts."""

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
        return self.tables[-1]

    def values(self, attribute):
        return [value for name, value in self.attributes if name == attribute]


def selection_of(*features, **rest):
    return Selection("y", features, HALF, HALF, n_rows=1000, **rest)


def hostile_selection():
    """The full selection with such names for its features, and all of them in every other place that holds text."""
    every = " ".join(HOSTILE)
    copy = FeatureResult(
        every, False, Reason(ReasonCode.EQUIVALENT, (every,)), replaced_by=(every,), role=Role.SUBSTITUTE, note=every
    )
    document = json.loads(full_selection(HOSTILE).to_json()) | {
        "target": every,
        "warnings": [every],
        "settings": {every: [every, {every: every}]},
        "versions": {every: every},
        "provenance": dict.fromkeys(("created", "fingerprint", "device", "data", "command"), every) | {"n_columns": 9},
    }
    document["mutual_information"]["note"] = every
    document["features"].append(json.loads(selection_of(copy).to_json())["features"][0])
    return Selection.from_json(json.dumps(document))


@pytest.fixture(scope="module")
def source():
    return render(full_selection())


@pytest.fixture(scope="module")
def full(source):
    return Page(source)


def test_sections_come_in_the_order_a_reader_needs(full):
    assert [title for tag, title in full.headings if tag != "h3"] == [
        full.headings[0][1],
        "Look at this first",
        "What was found",
        "What each feature adds",
        "How many features are enough",
        "Who works with whom",
        "How training went",
        "How stable the answer is",
        "All features",
        "Warnings",
        "How it was made",
    ]


def test_the_heading_is_the_answer_and_headings_never_skip_a_level(full):
    assert full.headings[0][0] == "h1"
    assert full.headings[0][1].startswith("4 of 12 features carry 0.600 nats about is_fraud")
    levels = [int(tag[1]) for tag, _ in full.headings]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_every_link_leads_to_a_section_of_the_page(full):
    anchors = {f"#{value}" for value in full.values("id")}
    links = full.values("href")
    assert len(links) == 11  # the skip link and ten sections
    assert set(links) <= anchors


def test_the_answer_has_its_figures(full):
    for figure in (
        "Features kept 4 of 12",
        "0.600 nats 0.590 to 0.610 (95%) 0.866 bits",  # 0.6 / ln 2
        "98% of 0.610 nats",  # 0.60 / 0.61
        "87% of 0.693 nats",  # 0.6 / ln 2
        "90% 10 fits on 80% of the rows",
        "5,000 the fit took 12.3 s",
    ):
        assert figure in full.words


def test_the_table_has_every_feature_with_its_numbers_and_reason(full):
    head, first, *_, last = full.features
    assert head == [
        "Feature",
        "Role",
        "Adds, nats",
        "Alone, nats",
        "Repeats",
        "Works with",
        "Stand-ins",
        "Why",
    ]
    assert first == [
        "f0",
        "keptonly with others",
        "0.5000.480 to 0.520",
        "0.0000.000 to 0.001",
        "100%",
        "f1",
        "f4, f5",
        "adds 0.5 nats together with f1",
    ]
    assert full.features[5] == [
        "f4",
        "droppedstand-in",
        "0.001-0.002 to 0.004",
        "0.100",
        "10%",
        "",
        "for f0",
        "adds nothing once f0 is known",
    ]
    assert last == ["f11", "dropped", "", "0.000", "0%", "", "", "no information found"]


def test_the_page_tells_how_it_was_made(full):
    for fact in (
        "Command minerva select payments.parquet --target is_fraud",
        "Data payments.parquet",
        "Shape 5,000 rows, 13 columns",
        "Fingerprint " + "0f" * 16,
        "Seed 0",
        "Device cpu",
        "Time 12.3 s",
        "Made 2026-01-01 12:00:00 UTC",
        "solver vetting",
        "keep none",
        "python 3.11.7",
    ):
        assert fact in full.words


def test_settings_read_as_words():
    settings = {"time_limit": None, "groups": {"g": ["a", "b"]}, "verbose": True}
    page = Page(render(selection_of(settings=settings)))
    for words in ("time_limit not set", 'groups {"g": ["a", "b"]}', "verbose yes"):
        assert words in page.words


def test_warnings_are_at_the_top_three_at_most_and_all_in_their_section():
    warnings = tuple(f"Look at column {k}." for k in range(5))
    page = Page(render(selection_of(warnings=warnings)))
    assert [page.words.count(warning) for warning in warnings] == [2, 2, 2, 1, 1]
    assert "All 5 warnings" in page.words


def test_a_page_with_few_warnings_shows_them_at_the_top_without_a_link_to_more():
    page = render(selection_of(warnings=("Look at column 1.",)))
    assert Page(page).words.count("Look at column 1.") == 2
    assert page.count('href="#warnings"') == 1  # in the navigation


def test_the_kept_features_are_named_under_the_answer_and_the_rest_counted():
    page = render(full_selection(n_features=100, n_selected=20))
    names = page[page.index('<ul class="names"') : page.index('<dl class="cards"')]
    assert re.findall(r"<bdi>(.*?)</bdi>", names) == [f"f{k}" for k in range(12)]
    assert "and 8 more" in names


def test_kept_features_that_tell_the_same_are_said_to_repeat_each_other():
    twins = [
        FeatureResult(name, True, Reason(ReasonCode.CONTRIBUTES), 1.0, 0.44, adds)
        for name, adds in (("a", 0.005), ("b", 0.003))
    ]
    other = FeatureResult("c", True, Reason(ReasonCode.CONTRIBUTES), 1.0, 0.1, 0.1)
    found = Estimate(0.5, 0.48, 0.52, n_rows=100)
    selection = Selection("y", (*twins, other), found, found, n_rows=100)
    shown = (
        "repeat what other kept features tell: alone they tell 0.440 and 0.440 nats, and neither adds more than 0.005."
    )
    assert caption(selection, "contributions") == f"a and b {shown}"
    redundant = (PairResult("a", "b", -0.43, -0.44, -0.42),)
    together = dataclasses.replace(selection, pairs=redundant)
    assert caption(together, "contributions").startswith("a and b repeat each other: ")
    assert caption(together, "contributions") in Page(render(together)).words
    one = dataclasses.replace(selection, features=(twins[0], other))
    assert caption(one, "contributions") == "a repeats what others tell: alone it tells 0.440 nats, and adds 0.005."
    assert caption(full_selection(), "contributions") == ""


def test_a_path_of_one_set_is_a_sentence_in_place_of_a_chart():
    found = Estimate(0.5, 0.48, 0.52, n_rows=100)
    kept = FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES), contribution_nats=0.5)
    path = (PathPoint(1, ("a",), 0.5, 0.48, 0.52),)
    page = Page(render(Selection("y", (kept,), found, found, n_rows=100, path=path)))
    assert "Only one set was measured, 1 feature with 0.500 nats, so there is no curve to draw." in page.words
    assert page.values("role").count("img") == 1  # of contributions


def test_notes_of_estimates_are_sentences_and_repeat_no_card():
    rough = Estimate(0.5, 0.3, 0.8, n_rows=100, note="few rows")
    bound = Estimate(0.6, 0.3, 0.8, n_rows=100, note="the target's entropy in these rows is 0.693 nats")
    selection = Selection("y", (), rough, bound, n_rows=100, target_entropy=math.log(2))
    assert list(estimate_notes(selection)) == ["Few rows."]
    assert "Few rows." in Page(render(selection)).words
    unknown = dataclasses.replace(selection, target_entropy=None)
    assert list(estimate_notes(unknown)) == ["Few rows.", "The target's entropy in these rows is 0.693 nats."]


def test_an_interval_that_shows_no_more_than_its_amount_is_left_out():
    result = FeatureResult(
        "a", False, Reason(ReasonCode.CONTRIBUTES), marginal_nats=0.0001, marginal_low=0.0, marginal_high=0.0003
    )
    assert Page(render(selection_of(result))).features[1][2] == "0.000"


def test_a_fit_that_had_not_settled_says_so():
    assert "stopped before it had settled" in Page(render(selection_of(converged=False))).words


def test_every_chart_is_described_and_has_its_numbers(full):
    labels = [value for value in full.values("aria-label") if "chart" in value.lower() or "map" in value.lower()]
    assert full.values("role").count("img") == len(labels) == 5
    assert full.tags.count("details") == 5
    contributions, path, pairs, training, stability = full.tables[:-1]
    assert contributions[1] == ["f0", "0.500", "0.480 to 0.520", "0.000"]
    assert path[4] == ["f0, f1, f2, f3", "4", "0.600", "0.590 to 0.610"]
    assert pairs[1] == ["f0, f1", "0.500", "0.490 to 0.510", "synergy"]
    assert training[1] == ["learn", "200", "0.600", "0.500", "12"]  # the last record of the stage
    assert stability[2] == ["f1", "90%", "kept"]


def test_long_tables_of_numbers_are_cut_and_say_by_how_much():
    table = numbers(full_selection(n_features=60, n_selected=50), "contributions")
    assert (len(table.rows), table.n_more) == (MOST_ROWS, 12)  # 50 selected and 2 stand-ins


@pytest.mark.parametrize(
    ("selection", "absent"),
    [
        (selection_of(), "Look at this first"),
        (selection_of(FeatureResult("a", True, Reason(ReasonCode.ON_REQUEST))), "What each feature adds"),
        (selection_of(FeatureResult("a", False, Reason(ReasonCode.CONSTANT))), "Information kept"),
        (
            Selection("y", (FeatureResult("a", True, Reason(ReasonCode.SCORE), weight=0.3),), None, None, n_rows=9),
            "Together they tell",
        ),
    ],
    ids=["no feature", "no numbers", "nothing found", "a baseline"],
)
def test_parts_with_nothing_to_show_are_left_out(selection, absent):
    page = Page(render(selection))
    assert absent not in page.words
    assert len(page.features) == 1 + len(selection.features)
    assert page.open == []


def test_a_method_that_weighs_shows_weights():
    weighed = Selection("y", (FeatureResult("a", True, Reason(ReasonCode.SCORE), weight=-0.3),), None, None, n_rows=9)
    page = Page(render(weighed))
    assert page.features == [["Feature", "Role", "Weight", "Why"], ["a", "kept", "-0.300", "top"]]
    assert page.tables[0] == [["Feature", "Weight"], ["a", "-0.300"]]
    assert "How the method weighs them" in page.words
    assert "What each feature adds" not in page.words


def test_numbers_that_are_not_finite_are_left_blank():
    broken = float("nan")
    page = Page(
        render(
            selection_of(
                FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES), broken, broken, broken, broken, float("inf"))
            )
        )
    )
    assert page.features[1] == ["a", "kept", "", "", "adds"]


def test_hostile_names_are_shown_as_text(full):
    page = Page(render(hostile_selection()))
    every = " ".join(HOSTILE)
    assert set(page.tags) == set(full.tags)
    assert {attribute for attribute, _ in page.attributes} == {attribute for attribute, _ in full.attributes}
    assert len(page.scripts) == len(full.scripts)
    assert set(HOSTILE) < {row[0] for row in page.features}
    assert any(row[-1] == f"copy of {every} ({every})" for row in page.features)


def test_control_characters_and_directions_are_spelled_out():
    page = render(
        selection_of(FeatureResult("a\x00b\nc\ud800\u202e", True, Reason(ReasonCode.CONTRIBUTES), weight=1.0))
    )
    assert "a\\x00b\\nc\\ud800\\u202e" in page
    assert "adds\\x1b[31m" in page
    page.encode("utf-8")


def test_names_are_kept_apart_from_the_direction_of_the_text_around_them():
    page = render(
        selection_of(
            FeatureResult("שלום", True, Reason(ReasonCode.CONTRIBUTES), partners=("مرحبا", "b")),
            FeatureResult("", False, Reason(ReasonCode.CONTRIBUTES)),
        )
    )
    for name in ("שלום", "مرحبا", "b"):
        assert f"<bdi>{name}</bdi>" in page
    assert Page(page).features[2][0] == "no name"


def test_only_the_scripts_of_the_page_may_run_and_no_request_may_leave(source, full):
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
    assert len(figures) == 5
    for figure in figures:
        assert figure["light"]["data"]
        assert figure["light"] != figure["dark"]


def test_embedded_json_cannot_end_its_element_and_reads_back():
    value = {"<!--": "</script>&\u2028\u2029\ud800"}
    written = embedded(json.dumps(value, ensure_ascii=False))
    assert not set(written) & set("<>&\u2028\u2029")
    assert json.loads(written) == value


def test_a_page_without_charts_carries_no_library():
    page = render(selection_of(FeatureResult("a", False, Reason(ReasonCode.CONSTANT))))
    assert len(page) < 60_000
    assert "library" not in Page(page).values("id")


def test_the_page_of_5000_features_has_every_row_and_stays_small():
    page = render(full_selection(n_features=5000, n_selected=12))
    assert len(page.encode()) < 6_000_000 / 1.5  # names and reasons may be longer than here
    table = page[page.index('<table id="table">') :]
    assert table.count("<tr") == 5001
    assert table.index('id="rest" hidden') > table.index("<bdi>f199</bdi>")


def test_a_saved_selection_draws_the_same_page(source):
    assert render(Selection.from_json(full_selection().to_json())) == source


def test_the_report_draws_without_torch_pandas_or_scikit_learn():
    program = (
        "import sys\n"
        "from minerva_select.report import render\n"
        "from minerva_select.results import Estimate, FeatureResult, Selection\n"
        "half = Estimate(0.5, 0.4, 0.6, n_rows=9)\n"
        "kept = FeatureResult('a', True, 'adds', contribution_nats=0.5)\n"
        "assert 'application/json' in render(Selection('y', (kept,), half, half, n_rows=9))\n"
        "print(sorted({'torch', 'pandas', 'sklearn', 'pyarrow'} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_report_writes_the_page_whole(tmp_path, source):
    full_selection().report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == source


def test_a_dropped_copy_ranks_above_dropped_noise_and_weights_decide_when_nothing_was_measured():
    noise = FeatureResult("noise", False, Reason(ReasonCode.CONTRIBUTES), contribution_nats=0.001, marginal_nats=0.0)
    copy = FeatureResult("copy", False, Reason(ReasonCode.CONTRIBUTES), marginal_nats=0.3)
    assert [result.feature for result in ranked([noise, copy])] == ["copy", "noise"]
    light, heavy = (
        FeatureResult("light", True, Reason(ReasonCode.CONTRIBUTES), weight=0.1),
        FeatureResult("heavy", True, Reason(ReasonCode.CONTRIBUTES), weight=-0.7),
    )
    assert [result.feature for result in ranked([light, heavy])] == ["heavy", "light"]


def test_bars_are_of_contributions_or_else_of_weights():
    assert bar_lengths(
        [
            FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES), 1.0, contribution_nats=0.2),
            FeatureResult("b", True, Reason(ReasonCode.CONTRIBUTES), 1.0),
        ]
    ) == {
        "a": 1.0,
        "b": 0.0,
    }
    assert bar_lengths(
        [
            FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES), -0.5),
            FeatureResult("b", True, Reason(ReasonCode.CONTRIBUTES), 0.25),
        ]
    ) == {"a": 1.0, "b": 0.5}
    assert bar_lengths([FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES), contribution_nats=-0.1)]) == {"a": 0.0}


@pytest.mark.parametrize(("nats", "digits"), [(0.0, 3), (2.0, 3), (0.5, 3), (0.05, 4), (0.0093, 5), (1e-9, 6)])
def test_three_figures_are_left_of_the_information(nats, digits):
    estimate = Estimate(nats, nats, nats, n_rows=10)
    assert digits_for(Selection("y", (), estimate, estimate, n_rows=10)) == digits


def test_numbers_and_times_read_well():
    assert [number(value) for value in (-0.0004, 1234.5, float("nan"))] == ["0.000", "1,234.500", "–"]
    assert interval(0.1, float("inf")) == ""
    assert [duration(seconds) for seconds in (0.04, 59.94, 60.0, 3599.6)] == [
        "0.0 s",
        "59.9 s",
        "1 min 0 s",
        "1 h 0 min",
    ]
    assert len(printable("x" * 999, limit=60)) == 60


def test_names_with_white_space_at_an_end_are_quoted_to_tell_them_apart():
    assert [printable(name) for name in ("dup", "dup ", " dup", "\u00a0", "d p", "dup\n", "")] == [
        "dup",
        "'dup '",
        "' dup'",
        "'\u00a0'",
        "d p",
        r"dup\n",
        "",
    ]
    assert printable(" " + "x" * 99, limit=9) == "' xx…xxx'"
    one, other = (FeatureResult(name, True, Reason(ReasonCode.CONTRIBUTES)) for name in ("dup", "dup "))
    page = render(Selection("y", (one, other), None, None, n_rows=10))
    assert "<bdi>dup</bdi>" in page
    assert "<bdi>&#39;dup &#39;</bdi>" in page
