"""The estimators that the study compares."""

from typing import Any

from mi.case import Sample

OURS = "auto"
LABELS = {OURS: "MINERVA", "ksg": "KSG", "cca": "CCA", "infonce": "InfoNCE", "mine": "MINE"}
BASELINES = tuple(method for method in LABELS if method != OURS)


def estimate(method: str, sample: Sample, seed: int) -> Any:
    """Estimate with default parameters."""
    from minerva_select import mutual_information

    return mutual_information(sample.X, sample.y, given=sample.given, estimator=method, random_state=seed)
