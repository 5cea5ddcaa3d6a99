"""Made-up selections, large and small, for tests of what people see."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from minerva_select.codes import BinKind, Conversion, EffectShape, EstimateNote
from minerva_select.results import (
    EffectBin,
    EffectCurve,
    EffectPoint,
    Effects,
    Estimate,
    FeatureEffect,
    FeatureResult,
    ModelCost,
    PairMap,
    PairResult,
    PathPoint,
    Provenance,
    Reason,
    ReasonCode,
    Repeats,
    Role,
    ScoreEstimate,
    ScoreMetric,
    ScoreModel,
    Selection,
    SelectionWarning,
    Suspect,
    SuspectKind,
    TrainingRecord,
    WarningCode,
    WeightRecord,
)

ENTROPY = math.log(2)


def full_selection(names: Sequence[str] = (), n_features: int = 12, n_selected: int = 4) -> Selection:
    """The first two features matter only together, two substitutes follow the selected ones, the rest is noise.

    ``names`` are the names of the first features.
    """
    names = [*names, *(f"f{k}" for k in range(len(names), n_features))]
    selected, others = names[:n_selected], names[n_selected:]
    features = [_selected(k, names, n_selected) for k in range(n_selected)]
    features += [_dropped(k, name, selected) for k, name in enumerate(others)]
    sizes = range(min(len(names), n_selected + 3), 0, -1)
    total = Estimate(0.61, 0.60, 0.70, n_rows=5000, note=EstimateNote.EXCEEDS, entropy=ENTROPY)
    return Selection(
        target="is_fraud",
        features=tuple(features),
        mutual_information=Estimate(0.6, 0.59, 0.61, n_rows=5000),
        total_information=total,
        n_rows=5000,
        target_entropy=ENTROPY,
        path=tuple(_point(names[:size], n_selected) for size in sizes),
        history=tuple(_history(len(names), n_selected)),
        warnings=(SelectionWarning(WarningCode.LEAK, (names[2],), {"share": 0.96, "target": "is_fraud"}),),
        seconds=12.3,
        settings={"method": "MinervaSelector", "random_state": 0, "keep": []},
        versions={"minerva": "0.1.0", "python": "3.11.7"},
        pairs=tuple(
            PairResult(first, second, nats, nats - 0.01, nats + 0.01)
            for (first, second), nats in _interactions(selected).items()
        ),
        suspects=(
            Suspect(names[2], SuspectKind.LEAK, share=0.96),
            Suspect(others[1], SuspectKind.NEAR_COPY, share=0.98, of=selected[0]),
        ),
        weight_history=tuple(
            WeightRecord(step, {name: max(0.0, 0.5 - step * 0.01 * k) for k, name in enumerate(names[:16])})
            for step in range(0, 40, 4)
        ),
        repeats=Repeats(n_fits=10, subsample=0.8, agreement=0.9),
        provenance=Provenance(
            created="2026-01-01T12:00:00+00:00",
            fingerprint="0f" * 16,
            n_columns=len(names) + 1,
            device="cpu",
            data="payments.parquet",
            command="minerva select payments.parquet --target is_fraud",
        ),
        effects=made_up_effects(selected),
        cost=made_up_cost(len(names), n_selected),
    )


def made_up_cost(n_features: int, n_selected: int, **changes: Any) -> ModelCost:
    """A small loss of AUC in the kept columns."""
    scores = (
        ScoreEstimate(0.912, 0.905, 0.919),
        ScoreEstimate(0.911, 0.904, 0.918),
        ScoreEstimate(-0.001, -0.004, 0.002),
    )
    counts = (n_features, n_features, n_selected, 3333, 5000)
    return replace(ModelCost(ScoreMetric.ROC_AUC, ScoreModel.LIGHTGBM, *scores, *counts), **changes)


def made_up_effects(names: Sequence[str], outcomes: Sequence[str] = ("1",)) -> Effects:
    """The first feature has numbers, with which the target rises, the second one levels with the names of features.

    The others have few numbers and missing values, and no certain change.
    """
    features = []
    for k, name in enumerate(names):
        bins = (_intervals(8), _levels(names[:5]), _numbers(3))[min(k, 2)]
        shape = (EffectShape.INCREASING, EffectShape.VARYING, EffectShape.FLAT)[min(k, 2)]
        values = [0.3 + 0.05 * place * (k == 0) - 0.05 * place * (k == 1) for place in range(len(bins))]
        observed = tuple(EffectPoint(value, value - 0.04, value + 0.04) for value in values)
        adjusted = tuple(EffectPoint(value + 0.01, value - 0.04, value + 0.06) for value in values)
        features.append(FeatureEffect(name, bins, (EffectCurve(observed, adjusted, shape),) * max(1, len(outcomes))))
    pair = None
    if len(names) > 1:
        rows, columns = _numbers(3), _levels(names[:2])
        values = tuple(tuple(0.1 * (row + column) for column in range(len(columns))) for row in range(len(rows)))
        n_rows = ((100, 100), (100, 100), (100, 1), (100, 100))  # the only cell with too few rows
        pair = PairMap(names[0], names[1], 0, rows, columns, values, n_rows)
    return Effects(tuple(outcomes), (0.4,) * max(1, len(outcomes)), tuple(features), 5000, pair)


def _intervals(n_bins: int) -> tuple[EffectBin, ...]:
    return tuple(EffectBin(BinKind.INTERVAL, 625, 1 / n_bins, 10.0 * k, 10.0 * k + 9) for k in range(n_bins))


def _levels(names: Sequence[str]) -> tuple[EffectBin, ...]:
    share = 1 / len(names)
    return tuple(EffectBin(BinKind.LEVEL, round(5000 * share), share, level=name) for name in names)


def _numbers(n_values: int) -> tuple[EffectBin, ...]:
    share = 1 / (n_values + 1)
    values = [EffectBin(BinKind.VALUE, round(5000 * share), share, float(k), float(k)) for k in range(n_values)]
    return (*values, EffectBin(BinKind.MISSING, round(5000 * share), share))


def _selected(k: int, names: Sequence[str], n_selected: int) -> FeatureResult:
    nats = 0.5 / (k + 1)
    together = k < 2
    return FeatureResult(
        names[k],
        True,
        Reason(ReasonCode.CONTRIBUTES, (names[1 - k],) if together else (), {"nats": nats}),
        weight=1 / (k + 1),
        marginal_nats=0.0 if together else nats * 0.8,
        marginal_low=0.0 if together else nats * 0.7,
        marginal_high=0.001 if together else nats * 0.9,
        contribution_nats=nats,
        contribution_low=nats - 0.02,
        contribution_high=nats + 0.02,
        partners=(names[1 - k],) if together else (),
        substitutes=tuple(names[n_selected : n_selected + 2]) if k == 0 else (),
        role=Role.TOGETHER if together else Role.ALONE,
        frequency=1.0 - 0.1 * k,
    )


def _dropped(k: int, name: str, selected: Sequence[str]) -> FeatureResult:
    if k < 2:
        return FeatureResult(
            name,
            False,
            Reason(ReasonCode.REDUNDANT, (selected[0],)),
            marginal_nats=0.1,
            contribution_nats=0.001,
            contribution_low=-0.002,
            contribution_high=0.004,
            role=Role.SUBSTITUTE,
            replaced_by=(selected[0],),
            frequency=0.1,
        )
    conversion = Conversion.DATE if k == 2 else None
    reason = Reason(ReasonCode.NO_INFORMATION)
    return FeatureResult(name, False, reason, marginal_nats=0.0, conversion=conversion, frequency=0.0)


def _point(names: Sequence[str], n_selected: int) -> PathPoint:
    nats = 0.6 * min(1.0, len(names) / n_selected)
    return PathPoint(len(names), tuple(names), nats, nats - 0.01, nats + 0.01)


def _history(n_features: int, n_selected: int) -> list[TrainingRecord]:
    return [
        TrainingRecord(stage, step, 0.6 * step / 200, 0.5 * step / 200, n_features=n_left)
        for stage, n_left in (("learn", n_features), ("sparsify", 2 * n_selected), ("vet", n_selected + 3))
        for step in range(25, 201, 25)
    ]


def _interactions(selected: Sequence[str]) -> dict[tuple[str, str], float]:
    pairs = [(a, b) for k, a in enumerate(selected) for b in selected[k + 1 :]]
    return {pair: 0.5 if k == 0 else -0.05 / k for k, pair in enumerate(pairs)}


def supported_selection(left_behind: Estimate | None = None) -> Selection:
    """Calls of a phone company: proven, supporting and requested features, equivalents and near misses."""
    day, eve, night = "total day minutes", "total eve minutes", "total night minutes"
    features = (
        _measured(day, 0.081, 0.012, Reason(ReasonCode.CONTRIBUTES), 0.074, substitutes=("total day charge",)),
        _measured("service calls", 0.052, 0.010, Reason(ReasonCode.CONTRIBUTES), 0.041),
        _measured("intl plan", 0.047, 0.009, Reason(ReasonCode.CONTRIBUTES), 0.038, partners=("intl calls",)),
        _measured(
            "intl calls",
            0.031,
            0.008,
            Reason(ReasonCode.CONTRIBUTES),
            0.0,
            partners=("intl plan",),
            role=Role.TOGETHER,
        ),
        _measured(eve, 0.011, 0.012, Reason(ReasonCode.SUPPORTING), 0.009),
        _measured(night, 0.004, 0.006, Reason(ReasonCode.SUPPORTING), 0.003),
        _measured("state", 0.0005, 0.002, Reason(ReasonCode.ON_REQUEST), 0.001, role=None),
        dropped(
            "total day charge",
            ReasonCode.EQUIVALENT,
            day,
            marginal_nats=0.074,
            replaced_by=(day,),
            role=Role.SUBSTITUTE,
        ),
        dropped("day cost", ReasonCode.EQUIVALENT, "total day charge", marginal_nats=0.074),
        dropped("total minutes", ReasonCode.EQUIVALENT, day, eve, night, marginal_nats=0.06),
        dropped(
            "account length",
            ReasonCode.TOO_WEAK,
            values={"n_rows": 5000},
            contribution_nats=0.001,
            contribution_low=-0.001,
            contribution_high=0.004,
        ),
        dropped(
            "voice messages",
            ReasonCode.TOO_WEAK,
            values={"n_rows": 5000},
            contribution_nats=0.003,
            contribution_low=-0.001,
            contribution_high=0.006,
        ),
        dropped(
            "voice plan",
            ReasonCode.REDUNDANT,
            "service calls",
            marginal_nats=0.012,
            contribution_nats=0.0,
            contribution_low=-0.0005,
            contribution_high=0.0004,
        ),
        dropped("area code", ReasonCode.NOISE, marginal_nats=0.0),
        dropped("phone prefix", marginal_nats=0.0),
    )
    kept_names = [day, "service calls", "intl plan", "intl calls", eve, night, "state"]
    nats = [0.074, 0.118, 0.151, 0.189, 0.200, 0.204, 0.2045]
    path = [
        PathPoint(k, tuple(kept_names[:k]), nats[k - 1], nats[k - 1] - 0.02, nats[k - 1] + 0.02) for k in range(1, 8)
    ]
    return Selection(
        target="churn",
        features=features,
        mutual_information=Estimate(0.2045, 0.183, 0.226, n_rows=5000),
        total_information=Estimate(0.2075, 0.185, 0.230, n_rows=5000),
        n_rows=5000,
        target_entropy=0.407,
        path=tuple(path),
        seconds=4.2,
        left_behind=left_behind or Estimate(0.003, -0.001, 0.007, n_rows=5000),
    )


def _measured(
    name: str, nats: float, margin: float, reason: Reason, marginal_nats: float, **rest: Any
) -> FeatureResult:
    return FeatureResult(
        name,
        True,
        replace(reason, values={"nats": nats}),
        weight=1.0,
        marginal_nats=marginal_nats,
        contribution_nats=nats,
        contribution_low=nats - margin,
        contribution_high=nats + margin,
        **{"role": Role.ALONE, **rest},
    )


# ---- small selections, for tests of single sentences --------------------------------------------------------------

HALF = Estimate(0.5, 0.48, 0.52, n_rows=1000)
NOTHING = Estimate(0.0, 0.0, 0.0, n_rows=500)


def selection_of(
    *features: FeatureResult, found: Estimate | None = HALF, total: Estimate | None = None, **rest: Any
) -> Selection:
    """A selection of these features about ``y`` in 500 rows."""
    return Selection(
        **{"target": "y", "n_rows": 500, **rest},
        features=features,
        mutual_information=found,
        total_information=found if total is None else total,
    )


def kept(name: str, alone: float = 0.0, adds: float = 0.1, partners: str = "", **rest: Any) -> FeatureResult:
    """A selected feature, by default one that matters only with others."""
    return FeatureResult(
        name,
        True,
        Reason(ReasonCode.CONTRIBUTES),
        1.0,
        alone,
        adds,
        partners=tuple(partners.split()),
        **{"role": Role.TOGETHER, **rest},
    )


def dropped(
    name: str,
    code: ReasonCode = ReasonCode.NO_INFORMATION,
    *columns: str,
    values: Mapping[str, Any] | None = None,
    **rest: Any,
) -> FeatureResult:
    """A dropped feature with its reason."""
    return FeatureResult(name, False, Reason(code, columns, values or {}), **rest)


def interaction(pair: str, nats: float, margin: float = 0.01) -> PairResult:
    """The interaction of two features, given as ``"a b"``."""
    first, second = pair.split()
    return PairResult(first, second, nats, nats - margin, nats + margin)
