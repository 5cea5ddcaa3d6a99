"""Tree ensembles whose importances the selectors use."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from minerva_select.checks import check_choice
from minerva_select.config import BASELINES
from minerva_select.selectors.baselines.base import missing_package
from minerva_select.selectors.baselines.design_matrix import DesignMatrix


def make_ensemble(
    estimator: str, method: str, data: DesignMatrix, *, n_estimators: int = 100, n_jobs: int | None = None
) -> Any:
    """Make the model that the parameter ``estimator`` names; ``method`` is the selector that needs it."""
    check_choice("estimator", estimator, ("boosting", "forest"))
    if estimator == "forest":
        return make_shallow_forest(data, n_estimators=n_estimators, n_jobs=n_jobs)
    return make_boosting(method, data, n_estimators=n_estimators, n_jobs=n_jobs)


def make_boosting(
    method: str, data: DesignMatrix, *, n_estimators: int = 100, learning_rate: float = 0.1, n_jobs: int | None = None
) -> Any:
    """Make a LightGBM model with gain importances; ``method`` is the selector that needs it.

    Two settings differ from LightGBM's defaults. Leaves must have a hessian of at least 1, with an L2 regularization of
    1, as in XGBoost: otherwise leaves of a few rare positives take steps so large that boosting diverges. And leaves
    may have fewer than 20 rows if the table has fewer than 400, or small tables would get no trees.
    """
    try:
        from lightgbm import LGBMClassifier, LGBMRegressor  # noqa: PLC0415 - optional
    except ImportError:
        raise missing_package(method, "lightgbm") from None
    model = LGBMClassifier if data.is_classification else LGBMRegressor
    return model(
        n_estimators=n_estimators,
        learning_rate=learning_rate,
        min_child_weight=1.0,
        reg_lambda=1.0,
        min_child_samples=max(1, min(20, data.n_rows // 20)),
        importance_type="gain",
        n_jobs=1 if n_jobs is None else n_jobs,  # LightGBM takes None as all cores, scikit-learn as one
        random_state=data.seed,
        deterministic=True,
        force_row_wise=True,
        verbose=-1,
    )


def make_shallow_forest(data: DesignMatrix, *, n_estimators: int = 100, n_jobs: int | None = None) -> Any:
    """Make a forest of shallow trees with balanced classes and a limited number of rows per tree.

    A split considers the square root of the number of columns, also in regression: if it considered all, every tree
    would start with the same few columns and take many times as long.
    """
    settings: dict[str, Any] = {
        "max_depth": BASELINES.max_depth,
        "max_features": "sqrt",
        "max_samples": BASELINES.max_rows_per_tree if data.n_rows > BASELINES.max_rows_per_tree else None,
        "n_jobs": n_jobs,
        "random_state": data.seed,
    }
    if data.is_classification:
        return RandomForestClassifier(n_estimators, class_weight="balanced", **settings)
    return RandomForestRegressor(n_estimators, **settings)
