"""Figures of effects: small multiples, and the map of a pair."""

from __future__ import annotations

import dataclasses

import pytest

from full_selection import full_selection, made_up_effects
from minerva_select.codes import BinKind, Conversion
from minerva_select.report import figures
from minerva_select.report.figures import effect_panels, effects, pair_map
from minerva_select.results import EffectBin

FULL = full_selection()


def scatters(selection):
    """Lines and marks of the figure of effects, without bars and the legend."""
    drawn = figures.figure(selection, "effects")
    return [trace for trace in drawn.data if trace.type == "scatter" and trace.x[0] is not None]


def with_effects(n_features=4, **changes):
    selection = full_selection(n_features=2 * n_features, n_selected=n_features)
    return dataclasses.replace(selection, effects=dataclasses.replace(selection.effects, **changes))


def with_bins(bins, conversion=None):
    """A selection whose first feature has these bins, all with the same effect."""
    first = FULL.effects.features[0]
    curves = tuple(
        dataclasses.replace(curve, observed=curve.observed[:1] * len(bins), adjusted=curve.adjusted[:1] * len(bins))
        for curve in first.curves
    )
    changed = dataclasses.replace(first, bins=tuple(bins), curves=curves)
    features = (dataclasses.replace(FULL.features[0], conversion=conversion), *FULL.features[1:])
    return dataclasses.replace(
        FULL, features=features, effects=dataclasses.replace(FULL.effects, features=(changed,), pair=None)
    )


def test_each_kept_feature_has_a_panel_with_all_its_bins():
    data = effects.read(FULL)
    assert [panel.effect.feature for panel in data.panels] == list(FULL.selected)
    assert [panel.is_ordered for panel in data.panels] == [True, False, True, True]
    assert data.panels[2].places == (0.0, 1.0, 2.0, 3.6)  # missing values are apart from the numbers


def test_panels_beyond_the_most_are_counted():
    data = effects.read(with_effects(effect_panels.MOST + 3))
    assert (len(data.panels), data.n_left_out) == (effect_panels.MOST, 3)
    note = figures.figure(with_effects(effect_panels.MOST + 3), "effects").layout.title.text
    assert "3 features" in note


def test_all_panels_have_the_same_axis_for_the_target_and_rare_bins_do_not_widen_it():
    one = FULL.effects.features[0]
    rare = dataclasses.replace(one.bins[-1], share=0.001)
    changed = dataclasses.replace(one, bins=(*one.bins[:-1], rare))
    wide, narrow = (
        effects.read(dataclasses.replace(FULL, effects=dataclasses.replace(FULL.effects, features=(feature,))))
        for feature in (one, changed)
    )
    assert narrow.limits[1] < wide.limits[1]
    drawn = figures.figure(FULL, "effects").layout
    limits = list(effects.read(FULL).limits)
    assert [list(axis.range) for axis in (drawn.yaxis, drawn.xaxis2, drawn.yaxis3)] == [limits] * 3


def test_the_curve_has_the_adjusted_values_and_the_circles_the_observed_ones():
    first = [trace for trace in scatters(FULL) if trace.yaxis == "y" and len(trace.x) == 8]
    lines = [trace for trace in first if trace.mode == "lines"]
    circles = [trace for trace in first if trace.mode == "markers"]
    curve = FULL.effects.features[0].curves[0]
    assert [list(trace.y) for trace in lines] == [[point.value for point in curve.adjusted]]
    assert [list(trace.y) for trace in circles] == [[point.value for point in curve.observed]]
    assert list(circles[0].error_y.array) == pytest.approx([0.04] * 8)


def test_missing_values_are_a_mark_and_not_part_of_the_line():
    third = [trace for trace in scatters(FULL) if trace.yaxis == "y3"]
    (line,) = [trace for trace in third if trace.mode == "lines" and trace.line.dash is None and trace.fill is None]
    (mark,) = [trace for trace in third if trace.marker.symbol == "diamond"]
    assert (len(line.x), list(mark.x)) == (3, [3.6])


def test_dates_have_readable_ticks():
    day = 86_400.0
    bins = [EffectBin(BinKind.INTERVAL, 100, 0.1, 30 * k * day, (30 * k + 29) * day) for k in range(10)]
    axis = figures.figure(with_bins(bins, Conversion.DATE), "effects").layout.xaxis
    assert axis.ticktext[0] == "1970-01-01"
    assert axis.ticktext[-1] == "1970-10-27"


def test_ten_thousand_levels_are_one_bin_each_for_the_most_frequent_ones():
    bins = [EffectBin(BinKind.LEVEL, 100, 0.01, level=f"code {k}") for k in range(12)]
    bins.append(EffectBin(BinKind.OTHER, 9000, 0.9, n_levels=9988))
    drawn = figures.figure(with_bins(bins), "effects").layout
    assert drawn.yaxis.ticktext[-1] == "9,988 others"
    assert drawn.height > figures.figure(with_bins(bins[:3]), "effects").layout.height


def test_a_feature_with_one_bin_has_a_mark_instead_of_a_line():
    traces = scatters(with_bins([EffectBin(BinKind.VALUE, 5000, 1.0, 7.0, 7.0)]))
    assert [list(trace.x) for trace in traces if trace.marker.symbol == "diamond"] == [[0.0]]


def test_several_classes_have_a_line_each_and_are_in_the_legend():
    several = dataclasses.replace(FULL, effects=made_up_effects(FULL.selected, ("a", "b", "c")))
    drawn = figures.figure(several, "effects")
    names = [trace.name for trace in drawn.data if trace.showlegend is not False and trace.name]
    assert names[:3] == ["a", "b", "c"]


def test_a_mean_is_not_a_percentage():
    mean = figures.figure(with_effects(outcomes=(), overall=(0.4,)), "effects")
    assert "%" not in mean.layout.yaxis.tickformat
    assert "%" in figures.figure(FULL, "effects").layout.yaxis.tickformat


def test_a_layout_for_every_number_of_columns_places_all_panels_without_overlap():
    layouts = figures.figure(FULL, "effects").layout.meta["columns"]
    assert list(layouts) == ["1", "2", "3", "4"]
    for n_columns, layout in layouts.items():
        boxes = [(*layout[f"xaxis{end}"]["domain"], *layout[f"yaxis{end}"]["domain"]) for end in ("", "2", "3", "4")]
        assert len({left for left, *_ in boxes}) >= min(4, int(n_columns)) - 1
        for k, (left, right, bottom, top) in enumerate(boxes):
            assert 0 <= left < right <= 1
            assert 0 <= bottom < top <= 1
            for other_left, other_right, other_bottom, other_top in boxes[k + 1 :]:
                assert right <= other_left or other_right <= left or top <= other_bottom or other_top <= bottom


def test_the_map_leaves_out_cells_with_few_rows():
    data = pair_map.read(FULL)
    assert [line.count(None) for line in data.values] == [0, 0, 1, 0]
    assert data.limits == pytest.approx((0.0, 0.4))
    assert [list(line) for line in figures.figure(FULL, "pair_map").data[0].z] == [list(line) for line in data.values]


def test_a_map_without_enough_rows_in_any_cell_is_not_drawn():
    pair = FULL.effects.pair
    empty = dataclasses.replace(pair, n_rows=tuple((0, 4) for _ in pair.n_rows))
    assert not figures.has(with_effects(pair=empty), "pair_map")
    assert not figures.has(with_effects(pair=None), "pair_map")


def test_long_titles_widen_the_cells_so_that_no_title_reaches_the_next_one():
    short, long = (figures.figure(full_selection([name]), "effects").layout for name in ("f0", "a" * 40))
    assert short.meta["printed_width"] < long.meta["printed_width"] <= long.meta["cell_width"]
    classes = made_up_effects(FULL.selected, ("the first of all classes", "b", "c"))
    features = (dataclasses.replace(classes.features[0], feature="a" * 40), *classes.features[1:])
    several = dataclasses.replace(
        full_selection(["a" * 40]), effects=dataclasses.replace(classes, features=features, pair=None)
    )
    assert figures.figure(several, "effects").layout.meta["cell_width"] > long.meta["cell_width"]


def test_a_title_has_no_mark_if_the_target_does_not_certainly_change():
    titles = [annotation.text for annotation in figures.figure(FULL, "effects").layout.annotations]
    assert "↗" in titles[0]
    assert "varies" in titles[1]
    assert titles[2].endswith("></span>")
