"""What the rows of a table cannot show of a discrete target, as part of the interval of an estimate."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from minerva_select.codes import EstimateDoubt
from minerva_select.config import DENSITY_RATIO, ESTIMATION, INFERENCE, TARGET_BINS
from minerva_select.mi.inference import MeanEstimate
from minerva_select.results import Estimate
from minerva_select.schema import Table


def allow_for_unseen(evidence: MeanEstimate, n_rows: int) -> MeanEstimate:
    """Keep the error of a mean above that of a few rows which contradict the others and happen not to be seen.

    Without it, rows that all agree would look certain. A row says no more than the logarithm of the number of rows.
    """
    smallest = ESTIMATION.unseen_rows * math.log(n_rows) / n_rows / INFERENCE.normal_quantile
    return replace(evidence, standard_error=max(evidence.standard_error, smallest))


def allow_for_merged_classes(estimate: Estimate, y_table: Table, entropy: float) -> Estimate:
    """Raise the upper end by the entropy within merged classes, if there are so many that some were merged.

    ``entropy`` is that of the classes that were told apart. The entropy of rare classes is corrected for the number of
    rows (Miller and Madow). Of one column, the rarest classes were merged, and nothing is known of them. Of several,
    similar rows were merged, about which at most twice the share is known that is known about the rest.
    """
    codes = np.column_stack([column.values for column in y_table.columns])
    counts = np.unique(codes, axis=0, return_counts=True)[1]
    if len(counts) <= TARGET_BINS.max_bins:
        return estimate
    shares = counts / y_table.n_rows
    whole = float(-(shares * np.log(shares)).sum()) + (len(counts) - 1) / (2 * y_table.n_rows)
    share = 1.0 if len(y_table.columns) == 1 else min(1.0, 2.0 * estimate.high / max(entropy, 1e-9))
    lost = share * max(0.0, whole - entropy)
    doubt = EstimateDoubt.CLASSES_MERGED if lost > DENSITY_RATIO.max_lacking_nats else None
    return replace(estimate, high=estimate.high + lost, note=None, entropy=None, doubt=doubt)
