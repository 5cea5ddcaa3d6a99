"""Another number of features for a selection, without another fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from minerva_select.checks import check_feature_count
from minerva_select.codes import ReasonCode, Role, WarningCode
from minerva_select.errors import InputError
from minerva_select.results.effects import Effects
from minerva_select.results.estimate import Estimate
from minerva_select.results.feature import FeatureResult, Reason
from minerva_select.results.warning import SelectionWarning

if TYPE_CHECKING:
    from minerva_select.results.selection import Selection

_OF_THE_NUMBER = (
    WarningCode.FEWER_COLUMNS_THAN_REQUESTED,
    WarningCode.RAISED_TO_MINIMUM,
    WarningCode.CHOSEN_AFTER_FIT,
)


def resize(selection: Selection, n_features: int, name: str = "n_features") -> Selection:
    """The best ``n_features`` features of a selection; ``name`` is that of the parameter in errors.

    What was measured given the features of the fit is left out if the set is another one: contributions, interactions,
    adjusted effects, what is left behind and what a model loses.
    """
    ranking = selection.ranking
    if ranking is None:
        raise InputError(
            "This selection has no ranking of its features, which fits of MinervaSelector have since version 0.2; "
            "fit it again."
        )
    n_features = check_feature_count(name, n_features, len(selection.features), ranking.n_required)
    chosen, n_found = {*ranking.best(n_features)}, len(selection.selected)
    settings = {**selection.settings, "n_features_to_select": n_features}
    warnings = [one for one in selection.warnings if one.code not in _OF_THE_NUMBER]
    if n_features > len(ranking.order):
        values = {"n_usable": len(ranking.order)}
        warnings.append(SelectionWarning(WarningCode.FEWER_COLUMNS_THAN_REQUESTED, values=values))
    if chosen == {*selection.selected}:
        return replace(selection, settings=settings, warnings=tuple(warnings))
    counts = {"n_features": n_features, "n_fitted": n_found}
    warnings.append(SelectionWarning(WarningCode.CHOSEN_AFTER_FIT, values=counts))
    return replace(
        selection,
        features=tuple(_change(result, chosen) for result in selection.features),
        mutual_information=_information(selection, chosen),
        left_behind=None,
        pairs=(),
        effects=_observed(selection.effects, chosen),
        cost=None,
        settings=settings,
        warnings=tuple(warnings),
    )


def _change(result: FeatureResult, chosen: set[str]) -> FeatureResult:
    """The same feature in another set, without what was measured given the features of the fit."""
    selected = result.feature in chosen
    replaced_by = () if selected else tuple(name for name in result.replaced_by if name in chosen)
    role = result.role if result.role is (Role.ALONE if selected else Role.SUBSTITUTE) else None
    return replace(
        result,
        selected=selected,
        reason=_reason(result, chosen),
        weight=float(selected),
        contribution_nats=None,
        contribution_low=None,
        contribution_high=None,
        partners=(),
        substitutes=result.substitutes if selected else (),
        role=role if selected or replaced_by else None,
        replaced_by=replaced_by,
    )


def _reason(result: FeatureResult, chosen: set[str]) -> Reason:
    code, reason = result.reason.code, result.reason
    if result.feature in chosen:
        return reason if code is ReasonCode.ON_REQUEST else Reason(ReasonCode.AMONG_BEST)
    stays = code is ReasonCode.EQUIVALENT or (not result.selected and chosen.issuperset(reason.columns))
    return reason if stays else Reason(ReasonCode.BEYOND_COUNT)


def _information(selection: Selection, chosen: set[str]) -> Estimate | None:
    """The most information that was measured in features of the set, which carries at least as much."""
    measured = [
        Estimate(one.nats, one.low, one.high, selection.n_rows)
        for one in selection.path
        if chosen.issuperset(one.features)
    ]
    if selection.mutual_information is not None and chosen.issuperset(selection.selected):
        measured.append(selection.mutual_information)
    return max(measured, key=lambda one: one.nats, default=None)


def _observed(effects: Effects | None, chosen: set[str]) -> Effects | None:
    """Effects of the features of the set as observed; those given the other features of the fit are left out."""
    if effects is None:
        return None
    of_chosen = tuple(
        replace(one, curves=tuple(replace(curve, adjusted=(), shape=None) for curve in one.curves))
        for one in effects.features
        if one.feature in chosen
    )
    pair = effects.pair
    has_pair = pair is not None and {pair.first, pair.second} <= chosen
    return replace(effects, features=of_chosen, pair=pair if has_pair else None) if of_chosen else None
