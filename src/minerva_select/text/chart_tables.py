"""The values of each chart as a short table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from minerva_select.codes import Role
from minerva_select.config import EFFECTS
from minerva_select.text.effect_values import format_outcome, label_bins
from minerva_select.text.effects import point_text, value_span
from minerva_select.text.feature_order import digits_for, sort_features
from minerva_select.text.formatting import interval, number, printable
from minerva_select.text.proof import describe_proof, has_proof

if TYPE_CHECKING:
    from minerva_select.results import Selection
    from minerva_select.results.effects import Effects

MOST_ROWS = 40
MOST_EFFECT_ROWS = 240  # without scripts, the table replaces the chart
Cell = str | tuple[str, ...]  # text, or names of columns


@dataclass(frozen=True)
class ChartTable:
    """Headings, the first rows, and how many rows are left out."""

    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_left_out: int = 0


def chart_table(selection: Selection, kind: str) -> ChartTable:
    """Return the values of a chart as text."""
    headings, cells = _TABLES[kind](selection, digits_for(selection))
    rows, most = tuple(cells), MOST_EFFECT_ROWS if kind in ("effects", "pair_map") else MOST_ROWS
    return ChartTable(headings, rows[:most], max(0, len(rows) - most))


_Table = tuple[tuple[str, ...], Iterable[tuple[Cell, ...]]]


def _contributions(selection: Selection, digits: int) -> _Table:
    results = sort_features(
        result for result in selection.features if result.selected or result.role is Role.SUBSTITUTE
    )
    if all(result.contribution_nats is None for result in results):
        return ("Feature", "Weight"), (((result.feature,), number(result.weight)) for result in results)
    with_proof = has_proof(selection)
    headings = ("Feature", "Contribution, nats", "95% interval", "Alone, nats", *(("Proof",) if with_proof else ()))
    return headings, (
        (
            (result.feature,),
            number(result.contribution_nats, digits),
            interval(result.contribution_low, result.contribution_high, digits),
            number(result.marginal_nats, digits),
            *((describe_proof(result) or "dropped",) if with_proof else ()),
        )
        for result in results
    )


def _effects(selection: Selection, _digits: int) -> _Table:
    effects = selection.effects
    assert effects is not None
    classes = ("Class",) if len(effects.outcomes) > 1 else ()
    headings = ("Feature", "Values", "Rows", *classes, "Observed (95%)", "Given the others (95%)")
    return headings, _effect_rows(selection, effects)


def _effect_rows(selection: Selection, effects: Effects) -> Iterator[tuple[Cell, ...]]:
    conversions = {result.feature: result.conversion for result in selection.features}
    is_share = bool(effects.outcomes)
    for effect in effects.features:
        span = value_span(effect.curves)
        for k, label in enumerate(label_bins(effect.bins, conversions[effect.feature])):
            for outcome, curve in enumerate(effect.curves):
                adjusted = curve.adjusted[k] if curve.adjusted else None
                points = (point_text(point, span, is_share=is_share) for point in (curve.observed[k], adjusted))
                classes = (effects.outcomes[outcome],) if len(effects.outcomes) > 1 else ()
                yield (effect.feature,), label, f"{effect.bins[k].n_rows:,}", *classes, *points


def _pair_map(selection: Selection, _digits: int) -> _Table:
    effects = selection.effects
    assert effects is not None
    assert effects.pair is not None
    pair = effects.pair
    conversions = {result.feature: result.conversion for result in selection.features}
    first = label_bins(pair.first_bins, conversions[pair.first])
    second = label_bins(pair.second_bins, conversions[pair.second])
    known = [value for line in pair.values for value in line if value is not None]
    span, is_share = (max(known) - min(known) if known else 0.0), bool(effects.outcomes)
    headings = (printable(pair.first, 40), printable(pair.second, 40), "Rows", "Value")
    return headings, (
        (first[row], second[column], f"{n_rows:,}", format_outcome(value, span, is_share=is_share))
        for row, (line, counts) in enumerate(zip(pair.values, pair.n_rows, strict=True))
        for column, (value, n_rows) in enumerate(zip(line, counts, strict=True))
        if value is not None and n_rows >= EFFECTS.min_map_rows
    )


def _path(selection: Selection, digits: int) -> _Table:
    rows: list[tuple[Cell, ...]] = [
        (point.features, f"{point.n_features:,}", number(point.nats, digits), interval(point.low, point.high, digits))
        for point in sorted(selection.path, key=lambda point: point.n_features)
    ]
    total = selection.total_information
    if selection.left_behind is not None and total is not None:
        n_features, ends = f"{len(selection.features):,}", interval(total.low, total.high, digits)
        rows.append(("all columns", n_features, number(total.nats, digits), ends))
    return ("Features", "Number", "Nats", "95% interval"), rows


def _pairs(selection: Selection, digits: int) -> _Table:
    return ("Pair", "Nats", "95% interval", "Kind"), (
        (
            (pair.first, pair.second),
            number(pair.nats, digits),
            interval(pair.low, pair.high, digits),
            "synergy" if pair.low > 0 else "redundancy" if pair.high < 0 else "neither",
        )
        for pair in selection.pairs
    )


def _training(selection: Selection, digits: int) -> _Table:
    last = {record.stage: record for record in selection.history}
    return ("End of stage", "Step", "Training, nats", "Held-out, nats", "Features"), (
        (
            record.stage,
            f"{record.step:,}",
            number(record.bound, digits),
            number(record.held_out_bound, digits),
            f"{record.n_features:,}",
        )
        for record in last.values()
    )


def _stability(selection: Selection, _digits: int) -> _Table:
    known = [(result.frequency, result) for result in selection.features if result.frequency]
    return ("Feature", "Selected in", "This selection"), (
        ((result.feature,), f"{frequency:.0%}", "kept" if result.selected else "dropped")
        for frequency, result in sorted(known, key=lambda pair: -pair[0])
    )


_TABLES: dict[str, Callable[[Selection, int], _Table]] = {
    "contributions": _contributions,
    "effects": _effects,
    "pair_map": _pair_map,
    "path": _path,
    "pairs": _pairs,
    "training": _training,
    "stability": _stability,
}
