"""What a fit hands back: plain frozen data, JSON both ways."""

from __future__ import annotations

from minerva_select.results.estimate import Estimate, PathPoint, Repeats
from minerva_select.results.feature import FeatureResult, PairResult, Role, Suspect, SuspectKind
from minerva_select.results.json_format import SCHEMA_VERSION
from minerva_select.results.progress import Progress, TrainingRecord, WeightRecord
from minerva_select.results.provenance import Provenance, versions
from minerva_select.results.selection import Selection

__all__ = [
    "SCHEMA_VERSION",
    "Estimate",
    "FeatureResult",
    "PairResult",
    "PathPoint",
    "Progress",
    "Provenance",
    "Repeats",
    "Role",
    "Selection",
    "Suspect",
    "SuspectKind",
    "TrainingRecord",
    "WeightRecord",
    "versions",
]
