"""A selection in a notebook: a short HTML fragment without scripts."""

from __future__ import annotations

from minerva_select.report.figures import DARK, LIGHT
from minerva_select.report.templates import load_template
from minerva_select.results import Selection
from minerva_select.text import captions, describe_warnings, explain, feature_order, headline
from minerva_select.text.metadata import cards
from minerva_select.text.proof import has_proof

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
        has_proof=has_proof(selection),
        has_contributions=has_contributions,
        has_weights=not has_contributions and any(result.weight for result in selected),
        has_marginals=any(result.marginal_nats is not None for result in results),
        digits=feature_order.digits_for(selection),
        colors=[(name, getattr(LIGHT, name), getattr(DARK, name)) for name in COLORS],
        most={"selected": MOST_SELECTED, "dropped": MOST_DROPPED, "sentences": MOST_SENTENCES},
    )
