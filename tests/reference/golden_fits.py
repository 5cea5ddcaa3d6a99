"""Small fits whose kept columns and numbers are recorded in golden_fits.json.

Run this file to compare all numbers with the record exactly, or with ``--update`` to record them again:
``OMP_NUM_THREADS=1 python tests/reference/golden_fits.py``.
"""

from __future__ import annotations

import json
import math
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import torch

from minerva_select import selectors
from minerva_select.problems import equality, redundant

RECORD = Path(__file__).with_name("golden_fits.json")
BASELINES = (
    "KSGSelector",
    "HSICLassoSelector",
    "BorutaSelector",
    "RFESelector",
    "RandomForestSelector",
    "FOCISelector",
    "MRMRSelector",
    "LassoSelector",
    "GradientBoostingSelector",
)


def fit_paper():
    problem = equality(n_samples=4_000, n_features=6, n_levels=3, relevant=(1, 4), random_state=0)
    return selectors.PaperSelector(random_state=0).fit(problem.X, problem.y).selection_


def fit_paper_other_coefficients():
    problem = equality(n_samples=2_000, n_features=4, n_levels=2, relevant=(0, 2), random_state=0)
    selector = selectors.PaperSelector(2, sparsity=0.02, learning_rate=2e-3, random_state=0)
    return selector.fit(problem.X, problem.y).selection_


FITS = {name: fit for name, fit in list(globals().items()) if name.startswith(("fit_", "estimate_")) and callable(fit)}


def describe(result):
    """Kept columns and numbers of a result; no sentences."""
    if not hasattr(result, "features"):
        return {"nats": result.nats, "low": result.low, "high": result.high}
    numbers = ("weight", "marginal_nats", "contribution_nats", "contribution_low", "contribution_high")
    return {
        "selected": list(result.selected),
        "information": _describe(result.mutual_information),
        "total": _describe(result.total_information),
        "n_rows": result.n_rows,
        "converged": result.converged,
        "features": {one.feature: [getattr(one, name) for name in numbers] for one in result.features},
        "partners": {one.feature: list(one.partners) for one in result.features if one.partners},
        "replaced_by": {one.feature: list(one.replaced_by) for one in result.features if one.replaced_by},
        "path": [[list(point.features), point.nats, point.low, point.high] for point in result.path],
        "pairs": [[pair.first, pair.second, pair.nats, pair.low, pair.high] for pair in result.pairs],
        "last_bounds": [one.held_out_bound for one in result.history[-5:]],
    }


def _describe(estimate):
    return None if estimate is None else [estimate.nats, estimate.low, estimate.high]


def run_baselines():
    problem = redundant(n_samples=400, random_state=0)
    X = problem.X.drop(columns=["f4", "f5"])  # copies of f0 and f1: which one comes first depends on the last bit
    found = {}
    for name in BASELINES:
        kind = getattr(selectors, name)
        parameters = {"random_state": 0} if "random_state" in kind().get_params() else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector = kind(n_features_to_select=4, **parameters).fit(X, problem.y)
        found[name] = {"selected": list(selector.selection_.selected), "scores": np.asarray(selector.scores_).tolist()}
    return found


def machine():
    """What decides the last digits of a fit."""
    return {"torch": torch.__version__, "cpu": torch.backends.cpu.get_cpu_capability()}


def differences(expected, found, tolerance, place=""):
    """Places where two nested records differ by more than the tolerance."""
    if isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys():
        parts = ((expected[key], found[key], f"{place}/{key}") for key in expected)
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        parts = ((a, b, f"{place}/{k}") for k, (a, b) in enumerate(zip(expected, found, strict=True)))
    elif isinstance(expected, float) and isinstance(found, float | int):
        near = expected == found or math.isclose(expected, found, rel_tol=tolerance, abs_tol=tolerance)
        return [] if near or (math.isnan(expected) and math.isnan(found)) else [f"{place}: {expected} -> {found}"]
    else:
        return [] if expected == found else [f"{place}: {expected} -> {found}"]
    return [line for a, b, where in parts for line in differences(a, b, tolerance, where)]


def run_all(names=()):
    found = {"machine": machine()}
    for name, fit in FITS.items():
        if not names or name in names:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                start = time.perf_counter()
                found[name] = describe(fit())
            sys.stderr.write(f"{name}: {time.perf_counter() - start:.1f} s\n")
    if not names or "baselines" in names:
        found["baselines"] = run_baselines()
    return json.loads(json.dumps(found))


if __name__ == "__main__":
    if "--update" in sys.argv:
        RECORD.write_text(json.dumps(run_all(), indent=1) + "\n")
        sys.exit()
    expected, found = json.loads(RECORD.read_text()), run_all(sys.argv[1:])
    lines = differences({name: expected[name] for name in found}, found, 0.0)
    sys.stdout.write("\n".join([*lines, f"{len(lines)} differences in {len(found)} records"]) + "\n")
    sys.exit(bool(lines))
