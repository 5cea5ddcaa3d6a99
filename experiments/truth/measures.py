"""Score a selection: relevant columns found, information kept, and accuracy of a model that uses it."""

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cases import Case
from minerva_select.evaluation import score_selection
from minerva_select.problems import Problem

N_NEIGHBORS = 5
N_FOLDS = 5


@dataclass(frozen=True)
class SplitProblem:
    """The rows that a selector is fitted on, and test rows if the case holds out some."""

    train: Problem
    test: Problem | None
    seed: int


def split(problem: Problem, case: Case, seed: int) -> SplitProblem:
    """Hold out the share of rows of the case, stratified by class."""
    if not case.held_out:
        return SplitProblem(problem, None, seed)
    from sklearn.model_selection import train_test_split

    parts = train_test_split(np.arange(len(problem.y)), test_size=case.held_out, stratify=problem.y, random_state=seed)
    train, test = (replace(problem, X=problem.X.iloc[rows], y=problem.y.iloc[rows]) for rows in parts)
    return SplitProblem(train, test, seed)


def score(case: Case, data: SplitProblem, selected: Sequence[str]) -> dict[str, Any]:
    """Return the outcome of a selection, if the relevant columns are known, and all its figures."""
    figures: dict[str, float | None] = {"n_selected": len(selected)}
    outcome = None
    if case.has_truth:
        found = score_selection(selected, data.train.relevant)
        outcome = str(found.outcome)
        figures |= {"exact": int(found.is_exact), "n_missed": len(found.false_negatives)}
        figures["n_irrelevant"] = len(found.false_positives)
        figures |= {"precision": found.precision, "recall": found.recall, "f1": found.f1}
        figures["information_kept"] = (
            1.0 if not found.false_negatives else _information_kept(case, data.train, selected)
        )
    for name in case.measures:
        with contextlib.suppress(ImportError):  # without its package a figure is left out
            figures |= MEASURES[name](data, list(selected))
    return {"outcome": outcome, "figures": figures}


def _information_kept(case: Case, problem: Problem, selected: Sequence[str]) -> float | None:
    """Share of information that an incomplete selection keeps; None if it is unknown."""
    if case.information == "joint":
        return 0.0
    if case.information == "gaussian" and problem.mutual_information:
        return min(1.0, _gaussian_information(problem, selected) / problem.mutual_information)
    return None


def _gaussian_information(problem: Problem, selected: Sequence[str]) -> float:
    """Mutual information of jointly normal columns and y in nats, from the residual variance of a linear regression."""
    y, n_rows = problem.y.to_numpy(dtype=float), len(problem.y)
    design = np.column_stack([np.ones(n_rows), problem.X[list(selected)].to_numpy(dtype=float)])
    residuals = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    degrees = n_rows - 1 - len(selected)  # otherwise every irrelevant column would add 1/2n nats
    return 0.5 * math.log(float(y.var(ddof=1)) / (float(residuals @ residuals) / degrees))


def copies(data: SplitProblem, selected: list[str]) -> dict[str, float]:
    """Count the selected columns that are exact copies of another selected one."""
    distinct = {data.train.X[name].to_numpy().tobytes() for name in selected}
    return {"copies_kept": len(selected) - len(distinct)}


def nearest_neighbors(data: SplitProblem, selected: list[str]) -> dict[str, float]:
    """Cross-validated accuracy of nearest neighbors on the selected columns, and its gain over all columns."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = data.train.X, data.train.y
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(N_NEIGHBORS))
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=data.seed)

    def accuracy(names: list[str]) -> float:
        if not names:
            return float(y.value_counts(normalize=True).max())
        return float(cross_val_score(model, X[names].to_numpy(dtype=float), y, cv=folds).mean())

    kept, every = accuracy(selected), accuracy(list(X.columns))
    return {"accuracy": kept, "accuracy_all": every, "accuracy_gain": kept - every}


def boosting(data: SplitProblem, selected: list[str]) -> dict[str, float]:
    """PR-AUC of gradient boosting on the test rows with the selected columns, and its gain over all columns."""
    import lightgbm
    from sklearn.metrics import average_precision_score

    def pr_auc(names: list[str]) -> float:
        if not names:
            return float(data.test.y.mean())
        # At its default rate of 0.1 LightGBM diverges if positives are rare: 0.24 to 0.33 instead of 0.84 to 0.88
        model = lightgbm.LGBMClassifier(
            learning_rate=0.02, n_estimators=500, random_state=data.seed, n_jobs=0, verbose=-1
        )
        model.fit(data.train.X[names], data.train.y)
        return float(average_precision_score(data.test.y, model.predict_proba(data.test.X[names])[:, 1]))

    kept, every = pr_auc(selected), pr_auc(list(data.train.X.columns))
    return {"pr_auc": kept, "pr_auc_all": every, "pr_auc_gain": kept - every}


MEASURES: dict[str, Callable[[SplitProblem, list[str]], dict[str, float]]] = {
    "copies": copies,
    "nearest_neighbors": nearest_neighbors,
    "boosting": boosting,
}
