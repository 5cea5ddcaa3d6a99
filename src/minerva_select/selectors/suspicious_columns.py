"""Decide which columns are suspicious: leaks, dominant columns, near-copies and identifiers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from minerva_select.codes import SuspectKind, WarningCode
from minerva_select.config import DIAGNOSTICS
from minerva_select.results import SelectionWarning, Suspect
from minerva_select.selectors.fit_context import FitContext
from minerva_select.solvers.vetting import VettingSolution


def find_suspects(solution: VettingSolution, context: FitContext) -> tuple[Suspect, ...]:
    """Find the suspicious columns, most serious kind first."""
    columns, names, informative = solution.columns, context.order, solution.screen.informative
    selected = {feature for unit in solution.selected for feature in context.units[unit]}
    by_marginal = sorted(columns.marginal, key=lambda feature: -columns.marginal[feature].mean)
    found = [
        Suspect(names[feature], SuspectKind.LEAK, share=min(1.0, columns.explained[feature]))
        for feature in by_marginal
        if columns.explained[feature] > DIAGNOSTICS.leak_share
    ]
    if not found and sum(informative) >= DIAGNOSTICS.min_informative_columns and solution.total.mean > 0:
        found += [
            Suspect(names[first], SuspectKind.DOMINANT, share=min(1.0, share))
            for first in by_marginal[:1]
            if first in selected
            and (share := columns.marginal[first].mean / solution.total.mean) > DIAGNOSTICS.dominant_share
            and columns.marginal[first].mean > DIAGNOSTICS.dominant_ratio * _runner_up(first, by_marginal, solution)
        ]
    found += [
        Suspect(names[feature], SuspectKind.NEAR_COPY, share=agreement, of=names[other])
        for feature, (other, agreement) in columns.near_copies.items()
        if not _have_synergy(feature, other, solution, context)
    ]
    return (*found, *find_identifiers(context))


def find_identifiers(context: FitContext) -> tuple[Suspect, ...]:
    """Columns that look like identifiers, used or not."""
    return tuple(Suspect(name, SuspectKind.IDENTIFIER) for name in context.columns.identifiers)


def suspect_warnings(
    suspects: Sequence[Suspect], target: str, selected: Collection[str]
) -> tuple[SelectionWarning, ...]:
    """Warnings about leaks, dominant columns, and near-copies of which both are selected.

    Examples
    --------
    >>> (warning,) = suspect_warnings([Suspect("closed", SuspectKind.LEAK, share=0.97)], "default", ["closed"])
    >>> warning.code, warning.columns, warning.values["share"]
    (<WarningCode.LEAK: 'leak'>, ('closed',), 0.97)
    """
    leaks = [one for one in suspects if one.kind is SuspectKind.LEAK]
    warnings = []
    if leaks:
        values = {"share": leaks[0].share, "target": target}
        warnings.append(SelectionWarning(WarningCode.LEAK, tuple(one.feature for one in leaks), values))
    for one in suspects:
        if one.kind is SuspectKind.DOMINANT:
            values = {"share": one.share, "target": target}
            warnings.append(SelectionWarning(WarningCode.DOMINANT, (one.feature,), values))
        elif one.kind is SuspectKind.NEAR_COPY and one.of is not None and {one.feature, one.of} <= {*selected}:
            warnings.append(SelectionWarning(WarningCode.NEAR_COPY, (one.feature, one.of)))
    return tuple(warnings)


def _have_synergy(first: int, second: int, solution: VettingSolution, context: FitContext) -> bool:
    """Whether two nearly equal columns carry more together: their difference may be what matters."""
    unit_of = {feature: unit for unit, features in enumerate(context.units) for feature in features}
    a, b = sorted((unit_of[first], unit_of[second]))
    gain = solution.units.pairs.get((a, b))
    return gain is not None and gain.mean > 0


def _runner_up(first: int, by_marginal: list[int], solution: VettingSolution) -> float:
    """Marginal information of the second-best column, not counting near-copies of the best."""
    near = solution.columns.near_copies
    others = [feature for feature in by_marginal[1:] if near.get(feature, (None,))[0] != first]
    return max(0.0, solution.columns.marginal[others[0]].mean) if others else 0.0
