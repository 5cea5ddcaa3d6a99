"""The page of one or several comparisons."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import html
import re
from html.parser import HTMLParser

import pytest

from minerva_select.codes import FailureCode
from minerva_select.evaluation.downstream import Score
from minerva_select.evaluation.failures import Failure
from minerva_select.evaluation.leaderboard import Comparison, MethodResult, SplitValues
from minerva_select.report.comparison_page import ROWS_SHOWN, render_comparisons
from minerva_select.results import Estimate

HOSTILE = "</table><script>alert(1)</script>"


class Tables(HTMLParser):
    """Tables of a page, as rows of texts."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tables, self._in_cell = [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in {"td", "th"}:
            self.tables[-1][-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag):
        self._in_cell &= tag not in {"td", "th"}

    def handle_data(self, data):
        if self._in_cell:
            self.tables[-1][-1][-1] += data.strip()


def method(name, scores, kept=("a",), nats=0.1):
    mean = sum(scores) / len(scores)
    return MethodResult(
        name,
        name.upper(),
        (tuple(kept),) * len(scores),
        Estimate(nats, nats - 0.02, nats + 0.02, n_rows=100),
        Score("R2", mean, mean - 0.1, mean + 0.1),
        3.0,
        by_split=tuple(SplitValues(nats, score) for score in scores),
    )


def comparison(name="data.csv", n_features=3, **changes):
    features = ("a", HOSTILE, *(f"f{k}" for k in range(n_features - 2)))
    failed = MethodResult("boruta", "Boruta", (None, None), failures=(Failure(FailureCode.OUT_OF_TIME, seconds=300.0),))
    return Comparison(
        **{
            "target": "y",
            "features": features,
            "n_rows": 300,
            "n_held_out": 100,
            "metric": "R2",
            "results": (method("minerva", (0.8, 0.9)), method("ksg", (0.7, 0.9), (HOSTILE,), nats=0.08), failed),
            "all_features": method("all", (0.9, 0.9), features),
            "settings": {"data": f"folder/{name}"},
            **changes,
        }
    )


def test_the_table_of_methods_has_values_intervals_and_differences():
    methods = Tables(render_comparisons([comparison()])).tables[0]
    rows = {row[0]: row for row in methods}
    assert list(rows) == ["Method", "MINERVA", "KSG", "Boruta", "ALL"]
    assert rows["MINERVA"][3:6] == ["0.100 (0.080 to 0.120)", "", "0.850 (0.750 to 0.950)"]
    assert rows["KSG"][4] == "-20.0% (-20.0% to -20.0%)"  # in both splits the same
    assert rows["KSG"][6].startswith("-0.050 (")
    assert rows["Boruta"][1:] == ["–"] * 7


def test_intervals_are_drawn_on_a_common_axis():
    page = render_comparisons([comparison()])
    lefts, widths = zip(*re.findall(r'<i style="left:([\d.]+)%;width:([\d.]+)%">', page), strict=True)
    assert min(map(float, lefts)) == 0.0
    assert max(float(left) + float(width) for left, width in zip(lefts, widths, strict=True)) == pytest.approx(
        100, abs=0.2
    )


def test_hostile_names_are_text_and_only_the_own_script_runs():
    page = render_comparisons([comparison(name=HOSTILE, target=HOSTILE)])
    assert "<script>alert" not in page
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html.unescape(page)
    assert "https:" not in page


def test_the_features_that_do_not_fit_are_folded():
    page = render_comparisons([comparison(n_features=ROWS_SHOWN + 7)])
    assert "7 more features" in page
    _, shown, folded, _ = Tables(page).tables
    assert (len(shown), len(folded)) == (1 + ROWS_SHOWN, 1 + 7)


def test_several_tables_have_an_overview_with_the_mean_of_the_differences():
    worse = comparison("b.csv", results=(method("minerva", (0.8, 0.9)), method("ksg", (0.4, 0.6), nats=0.05)))
    information, score, *_ = Tables(render_comparisons([comparison("a.csv"), worse])).tables
    assert information[0] == ["Method", "a.csv", "b.csv", "Mean (95%)"]
    assert [cell.split(" ")[0] for cell in information[1]] == ["KSG", "-20.0%", "-50.0%", "-35.0%"]
    assert [cell.split(" ")[0] for cell in score[1]] == ["KSG", "-0.050", "-0.350", "-0.200"]


def test_scores_of_different_metrics_have_no_mean():
    other = dataclasses.replace(comparison("b.csv"), metric="ROC-AUC")
    _, score, *_ = Tables(render_comparisons([comparison("a.csv"), other])).tables
    assert score[1][-1] == "–"


def test_comparisons_without_any_answer_or_of_one_method_are_rendered():
    failed = comparison().results[2]
    for results in ((failed,), (), comparison().results[:1]):
        assert "<h1>" in render_comparisons([comparison(results=results)])
