"""What a user fits: MINERVA's selector, the methods to compare it with, and the estimate of mutual information."""

from minerva_select.selectors.boosting import GradientBoostingSelector
from minerva_select.selectors.boruta import BorutaSelector
from minerva_select.selectors.estimation import mutual_information
from minerva_select.selectors.foci import FOCISelector
from minerva_select.selectors.forest import RandomForestSelector
from minerva_select.selectors.hsic_lasso import HSICLassoSelector
from minerva_select.selectors.ksg import KSGSelector
from minerva_select.selectors.lasso import LassoSelector
from minerva_select.selectors.minerva import MinervaSelector
from minerva_select.selectors.mrmr import MRMRSelector
from minerva_select.selectors.rfe import RFESelector

__all__ = [
    "BorutaSelector",
    "FOCISelector",
    "GradientBoostingSelector",
    "HSICLassoSelector",
    "KSGSelector",
    "LassoSelector",
    "MRMRSelector",
    "MinervaSelector",
    "RFESelector",
    "RandomForestSelector",
    "mutual_information",
]
