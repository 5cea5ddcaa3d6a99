"""Selectors meet problems: what a selection is worth when the truth is known."""

from __future__ import annotations

from minerva.evaluation.verdict import Outcome, Verdict, verdict

__all__ = ["Outcome", "Verdict", "verdict"]
