"""Small fits whose kept columns and numbers are recorded in golden_fits.json.

Run this file to compare all numbers with the record exactly, or with ``--update`` to record them again:
``OMP_NUM_THREADS=1 python tests/reference/golden_fits.py``.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from pyarrow import parquet

from minerva_select import MinervaSelector, mutual_information, open_source, selectors
from minerva_select.problems import additive, bayesian_network, equality, gaussian, independent, parity, redundant

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


def payments(n_samples=1_500):
    """Mixed columns: text, dates, missing values, an identifier, a row number, a leak, copies and a constant."""
    rng = np.random.default_rng(0)
    amount = np.round(rng.lognormal(3, 1, n_samples), 2)
    country = rng.choice(["NL", "DE", "FR", "PL"], n_samples)
    hour = rng.integers(0, 24, n_samples)
    logit = 1.5 * (np.log(amount) - 3) + np.where(country == "PL", 2.0, 0.0) + np.where(hour < 6, 1.5, -1.0)
    is_fraud = rng.random(n_samples) < 1 / (1 + np.exp(-logit))
    table = pd.DataFrame(
        {
            "payment_id": [f"p{k:06d}" for k in rng.permutation(n_samples)],
            "row": np.arange(n_samples),
            "amount": np.where(rng.random(n_samples) < 0.1, np.nan, amount),
            "amount_again": amount,
            "cents": np.round(amount * 100),
            "country": country,
            "hour": hour,
            "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 365, n_samples), unit="D"),
            "noise": rng.normal(size=n_samples),
            "constant": 1.0,
            "closed": np.where(rng.random(n_samples) < 0.02, ~is_fraud, is_fraud),
            "price": [f"{value:.2f}".replace(".", ",") for value in rng.normal(10, 3, n_samples)],
        }
    )
    return table, pd.Series(is_fraud, name="is_fraud")


def select(X, y, *, kind=MinervaSelector, fit_params=None, **parameters):
    return kind(random_state=0, **parameters).fit(X, y, **(fit_params or {})).selection_


def stream(problem, folder):
    path = Path(folder) / "table.parquet"
    table = pa.Table.from_pandas(problem.X.assign(target=np.asarray(problem.y)), preserve_index=False)
    parquet.write_table(table, path, row_group_size=500)
    source = open_source(path)
    features = [name for name in source.names if name != "target"]
    y = np.asarray(problem.y)
    return source.select(features), y


def fit_equality():
    problem = equality(n_samples=4_000, n_features=8, n_levels=3, relevant=(1, 4), random_state=0)
    return select(problem.X, problem.y)


def fit_parity():
    problem = parity(n_samples=3_000, n_features=7, n_bits=3, random_state=0)
    return select(problem.X, problem.y)


def fit_additive():
    problem = additive(n_samples=1_500, random_state=0)
    return select(problem.X, problem.y)


def fit_additive_three_features():
    problem = additive(n_samples=1_500, random_state=0)
    return select(problem.X, problem.y, n_features_to_select=3)


def fit_redundant():
    problem = redundant(n_samples=2_000, random_state=0)
    return select(problem.X, problem.y)


def fit_redundant_kept():
    problem = redundant(n_samples=2_000, random_state=0)
    return select(problem.X, problem.y, redundant="keep")


def fit_bayesian_network():
    problem = bayesian_network(n_samples=2_000, random_state=0)
    return select(problem.X, problem.y)


def fit_noise():
    problem = independent(n_samples=400, n_features=12, random_state=0)
    return select(problem.X, problem.y)


def fit_payments():
    return select(*payments(), drop=["cents"])


def fit_payments_grouped():
    X, y = payments()
    rng = np.random.default_rng(1)
    return select(
        X.drop(columns="closed"),
        y,
        keep=["noise"],
        feature_groups={"money": ["amount", "cents"]},
        fit_params={"groups": rng.integers(0, 500, len(y)), "sample_weight": rng.integers(0, 3, len(y))},
    )


def fit_payments_in_order_of_time():
    X, y = payments()
    return select(X.drop(columns="closed"), y, fit_params={"times": X["day"]})


def fit_streamed():
    problem = equality(n_samples=12_000, n_features=8, n_levels=3, relevant=(1, 4), random_state=1)
    with tempfile.TemporaryDirectory() as folder:
        X, y = stream(problem, folder)
        return select(X, y, max_memory="1MiB")


def fit_streamed_numbers():
    problem = additive(n_samples=8_000, random_state=1)
    with tempfile.TemporaryDirectory() as folder:
        X, y = stream(problem, folder)
        return select(X, y, max_memory="1MiB")


def fit_paper():
    problem = equality(n_samples=4_000, n_features=6, n_levels=3, relevant=(1, 4), random_state=0)
    return select(problem.X, problem.y, kind=selectors.PaperSelector)


def fit_paper_other_coefficients():
    problem = equality(n_samples=2_000, n_features=4, n_levels=2, relevant=(0, 2), random_state=0)
    return select(
        problem.X, problem.y, kind=selectors.PaperSelector, sparsity=0.02, learning_rate=2e-3, n_features_to_select=2
    )


def estimate_gaussian():
    problem = gaussian(n_samples=2_000, random_state=0)
    return mutual_information(problem.X, problem.y, random_state=0)


def estimate_given():
    X, y = payments()
    return mutual_information(X[["hour"]], y, given=X[["country", "amount"]], random_state=0)


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
    found = {}
    for name in BASELINES:
        kind = getattr(selectors, name)
        parameters = {"random_state": 0} if "random_state" in kind().get_params() else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector = kind(n_features_to_select=4, **parameters).fit(problem.X, problem.y)
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
