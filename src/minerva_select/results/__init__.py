"""What a fit returns: frozen dataclasses with codes, written as JSON and read back."""

from __future__ import annotations

from minerva_select.codes import (
    BinKind,
    EffectShape,
    FindingCode,
    ReasonCode,
    Role,
    ScoreMetric,
    ScoreModel,
    SuspectKind,
    WarningCode,
)
from minerva_select.results.cost import ModelCost, ScoreEstimate
from minerva_select.results.effects import EffectBin, EffectCurve, EffectPoint, Effects, FeatureEffect, PairMap
from minerva_select.results.estimate import Estimate, PathPoint, Repeats
from minerva_select.results.feature import FeatureResult, PairResult, Reason, Suspect
from minerva_select.results.json_schema import json_schema
from minerva_select.results.progress import Progress, TrainingRecord, WeightRecord
from minerva_select.results.provenance import Provenance
from minerva_select.results.ranking import FeatureRanking, RankedSet
from minerva_select.results.selection import Selection
from minerva_select.results.table_check import Finding, TableCheck
from minerva_select.results.warning import SelectionWarning

__all__ = [
    "BinKind",
    "EffectBin",
    "EffectCurve",
    "EffectPoint",
    "EffectShape",
    "Effects",
    "Estimate",
    "FeatureEffect",
    "FeatureRanking",
    "FeatureResult",
    "Finding",
    "FindingCode",
    "ModelCost",
    "PairMap",
    "PairResult",
    "PathPoint",
    "Progress",
    "Provenance",
    "RankedSet",
    "Reason",
    "ReasonCode",
    "Repeats",
    "Role",
    "ScoreEstimate",
    "ScoreMetric",
    "ScoreModel",
    "Selection",
    "SelectionWarning",
    "Suspect",
    "SuspectKind",
    "TableCheck",
    "TrainingRecord",
    "WarningCode",
    "WeightRecord",
    "json_schema",
]
