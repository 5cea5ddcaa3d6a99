"""Compare ``Selection.cost`` of the training rows with the scores of the study on its test rows.

For every split and the columns that MINERVA selected on it (records.jsonl), the difference of AUC, PR-AUC or R2 between
the kept columns and all columns is measured twice: on the training rows, as a fit reports it, and by the boosted trees
of the study, trained on all training rows and scored on the test rows.
"""

import argparse
import json
import math
import os
import time
from pathlib import Path

import numpy as np

from cases import Case, Split, load_study, split_rows
from judges import predict_boosting
from minerva_select import MinervaSelector
from minerva_select.config import FitConfig
from minerva_select.results import FeatureResult, ModelCost, Reason, ReasonCode, ScoreMetric
from minerva_select.selectors.fold_splits import informative_rows, split_into_folds
from minerva_select.selectors.model_cost import measure_cost
from minerva_select.selectors.progress import ProgressReporter
from minerva_select.solvers.model_scores import (
    Score,
    average_precision,
    macro_roc_auc,
    r_squared,
    roc_auc,
    standard_error,
)
from minerva_select.text.cost import METRICS

RECORDS = Path(__file__).with_name("results") / "records.jsonl"
PAGE = Path(__file__).parents[2] / "docs" / "model-cost.md"
Z = 1.96
HEAD = """# What a model loses: as reported, and on rows that no fit has seen

`selection.cost` on the training rows of the splits of the [study of real tables](real.md), for the columns that
MINERVA selected there, and the same difference by the boosted trees of the study: trained on all training rows with all
columns and with the kept ones, and scored on the test rows. 95% intervals in parentheses; *agree*: the two differ by
less than the 95% interval of their difference. *Share*: processor seconds of this measurement over those of the
selection in the study.

Run it with `make bench-real-cost`, after `make bench-real`.

| table | measure | all columns | kept | difference reported | difference on test rows | agree | seconds | share |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |"""


def replay(split: Split, kept: list[str]) -> tuple[ModelCost, float]:
    """What a fit on the training rows that keeps these columns reports, and its seconds."""
    selector = MinervaSelector(random_state=split.seed, device="cpu")
    context = selector._make_context(
        split.X_train, split.y_train, None, None, None, ProgressReporter([], 0), time.monotonic()
    )
    n_informative = min(informative_rows(context.target, context.target_types), context.row_metadata.n_independent)
    plan = context.row_metadata.adapt(FitConfig.for_rows(context.n_rows, n_informative))
    folds = split_into_folds(context.target, context.target_types, plan, context.rng, context.row_metadata)
    results = [FeatureResult(name, name in kept, Reason(ReasonCode.CONTRIBUTES)) for name in context.table.names]
    start = time.process_time()
    return measure_cost(context, folds, results), time.process_time() - start


def score(split: Split, columns: list[str], metric: ScoreMetric) -> Score:
    """Score of the boosted trees of the study on the test rows."""
    part = Split(
        split.X_train[columns], split.y_train, split.X_test[columns], split.y_test, split.is_classification, split.seed
    )
    predicted, ones = predict_boosting(part, 1), np.ones(len(split.y_test))
    if metric is ScoreMetric.R2:
        return r_squared(predicted, split.y_test, ones)
    if metric is ScoreMetric.MACRO_ROC_AUC:
        return macro_roc_auc(predicted, split.y_test, ones)
    rarer = int(np.argmin(np.bincount(split.y_train)))
    curve = average_precision if metric is ScoreMetric.PR_AUC else roc_auc
    return curve(predicted[:, rarer], split.y_test == rarer, ones)


def compare(case: Case, record: dict, folder: Path) -> tuple[float, float, bool, str]:
    """Differences on training and on test rows, whether they agree within their intervals, and a row of the page."""
    X, y = case.load(folder)
    split = split_rows(X, y, is_classification=not case.regression, seed=record["seed"])
    cost, seconds = replay(split, record["kept"])
    tested = score(split, record["kept"], cost.metric) - score(split, split.columns, cost.metric)
    own_error = (cost.difference.high - cost.difference.value) / Z
    test_error = standard_error(tested, np.ones(len(split.y_test)))
    agrees = abs(tested.value - cost.difference.value) <= Z * math.hypot(own_error, test_error)
    ends = [f"{tested.value + sign * Z * test_error:+.4f}" for sign in (-1, 1)]
    row = (
        f"| {case.name} | {METRICS[cost.metric]} | {cost.all_columns.value:.3f} | {cost.kept.value:.3f} "
        f"| {cost.difference.value:+.4f} ({cost.difference.low:+.4f} to {cost.difference.high:+.4f}) "
        f"| {tested.value:+.4f} ({' to '.join(ends)}) | {'yes' if agrees else 'no'} "
        f"| {seconds:.1f} | {seconds / record['cpu_seconds']:.1%} |"
    )
    return cost.difference.value, tested.value, agrees, row


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("MINERVA_DATA"), help="folder of the tables")
    parser.add_argument("--tables", nargs="*", help="names of tables; default: all real ones")
    parser.add_argument("--out", type=Path, default=PAGE)
    arguments = parser.parse_args()
    cases = {case.name: case for case in load_study().tables if case.card_fraud is None}
    wanted = arguments.tables or [*cases]
    records = map(json.loads, RECORDS.read_text(encoding="utf-8").splitlines())
    found = []
    for record in records:
        if record["method"] == "minerva" and record["table"] in wanted and not record["error"]:
            found.append(compare(cases[record["table"]], record, arguments.data))
            print(found[-1][-1], flush=True)
    own, tested, agree, rows = zip(*found, strict=True)
    excess = np.subtract(own, tested)
    page = [
        HEAD,
        *rows,
        "",
        f"{sum(agree)} of {len(agree)} differences agree within 95% intervals. Reported differences minus those on "
        f"test rows: mean {excess.mean():+.4f}, median {np.median(excess):+.4f}, from {excess.min():+.4f} to "
        f"{excess.max():+.4f}. A mean above 0 is the optimism of scores on held-out rows that the tests of the columns "
        "use too.",
        "",
    ]
    arguments.out.write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()
