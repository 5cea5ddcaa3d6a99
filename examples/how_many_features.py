"""
How many features are enough?
=============================

A selection has a path: the best sets of every smaller size, with their information. It shows what one feature less
would cost.
"""

# %%
# The cells of the breast cancer data of scikit-learn, with the mean and the worst value of five properties.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from minerva_select import MinervaSelector

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[
    [
        f"{kind} {name}"
        for name in ("radius", "texture", "smoothness", "concavity", "symmetry")
        for kind in ("mean", "worst")
    ]
]
selection = MinervaSelector(random_state=0).fit(X, y).selection_
print(selection)

# %%
# The best set of every size:

for point in selection.path:
    print(
        f"{point.n_features}: {point.nats:.3f} nats ({point.low:.3f} to {point.high:.3f})  {', '.join(point.features)}"
    )

# %%
# The log loss of a logistic regression with each set, in nats as well. The entropy of the diagnosis minus the log
# loss is the information that this model uses; another model may use more or less.

scores = []
for point in selection.path:
    model = make_pipeline(StandardScaler(), LogisticRegression())
    scores.append(-cross_val_score(model, X[list(point.features)], y, cv=5, scoring="neg_log_loss").mean())

fig, ax = plt.subplots()
sizes = [point.n_features for point in selection.path]
ax.fill_between(sizes, [p.low for p in selection.path], [p.high for p in selection.path], color="#56b4e9", alpha=0.3)
ax.plot(sizes, [point.nats for point in selection.path], "o-", color="#0072b2", label="information of the set")
ax.plot(
    sizes, [selection.target_entropy - loss for loss in scores], "s--", color="#d55e00", label="used by a linear model"
)
ax.axhline(selection.target_entropy, color="#666666", linestyle=":", label="entropy of the diagnosis")
ax.set(xlabel="number of features", ylabel="nats", xticks=sizes)
ax.legend(loc="lower right")

# %%
# If you need a certain number, say so. The set is the best of that size, not the strongest columns of the larger set.

three = MinervaSelector(3, random_state=0).fit(X, y)
print(three.get_feature_names_out())
