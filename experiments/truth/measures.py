"""What a selection is worth: against the relevant columns, in information, and to a model that uses it."""

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minerva_select.evaluation import score_selection
from minerva_select.problems import Problem
from rows import Row

N_NEIGHBOURS = 5
N_FOLDS = 5


@dataclass(frozen=True)
class Study:
    """A table as a run sees it: the rows to select on, and those held out from selectors, if any."""

    train: Problem
    test: Problem | None
    seed: int


def split(problem: Problem, row: Row, seed: int) -> Study:
    """Hold out the row's share of rows, with as many of each class in both parts."""
    if not row.held_out:
        return Study(problem, None, seed)
    from sklearn.model_selection import train_test_split

    parts = train_test_split(np.arange(len(problem.y)), test_size=row.held_out, stratify=problem.y, random_state=seed)
    train, test = (replace(problem, X=problem.X.iloc[rows], y=problem.y.iloc[rows]) for rows in parts)
    return Study(train, test, seed)


def judge(row: Row, study: Study, selected: Sequence[str]) -> dict[str, Any]:
    """The outcome of a selection, where the truth is known, and all its figures."""
    figures: dict[str, float | None] = {"n_selected": len(selected)}
    outcome = None
    if row.has_truth:
        found = score_selection(selected, study.train.relevant)
        outcome = str(found.outcome)
        figures |= {"exact": int(found.is_exact), "n_missed": len(found.false_negatives)}
        figures["n_irrelevant"] = len(found.false_positives)
        figures |= {"precision": found.precision, "recall": found.recall, "f1": found.f1}
        figures["information_kept"] = (
            1.0 if not found.false_negatives else _information_kept(row, study.train, selected)
        )
    for name in row.measures:
        with contextlib.suppress(ImportError):  # no package, no figure; the selection is worth its record all the same
            figures |= MEASURES[name](study, list(selected))
    return {"outcome": outcome, "figures": figures}


def _information_kept(row: Row, problem: Problem, selected: Sequence[str]) -> float | None:
    """The share of information a selection keeps when it misses something; None where that cannot be known."""
    if row.information == "joint":
        return 0.0
    if row.information == "gaussian" and problem.mutual_information:
        return min(1.0, _gaussian_information(problem, selected) / problem.mutual_information)
    return None


def _gaussian_information(problem: Problem, selected: Sequence[str]) -> float:
    """Nats that jointly normal columns carry about y, by the residual variance of a linear regression."""
    y, n_rows = problem.y.to_numpy(dtype=float), len(problem.y)
    design = np.column_stack([np.ones(n_rows), problem.X[list(selected)].to_numpy(dtype=float)])
    residuals = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    degrees = n_rows - 1 - len(selected)  # without this, every column too many would add 1/2n nats
    return 0.5 * math.log(float(y.var(ddof=1)) / (float(residuals @ residuals) / degrees))


def copies(study: Study, selected: list[str]) -> dict[str, float]:
    """Number of kept columns that are exact copies of another kept one."""
    distinct = {study.train.X[name].to_numpy().tobytes() for name in selected}
    return {"copies_kept": len(selected) - len(distinct)}


def neighbours(study: Study, selected: list[str]) -> dict[str, float]:
    """Cross-validated accuracy of nearest neighbours on the kept columns, and its gain over all columns."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = study.train.X, study.train.y
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(N_NEIGHBOURS))
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=study.seed)

    def accuracy(names: list[str]) -> float:
        if not names:
            return float(y.value_counts(normalize=True).max())
        return float(cross_val_score(model, X[names].to_numpy(dtype=float), y, cv=folds).mean())

    kept, every = accuracy(selected), accuracy(list(X.columns))
    return {"accuracy": kept, "accuracy_all": every, "accuracy_gain": kept - every}


def boosting(study: Study, selected: list[str]) -> dict[str, float]:
    """PR-AUC on the held-out rows of gradient boosting on the kept columns, and its gain over all columns."""
    import lightgbm
    from sklearn.metrics import average_precision_score

    def pr_auc(names: list[str]) -> float:
        if not names:
            return float(study.test.y.mean())
        # At its default rate of 0.1 LightGBM diverges where positives are rare: 0.24 to 0.33 against 0.84 to 0.88
        model = lightgbm.LGBMClassifier(
            learning_rate=0.02, n_estimators=500, random_state=study.seed, n_jobs=0, verbose=-1
        )
        model.fit(study.train.X[names], study.train.y)
        return float(average_precision_score(study.test.y, model.predict_proba(study.test.X[names])[:, 1]))

    kept, every = pr_auc(selected), pr_auc(list(study.train.X.columns))
    return {"pr_auc": kept, "pr_auc_all": every, "pr_auc_gain": kept - every}


MEASURES: dict[str, Callable[[Study, list[str]], dict[str, float]]] = {
    "copies": copies,
    "neighbours": neighbours,
    "boosting": boosting,
}
