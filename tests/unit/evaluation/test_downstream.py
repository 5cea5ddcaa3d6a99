"""The score of a model on held-out rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from minerva_select.evaluation import downstream
from minerva_select.evaluation.downstream import boosting_score, choose_metric
from minerva_select.schema import Column, Table


def parts(columns, y, share=0.7):
    """Features and target of the first rows, and of the others."""
    n_train = int(share * len(y.values))
    table = Table(tuple(columns), len(y.values))
    return [(table.take(rows), y.take(rows)) for rows in (np.arange(n_train), np.arange(n_train, len(y.values)))]


def score_of(columns, y, metric, **settings):
    return boosting_score(*parts(columns, y), metric, **settings)


@pytest.mark.parametrize(
    ("values", "is_discrete", "metric"),
    [
        ([0.5, 1.5, 2.5], False, "R2"),
        ([0.0, 1.0] * 10, True, "ROC-AUC"),
        ([0.0] * 19 + [1.0], True, "ROC-AUC"),  # 5% is not below 5%
        ([0.0] * 20 + [1.0], True, "PR-AUC"),
        ([1.0] * 20 + [0.0], True, "PR-AUC"),
        ([0.0, 1.0, 2.0], True, "accuracy"),
    ],
)
def test_the_metric_follows_from_the_target(values, is_discrete, metric):
    assert choose_metric(Column("y", np.array(values)), is_discrete) == metric


@pytest.mark.parametrize("curve", ["roc_auc", "average_precision"])
def test_curves_are_those_of_scikit_learn_with_ties_and_row_counts(curve):
    rng = np.random.default_rng(0)
    chances, positive = rng.integers(0, 8, 50) / 8, rng.random(50) < 0.3
    counts = rng.integers(0, 4, 50).astype(float)
    ours = downstream._curve_score(chances, positive, getattr(downstream, f"_{curve}"))(counts)
    theirs = getattr(metrics, f"{curve}_score")(positive, chances, sample_weight=counts)
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_r2_and_accuracy_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    truth, predicted, counts = rng.standard_normal(30), rng.standard_normal(30), rng.integers(0, 4, 30).astype(float)
    expected = metrics.r2_score(truth, predicted, sample_weight=counts)
    assert downstream._r2(predicted, truth)(counts) == pytest.approx(expected)
    classes, chances = rng.integers(0, 3, 30), rng.random((30, 3))
    expected = metrics.accuracy_score(classes, chances.argmax(axis=1), sample_weight=counts)
    assert downstream._accuracy(chances, classes)(counts) == pytest.approx(expected)


def test_the_interval_has_the_width_of_a_mean_over_rows():
    # 400 answers of which 80% are right, in one stratum: the standard error of the share is sqrt(0.8 * 0.2 / 400)
    right = np.repeat([1.0, 0.0], [320, 80])
    score = downstream._with_interval("share", lambda counts: float(counts @ right / counts.sum()),
                                      [np.arange(400)], np.random.default_rng(0))  # fmt: skip
    expected = 2 * 1.96 * np.sqrt(0.8 * 0.2 / 400)
    assert score.value == 0.8
    assert score.high - score.low == pytest.approx(
        expected, rel=0.2
    )  # a quantile of 300 resamples has an error of about a tenth


def test_without_features_the_score_is_that_of_a_constant():
    rng = np.random.default_rng(0)
    rare = Column("y", (rng.random(1000) < 0.04).astype(float))
    share = rare.values[700:].mean()
    assert score_of([], rare, "PR-AUC").value == pytest.approx(share)
    assert score_of([], rare, "ROC-AUC").value == 0.5
    numeric = Column("y", rng.standard_normal(1000))
    expected = metrics.r2_score(numeric.values[700:], np.full(300, numeric.values[:700].mean()))
    assert score_of([], numeric, "R2").value == pytest.approx(expected)
    three = Column("y", np.tile([0.0, 1.0, 1.0, 2.0], 250))
    assert score_of([], three, "accuracy").value == 0.5


def test_rare_positives_are_learned():
    # 0.5% positives, all above a threshold that 1% of the rows exceed, so the precision is about 0.5
    rng = np.random.default_rng(0)
    x, noise = rng.random((2, 20_000))
    y = Column("y", ((x > 0.99) & (rng.random(20_000) < 0.5)).astype(float))
    score = score_of([Column("x", x), Column("noise", noise)], y, "PR-AUC")
    # About 30 of 6,000 test rows are positive, so the standard error is about 0.07; a model that diverges has 0.1
    assert score.value == pytest.approx(0.5, abs=0.2)


def test_text_missing_values_and_unseen_levels_are_accepted():
    levels = np.array(["no", "yes", "never"], dtype=object)
    codes = np.tile([0, 1, -1], 100)
    text = Column("text", np.append(codes, [2, 2]), levels)
    amount = Column("amount", np.append(np.tile([np.nan, 1.0], 150), [2.0, np.nan]))
    y = Column("y", np.append(codes == 1, [False, True]).astype(float))
    assert score_of([text, amount], y, "ROC-AUC").value > 0.95


def test_a_column_without_values_changes_nothing():
    x = np.tile([0.0, 1.0], 150)
    y, empty = Column("y", x), Column("empty", np.full(300, np.nan))
    assert (
        score_of([Column("x", x), empty], y, "ROC-AUC").value == score_of([Column("x", x)], y, "ROC-AUC").value == 1.0
    )


def test_more_levels_than_boosting_takes_are_joined():
    levels = np.array([f"level {k}" for k in range(400)], dtype=object)
    codes = np.tile(np.arange(400), 5)
    y = Column("y", (codes % 2).astype(float))
    assert 0 <= score_of([Column("text", codes, levels)], y, "ROC-AUC").value <= 1


def test_numeric_columns_can_be_read_as_categorical():
    # The class of 40 levels is random: numeric needs many splits, categorical one
    codes = np.tile(np.arange(40.0), 25)
    y = Column("y", (np.random.default_rng(0).permutation(40) % 2)[codes.astype(int)].astype(float))
    assert score_of([Column("x", codes)], y, "ROC-AUC", categorical={"x"}).value == 1.0


def test_a_class_with_one_training_row_does_not_stop_the_model():
    y = Column("y", np.array([0.0, 1.0] * 49 + [2.0, 2.0]))
    score = boosting_score(*parts([Column("x", np.arange(100.0) % 2)], y, share=0.99), "accuracy")
    assert score.value == 0.0  # the only test row has the third class, which has one training row
    assert score_of([Column("x", np.arange(100.0) % 2)], y, "accuracy").value == pytest.approx(28 / 30)


def test_a_class_without_training_rows_is_never_predicted():
    levels = np.array(["a", "b", "z"], dtype=object)
    y = Column("y", np.array([0, 1] * 40 + [2] * 20), levels)
    assert boosting_score(*parts([Column("x", np.arange(100.0) % 2)], y, share=0.8), "accuracy").value == 0.0


def test_the_same_seed_gives_the_same_score():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(200)
    y = Column("y", x + rng.standard_normal(200))
    first, again, other = (score_of([Column("x", x)], y, "R2", seed=seed) for seed in (1, 1, 2))
    assert first == again != other
