"""Find what is wrong with a table before a fit, in about a second."""

from __future__ import annotations

from minerva_select.preflight.table_check import check_table

__all__ = ["check_table"]
