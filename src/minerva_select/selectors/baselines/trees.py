"""Ensembles of trees, as the selectors that ask for their importances grow them."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from minerva_select.checks import check_choice
from minerva_select.selectors.baselines.base import missing_package
from minerva_select.selectors.baselines.design_matrix import Question

ESTIMATORS = ("boosting", "forest")
MOST_ROWS = 10_000  # drawn for one tree of a forest: a tree of few leaves gains little from more, and sorts them all
MAX_DEPTH = 5


def check_estimator(name: str) -> None:
    """Refuse an ensemble that does not exist."""
    check_choice("estimator", name, ESTIMATORS)


def boosted_trees(
    method: str, question: Question, *, n_estimators: int = 100, learning_rate: float = 0.1, n_jobs: int | None = None
) -> Any:
    """LightGBM with importances by gain; ``method`` is who needs it, should it be missing.

    Two settings differ from LightGBM's own. A leaf must hold a hessian of 1, and its value is shrunk by a hessian of 1
    more, as in XGBoost: without, leaves of a few rare positives take steps so large that boosting diverges. And leaves
    may hold fewer than 20 rows where the table has fewer than 400, or small tables would give no trees.
    """
    try:
        from lightgbm import LGBMClassifier, LGBMRegressor  # noqa: PLC0415 - optional
    except ImportError:
        raise missing_package(method, "lightgbm") from None
    model = LGBMClassifier if question.is_classification else LGBMRegressor
    return model(
        n_estimators=n_estimators,
        learning_rate=learning_rate,
        min_child_weight=1.0,
        reg_lambda=1.0,
        min_child_samples=max(1, min(20, question.n_rows // 20)),
        importance_type="gain",
        n_jobs=1 if n_jobs is None else n_jobs,  # None would be all cores to LightGBM, and is one elsewhere
        random_state=question.seed,
        deterministic=True,
        force_row_wise=True,
        verbose=-1,
    )


def shallow_forest(question: Question, *, n_estimators: int = 100, n_jobs: int | None = None) -> Any:
    """Forest of trees of depth 5 with balanced classes, of which each draws at most 10,000 rows.

    A split looks at the square root of the number of columns, in regression as in classification: looking at all, every
    tree would begin with the same few columns, and take many times as long.
    """
    settings: dict[str, Any] = {
        "max_depth": MAX_DEPTH,
        "max_features": "sqrt",
        "max_samples": MOST_ROWS if question.n_rows > MOST_ROWS else None,
        "n_jobs": n_jobs,
        "random_state": question.seed,
    }
    if question.is_classification:
        return RandomForestClassifier(n_estimators, class_weight="balanced", **settings)
    return RandomForestRegressor(n_estimators, **settings)
