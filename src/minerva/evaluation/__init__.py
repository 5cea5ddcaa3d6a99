"""What a selection is worth: against the truth, where it is known, and beside those of other methods."""

from __future__ import annotations

from minerva.evaluation.comparison import compare
from minerva.evaluation.downstream import Score
from minerva.evaluation.methods import METHODS, Method
from minerva.evaluation.repeats import repeat_fits, with_frequencies
from minerva.evaluation.standings import Comparison, FeatureVotes, Standing
from minerva.evaluation.verdict import Outcome, Verdict, verdict

__all__ = [
    "METHODS",
    "Comparison",
    "FeatureVotes",
    "Method",
    "Outcome",
    "Score",
    "Standing",
    "Verdict",
    "compare",
    "repeat_fits",
    "verdict",
    "with_frequencies",
]
