"""Compare methods, repeat fits, and score selections against known answers."""

from __future__ import annotations

from minerva_select.codes import Outcome
from minerva_select.evaluation.comparison import compare
from minerva_select.evaluation.ground_truth import score_selection
from minerva_select.evaluation.leaderboard import Comparison
from minerva_select.evaluation.methods import METHODS, Method
from minerva_select.evaluation.repeats import repeat_fits, with_frequencies

__all__ = [
    "METHODS",
    "Comparison",
    "Method",
    "Outcome",
    "compare",
    "repeat_fits",
    "score_selection",
    "with_frequencies",
]
