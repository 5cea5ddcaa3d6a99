"""Scores of predictions on test rows: information in nats, AUC, PR-AUC and R2."""

import numpy as np

MIN_PROBABILITY = 1e-6

Scores = dict[str, float]


def score_predictions(predicted: np.ndarray, y: np.ndarray, prior: np.ndarray | None) -> Scores:
    """Score the probabilities of classes, or the predictions of a number if there is no ``prior``."""
    if prior is None:
        return {"r2": r2(predicted, y)}
    return score_probabilities(predicted, y, prior)


def score_nothing(y: np.ndarray, prior: np.ndarray | None) -> Scores:
    """Scores without columns: no information, and a constant prediction."""
    if prior is None:
        return {"r2": 0.0}
    return score_probabilities(np.tile(prior, (len(y), 1)), y, prior)


def score_probabilities(probabilities: np.ndarray, y: np.ndarray, prior: np.ndarray) -> Scores:
    """Log loss, information, AUC (macro average of one class against the rest) and, for two classes, PR-AUC.

    Information is the log loss of the class frequencies of the training rows minus that of the model. PR-AUC is the
    average precision of the class that is rarer in the training rows.
    """
    from sklearn.metrics import average_precision_score, roc_auc_score

    loss = log_loss(probabilities, y)
    prior_loss = log_loss(np.tile(prior, (len(y), 1)), y)
    scores = {"log_loss": loss, "prior_log_loss": prior_loss, "information": prior_loss - loss}
    present = [code for code in range(len(prior)) if 0 < np.count_nonzero(y == code) < len(y)]
    scores["auc"] = float(np.mean([roc_auc_score(y == code, probabilities[:, code]) for code in present]))
    if len(prior) == 2:
        rarer = int(np.argmin(prior))
        scores["pr_auc"] = float(average_precision_score(y == rarer, probabilities[:, rarer]))
    return scores


def log_loss(probabilities: np.ndarray, y: np.ndarray) -> float:
    """Mean negative log probability of the true classes."""
    clipped = np.clip(probabilities, MIN_PROBABILITY, None)
    clipped /= clipped.sum(axis=1, keepdims=True)
    return float(-np.log(clipped[np.arange(len(y)), y]).mean())


def r2(predicted: np.ndarray, y: np.ndarray) -> float:
    """Coefficient of determination."""
    return float(1 - ((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def gain(scores: Scores) -> float:
    """What shares are computed from: information, or R2 of a numeric target."""
    return scores["r2"] if "r2" in scores else scores["information"]


def share(kept: list[Scores], every: list[Scores]) -> float | None:
    """Gain with the kept columns over that with all, of the same splits; None if all columns together have none."""
    total = float(np.mean([gain(scores) for scores in every]))
    return float(np.mean([gain(scores) for scores in kept])) / total if total > 0 else None
