"""What a user fits: MINERVA's selector, the methods to compare it with, and the estimate of mutual information."""

from minerva.selectors.boosting import GradientBoostingSelector
from minerva.selectors.boruta import BorutaSelector
from minerva.selectors.estimation import mutual_information
from minerva.selectors.foci import FOCISelector
from minerva.selectors.forest import RandomForestSelector
from minerva.selectors.hsic_lasso import HSICLassoSelector
from minerva.selectors.ksg import KSGSelector
from minerva.selectors.lasso import LassoSelector
from minerva.selectors.minerva import MinervaSelector
from minerva.selectors.mrmr import MRMRSelector
from minerva.selectors.rfe import RFESelector

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
