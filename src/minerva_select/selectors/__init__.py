"""Selectors that a user fits, and the estimate of mutual information."""

from minerva_select.selectors.baselines.boosting import GradientBoostingSelector
from minerva_select.selectors.baselines.boruta import BorutaSelector
from minerva_select.selectors.baselines.foci import FOCISelector
from minerva_select.selectors.baselines.forest import RandomForestSelector
from minerva_select.selectors.baselines.hsic_lasso import HSICLassoSelector
from minerva_select.selectors.baselines.ksg import KSGSelector
from minerva_select.selectors.baselines.lasso import LassoSelector
from minerva_select.selectors.baselines.mrmr import MRMRSelector
from minerva_select.selectors.baselines.rfe import RFESelector
from minerva_select.selectors.estimation import mutual_information
from minerva_select.selectors.minerva import MinervaSelector
from minerva_select.selectors.paper import PaperSelector

__all__ = [
    "BorutaSelector",
    "FOCISelector",
    "GradientBoostingSelector",
    "HSICLassoSelector",
    "KSGSelector",
    "LassoSelector",
    "MRMRSelector",
    "MinervaSelector",
    "PaperSelector",
    "RFESelector",
    "RandomForestSelector",
    "mutual_information",
]
