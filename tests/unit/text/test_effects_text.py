"""Labels of bins, arrows, sparklines and captions of effects."""

from __future__ import annotations

import dataclasses

import pytest

from full_selection import full_selection, made_up_effects
from minerva_select.codes import BinKind, Conversion, EffectShape
from minerva_select.results import EffectBin, EffectCurve, EffectPoint, Effects, FeatureEffect
from minerva_select.text.captions import chart_heading, describe_chart
from minerva_select.text.chart_tables import chart_table
from minerva_select.text.effect_values import format_outcome, label_bins, label_edges
from minerva_select.text.effects import describe_effect_column, sparkline, strongest_outcome, summarize_effect

DAY = 86_400.0


def interval(low, high):
    return EffectBin(BinKind.INTERVAL, 10, 0.1, low, high)


def effect(values, shape, kind=BinKind.VALUE, adjusted=None):
    bins = tuple(
        EffectBin(kind, 10, 0.1, level=f"level {k}")
        if kind is BinKind.LEVEL
        else EffectBin(kind, 10, 0.1, float(k), float(k))
        for k in range(len(values))
    )
    observed, given = (
        tuple(EffectPoint(value, value, value) for value in points) for points in (values, adjusted or ())
    )
    return FeatureEffect("x", bins, (EffectCurve(observed, given, shape),))


def effects_of(one):
    return Effects(("1",) * len(one.curves), (0.5,) * len(one.curves), (one,), 100)


@pytest.mark.parametrize(
    ("ends", "conversion", "labels"),
    [
        ([(0.0, 9.0), (10.0, 19.0)], None, ["0 to 9", "10 to 19"]),
        ([(1990.0, 1999.0), (2000.0, 2024.0)], None, ["1990 to 1999", "2000 to 2024"]),  # years have no separator
        ([(0.0, 6847.0), (7000.0, 66653.0)], None, ["0 to 6,847", "7,000 to 66,653"]),
        ([(34.0, 34.1), (34.25, 41.0)], None, ["34.00 to 34.10", "34.25 to 41.00"]),  # all with the same digits
        ([(0.0, 2.5e6), (3e6, 9e6)], None, ["0 to 2.5M", "3M to 9M"]),
        ([(1e-5, 2e-5)], None, ["1e-05 to 2e-05"]),
        (
            [(0.0, 30 * DAY), (31 * DAY, 400 * DAY)],
            Conversion.DATE,
            ["1970-01-01 to 1970-01-31", "1970-02-01 to 1971-02-05"],
        ),
        ([(-1e12, 1e9)], Conversion.DATE, ["-29718 to 2001"]),  # before the first year of a calendar
        ([(30.0, 86_399.0)], Conversion.TIME, ["00:00 to 23:59"]),
        ([(60.0, 7200.0)], Conversion.DURATION, ["1 min to 120 min"]),
    ],
)
def test_values_are_short_and_readable(ends, conversion, labels):
    assert label_bins([interval(*pair) for pair in ends], conversion)[: len(labels)] == labels


def test_levels_rare_levels_missing_values_and_empty_names_have_labels():
    bins = [
        EffectBin(BinKind.LEVEL, 1, 0.1, level="two\nlines"),
        EffectBin(BinKind.LEVEL, 1, 0.1, level=""),
        EffectBin(BinKind.OTHER, 1, 0.1, n_levels=9988),
        EffectBin(BinKind.OTHER, 1, 0.1, n_levels=1),
        EffectBin(BinKind.MISSING, 1, 0.1),
    ]
    assert label_bins(bins) == ["two\\nlines", '""', "9,988 others", "1 other", "missing"]


def test_edges_are_the_lower_ends_and_the_last_upper_one():
    assert label_edges([interval(0.0, 9.0), interval(10.0, 19.0)]) == ["0", "10", "19"]


def test_an_infinite_or_unknown_end_is_a_dash():
    assert label_bins([interval(float("-inf"), 1.0), EffectBin(BinKind.INTERVAL, 1, 0.1)]) == ["– to 1", "–"]


def test_shares_have_the_digits_that_show_their_differences():
    assert [format_outcome(0.1234, span, is_share=True) for span in (0.5, 0.05, 0.005)] == ["12%", "12.3%", "12.34%"]
    assert format_outcome(-1e-17, 0.5, is_share=True) == "0%"
    assert format_outcome(205_197.0, 3e5, is_share=False) == "205,197"


def test_a_sparkline_follows_the_curve_given_the_other_features():
    rising, falling = [0.0, 0.25, 0.5, 0.75, 1.0], [1.0, 0.75, 0.5, 0.25, 0.0]
    assert sparkline(effect(rising, EffectShape.INCREASING), 0) == "▁▃▅▆█"
    assert sparkline(effect(rising, EffectShape.DECREASING, adjusted=falling), 0) == "█▆▅▃▁"
    assert len(sparkline(effect([*range(16)], EffectShape.INCREASING), 0)) == 8


@pytest.mark.parametrize(
    ("one", "text", "words"),
    [
        (effect([0.0, 1.0], EffectShape.INCREASING), "▁█ ↗", "rises ↗"),
        (effect([1.0, 0.0], EffectShape.DECREASING), "█▁ ↘", "falls ↘"),
        (effect([0.0, 1.0, 0.0], EffectShape.VARYING), "▁█▁", "varies"),
        (effect([0.5, 0.6], EffectShape.FLAT), "none certain", "none certain"),
        (effect([0.9, 0.1], EffectShape.VARYING, BinKind.LEVEL), "most: level 0", "most: level 0"),
        (effect([0.9], EffectShape.FLAT), "none certain", "none certain"),
    ],
)
def test_a_summary_has_an_arrow_where_the_effect_is_monotone(one, text, words):
    assert summarize_effect(effects_of(one), "x") == text
    assert summarize_effect(effects_of(one), "x", with_sparkline=False) == words


def test_features_without_an_effect_have_no_summary():
    assert summarize_effect(None, "x") == ""
    assert summarize_effect(made_up_effects(["a"]), "b") == ""


def test_of_several_classes_the_one_that_changes_most_is_named():
    flat, rising = (effect(values, EffectShape.INCREASING).curves[0] for values in ([0.5, 0.5], [0.0, 1.0]))
    both = dataclasses.replace(effect([0, 1], None), curves=(flat, rising))
    assert strongest_outcome(both) == 1
    effects = Effects(("no", "yes"), (0.5, 0.5), (both,), 100)
    assert summarize_effect(effects, "x") == "yes: ▁█ ↗"


def test_a_note_says_what_the_effects_of_a_table_are_effects_on():
    full = full_selection()
    assert describe_effect_column(full) == "Effect: share of is_fraud = 1, given the other kept features."
    several = dataclasses.replace(full, effects=made_up_effects(full.selected, ("a", "b", "c")))
    assert describe_effect_column(several).startswith("Effect: share of the named class of is_fraud")
    assert describe_effect_column(dataclasses.replace(full, effects=None)) == ""


def test_captions_name_what_is_measured():
    full = full_selection()
    assert "share of is_fraud = 1" in chart_heading(full, "effects").caption
    assert "Share of is_fraud = 1" in chart_heading(full, "pair_map").caption
    mean = dataclasses.replace(full, effects=dataclasses.replace(full.effects, outcomes=()))
    assert "mean of is_fraud" in chart_heading(mean, "effects").caption


def test_descriptions_group_features_by_shape_and_name_the_highest_cell():
    described = describe_chart(full_selection(), "effects")
    assert described.endswith("rises: f0; varies: f1; no certain change: f2 and f3.")
    # The highest value with enough rows is 0.4: missing values of f0, and the second level of f1
    assert describe_chart(full_selection(), "pair_map").endswith("40%, at missing and f1.")


def test_tables_have_a_row_per_bin_and_leave_out_cells_with_few_rows():
    effects, pairs = (chart_table(full_selection(), kind) for kind in ("effects", "pair_map"))
    assert effects.rows[0] == (("f0",), "0 to 9", "625", "30% (26% to 34%)", "31% (26% to 36%)")
    assert len(effects.rows) == 8 + 4 + 2 * 4
    assert len(pairs.rows) == 4 * 2 - 1
