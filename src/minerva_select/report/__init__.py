"""A saved selection in, one self-contained HTML page out; needs neither torch nor pandas."""

from __future__ import annotations

from minerva_select.report.page import render

__all__ = ["render"]
