"""Numbers that shape an answer: significance levels, shares, thresholds and training lengths.

Every number here was chosen on problems with known answers and holds for all tables; users do not set them. Sizes that
only affect speed or memory, such as block sizes, stay in the modules that use them.
"""

from __future__ import annotations

from minerva_select.config.columns import (
    COLUMN_TYPES,
    DUPLICATED_ROWS,
    EQUIVALENCE,
    IDENTIFIERS,
    LINEAR_COMBINATIONS,
    NOTATION,
    ROW_SAMPLE,
    SPLITS,
    TARGET_BINS,
    RowSampleConfig,
)
from minerva_select.config.comparison import (
    BASELINES,
    COMPARISON,
)
from minerva_select.config.estimation import (
    DENSITY_RATIO,
    ESTIMATION,
    KSG,
    NEURAL_ESTIMATORS,
)
from minerva_select.config.explanation import (
    ATTRIBUTION,
    DIAGNOSTICS,
    EFFECTS,
    EXPLANATION,
    FIT_REUSE,
    MODEL_COST,
    ModelCostConfig,
)
from minerva_select.config.models import (
    CONDITIONAL_TEST,
    CRITIC,
    DISCRETIZATION,
    INFERENCE,
    JUDGE,
    PLUGIN,
    SAMPLING,
    STOPPING,
    Schedule,
)
from minerva_select.config.preflight import (
    FIT_TIME,
    PREFLIGHT,
)
from minerva_select.config.solver import (
    ELIMINATION,
    SEARCH,
    SUBSAMPLE,
    SUPPORT,
    TIME_SHARES,
    VETTING,
    FitConfig,
    PaperSettings,
)

__all__ = [
    "ATTRIBUTION",
    "BASELINES",
    "COLUMN_TYPES",
    "COMPARISON",
    "CONDITIONAL_TEST",
    "CRITIC",
    "DENSITY_RATIO",
    "DIAGNOSTICS",
    "DISCRETIZATION",
    "DUPLICATED_ROWS",
    "EFFECTS",
    "ELIMINATION",
    "EQUIVALENCE",
    "ESTIMATION",
    "EXPLANATION",
    "FIT_REUSE",
    "FIT_TIME",
    "IDENTIFIERS",
    "INFERENCE",
    "JUDGE",
    "KSG",
    "LINEAR_COMBINATIONS",
    "MODEL_COST",
    "NEURAL_ESTIMATORS",
    "NOTATION",
    "PLUGIN",
    "PREFLIGHT",
    "ROW_SAMPLE",
    "SAMPLING",
    "SEARCH",
    "SPLITS",
    "STOPPING",
    "SUBSAMPLE",
    "SUPPORT",
    "TARGET_BINS",
    "TIME_SHARES",
    "VETTING",
    "FitConfig",
    "ModelCostConfig",
    "PaperSettings",
    "RowSampleConfig",
    "Schedule",
]
