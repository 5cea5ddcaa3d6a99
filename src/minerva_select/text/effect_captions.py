"""Captions and descriptions of the charts of effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minerva_select.config import EFFECTS
from minerva_select.text.effect_values import format_outcome, label_bins
from minerva_select.text.effects import describe_shape, outcome_name, strongest_outcome
from minerva_select.text.formatting import count_features, join_names, printable

if TYPE_CHECKING:
    from minerva_select.results import Selection


def effects_caption(selection: Selection) -> str:
    """How to read the effects."""
    effects = selection.effects
    several = effects is not None and len(effects.outcomes) > 1
    outcome = f"share of each class of {printable(selection.target, 40)}" if several else outcome_name(selection)
    has_adjusted = effects is not None and any(curve.adjusted for one in effects.features for curve in one.curves)
    interval = "" if several else ", with a 95% interval"
    adjusted = (
        f"Line: {outcome} given the other kept features, on held-out rows (accumulated local effects of boosted "
        f"trees){interval}. Circles: as observed, in all rows with such a value."
    )
    observed = f"Circles: {outcome} in all rows with such a value{interval}."
    steps = "The steps of a numeric feature have about equally many rows; gray bars are their shares."
    arrows = " Arrow: the target certainly rises or falls given the others." if has_adjusted else ""
    return f"{adjusted if has_adjusted else observed} {steps}{arrows}"


def pair_map_caption(selection: Selection) -> str:
    """How to read the map of a pair."""
    pair = None if selection.effects is None else selection.effects.pair
    outcome = outcome_name(selection, 0 if pair is None else pair.outcome)
    values = f"{outcome[0].upper()}{outcome[1:]} by the values of both features, as observed."
    return f"{values} Cells with fewer than {EFFECTS.min_map_rows} rows are empty."


def describe_effects(selection: Selection) -> str:
    """Group the features by how the target goes with them."""
    effects = selection.effects
    assert effects is not None
    shapes: dict[str, list[str]] = {}
    for effect in effects.features:
        shape = effect.curves[strongest_outcome(effect)].shape
        if shape is not None:
            shapes.setdefault(describe_shape(shape), []).append(effect.feature)
    found = "; ".join(f"{shape}: {join_names(names)}" for shape, names in shapes.items())
    charts = f"Line charts of the {outcome_name(selection)} by {count_features(len(effects.features))}"
    return f"{charts}: {found}." if found else f"{charts}."


def describe_pair_map(selection: Selection) -> str:
    """Name the cell with the highest value."""
    effects = selection.effects
    assert effects is not None
    assert effects.pair is not None
    pair = effects.pair
    cells = [
        (value, row, column)
        for row, (line, counts) in enumerate(zip(pair.values, pair.n_rows, strict=True))
        for column, (value, n_rows) in enumerate(zip(line, counts, strict=True))
        if value is not None and n_rows >= EFFECTS.min_map_rows
    ]
    names = join_names([pair.first, pair.second])
    what = f"Heat map of the {outcome_name(selection, pair.outcome)} by {names}"
    if not cells:
        return f"{what}."
    value, row, column = max(cells)
    span = value - min(cells)[0]
    conversions = {result.feature: result.conversion for result in selection.features}
    first = label_bins(pair.first_bins, conversions[pair.first])[row]
    second = label_bins(pair.second_bins, conversions[pair.second])[column]
    highest = format_outcome(value, span, is_share=bool(effects.outcomes))
    return f"{what}: highest, {highest}, at {first} and {second}."
