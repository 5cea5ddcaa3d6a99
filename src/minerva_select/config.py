"""Numbers that shape an answer: significance levels, shares, thresholds and training lengths.

Every number here was chosen on problems with known answers and holds for all tables; users do not set them. Sizes that
only affect speed or memory, such as block sizes, stay in the modules that use them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DiagnosticsConfig:
    """When a column is reported as suspicious."""

    leak_share: float = 0.8  # of the target's entropy that a column explains alone
    dominant_share: float = 1 / 3  # of all information found that one column carries alone, and
    dominant_ratio: float = 2.0  # times what any other column carries alone, when
    min_informative_columns: int = 5  # columns carry information alone: among fewer, one is easily far ahead
    few_rows: int = 100  # with fewer rows only strong relations stand out from chance


DIAGNOSTICS = DiagnosticsConfig()
