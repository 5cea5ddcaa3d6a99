"""
Does a column give the answer away?
===================================

A column that is written after the outcome is known predicts it perfectly, and is useless: on the day of the decision
it is empty. MINERVA keeps such a column, because it carries the information, and warns.
"""

# %%
# The diagnoses of the breast cancer data of scikit-learn, with a column that a hospital would fill in later: the number
# of days of treatment.

import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer

from minerva_select import MinervaSelector
from minerva_select.errors import MinervaWarning

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["mean radius", "mean texture", "mean smoothness", "mean concavity", "worst area", "fractal dimension error"]]
y = y.map({0: "malignant", 1: "benign"}).rename("diagnosis")
rng = np.random.default_rng(0)
X = X.assign(treatment_days=np.where(y == "malignant", rng.integers(20, 90, len(y)), rng.integers(0, 4, len(y))))

# %%
# The warning is a Python warning as well, so that it cannot be overlooked in a log.

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", MinervaWarning)
    selector = MinervaSelector(random_state=0).fit(X, y)
print([str(warning.message) for warning in caught if warning.category is MinervaWarning])

# %%
# In a program, use the codes.

selection = selector.selection_
print(selection.selected)
for suspect in selection.suspects:
    print(suspect.feature, suspect.kind, f"{suspect.share:.0%}" if suspect.share else "")

# %%
# Nobody but you can know whether a column is a leak. If it is, leave it out and fit again: now the features that are
# known in time appear, and how much they carry.

without = MinervaSelector(drop=["treatment_days"], random_state=0).fit(X, y)
print(without.selection_)

# %%
# Both selections, in nats.

import matplotlib.pyplot as plt

found = {"with treatment_days": selection, "without": without.selection_}
fig, ax = plt.subplots(figsize=(7.2, 2.4))
for row, result in enumerate(found.values()):
    estimate = result.mutual_information
    ax.barh(row, estimate.nats, color="#0072b2", height=0.5)
    ax.plot([estimate.low, estimate.high], [row, row], color="black")
ax.axvline(selection.target_entropy, color="#666666", linestyle="--", label="entropy of the diagnosis")
ax.set(yticks=range(2), yticklabels=list(found), xlabel="information about the diagnosis, nats")
ax.legend(loc="lower right")
