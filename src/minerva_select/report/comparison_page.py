"""The HTML page of one or several comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minerva_select.evaluation.differences import Measure, compare_splits, compare_tables
from minerva_select.evaluation.leaderboard import Comparison, FeatureVotes, MethodResult
from minerva_select.report import figures, inline
from minerva_select.report.page import PALETTE
from minerva_select.report.templates import load_template
from minerva_select.text.comparison import (
    comparison_headline,
    describe_difference,
    describe_notes,
    explain_columns,
    explain_differences,
    find_reference,
    measured,
    table_name,
)
from minerva_select.text.feature_order import digits_of
from minerva_select.text.formatting import NOT_MEASURED, duration, number

ROWS_SHOWN = 40  # features that are not folded


@dataclass(frozen=True)
class Range:
    """A value with its interval as text, and their places on a common axis, in percent."""

    text: str
    at: float | None = None
    low: float = 0.0
    width: float = 0.0


@dataclass(frozen=True)
class MethodRow:
    """One method in the table of methods."""

    label: str
    is_reference: bool
    kept: str
    agreement: str
    information: Range
    score: Range
    differences: tuple[str, ...]  # of the information and the score from the reference
    time: str


@dataclass(frozen=True)
class VoteRow:
    """One feature: in which methods it is kept, and its information alone."""

    feature: str
    marks: tuple[str, ...]
    alone: str


@dataclass(frozen=True)
class Section:
    """Everything about one table."""

    name: str
    headline: str
    metric: str
    methods: tuple[MethodRow, ...]
    captions: tuple[str, ...]
    notes: tuple[str, ...]
    finished: tuple[str, ...]  # labels of the methods with an answer
    votes: tuple[VoteRow, ...]
    agreements: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Overview:
    """Differences from the reference on all tables: one row per method, and the mean in the last column."""

    title: str
    rows: tuple[tuple[str, ...], ...]


def render_comparisons(comparisons: Sequence[Comparison]) -> str:
    """Render comparisons as one self-contained HTML page."""
    script = inline.read_asset("comparison.js")
    sections = tuple(_section(one) for one in comparisons)
    return load_template("comparison.html.j2").render(
        policy=inline.security_policy(inline.digest(script)),
        style=inline.read_asset("page.css") + inline.read_asset("comparison.css"),
        script=script,
        palette=PALETTE,
        light=vars(figures.LIGHT),
        dark=vars(figures.DARK),
        sections=sections,
        overviews=_overviews(comparisons) if len(comparisons) > 1 else (),
        rows_shown=ROWS_SHOWN,
    )


def _section(comparison: Comparison) -> Section:
    reference, rows = find_reference(comparison), (*comparison.results, comparison.all_features)
    finished = [row for row in comparison.results if row.n_kept is not None]
    digits = digits_of(max(comparison.marginal_nats.values(), default=0.0))
    return Section(
        table_name(comparison),
        comparison_headline(comparison),
        comparison.metric,
        tuple(_method_row(row, comparison, reference) for row in rows),
        (*explain_columns(comparison, reference), *explain_differences(comparison, reference)),
        tuple(describe_notes(comparison)),
        tuple(row.label for row in finished),
        tuple(_vote_row(vote, finished, digits) for vote in comparison.votes()),
        tuple(
            (row.label, *(number(comparison.agreement(row.method, other.method), 2) for other in finished))
            for row in finished
        ),
    )


def _method_row(row: MethodResult, comparison: Comparison, reference: MethodResult | None) -> MethodRow:
    rows = (*comparison.results, comparison.all_features)
    information = comparison.all_features.information
    digits = digits_of(information.nats if information else 0.0)
    agreement = None
    if reference is not None and row is not comparison.all_features:
        agreement = comparison.agreement(row.method, reference.method)
    return MethodRow(
        row.label,
        row is reference,
        NOT_MEASURED if row.n_kept is None else f"{round(row.n_kept, 1):g}",
        NOT_MEASURED if agreement is None else f"{agreement:.0%}",
        _range(measured(row.information, digits), [_nats(one) for one in rows], _nats(row)),
        _range(measured(row.score, 3), [_score(one) for one in rows], _score(row)),
        tuple(_difference(comparison, row, reference, measure) for measure in Measure),
        NOT_MEASURED if row.seconds is None else duration(row.seconds),
    )


def _nats(row: MethodResult) -> tuple[float, float, float] | None:
    found = row.information
    return None if found is None else (found.nats, found.low, found.high)


def _score(row: MethodResult) -> tuple[float, float, float] | None:
    return None if row.score is None else (row.score.value, row.score.low, row.score.high)


def _range(
    text: str, every: Sequence[tuple[float, float, float] | None], own: tuple[float, float, float] | None
) -> Range:
    """Place an interval on the axis that all rows share."""
    known = [ends for ends in every if ends is not None]
    if own is None or not known:
        return Range(text)
    start, end = min(low for _, low, _ in known), max(high for *_, high in known)
    scale = 100 / ((end - start) or 1.0)
    value, low, high = own
    at, left, width = (round(distance * scale, 1) for distance in (value - start, low - start, high - low))
    return Range(text, at, left, width)


def _difference(comparison: Comparison, row: MethodResult, reference: MethodResult | None, measure: Measure) -> str:
    if reference is None or row is reference:
        return ""
    found = compare_splits(comparison, row.method, reference.method, measure)
    return describe_difference(found, is_share=measure is Measure.INFORMATION)


def _vote_row(vote: FeatureVotes, finished: Sequence[MethodResult], digits: int) -> VoteRow:
    return VoteRow(
        vote.feature, tuple(_mark(row, vote.feature) for row in finished), number(vote.marginal_nats, digits)
    )


def _mark(row: MethodResult, feature: str) -> str:
    """Check mark if a method keeps a feature; with several splits, in how many."""
    n_kept, n_splits = sum(feature in names for names in row.answers), len(row.answers)
    return "" if n_kept == 0 else "✓" if n_splits == 1 else f"{n_kept}/{n_splits}"


def _overviews(comparisons: Sequence[Comparison]) -> tuple[Overview, ...]:
    """Differences from the reference by table, for methods that every table has."""
    references = [find_reference(one) for one in comparisons]
    first = references[0]
    if first is None or any(one is None or one.method != first.method for one in references):
        return ()
    labels = {row.method: row.label for one in comparisons for row in one.results if row.method != first.method}
    same_metric = len({one.metric for one in comparisons}) == 1
    overviews = []
    for measure in Measure:
        is_share, rows = measure is Measure.INFORMATION, []
        for method, label in {**labels, "all": comparisons[0].all_features.label}.items():
            found = [
                compare_splits(one, method, first.method, measure)
                if method == "all" or any(row.method == method for row in one.results)
                else None
                for one in comparisons
            ]
            known = [difference.value for difference in found if difference is not None]
            mean = compare_tables(known) if is_share or same_metric else None
            cells = (describe_difference(difference, is_share=is_share) for difference in (*found, mean))
            rows.append((label, *cells))
        title = f"{'Share of the information' if is_share else 'Score'}: difference from {first.label}"
        overviews.append(Overview(title, tuple(rows)))
    return tuple(overviews)
