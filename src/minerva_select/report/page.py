"""The HTML page of a selection."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from minerva_select.errors import InputTypeError, brief
from minerva_select.report import figures, inline
from minerva_select.report.templates import load_template
from minerva_select.results import Selection
from minerva_select.text import PARAGRAPH_HEADINGS, captions, describe_warnings, explain, feature_order, headline
from minerva_select.text.chart_tables import ChartTable, chart_table
from minerva_select.text.effects import describe_effect_column
from minerva_select.text.metadata import cards, describe_nats, estimate_notes, facts
from minerva_select.text.next_steps import next_steps
from minerva_select.text.proof import has_proof

PALETTE = ("ink", "soft", "line", "paper", "alone", "together", "substitute", "kept")  # colors shared with the charts
ROWS_SHOWN = 200  # of the table of all features; the layout of 5,000 rows would take a second
MOST_WARNINGS = 3  # that are not folded
TECHNICAL = ("training",)  # charts that are folded under "Technical"
MOST_NAMES = 12  # kept features at the top of the page


@dataclass(frozen=True)
class Chart:
    """One chart of the page; without figures, only its heading and its remark are shown."""

    kind: str
    heading: captions.ChartHeading
    remark: str
    description: str = ""
    figures: Markup | None = None  # JSON that the script draws
    style: str = ""
    table: ChartTable | None = None


def render(selection: Selection) -> str:
    """Render a selection as one self-contained HTML page."""
    if not isinstance(selection, Selection):
        raise InputTypeError(f"A report needs a Selection, got {brief(selection)}; Selection.load reads a file.")
    charts = [chart for kind in figures.KINDS if (chart := _chart(selection, kind)) is not None]
    script = inline.read_asset("page.js")
    library = inline.chart_library() if any(chart.figures for chart in charts) else None
    digests = [inline.digest(script), *([library.digest] if library else [])]
    results = feature_order.sort_features(selection.features)
    return load_template("page.html.j2").render(
        policy=inline.security_policy(*digests),
        style=inline.read_asset("page.css"),
        script=script,
        library=library,
        palette=PALETTE,
        light=vars(figures.LIGHT),
        dark=vars(figures.DARK),
        selection=selection,
        headline=headline(selection),
        kept=[result for result in results if result.selected],
        most_names=MOST_NAMES,
        cards=list(cards(selection)),
        notes=[*filter(None, [describe_nats(selection)]), *estimate_notes(selection)],
        findings=_findings(selection),
        steps=next_steps(selection),
        charts=charts,
        technical=TECHNICAL,
        kept_list=_python_list(selection.selected),
        columns=_columns(selection),
        effect_note=describe_effect_column(selection),
        results=results,
        equivalents=selection.equivalents,
        has_proof=has_proof(selection),
        rows_shown=ROWS_SHOWN,
        warnings=describe_warnings(selection),
        most_warnings=MOST_WARNINGS,
        facts=list(facts(selection)),
        digits=feature_order.digits_for(selection),
    )


def _python_list(names: Sequence[str]) -> str:
    """Write names as a Python list in one line."""
    return f"[{', '.join(json.dumps(name, ensure_ascii=False) for name in names)}]"


def _findings(selection: Selection) -> list[tuple[str, str, list[str]]]:
    """Paragraphs after the headline, by kind: kind, heading, sentences."""
    groups = itertools.groupby(explain(selection)[1:], key=lambda part: part.kind)
    return [(kind, PARAGRAPH_HEADINGS[kind], [part.text for part in parts]) for kind, parts in groups]


def _chart(selection: Selection, kind: str) -> Chart | None:
    heading, remark = captions.chart_heading(selection, kind), captions.remark(selection, kind)
    if not figures.has(selection, kind):
        return Chart(kind, heading, remark) if remark else None
    light, dark = (figures.figure(selection, kind, dark=dark) for dark in (False, True))
    both = f'{{"light":{light.to_json(engine="json")},"dark":{dark.to_json(engine="json")}}}'
    max_width = (light.layout.meta or {}).get("max_width")
    style = f"min-height:{light.layout.height}px" + (f";max-width:{max_width}px" if max_width else "")
    description, table = captions.describe_chart(selection, kind), chart_table(selection, kind)
    return Chart(kind, heading, remark, description, inline.embed_json(both), style, table)


def _columns(selection: Selection) -> list[tuple[str, str, bool]]:
    """Columns of the table of all features that are not empty: name, heading, whether numeric."""
    features, has_contributions = selection.features, captions.has_contributions(selection)
    columns = [
        ("feature", "Feature", False, True),
        ("role", "Role", False, True),
        ("proof", "Proof", False, has_proof(selection)),
        ("contribution", "Contribution, nats", True, has_contributions),
        ("weight", "Weight", True, captions.has_weights(selection)),
        ("marginal", "Alone, nats", True, any(result.marginal_nats is not None for result in features)),
        ("effect", "Effect", False, selection.effects is not None),
        ("frequency", "Frequency", True, any(result.frequency is not None for result in features)),
        ("partners", "Interacts with", False, any(result.partners for result in features)),
        ("substitutes", "Substitutes", False, _has_substitutes(selection)),
        ("reason", "Reason", False, True),
    ]
    return [(name, heading, numeric) for name, heading, numeric, is_shown in columns if is_shown]


def _has_substitutes(selection: Selection) -> bool:
    listed = any(result.substitutes or result.replaced_by for result in selection.features)
    return listed or bool(selection.equivalents)
