"""Figures: first their data, then what is drawn."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest

from full_selection import full_selection, supported_selection
from minerva_select.errors import InputError, MissingPackageError
from minerva_select.report import figures
from minerva_select.report.figures import contributions, pairs, path, stability, style, training, weights
from minerva_select.report.figures.theme import mix_colors, text_color
from minerva_select.results import (
    FeatureResult,
    PairResult,
    PathPoint,
    Reason,
    ReasonCode,
    Role,
    Selection,
    TrainingRecord,
    WeightRecord,
)
from minerva_select.text import tooltips

HOSTILE = [
    "<script>alert(1)</script>",
    '<a href="javascript:alert(1)">x</a>',
    r"$\alpha$ and $b$",
    "x" * 150 + "1" + "y" * 149,
    "x" * 150 + "2" + "y" * 149,
    "🦊 fox",
    "שלום 42",
    "two\nlines",
    "",
    "%{y} &amp; <b>",
    "漢字" * 30,
    "\u202eoverride\x00",
]
FULL = full_selection()
BARE = Selection("y", (), mutual_information=None, total_information=None, n_rows=10)


def strings_of(value):
    """All strings of a figure that plotly may interpret as markup."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in {"texttemplate", "family"}:
                yield from strings_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_of(inner)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("kind", figures.KINDS)
@pytest.mark.parametrize("n_selected", [2, 4, 60])
@pytest.mark.parametrize("dark", [False, True])
def test_every_kind_is_drawn_at_any_size(kind, n_selected, dark):
    selection = full_selection(n_features=3 * n_selected, n_selected=n_selected)
    assert figures.has(selection, kind)
    drawn = figures.figure(selection, kind, dark=dark)
    json.loads(drawn.to_json())
    assert drawn.layout.paper_bgcolor == drawn.layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert drawn.layout.width is None


@pytest.mark.parametrize("kind", figures.KINDS)
def test_a_selection_without_data_has_no_figure(kind):
    assert not figures.has(BARE, kind)
    with pytest.raises(InputError, match=f"'{kind}'.*available: none"):
        figures.figure(BARE, kind)


def test_an_unknown_kind_is_refused_with_the_nearest_one():
    with pytest.raises(InputError, match=r"'contribution'.*'contributions'"):
        figures.figure(FULL, "contribution")


def test_without_plotly_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(MissingPackageError, match="pip install plotly"):
        figures.figure(FULL, "path")
    assert figures.has(FULL, "path")


def test_figures_need_neither_torch_nor_pandas():
    program = (
        "import sys\n"
        "from minerva_select.report.figures import figure\n"
        "from minerva_select.results import FeatureResult, Reason, ReasonCode, Selection\n"
        "kept = FeatureResult('a', True, Reason(ReasonCode.SCORE), weight=1.0)\n"
        "figure(Selection('y', (kept,), None, None, n_rows=9), 'contributions')\n"
        "print(sorted({'torch', 'pandas', 'sklearn', 'pyarrow'} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("kind", figures.KINDS)
def test_hostile_names_are_drawn_as_text(kind):
    selection = dataclasses.replace(
        full_selection(HOSTILE, n_features=20, n_selected=12), target=HOSTILE[0], target_entropy=0.69
    )
    drawn = json.loads(figures.figure(selection, kind).to_json())
    texts = list(strings_of(drawn))
    assert any("script" in text for text in texts)
    for text in texts:
        left = re.sub(r'</?b>|<br>|<span style="color:#[0-9a-f]{6}">|</span>', "", text)
        assert not re.search(r"[<>$]|%\{", left), text
        assert "\n" not in text
        assert "\x00" not in text
        assert "\u202e" not in text


def test_names_with_the_same_short_form_have_their_own_rows():
    drawn = figures.figure(full_selection(HOSTILE, n_features=20, n_selected=12), "contributions")
    axis = drawn.layout.yaxis
    assert axis.ticktext[3] == axis.ticktext[4] == "x" * 22 + "…" + "y" * 21
    narrow = drawn.layout.meta["narrow"]["yaxis"]["ticktext"]
    assert narrow[3] == narrow[4] == "x" * 10 + "…" + "y" * 9
    assert list(axis.tickvals) == list(range(14))
    places = [place for trace in drawn.data if trace.type == "bar" and trace.base is None for place in trace.y]
    assert sorted(places) == list(range(14))


def test_labels_are_cut_and_wide_characters_count_twice():
    assert style.shorten_name("漢" * 30, width=20).count("漢") == 9
    assert style.shorten_name("漢" * 10, width=20) == "漢" * 10
    assert style.shorten_name("  ") == "'  '"


def test_bars_have_the_selected_features_by_contribution_then_the_substitutes():
    data = contributions.read(FULL)
    # The made-up features add 0.5 / (k + 1) nats, plus or minus 0.02; f4 and f5 are substitutes with 0.1 nats alone.
    assert [bar.result.feature for bar in data.bars] == ["f0", "f1", "f2", "f3", "f4", "f5"]
    assert [round(bar.length, 3) for bar in data.bars] == [0.5, 0.25, 0.167, 0.125, 0.001, 0.001]
    assert (data.bars[1].low, data.bars[1].high) == pytest.approx((0.23, 0.27))
    assert [round(bar.marginal, 3) for bar in data.bars] == [0.0, 0.0, 0.133, 0.1, 0.1, 0.1]
    assert (data.n_selected_left_out, data.n_substitutes_left_out) == (0, 0)


def test_bars_have_intervals_the_color_of_their_role_and_a_ring_at_the_marginal_information():
    drawn = figures.figure(FULL, "contributions")
    bars = {trace.marker.color: trace for trace in drawn.data if trace.type == "bar" and trace.base is None}
    assert list(bars) == [figures.LIGHT.alone, figures.LIGHT.together, figures.LIGHT.substitute]
    assert bars[figures.LIGHT.together].error_x.array == pytest.approx((0.02, 0.02))
    assert bars[figures.LIGHT.together].y == (0, 1)
    (rings,) = (trace for trace in drawn.data if trace.type == "scatter" and trace.mode == "markers")
    assert rings.x == pytest.approx((0.0, 0.0, 0.4 / 3, 0.1, 0.1, 0.1))
    assert drawn.layout.yaxis2.ticktext == ("+0.500", "+0.250", "+0.167", "+0.125", "+0.001", "+0.001")


@pytest.mark.parametrize("dark", [False, True])
def test_supporting_features_are_hatched_and_the_legend_says_so(dark):
    drawn = figures.figure(supported_selection(), "contributions", dark=dark)
    hatched = [trace for trace in drawn.data if trace.type == "bar" and trace.marker.pattern.shape]
    assert [(trace.y, trace.showlegend) for trace in hatched] == [((4, 5), False), ((None,), None)]
    assert hatched[-1].name == tooltips.SUPPORTING
    assert [label.startswith("<i>") for label in drawn.layout.yaxis.ticktext] == [
        *[False] * 4,
        True,
        True,
        False,
        False,
    ]
    shown = [trace.name for trace in drawn.data if trace.showlegend is not False]
    assert len(shown) == len(set(shown))
    assert not any(
        trace.marker.pattern.shape for trace in figures.figure(FULL, "contributions").data if trace.type == "bar"
    )


def test_the_color_of_a_role_is_in_the_legend_if_all_its_features_are_supporting():
    feature = FeatureResult("a", True, Reason(ReasonCode.SUPPORTING), contribution_nats=0.1, role=Role.ALONE)
    drawn = figures.figure(dataclasses.replace(BARE, features=(feature,)), "contributions")
    assert [trace.name for trace in drawn.data if trace.showlegend is not False] == [
        tooltips.role_label(Role.ALONE),
        tooltips.SUPPORTING,
    ]


def test_information_that_others_carry_too_is_pale_from_the_end_of_the_bar_to_the_ring():
    twins = [
        FeatureResult(name, True, Reason(ReasonCode.CONTRIBUTES), 1.0, 0.44, 0.005, 0.002, 0.007, role=Role.ALONE)
        for name in ("a", "b")
    ]
    drawn = figures.figure(dataclasses.replace(BARE, features=twins), "contributions")
    (pale,) = (trace for trace in drawn.data if trace.type == "bar" and trace.base is not None)
    assert pale.y == (0, 1)
    assert pale.base == (0.005, 0.005)
    assert pale.x == pytest.approx((0.435, 0.435))
    assert set(pale.marker.color) == {"rgba(0, 114, 178, 0.28)"}


def test_of_many_features_the_largest_are_drawn_and_the_others_counted():
    selection = full_selection(n_features=100, n_selected=60)
    data = contributions.read(selection)
    assert [bar.result.feature for bar in data.bars] == [f"f{k}" for k in range(40)]
    assert (data.n_selected_left_out, data.n_substitutes_left_out) == (20, 2)
    note = figures.figure(selection, "contributions").layout.title.text
    assert "20 selected" in note
    assert "2 substitutes" in note


def test_weights_are_drawn_if_contributions_were_not_measured():
    heavy, light = (
        FeatureResult("heavy", True, Reason(ReasonCode.CONTRIBUTES), weight=0.7),
        FeatureResult("light", True, Reason(ReasonCode.CONTRIBUTES), weight=0.1),
    )
    selection = dataclasses.replace(
        BARE, features=(light, heavy, FeatureResult("none", False, Reason(ReasonCode.CONTRIBUTES)))
    )
    assert [(bar.result.feature, bar.length) for bar in contributions.read(selection).bars] == [
        ("heavy", 0.7),
        ("light", 0.1),
    ]
    drawn = figures.figure(selection, "contributions")
    assert drawn.layout.xaxis.title.text == "Weight"
    assert drawn.data[0].error_x.array is None


def test_numbers_that_are_not_finite_are_not_drawn():
    broken = float("nan")
    feature = FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES), 1.0, broken, 0.4, broken, float("inf"))
    other = FeatureResult("b", True, Reason(ReasonCode.CONTRIBUTES), 1.0, contribution_nats=broken)
    selection = dataclasses.replace(
        BARE,
        features=(feature, other),
        path=(
            PathPoint(1, ("a",), 0.4, broken, broken),
            PathPoint(2, ("a", "b"), broken, 0, 0),
            PathPoint(3, ("a", "b", "c"), 0.5, 0.4, 0.6),
        ),
        history=(TrainingRecord("learn", 1, broken, float("inf")), TrainingRecord("learn", 2, 0.1, 0.1)),
        pairs=(PairResult("a", "b", broken, 0, 0),),
    )
    bars = contributions.read(selection).bars
    assert [(bar.length, bar.low, bar.high, bar.marginal) for bar in bars] == [
        (0.4, None, None, None),
        (0, None, None, None),
    ]
    assert [(point.nats, point.low, point.high) for point in path.read(selection).points] == [
        (0.4, 0.4, 0.4),
        (0.5, 0.4, 0.6),
    ]
    assert pairs.read(selection) is None
    for kind in ("contributions", "path", "training"):
        json.loads(figures.figure(selection, kind).to_json(), parse_constant=pytest.fail)


def test_the_path_starts_with_the_smallest_set_and_knows_which_feature_was_removed():
    data = path.read(FULL)
    assert [point.n_features for point in data.points] == [1, 2, 3, 4, 5, 6, 7]
    assert [point.removed for point in data.points] == [("f1",), ("f2",), ("f3",), ("f4",), ("f5",), ("f6",), ()]
    assert [point.n_features for point in data.points if point.selected] == [4]
    assert data.entropy == math.log(2)


def test_the_selection_is_marked_with_its_numbers_and_the_entropy_is_a_line():
    drawn = figures.figure(FULL, "path")
    assert (drawn.data[-1].x, drawn.data[-1].y) == ((4,), (0.6,))
    selected, entropy = [annotation.text for annotation in drawn.layout.annotations]
    assert "4 features" in selected
    assert "0.600 nats" in selected
    assert "0.693 nats" in entropy
    dashed = [shape for shape in drawn.layout.shapes if shape.line.dash == "dash"]
    assert [(shape.y0, shape.y1) for shape in dashed] == [(math.log(2), math.log(2))]
    assert "without f4" in drawn.data[1].hovertext[3]


def test_all_columns_are_the_last_point_of_the_path_if_they_were_measured():
    data = path.read(supported_selection())
    assert (data.all_columns.n_features, data.all_columns.nats) == (15, 0.2075)
    drawn = figures.figure(supported_selection(), "path")
    assert (drawn.data[-1].x, drawn.data[-1].y) == ((15,), (0.2075,))
    assert any("all 15 columns" in annotation.text for annotation in drawn.layout.annotations)
    assert path.read(FULL).all_columns is None  # in version 0.1 the total was not of all columns


def test_many_columns_do_not_squeeze_the_path():
    more = tuple(FeatureResult(f"g{k}", False, Reason(ReasonCode.NOISE)) for k in range(85))
    selection = supported_selection()
    assert not path.read(selection).is_long  # 15 columns, 7 of them on the path
    assert path.read(dataclasses.replace(selection, features=selection.features + more)).is_long


def test_another_set_of_the_same_size_is_not_the_selection():
    points = (PathPoint(2, ("a", "b"), 0.5, 0.4, 0.6), PathPoint(1, ("b",), 0.2, 0.1, 0.3))
    selection = dataclasses.replace(
        BARE, features=(FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES)),), path=points
    )
    assert path.read(selection).selected is None
    figures.figure(selection, "path")


def test_a_path_needs_two_sets():
    point = PathPoint(1, ("a",), 0.5, 0.4, 0.6)
    selection = dataclasses.replace(
        BARE, features=(FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES)),), path=(point,)
    )
    assert not figures.has(selection, "path")
    with pytest.raises(InputError, match="two sets"):
        figures.figure(selection, "path")


@pytest.mark.parametrize(("n_selected", "side"), [(1, "right"), (4, "left")])
def test_the_label_of_the_entropy_is_on_the_other_side_than_the_selection(n_selected, side):
    points = tuple(PathPoint(size, tuple("abcd"[:size]), 0.17 * size, 0.1, 0.69) for size in range(1, 5))
    kept = tuple(FeatureResult(name, True, Reason(ReasonCode.CONTRIBUTES)) for name in "abcd"[:n_selected])
    selection = dataclasses.replace(BARE, features=kept, path=points, target_entropy=math.log(2))
    selected, entropy = figures.figure(selection, "path").layout.annotations
    assert entropy.xanchor == side != selected.xanchor
    assert entropy.yshift >= 15 / 2 - 1  # half of the marker is above the line


def test_an_entropy_far_above_the_path_is_written_but_not_drawn():
    points = tuple(PathPoint(size, tuple("ab"[:size]), 0.001 * size, 0, 0.002 * size) for size in (1, 2))
    drawn = figures.figure(dataclasses.replace(BARE, path=points, target_entropy=0.5), "path")
    assert drawn.layout.yaxis.range[1] < 0.005
    assert "0.500 nats" in drawn.layout.annotations[0].text
    assert not drawn.layout.shapes


def test_the_label_of_a_selection_near_zero_is_above_it():
    points = tuple(PathPoint(size, tuple("ab"[:size]), nats, nats, nats) for size, nats in ((1, 0.01), (2, 0.02)))
    kept = (
        FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES)),
        FeatureResult("b", True, Reason(ReasonCode.CONTRIBUTES)),
    )
    selection = dataclasses.replace(BARE, features=kept, path=points, target_entropy=0.04)
    low = dataclasses.replace(selection, features=kept[:1], path=(*points, PathPoint(3, ("c",), 0.2, 0.2, 0.2)))
    assert figures.figure(selection, "path").layout.annotations[0].y == 0
    assert figures.figure(low, "path").layout.annotations[0].y == 0.01


def test_a_long_path_has_a_logarithmic_axis():
    points = tuple(PathPoint(size, tuple(f"f{k}" for k in range(size)), 0.1, 0.1, 0.1) for size in (1000, 100, 10, 1))
    selected = tuple(FeatureResult(f"f{k}", True, Reason(ReasonCode.CONTRIBUTES)) for k in range(10))
    drawn = figures.figure(dataclasses.replace(BARE, features=selected, path=points), "path")
    assert drawn.layout.xaxis.type == "log"
    assert drawn.layout.annotations[0].x == pytest.approx(1.0)  # 10 features: annotations are placed by exponents


def test_pairs_are_symmetric_with_an_empty_diagonal_and_zero_in_the_middle():
    data = pairs.read(FULL)
    matrix = np.array(data.nats, dtype=float)
    assert data.features == ("f0", "f1", "f2", "f3")
    np.testing.assert_array_equal(matrix, matrix.T)
    assert np.isnan(np.diag(matrix)).all()
    # The first pair is synergy of 0.5 nats; the k-th one after it redundancy of 0.05 / k.
    assert matrix[0, 1] == 0.5
    assert matrix[2, 3] == pytest.approx(-0.01)
    cells = figures.figure(FULL, "pairs").data[0]
    assert (cells.zmin, cells.zmid, cells.zmax) == (-0.5, 0, 0.5)


def test_of_many_pairs_the_features_of_the_strongest_are_shown_strongest_first():
    found = tuple(PairResult(f"f{k}", f"g{k}", (-1) ** k * k / 100, 0, 0) for k in range(40))
    data = pairs.read(dataclasses.replace(BARE, pairs=found))
    assert data.features[:4] == ("f39", "g39", "f38", "g38")
    assert len(data.features) == 30
    assert data.n_left_out == 50
    assert data.nats[0][1] == data.nats[1][0] == -0.39
    assert data.nats[0][2] is None  # not measured is not zero


def test_weak_interactions_stay_pale():
    found = dataclasses.replace(FULL, pairs=(PairResult("f0", "f1", 0.001, -0.01, 0.01),))
    assert pairs.read(found).color_range == pytest.approx(0.02 * 0.6)  # of the information found
    assert pairs.read(FULL).color_range == 0.5


@pytest.mark.parametrize("theme", [figures.LIGHT, figures.DARK])
def test_values_are_readable_on_every_cell_color(theme):
    for end in (theme.redundancy, theme.synergy):
        for share in np.linspace(0, 1, 21):
            cell = mix_colors(theme.neither, end, share)
            dark, light = sorted((luminance(cell), luminance(text_color(cell))))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, cell


def test_every_column_has_its_name_and_on_a_phone_a_number_if_there_are_many():
    names = [f"merchant_category_of_payment_{k}" for k in range(9)]
    few, many = (figures.figure(full_selection(names[:n], n_selected=n), "pairs").layout for n in (4, 9))
    for drawn, n in ((few, 4), (many, 9)):
        assert len(set(drawn.xaxis.ticktext)) == n
        assert drawn.yaxis.ticktext == tuple(f"merchant_category_of_payment_{k}" for k in range(n))
    assert few.meta["narrow"]["xaxis"]["ticktext"][0] == "merchant_…ayment_0"
    assert many.meta["narrow"]["xaxis"]["ticktext"] == [str(k) for k in range(1, 10)]


def test_values_are_written_into_the_cells_if_they_fit():
    cells, values = figures.figure(FULL, "pairs").data
    assert dict(zip(zip(values.y, values.x, strict=True), values.text, strict=True))[0, 1] == "0.500"
    assert len(values.text) == np.isfinite(np.array(cells.z, dtype=float)).sum() == 12
    few, many = (figures.figure(full_selection(n_features=40, n_selected=n), "pairs") for n in (8, 30))
    assert 400 < few.layout.meta["text_from"] < 1000  # pixels; the page leaves them out if it is narrower
    assert len(many.data) == 1


def test_steps_are_counted_over_all_training_runs():
    history = [TrainingRecord("learn", 10, 0.1), TrainingRecord("learn", 20, 0.2), TrainingRecord("learn", 10, 0.3)]
    history += [TrainingRecord("vet", 15, 0.4), TrainingRecord("vet", 30, 0.5)]
    points = training.concatenate_runs(history)
    assert [point.step for point in points] == [10, 20, 30, 45, 60]
    assert [point.run for point in points] == [0, 0, 1, 2, 2]
    stages = training.read(dataclasses.replace(BARE, history=tuple(history))).stages
    assert [(stage.name, stage.start, stage.end) for stage in stages] == [("learn", 0, 30), ("vet", 30, 60)]


def test_curves_have_gaps_between_runs_and_stages_have_labels():
    drawn = figures.figure(FULL, "training")
    held_out = next(trace for trace in drawn.data if trace.name == "Held-out rows")
    assert [place for place, value in enumerate(held_out.y) if value is None] == [8, 17]
    assert [annotation.text for annotation in drawn.layout.annotations] == ["learn", "sparsify", "vet"]


def test_long_histories_are_thinned_evenly_and_keep_their_end():
    history = tuple(TrainingRecord("learn", step, 0.1) for step in range(1, 2001))
    points = training.read(dataclasses.replace(BARE, history=history)).points
    assert len(points) == 401
    assert points[-1].step == 2000
    assert {later.step - earlier.step for earlier, later in itertools.pairwise(points[:-1])} == {5}


def test_weights_of_the_selected_features_come_first():
    history = (
        WeightRecord(0, {f"f{k}": 1.0 + k for k in range(30)}),
        WeightRecord(1, {f"f{k}": 1.0 + k for k in range(20)}),
    )
    selection = dataclasses.replace(FULL, weight_history=history)
    paths = weights.read(selection).paths
    # f0 to f3 are selected, the others in the order of their weights.
    assert [line.feature for line in paths[:6]] == ["f3", "f2", "f1", "f0", "f29", "f28"]
    assert len(paths) == 20
    assert paths[0].points == ((0, 4.0), (1, 4.0))
    assert paths[4].points == ((0, 30.0),)


def test_weights_of_a_single_round_are_not_drawn():
    selection = dataclasses.replace(FULL, weight_history=FULL.weight_history[:1])
    assert weights.read(selection) is None
    drawn = figures.figure(selection, "training")
    assert not hasattr(drawn.layout, "yaxis3")
    assert drawn.layout.height < figures.figure(FULL, "training").layout.height


def test_labels_at_the_ends_of_lines_never_overlap():
    places = weights.spread([0.0, 0.01, 0.0, 0.5], gap=0.1)
    assert min(later - earlier for earlier, later in itertools.pairwise(sorted(places))) >= 0.1 - 1e-12
    assert places[3] == 0.5


def test_stability_has_features_that_any_fit_selected_most_frequent_first():
    data = stability.read(FULL)
    assert [(result.feature, round(result.frequency, 2)) for result in data.results] == [
        ("f0", 1.0),
        ("f1", 0.9),
        ("f2", 0.8),
        ("f3", 0.7),
        ("f4", 0.1),
        ("f5", 0.1),
    ]
    drawn = figures.figure(FULL, "stability")
    assert [trace.y for trace in drawn.data] == [(0, 1, 2, 3), (4, 5)]  # selected or not
    assert "9 of 10 fits (90%)" in drawn.data[0].hovertext[1]


def linear(color):
    """Convert sRGB to linear RGB, as in WCAG 2."""
    channels = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def luminance(color):
    return linear(color) @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize(
    ("theme", "papers"),
    [(figures.LIGHT, ("#ffffff", "#fbfaf7")), (figures.DARK, ("#111111", "#12161c", "#191f27"))],
)
def test_marks_have_a_contrast_of_3_and_text_of_4_5(theme, papers):
    marks = (theme.alone, theme.together, theme.substitute, theme.kept, theme.redundancy, theme.synergy)
    texts = (theme.ink, theme.soft, *theme.series)
    for paper in papers:
        for color, least in [*((mark, 3.0) for mark in marks), *((text, 4.5) for text in texts)]:
            dark, light = sorted((luminance(color), luminance(paper)))
            assert (light + 0.05) / (dark + 0.05) >= least, (color, paper)


# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB
COLOR_BLINDNESS = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


@pytest.mark.parametrize("theme", [figures.LIGHT, figures.DARK])
@pytest.mark.parametrize("kind", COLOR_BLINDNESS)
def test_roles_have_different_colors_for_color_blind_readers(theme, kind):
    seen = [
        np.clip(np.array(COLOR_BLINDNESS[kind]) @ linear(theme.of(role)), 0, 1) ** (1 / 2.2)
        for role in (Role.ALONE, Role.TOGETHER, Role.SUBSTITUTE)
    ]
    # A tenth of the distance from black to white is easy to see.
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 0.1 * math.sqrt(3)
