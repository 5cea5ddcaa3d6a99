"""The page: which sections a selection has, and what each of them holds."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jinja2
from markupsafe import Markup

from minerva_select.errors import InputTypeError, brief
from minerva_select.report import figures, inline
from minerva_select.report.numbers import Numbers, numbers
from minerva_select.results import FeatureResult, Selection
from minerva_select.text import explanation, feature_order, formatting, headline, notices, suspects
from minerva_select.text.captions import caption
from minerva_select.text.metadata import cards, describe_conversion, estimate_notes, facts
from minerva_select.text.roles import describe_role

# The charts top to bottom: where each stands, what it is called in the navigation, its heading, how to read it.
CHARTS = {
    "contributions": (
        "Contributions",
        "What each feature adds",
        "Full colour: information that is lost when the feature is left out and all other kept ones stay, with a 95% "
        "interval, on rows that no training saw. Pale, up to the ring: what it tells alone and others tell too.",
    ),
    "path": (
        "How many",
        "How many features are enough",
        "Information of the best set of each size found on the way. The marked point is the answer.",
    ),
    "pairs": (
        "Pairs",
        "Who works with whom",
        "Above zero, two features tell more together than apart (synergy); below, they tell the same (redundancy).",
    ),
    "training": (
        "Training",
        "How training went",
        "The bound on training rows and on held-out rows. Where only the first rises, the network learns by heart.",
    ),
    "stability": (
        "Stability",
        "How stable the answer is",
        "How often each feature was kept when the whole fit was repeated.",
    ),
}
# In the place of contributions, where the method measures none.
WEIGHTS = (
    "Weights",
    "How the method weighs them",
    "The method's own weights of the features that it kept; it measures no information.",
)
LABELS = {
    "together": "Only together",
    "alone": "On their own",
    "dropped": "Dropped",
    "stability": "How stable",
    "nothing": "What it means",
}
PALETTE = ("ink", "soft", "line", "paper", "alone", "together", "substitute", "kept")  # colours shared with the charts
ROWS_SHOWN = 200  # of the table; 5,000 laid out at once would take a second
MOST_FIRST = 3  # warnings at the top; all are in their own section
MOST_NAMED = 12  # kept features at the top; all are in the table


@dataclass(frozen=True)
class Chart:
    """One chart as the page carries it: drawn by the script from JSON, told by its numbers without.

    Where there is too little to draw, the remark stands alone.
    """

    kind: str
    link: str
    title: str
    remark: str
    caption: str = ""
    description: str = ""
    figures: Markup | None = None
    style: str = ""
    numbers: Numbers | None = None


def render(selection: Selection) -> str:
    """Draw a selection as one HTML page that needs nothing else: no file, no request.

    Parameters
    ----------
    selection : Selection
        What a fit handed back, or what :meth:`minerva_select.results.Selection.load` read.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from minerva_select.results import Estimate, Reason, ReasonCode
    >>> estimate = Estimate(0.5, 0.48, 0.52, n_rows=1000)
    >>> kept = FeatureResult("<p>a", True, Reason(ReasonCode.CONTRIBUTES))
    >>> selection = Selection("y", (kept,), estimate, estimate, n_rows=1000)
    >>> page = render(selection)
    >>> "&lt;p&gt;a" in page, "<p>a" in page
    (True, False)
    """
    if not isinstance(selection, Selection):
        raise InputTypeError(f"A report is drawn of a Selection, got {brief(selection)}; Selection.load reads a file.")
    charts = [chart for kind in CHARTS if (chart := _chart(selection, kind)) is not None]
    script, library = inline.asset("page.js"), inline.chart_library() if any(c.figures for c in charts) else None
    digests = [inline.digest(script), *([library.digest] if library else [])]
    warnings = [*suspects(selection), *notices(selection)]
    return _template().render(
        policy=inline.policy(*digests),
        style=inline.asset("page.css"),
        script=script,
        library=library,
        palette=PALETTE,
        light=vars(figures.LIGHT),
        dark=vars(figures.DARK),
        selection=selection,
        headline=headline(selection),
        kept=feature_order.ranked(result for result in selection.features if result.selected),
        most_named=MOST_NAMED,
        cards=list(cards(selection)),
        notes=list(estimate_notes(selection)),
        first=warnings[:MOST_FIRST],
        findings=_findings(selection),
        charts=charts,
        columns=_columns(selection.features),
        results=feature_order.ranked(selection.features),
        rows_shown=ROWS_SHOWN,
        warnings=warnings,
        facts=list(facts(selection)),
        digits=feature_order.digits_for(selection),
    )


def _findings(selection: Selection) -> list[tuple[str, str, list[str]]]:
    """What was found beyond the answer, in words: kind, heading, sentences. Suspects are with the warnings."""
    paragraphs = [part for part in explanation(selection) if part.kind not in {"answer", "suspect"}]
    groups = itertools.groupby(paragraphs, key=lambda part: part.kind)
    return [(kind, LABELS[kind], [part.text for part in parts]) for kind, parts in groups]


def _chart(selection: Selection, kind: str) -> Chart | None:
    weighed = kind == "contributions" and not _is_vetted(selection.features)
    link, title, how_to_read = WEIGHTS if weighed else CHARTS[kind]
    stands_out = caption(selection, kind)
    if not figures.has(selection, kind):
        return Chart(kind, link, title, stands_out) if stands_out else None
    light, dark = (figures.figure(selection, kind, dark=dark) for dark in (False, True))
    both = f'{{"light":{light.to_json(engine="json")},"dark":{dark.to_json(engine="json")}}}'
    widest = (light.layout.meta or {}).get("widest")
    return Chart(
        kind,
        link,
        title,
        stands_out,
        how_to_read,
        figures.describe(selection, kind),
        inline.embedded(both),
        f"min-height:{light.layout.height}px" + (f";max-width:{widest}px" if widest else ""),
        numbers(selection, kind),
    )


def _is_vetted(features: tuple[FeatureResult, ...]) -> bool:
    return any(result.contribution_nats is not None for result in features)


def _columns(features: tuple[FeatureResult, ...]) -> list[tuple[str, str, bool]]:
    """Columns of the table that have anything to show: name, heading, whether numbers."""
    vetted = _is_vetted(features)
    columns = [
        ("feature", "Feature", False, True),
        ("role", "Role", False, True),
        ("adds", "Adds, nats", True, vetted),
        ("weight", "Weight", True, not vetted and any(result.weight for result in features)),
        ("single", "Alone, nats", True, any(result.marginal_nats is not None for result in features)),
        ("often", "Repeats", True, any(result.frequency is not None for result in features)),
        ("with", "Works with", False, any(result.partners for result in features)),
        ("instead", "Substitutes", False, any(result.substitutes or result.replaced_by for result in features)),
        ("why", "Why", False, True),
    ]
    return [(name, heading, numeric) for name, heading, numeric, shown in columns if shown]


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("minerva_select", "report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters.update(
        amount=formatting.number,
        describe_conversion=describe_conversion,
        describe_role=describe_role,
        interval=formatting.interval,
        printable=formatting.printable,
        setting=_setting,
    )
    return environment.get_template("page.html.j2")


def _finalize(value: Any) -> Any:
    """Control characters are no valid HTML, wherever they come from."""
    return formatting.escape(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _setting(value: Any) -> str:
    """Value of a setting in words."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return formatting.join_names(tuple(str(item) for item in value), most=20) or "none"
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
