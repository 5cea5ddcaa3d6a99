"""What a user fits: MINERVA's selector, the methods to compare it with, and the estimate of mutual information."""

from minerva.selectors.estimation import mutual_information
from minerva.selectors.forest import RandomForestSelector
from minerva.selectors.minerva import MinervaSelector

__all__ = ["MinervaSelector", "RandomForestSelector", "mutual_information"]
