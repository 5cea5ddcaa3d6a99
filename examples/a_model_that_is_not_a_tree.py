"""
Does it help a model that is not a tree?
========================================

Boosted trees ignore most noise on their own. Nearest neighbors, kernels and neural networks do not: every column
without information makes them worse.
"""

# %%
# Friedman's function of five columns, and a growing number of columns of noise.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from minerva_select import MinervaSelector

X, y = make_friedman1(n_samples=1_000, n_features=30, noise=1.0, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
kept = MinervaSelector(random_state=0).fit(X_train, y_train).get_support(indices=True)
print("kept:", kept)

# %%
# R2 on test rows, with all columns and with the kept ones.

models = {
    "nearest neighbors": make_pipeline(StandardScaler(), KNeighborsRegressor(weights="distance")),
    "support vectors": make_pipeline(StandardScaler(), SVR(C=10)),
    "boosted trees": HistGradientBoostingRegressor(random_state=0),
}
sets = {"all 30 columns": np.arange(30), "kept columns": kept}
scores = {
    (model, label): models[model].fit(X_train[:, columns], y_train).score(X_test[:, columns], y_test)
    for model in models
    for label, columns in sets.items()
}
for (model, label), score in scores.items():
    print(f"{model:>17}, {label:<14} R2 {score:.3f}")

# %%

fig, ax = plt.subplots(figsize=(7.2, 3))
for shift, (label, color) in enumerate(zip(sets, ("#999999", "#0072b2"), strict=True)):
    heights = [max(0.0, scores[model, label]) for model in models]
    ax.bar(np.arange(3) + 0.38 * shift, heights, width=0.36, color=color, label=label)
ax.set(xticks=np.arange(3) + 0.19, xticklabels=list(models), ylabel="R2 on test rows")
ax.legend()
