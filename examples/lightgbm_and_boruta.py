"""
How does it compare with LightGBM and Boruta?
=============================================

On a simple table, the gain of boosted trees finds the same columns in a fraction of the time. The methods differ where
columns matter only together, and where there is nothing to find.
"""

# %%
# Three tables with known answers: a sum of five columns among ten, a target that is 1 where two of a hundred columns
# are equal, and noise.

import time

from lightgbm import LGBMClassifier

from minerva_select import MinervaSelector
from minerva_select.evaluation import score_selection
from minerva_select.problems import additive, equality, independent
from minerva_select.selectors import BorutaSelector

problems = {
    "sum": additive(n_samples=1_000, n_features=10, random_state=0),
    "equality": equality(n_samples=2_000, n_features=100, random_state=0),
    "noise": independent(n_samples=1_000, n_features=10, random_state=0),
}

# %%
# LightGBM gives a ranking; here it keeps the columns whose gain is above the mean. Boruta compares each column with
# permuted columns. MINERVA tests on held-out rows. The target of the sum is continuous; it is cut at its median.


def gain_above_mean(X, y):
    model = LGBMClassifier(importance_type="gain", n_jobs=1, verbose=-1, random_state=0).fit(X, y)
    gains = model.feature_importances_
    return [name for name, gain in zip(X.columns, gains, strict=True) if gain > gains.mean()]


def boruta(X, y):
    return BorutaSelector(random_state=0).fit(X, y).get_feature_names_out().tolist()


def minerva(X, y):
    return MinervaSelector(random_state=0).fit(X, y).get_feature_names_out().tolist()


seconds = {}
for name, problem in problems.items():
    X = problem.X.apply(lambda column: column if column.dtype.kind in "iuf" else column.astype("category").cat.codes)
    y = problem.y > problem.y.median() if name == "sum" else problem.y
    print(f"{name}: {len(problem.relevant)} of {X.shape[1]} columns are relevant")
    for method in (gain_above_mean, boruta, minerva):
        start = time.perf_counter()
        kept = method(X, y)
        seconds[f"{method.__name__}, {name}"] = time.perf_counter() - start
        score = score_selection(kept, problem.relevant)
        right, wrong = len(score.true_positives), len(score.false_positives)
        print(f"{method.__name__:>16}: keeps {len(kept)}, {right} right, {wrong} wrong")

# %%
# The price, in seconds on one core:

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(7.2, 3.4))
ax.barh(list(seconds), list(seconds.values()), color=["#999999", "#56b4e9", "#0072b2"] * 3)
ax.set(xscale="log", xlabel="seconds")
ax.invert_yaxis()

# %%
# :doc:`/guide/lightgbm` says when the gain of LightGBM is enough, with figures on real tables.
