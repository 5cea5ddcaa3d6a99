"""Effects of kept features, from fits of tables with known effects."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from minerva_select import MinervaSelector, Selection
from minerva_select.codes import BinKind, EffectShape, ReasonCode
from minerva_select.config import EFFECTS
from minerva_select.errors import InputError
from minerva_select.problems import equality
from minerva_select.results import FeatureResult, Reason

pytestmark = pytest.mark.usefixtures("use_small_fits")

N_ROWS = 4000
FORMULAS = {  # mean of Friedman's function over the other columns, which are uniform
    "x0": lambda x: 10 * (1 - np.cos(np.pi * x)) / (np.pi * x),
    "x1": lambda x: 10 * (1 - np.cos(np.pi * x)) / (np.pi * x),
    "x2": lambda x: 20 * (x - 0.5) ** 2,
    "x3": lambda x: 10 * x,
    "x4": lambda x: 5 * x,
}
SHAPES = {
    "x0": EffectShape.INCREASING,
    "x1": EffectShape.INCREASING,
    "x2": EffectShape.VARYING,
    "x3": EffectShape.INCREASING,
    "x4": EffectShape.INCREASING,
}


def fit(X, y, **parameters):
    keep = [name for name in X.columns if name != "noise"]  # the claims are about effects, not about the selection
    return MinervaSelector(random_state=0, keep=keep, **parameters).fit(X, y).selection_


def friedman():
    rng = np.random.default_rng(1)
    x = rng.random((N_ROWS, 5))
    y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    return pd.DataFrame(x, columns=[*FORMULAS]), y + rng.normal(size=N_ROWS)


@pytest.fixture(scope="module")
def of_friedman():
    return fit(*friedman()).effects


def expected_means(X, feature, bins):
    """Mean of the formula in each bin, with a mean of 0 over all rows."""
    values = FORMULAS[feature](X[feature].to_numpy())
    centered = values - values.mean()
    return np.array([centered[X[feature].between(one.low, one.high)].mean() for one in bins])


@pytest.mark.parametrize("feature", FORMULAS)
def test_the_shapes_of_friedmans_function_are_those_of_its_formula(of_friedman, feature):
    effect = of_friedman.of(feature)
    (curve,) = effect.curves
    expected = of_friedman.overall[0] + expected_means(friedman()[0], feature, effect.bins)
    inside = [point.low <= value <= point.high for point, value in zip(curve.adjusted, expected, strict=True)]
    # Intervals of 95% that share the errors of three models: of 16 at most four miss, and none by much
    assert sum(inside) >= 12
    assert np.abs([point.value - value for point, value in zip(curve.adjusted, expected, strict=True)]).max() < 0.8
    inside = [point.low <= value <= point.high for point, value in zip(curve.observed, expected, strict=True)]
    assert sum(inside) >= 13  # the columns are independent, so the observed means have the same shape
    # The product of x0 and x1 falls a little before the end of x1; whether that is certain depends on the rows
    assert curve.shape in {SHAPES[feature], EffectShape.VARYING if feature in {"x0", "x1"} else SHAPES[feature]}


def test_the_map_of_experiment_a_shows_the_diagonal():
    problem = equality(n_samples=N_ROWS, n_features=3, relevant=(0, 2), random_state=0)
    effects = fit(problem.X[["f0", "f2"]], problem.y).effects
    assert effects.outcomes == ("1",)
    values = np.array(effects.pair.values)
    assert values == pytest.approx(np.eye(len(values)))
    assert [effects.of(name).curves[0].shape for name in ("f0", "f2")] == [EffectShape.FLAT] * 2


def test_effects_survive_saving(of_friedman):
    selection = Selection(
        "y", tuple(FeatureResult(name, True, Reason(ReasonCode.SCORE)) for name in FORMULAS), None, None, 9
    )
    selection = dataclasses.replace(selection, effects=of_friedman)
    assert Selection.from_json(selection.to_json()) == selection


def test_files_with_effects_that_do_not_fit_together_are_refused(of_friedman):
    features = tuple(FeatureResult(name, True, Reason(ReasonCode.SCORE)) for name in FORMULAS)
    first = dataclasses.replace(of_friedman.features[0], bins=of_friedman.features[0].bins[1:])
    for broken in ({"overall": ()}, {"features": (first,)}, {"features": (dataclasses.replace(first, feature="z"),)}):
        effects = dataclasses.replace(of_friedman, **broken)
        document = Selection("y", features, None, None, 9, effects=effects).to_json()
        with pytest.raises(InputError, match="effects"):
            Selection.from_json(document)


def mixed():
    """A rate that rises with the amount, differs by country, and is higher if the date is missing."""
    rng = np.random.default_rng(2)
    amount, country = rng.exponential(size=N_ROWS), rng.choice(["NL", "IT", "FR"], N_ROWS)
    date = pd.Series(pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 500, N_ROWS), unit="D"))
    date[rng.random(N_ROWS) < 0.2] = pd.NaT
    logit = amount - 2 + (country == "NL") + 1.5 * date.isna()
    y = np.where(rng.random(N_ROWS) < 1 / (1 + np.exp(-logit)), "yes", "no")
    return pd.DataFrame({"amount": amount, "country": country, "date": date}), y


def test_numbers_levels_dates_and_missing_values_have_their_bins():
    effects = fit(*mixed()).effects
    assert effects.outcomes == ("yes",)
    assert effects.of("amount").curves[0].shape is EffectShape.INCREASING
    country, date = effects.of("country"), effects.of("date")
    assert country.bins[0].level == "NL"  # levels with the highest rate come first
    assert country.curves[0].shape is EffectShape.VARYING
    assert date.bins[-1].kind is BinKind.MISSING
    assert date.curves[0].adjusted[-1].low > date.curves[0].adjusted[0].value


def test_a_streamed_table_has_the_effects_of_the_table_in_memory():
    X, y = mixed()
    in_memory, streamed = fit(X, y).effects, fit(X, y, max_memory="1MiB").effects
    assert streamed.outcomes == in_memory.outcomes
    assert 500 < streamed.n_rows <= N_ROWS  # those that fit in memory
    for one, other in zip(in_memory.features, streamed.features, strict=True):
        assert one.feature == other.feature
        assert len(other.curves[0].adjusted) == len(other.bins)
        if one.bins == other.bins:
            assert one.curves[0].observed == other.curves[0].observed
    assert streamed.of("amount").curves[0].shape is EffectShape.INCREASING


def test_more_than_three_classes_have_the_three_that_change_most():
    rng = np.random.default_rng(0)
    x = rng.random(N_ROWS)
    y = np.where(rng.random(N_ROWS) < 0.5, (4 * x).astype(int) % 4, 4 + rng.integers(3, size=N_ROWS))
    effects = fit(pd.DataFrame({"x": x, "noise": rng.random(N_ROWS)}), np.array(list("abcdefg"))[y]).effects
    assert len(effects.outcomes) == EFFECTS.max_outcomes
    assert {*effects.outcomes} <= {*"abcd"}
    assert all(len(effect.curves) == EFFECTS.max_outcomes for effect in effects.features)


def test_effects_on_a_rare_class_are_as_large_on_drawn_rows_as_on_all(monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.random((10_000, 2))
    y = rng.random(len(x)) < 0.02 + 0.16 * x[:, 0] ** 2
    few = dataclasses.replace(EFFECTS, max_predictions=9_000)  # 750 of the 5,000 held-out rows of each fold
    monkeypatch.setattr("minerva_select.selectors.effects.EFFECTS", few)
    curve = fit(pd.DataFrame(x, columns=["a", "b"]), y).effects.of("a").curves[0]
    # The columns are independent. Half of the drawn rows have the class: unweighted, they would give a rise of 0.5
    rise, expected = (points[-1].value - points[0].value for points in (curve.adjusted, curve.observed))
    assert expected > 0.1
    assert rise == pytest.approx(expected, abs=0.08)  # three standard errors


def test_a_column_with_one_value_in_a_class_has_finite_intervals():
    rng = np.random.default_rng(0)
    y = rng.random(N_ROWS) < 0.3
    X = pd.DataFrame({"only": np.where(y, 7.0, rng.integers(0, 3, N_ROWS)), "other": rng.random(N_ROWS) + y})
    effects = fit(X, y).effects
    points = effects.of("only").curves[0].observed
    assert points[-1].value == 1.0
    assert 0.9 < points[-1].low < 1.0
    assert effects.outcomes == ("True",)


def test_ten_thousand_levels_have_few_bins():
    rng = np.random.default_rng(0)
    codes = rng.zipf(1.3, N_ROWS) % 10_000
    y = rng.random(N_ROWS) < np.where(codes < 4, 0.8, 0.2)
    X = pd.DataFrame({"code": [f"c{code}" for code in codes], "other": rng.random(N_ROWS) + y})
    effect = fit(X, y).effects.of("code")
    assert len(effect.bins) == EFFECTS.max_levels + 1
    assert sum(one.n_rows for one in effect.bins) == N_ROWS


def test_several_targets_and_an_empty_selection_have_no_effects():
    X, y = friedman()
    targets = pd.DataFrame({"a": y, "b": -y + X["x0"]}).head(500)
    assert fit(X.head(500), targets).effects is None
    noise = np.random.default_rng(0).random((200, 2))
    nothing = MinervaSelector(random_state=0).fit(noise, np.random.default_rng(1).integers(2, size=200)).selection_
    assert nothing.selected == ()
    assert nothing.effects is None


def test_a_table_of_arrow_with_groups_and_weights_has_effects():
    X, y = mixed()
    groups, weights = np.arange(N_ROWS) // 2, np.where(y == "yes", 1.0, 2.0)
    table = pa.Table.from_pandas(X, preserve_index=False)
    selection = MinervaSelector(random_state=0, keep=["amount"]).fit(table, y, weights, groups=groups).selection_
    share = np.average(y == "yes", weights=weights)
    assert selection.effects.overall[0] == pytest.approx(share, abs=1e-5)  # six significant digits


def test_intervals_beyond_the_largest_number_end_there():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(40), "b": rng.random(40)})
    y = 1.7e308 * np.where(rng.random(40) < 0.9, 1.0, -1.0) * (1 - rng.random(40) / 99)
    selection = fit(X, y)
    points = [point for effect in selection.effects.features for point in effect.curves[0].observed]
    assert max(point.high for point in points) == pytest.approx(np.finfo(float).max, rel=1e-5)  # six digits
    assert Selection.from_json(selection.to_json()) == selection


@pytest.mark.parametrize("factor", [1e300, 1e-200])
def test_a_target_of_extreme_size_has_the_same_effects_in_its_unit(factor):
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.random(600), "b": rng.random(600)})
    y = 3 * X["a"] + X["b"] + rng.normal(scale=0.1, size=600)
    expected, found = (MinervaSelector(random_state=0, keep=["a", "b"]).fit(X, y * k).selection_.effects
                       for k in (1.0, factor))  # fmt: skip
    assert found.overall[0] / factor == pytest.approx(expected.overall[0], rel=1e-4)
    for own, other in zip(found.features, expected.features, strict=True):
        for kind in ("observed", "adjusted"):
            ours, theirs = (
                [(point.low, point.value, point.high) for point in getattr(one.curves[0], kind)] for one in (own, other)
            )
            np.testing.assert_allclose(np.array(ours) / factor, theirs, rtol=1e-3, atol=1e-3)
