"""
How do I use it in a Pipeline with GridSearchCV?
================================================

A selector that sees the test rows makes a model look better than it is. In a pipeline it is fitted on the training rows
of every fold, like all other steps.
"""

# %%
# Friedman's function of five columns, and five columns of noise.

import tempfile

from sklearn.datasets import make_friedman1
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from minerva_select import MinervaSelector

X, y = make_friedman1(n_samples=400, n_features=10, noise=1.0, random_state=0)

# %%
# The model is tuned after the selection. With ``memory``, the selection of a fold is computed once and used for all
# values of the grid, so the search needs as many selections as there are folds, and one more for the final fit.

cache = tempfile.TemporaryDirectory()
pipeline = Pipeline(
    [
        ("select", MinervaSelector(random_state=0)),
        ("scale", StandardScaler()),
        ("model", KNeighborsRegressor(weights="distance")),
    ],
    memory=cache.name,
)
search = GridSearchCV(pipeline, {"model__n_neighbors": [3, 5, 10, 20]}, cv=3).fit(X, y)
print(search.best_params_, f"R2 {search.best_score_:.3f}")

# %%
# The same model without the selection:

plain = Pipeline(pipeline.steps[1:])
search_plain = GridSearchCV(plain, {"model__n_neighbors": [3, 5, 10, 20]}, cv=3).fit(X, y)
print(search_plain.best_params_, f"R2 {search_plain.best_score_:.3f} with all columns")

# %%
# The fitted selector is a step of the best pipeline.

best = search.best_estimator_.named_steps["select"]
print(best.get_feature_names_out())
print(best.selection_)

# %%
# Parameters of the selector can be searched as well. With ``MinervaSelector(reuse_fit=True)``, all values of
# ``select__n_features_to_select`` share one fit per split. The path has the best set of every size:

import matplotlib.pyplot as plt

path = best.selection_.path
fig, ax = plt.subplots()
ax.errorbar(
    [point.n_features for point in path],
    [point.nats for point in path],
    yerr=[[point.nats - point.low for point in path], [point.high - point.nats for point in path]],
    marker="o",
    capsize=3,
    color="#0072b2",
)
ax.set(xlabel="number of features", ylabel="information about y, nats", xticks=[point.n_features for point in path])
cache.cleanup()
