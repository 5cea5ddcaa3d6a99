"""What a user fits: MINERVA's selector, and its estimate of mutual information."""

from minerva.selectors.estimation import mutual_information
from minerva.selectors.minerva import MinervaSelector

__all__ = ["MinervaSelector", "mutual_information"]
