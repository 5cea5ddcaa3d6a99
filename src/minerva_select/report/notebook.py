"""A selection as a notebook shows it: a short piece of HTML that stands on its own and runs nothing."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any

import jinja2

from minerva_select.report.figures import DARK, LIGHT
from minerva_select.results import FeatureResult, Role, Selection
from minerva_select.text import explanation, feature_order, formatting, headline, notices, suspects
from minerva_select.text.roles import describe_role

MOST_SELECTED = 25
MOST_DROPPED = 15
MOST_SENTENCES = 5

_LONGEST_NAME = 60
_ROLES = {Role.ALONE: "alone", Role.TOGETHER: "together", Role.SUBSTITUTE: "substitute", None: "kept"}  # as in Theme


@dataclass(frozen=True)
class Row:
    """One feature as the table shows it."""

    result: FeatureResult
    share: float  # of the longest bar
    colour: str  # its name in Theme


def as_html(selection: Selection) -> str:
    """Show a selection in a notebook: the answer, its figures, the selected features, and the foremost dropped ones.

    Parameters
    ----------
    selection : Selection
        What a fit handed back, or what :meth:`minerva_select.results.Selection.load` read.

    Returns
    -------
    str
        A fragment of HTML without scripts, its style scoped to it, in the notebook's light or dark colours.

    Examples
    --------
    >>> from minerva_select.results import Reason, ReasonCode
    >>> kept = FeatureResult("<b>", True, Reason(ReasonCode.CONTRIBUTES), contribution_nats=0.5)
    >>> shown = as_html(Selection("y", (kept,), mutual_information=None, total_information=None, n_rows=1000))
    >>> "&lt;b&gt;" in shown, "<b>" in shown, "<script" in shown
    (True, False, False)
    """
    shares = feature_order.bar_lengths(selection.features)
    rows = [
        Row(result, shares[result.feature], _ROLES[result.role]) for result in feature_order.ranked(selection.features)
    ]
    selected = [row for row in rows if row.result.selected]
    dropped = [row for row in rows if not row.result.selected]
    in_nats = any(row.result.contribution_nats is not None for row in selected)
    return _template().render(
        headline=headline(selection),
        figures=list(_figures(selection)),
        warnings=[*suspects(selection), *notices(selection)],
        sentences=[part.text for part in explanation(selection) if part.kind not in {"answer", "suspect"}],
        selected=selected,
        dropped=dropped,
        in_nats=in_nats,
        weighted=not in_nats and any(row.result.weight for row in selected),
        alone=any(row.result.marginal_nats is not None for row in rows),
        digits=feature_order.digits_for(selection),
        colours=[(colour.name, getattr(LIGHT, colour.name), getattr(DARK, colour.name)) for colour in _colours()],
        most={"selected": MOST_SELECTED, "dropped": MOST_DROPPED, "sentences": MOST_SENTENCES},
    )


def _figures(selection: Selection) -> Iterator[tuple[str, str, str]]:
    """Name, figure and small print."""
    digits = feature_order.digits_for(selection)
    yield "Features kept", f"{len(selection.selected):,}", f"of {len(selection.features):,}"
    found, kept = selection.mutual_information, selection.information_kept
    if found is not None:
        yield (
            "They carry",
            f"{formatting.number(found.nats, digits)} nats",
            formatting.interval(found.low, found.high, digits),
        )
    if found is not None and kept is not None and selection.selected:
        yield "Information kept", formatting.percent(kept), "of what all carry"
    yield "Rows", f"{selection.n_rows:,}", f"in {formatting.duration(selection.seconds)}" if selection.seconds else ""


def _colours() -> Iterator[Any]:
    return (field for field in fields(LIGHT) if field.name in {"ink", "soft", "line", *_ROLES.values()})


def _name(name: str) -> str:
    return formatting.printable(name, limit=_LONGEST_NAME) or '""'


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        amount=formatting.number,
        describe_role=describe_role,
        interval=formatting.interval,
        name=_name,
        printable=formatting.printable,
    )
    return environment.from_string(
        resources.files(__package__).joinpath("notebook.html.j2").read_text(encoding="utf-8")
    )
