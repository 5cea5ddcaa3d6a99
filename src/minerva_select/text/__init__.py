"""Sentences made from codes, for the page, the terminal, the notebook, warnings and reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from minerva_select.text.dropped import dropped
from minerva_select.text.headline import found_nothing, headline, nothing_found
from minerva_select.text.roles import alone, together
from minerva_select.text.stability import stability
from minerva_select.text.warnings import notices, suspects

if TYPE_CHECKING:
    from minerva_select.results import Selection

__all__ = ["Paragraph", "explanation", "headline", "notices", "suspects"]


@dataclass(frozen=True)
class Paragraph:
    """One or two sentences about one topic."""

    kind: str  # answer, nothing, suspect, together, alone, dropped or stability
    text: str


def explanation(selection: Selection) -> list[Paragraph]:
    """Explain a selection in the order a reader needs: result, suspects, roles, dropped features, stability.

    Examples
    --------
    >>> from minerva_select.codes import ReasonCode, Role
    >>> from minerva_select.results import Estimate, FeatureResult, Reason, Selection
    >>> half = Estimate(0.5, 0.48, 0.52, n_rows=1000)
    >>> a, b = (
    ...     FeatureResult(
    ...         name, True, Reason(ReasonCode.CONTRIBUTES), marginal_nats=0.0, partners=(other,), role=Role.TOGETHER
    ...     )
    ...     for name, other in ("ab", "ba")
    ... )
    >>> for part in explanation(Selection("y", (a, b), half, half, n_rows=1000)):
    ...     print(f"{part.kind}: {part.text}")
    answer: Both features carry 0.500 nats about y.
    together: a and b matter only together: alone each carries 0.000 nats; together they carry 0.500.
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
