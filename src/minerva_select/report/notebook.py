"""A selection in a notebook: a short HTML fragment without scripts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from minerva_select.report.figures import DARK, LIGHT, figure
from minerva_select.report.templates import load_template
from minerva_select.results import Selection
from minerva_select.text import captions, describe_warnings, explain, feature_order, headline
from minerva_select.text.chart_tables import chart_table
from minerva_select.text.effects import describe_effect_column
from minerva_select.text.metadata import cards
from minerva_select.text.proof import has_proof

if TYPE_CHECKING:
    from minerva_select.report.figures.displayed import DisplayedFigure

MOST_SELECTED = 25
MOST_DROPPED = 15
MOST_SENTENCES = 5
COLORS = ("ink", "soft", "line", "alone", "together", "substitute", "kept")  # of Theme


def render_fragment(selection: Selection) -> str:
    """Render a selection for a notebook: result, key figures, kept features and the strongest dropped ones."""
    results = feature_order.sort_features(selection.features)
    selected = [result for result in results if result.selected]
    has_contributions = captions.has_contributions(selection)
    return load_template("notebook.html.j2").render(
        headline=headline(selection),
        cards=list(cards(selection)),
        warnings=describe_warnings(selection),
        sentences=[part.text for part in explain(selection)[1:]],
        selected=selected,
        dropped=[result for result in results if not result.selected],
        bar_lengths=feature_order.bar_lengths(selection.features),
        equivalents=selection.equivalents,
        effects=selection.effects,
        effect_note=describe_effect_column(selection),
        has_proof=has_proof(selection),
        has_contributions=has_contributions,
        has_weights=captions.has_weights(selection),
        has_marginals=any(result.marginal_nats is not None for result in results),
        digits=feature_order.digits_for(selection),
        colors=[(name, getattr(LIGHT, name), getattr(DARK, name)) for name in COLORS],
        most={"selected": MOST_SELECTED, "dropped": MOST_DROPPED, "sentences": MOST_SENTENCES},
    )


def displayed_figure(selection: Selection, kind: str, *, dark: bool = False) -> DisplayedFigure:
    """Draw a figure whose display in a notebook has a table of its values."""
    drawn = figure(selection, kind, dark=dark)
    from minerva_select.report.figures.displayed import DisplayedFigure  # noqa: PLC0415 - imports plotly

    displayed = DisplayedFigure(drawn)
    displayed._make_table = partial(render_figure_table, selection, kind)
    return displayed


def render_figure_table(selection: Selection, kind: str) -> str:
    """Render the values of a figure as a table, for a notebook that is exported without a chart library."""
    heading = captions.chart_heading(selection, kind)
    return load_template("figure.html.j2").render(
        title=heading.title,
        caption=heading.caption,
        description=captions.describe_chart(selection, kind),
        table=chart_table(selection, kind),
    )
