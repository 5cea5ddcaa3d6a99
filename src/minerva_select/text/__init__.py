"""Sentences made from codes, for the page, the terminal, the notebook, warnings and reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from minerva_select.text.dropped import describe_dropped
from minerva_select.text.headline import explain_nothing_found, found_nothing, headline
from minerva_select.text.proof import describe_supporting
from minerva_select.text.roles import describe_groups, describe_marginals
from minerva_select.text.stability import describe_stability
from minerva_select.text.warnings import describe_warnings

if TYPE_CHECKING:
    from minerva_select.results import Selection

__all__ = ["PARAGRAPH_HEADINGS", "Paragraph", "describe_warnings", "explain", "headline"]

PARAGRAPH_HEADINGS = {
    "nothing": "What it means",
    "together": "Only together",
    "alone": "Alone",
    "supporting": "Supporting",
    "dropped": "Dropped",
    "stability": "Stability",
}


@dataclass(frozen=True)
class Paragraph:
    """One or two sentences about one topic."""

    kind: str  # headline, or a key of PARAGRAPH_HEADINGS
    text: str


def explain(selection: Selection) -> list[Paragraph]:
    """Explain a selection in the order a reader needs: result, roles, dropped features, stability."""
    parts = {
        "headline": [headline(selection)],
        "nothing": [explain_nothing_found(selection)] if found_nothing(selection) else [],
        "together": describe_groups(selection),
        "alone": describe_marginals(selection),
        "supporting": describe_supporting(selection),
        "dropped": describe_dropped(selection),
        "stability": describe_stability(selection),
    }
    return [Paragraph(kind, text) for kind, texts in parts.items() for text in texts]
