"""Draws figures and one self-contained HTML page of a selection; needs neither torch nor pandas."""

from __future__ import annotations

from minerva_select.report.page import render

__all__ = ["render"]
