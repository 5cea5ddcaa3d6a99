"""Claims about the HTML report."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser

import pytest

from minerva.report import render
from minerva.report.ranking import digits_for, ranked, shares
from minerva.report.text import amount, duration, interval, printable
from minerva.results import Estimate, FeatureResult, PathPoint, Selection

HALF = Estimate(0.5, 0.48, 0.52, n_rows=1000)
VOID = {"meta"}


class Page(HTMLParser):
    """The text of each table row, and every tag and attribute that a page has."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.open, self.rows, self.text = set(), [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)
        if self.open and {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def selection_of(*features, **rest):
    return Selection("y", features, HALF, HALF, n_rows=1000, **rest)


FULL = selection_of(
    FeatureResult("flat", False, "constant"),
    FeatureResult("a", True, "adds 0.400 nats", 1.0, 0.001, 0.4, 0.38, 0.42, ("b",), ("c",)),
    FeatureResult("b", True, "adds 0.200 nats", 1.0, 0.002, 0.2, 0.18, 0.22),
    target_entropy=1.0,
    path=(PathPoint(2, ("a", "b"), 0.5, 0.48, 0.52), PathPoint(1, ("a",), 0.1, 0.08, 0.12)),
    warnings=("Column 'flat' is constant.",),
    seconds=83.2,
    settings={"solver": "vetting", "keep": [], "time_limit": None, "groups": {"g": ["a", "b"]}, "verbose": True},
    versions={"minerva": "0.1.0"},
)


def test_the_table_has_every_feature_with_its_numbers_and_reason():
    page = Page(render(FULL))
    assert page.rows[1] == ["a", "kept", "0.400", "0.380 to 0.420", "", "0.001", "b", "c", "adds 0.400 nats"]
    assert page.rows[2] == ["b", "kept", "0.200", "0.180 to 0.220", "", "0.002", "", "", "adds 0.200 nats"]
    assert page.rows[3] == ["flat", "dropped", "–", "", "", "–", "", "", "constant"]
    bars = [value for name, value in page.attributes if name == "style"]
    assert bars[:2] == ["width:100.0%", "width:50.0%"]


def test_the_page_tells_headline_figures_warnings_path_settings_and_time():
    page = Page(render(FULL))
    text = " ".join(" ".join(page.text).split())
    for words in (
        "2 of 3 features carry 0.500 nats about y, 100% of what all features carry.",
        "0.721 bits",  # 0.5 / ln 2
        "50% of it explained",
        "Column 'flat' is constant.",
        "Information as features are left out",
        "in 1 min 23 s",
        "time_limit not set",
        "keep none",
        "verbose yes",
        'groups {"g": ["a", "b"]}',
        "minerva 0.1.0",
    ):
        assert words in text
    assert page.rows[-1] == ["1", "0.100", "0.080 to 0.120", "", "a"]


def test_parts_with_nothing_to_show_are_left_out():
    page = render(selection_of(FeatureResult("a", True, "kept on request")))
    assert Page(page).rows == [["Feature", "", "Why"], ["a", "kept", "kept on request"]]
    for words in ("To know", "left out", "Settings", "Versions", "Entropy"):
        assert words not in page


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</table></style>",
        "{{ 7 * 7 }}",
        "&amp;",
        "'",
        "a]]>b",
    ],
)
def test_hostile_names_are_shown_as_text(name):
    hostile = Selection(
        name,
        (FeatureResult(name, True, f"copy of {name}", contribution_nats=0.5, partners=(name,), stand_ins=(name,)),),
        Estimate(0.5, 0.48, 0.52, n_rows=1000, note=name),
        HALF,
        n_rows=1000,
        path=(PathPoint(1, (name,), 0.5, 0.48, 0.52),),
        warnings=(name,),
        settings={name: name},
        versions={name: name},
    )
    page = Page(render(hostile))
    plain = Page(render(FULL))
    assert page.tags <= plain.tags
    assert {attribute for attribute, _ in page.attributes} == {attribute for attribute, _ in plain.attributes}
    assert page.rows[1][0] == name
    assert page.rows[1][-1] == f"copy of {name}"


def test_control_characters_are_spelled_out():
    page = render(selection_of(FeatureResult("a\x00b\nc\ud800", True, "adds\x1b[31m")))
    assert "a\\x00b\\nc\\ud800" in page
    assert "adds\\x1b[31m" in page
    page.encode("utf-8")


def test_the_page_asks_for_nothing_and_runs_nothing():
    page = render(FULL)
    tags = Page(page).tags
    assert not tags & {"script", "link", "img", "iframe", "object", "form"}
    assert "default-src 'none'" in page
    assert "http://" not in page
    assert "https://" not in page
    assert "url(" not in page


@pytest.mark.parametrize("n_features", [0, 1, 5000])
def test_any_number_of_features_is_drawn(n_features):
    features = (FeatureResult(f"f{i}", False, "weight fell to zero", marginal_nats=0.0) for i in range(n_features))
    page = Page(render(selection_of(*features)))
    assert len(page.rows) == n_features + 1
    assert page.open == []


def test_numbers_that_are_not_finite_are_dashes():
    broken = float("nan")
    page = Page(render(selection_of(FeatureResult("a", True, "adds", broken, broken, broken, broken, float("inf")))))
    assert page.rows[1] == ["a", "kept", "–", "", "", "–", "adds"]


def test_a_saved_selection_draws_the_same_page():
    assert render(Selection.from_json(FULL.to_json())) == render(FULL)


def test_the_report_draws_without_torch_pandas_or_scikit_learn():
    program = (
        "import sys\n"
        "from minerva.report import render\n"
        "from minerva.results import Estimate, FeatureResult, Selection\n"
        "half = Estimate(0.5, 0.4, 0.6, n_rows=9)\n"
        "assert 'kept' in render(Selection('y', (FeatureResult('a', True, 'adds'),), half, half, n_rows=9))\n"
        "print(sorted({'torch', 'pandas', 'sklearn', 'pyarrow'} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_report_writes_the_page_whole(tmp_path):
    FULL.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == render(FULL)


def test_a_dropped_copy_ranks_above_dropped_noise_and_weights_decide_when_nothing_was_measured():
    noise = FeatureResult("noise", False, "", contribution_nats=0.001, marginal_nats=0.0)
    copy = FeatureResult("copy", False, "", marginal_nats=0.3)
    assert [result.feature for result in ranked([noise, copy])] == ["copy", "noise"]
    light, heavy = FeatureResult("light", True, "", weight=0.1), FeatureResult("heavy", True, "", weight=-0.7)
    assert [result.feature for result in ranked([light, heavy])] == ["heavy", "light"]


def test_bars_are_of_contributions_or_else_of_weights():
    assert shares([FeatureResult("a", True, "", 1.0, contribution_nats=0.2), FeatureResult("b", True, "", 1.0)]) == {
        "a": 1.0,
        "b": 0.0,
    }
    assert shares([FeatureResult("a", True, "", -0.5), FeatureResult("b", True, "", 0.25)]) == {"a": 1.0, "b": 0.5}
    assert shares([FeatureResult("a", True, "", contribution_nats=-0.1)]) == {"a": 0.0}


@pytest.mark.parametrize(("nats", "digits"), [(0.0, 3), (2.0, 3), (0.5, 3), (0.05, 4), (0.0093, 5), (1e-9, 6)])
def test_three_figures_are_left_of_the_information(nats, digits):
    estimate = Estimate(nats, nats, nats, n_rows=10)
    assert digits_for(Selection("y", (), estimate, estimate, n_rows=10)) == digits


def test_numbers_and_times_read_well():
    assert [amount(value) for value in (-0.0004, 1234.5, float("nan"))] == ["0.000", "1,234.500", "–"]
    assert interval(0.1, float("inf")) == ""
    assert [duration(seconds) for seconds in (0.04, 59.94, 60.0, 3599.6)] == [
        "0.0 s",
        "59.9 s",
        "1 min 0 s",
        "1 h 0 min",
    ]
    assert len(printable("x" * 999, limit=60)) == 60
