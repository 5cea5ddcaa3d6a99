"""What a selection is worth: against the truth, where it is known, and beside those of other methods."""

from __future__ import annotations

from minerva_select.codes import Outcome
from minerva_select.evaluation.comparison import compare
from minerva_select.evaluation.downstream import Score
from minerva_select.evaluation.ground_truth import SelectionScore, score_selection
from minerva_select.evaluation.leaderboard import Comparison, FeatureVotes, Standing
from minerva_select.evaluation.methods import METHODS, Method
from minerva_select.evaluation.repeats import repeat_fits, with_frequencies

__all__ = [
    "METHODS",
    "Comparison",
    "FeatureVotes",
    "Method",
    "Outcome",
    "Score",
    "SelectionScore",
    "Standing",
    "compare",
    "repeat_fits",
    "score_selection",
    "with_frequencies",
]
