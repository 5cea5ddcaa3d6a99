"""A selection in plain sentences: what was found, what it rests on, and what to doubt. The one place that words it."""

from __future__ import annotations

from dataclasses import dataclass

from minerva_select.results import Selection
from minerva_select.text.dropped import dropped
from minerva_select.text.headline import found_nothing, headline, nothing_found
from minerva_select.text.roles import alone, roles, together
from minerva_select.text.warnings import notices, stability, suspects

__all__ = [
    "Paragraph",
    "dropped",
    "explanation",
    "headline",
    "nothing_found",
    "notices",
    "roles",
    "stability",
    "suspects",
]


@dataclass(frozen=True)
class Paragraph:
    """A sentence or two about one thing."""

    kind: str  # answer, nothing, suspect, together, alone, dropped or stability
    text: str


def explanation(selection: Selection) -> list[Paragraph]:
    """Explain a selection in the order a reader needs: the answer, what to doubt, who matters how, what was left out.

    Suspects that the warnings name already are left to them; see :func:`notices`.

    Parameters
    ----------
    selection : Selection
        What a fit handed back.

    Returns
    -------
    list of Paragraph
        Plain text, nothing in it is markup.

    Examples
    --------
    >>> from minerva_select.results import Estimate, FeatureResult, Role
    >>> half = Estimate(0.5, 0.48, 0.52, n_rows=1000)
    >>> a, b = (
    ...     FeatureResult(name, True, "adds 0.5 nats", marginal_nats=0.0, partners=(other,), role=Role.TOGETHER)
    ...     for name, other in ("ab", "ba")
    ... )
    >>> for part in explanation(Selection("y", (a, b), half, half, n_rows=1000)):
    ...     print(f"{part.kind}: {part.text}")
    answer: Both features carry 0.500 nats about y.
    together: a and b matter only together: alone each tells 0.000 nats, together they tell 0.500.
    """
    parts = {
        "answer": [headline(selection)],
        "nothing": [nothing_found(selection)] if found_nothing(selection) else [],
        "suspect": suspects(selection),
        "together": together(selection),
        "alone": alone(selection),
        "dropped": dropped(selection),
        "stability": stability(selection),
    }
    return [Paragraph(kind, text) for kind, texts in parts.items() for text in texts]
