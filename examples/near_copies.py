"""
What if several columns say the same?
=====================================

Minutes and charge, a price in two currencies, an age and its bracket: tables often have the same information twice.
MINERVA keeps one of such columns and lists the others as equivalent to it.
"""

# %%
# A phone bill: the charge is the minutes times a rate, rounded. The bracket is a coarser version of the minutes. The
# target depends on the minutes, on the number of calls to the help desk, and on nothing else.

import numpy as np
import pandas as pd

from minerva_select import MinervaSelector

rng = np.random.default_rng(0)
n_rows = 3_000
minutes = rng.gamma(4, 45, n_rows)
help_calls = rng.poisson(1.2, n_rows)
leaves = rng.random(n_rows) < 1 / (1 + np.exp(3.2 - 0.012 * minutes - 0.7 * help_calls))
X = pd.DataFrame(
    {
        "charge": (0.17 * minutes).round(2),
        "minutes": minutes.round(1),
        "bracket": pd.cut(minutes, [0, 100, 200, 300, np.inf], labels=["low", "middle", "high", "very high"]),
        "help_calls": help_calls,
        "account_age": rng.integers(1, 200, n_rows),
        "messages": rng.poisson(30, n_rows),
    }
)
y = pd.Series(np.where(leaves, "leaves", "stays"), name="customer")

# %%
# One of the three columns is kept and represents the others. The choice between them is by their information about
# the target, then by missing and by distinct values.

selector = MinervaSelector(random_state=0).fit(X, y)
print(selector.selection_)
print(selector.selection_.equivalents)

# %%
# Every dropped column has a reason, as a code for programs and as a sentence for people.

selector.selection_.to_frame()[["feature", "selected", "reason_code", "reason"]]

# %%
# To decide yourself which one is kept, name it in ``keep`` and the others in ``drop``.

preferred = MinervaSelector(keep=["minutes"], drop=["charge", "bracket"], random_state=0).fit(X, y)
print(preferred.get_feature_names_out())

# %%
# A ranking by importance cannot say this: copies share their importance, so each of them looks weaker than it is.

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestClassifier

numbers = X.assign(bracket=X["bracket"].cat.codes)
cases = {"without copies": ["minutes", "help_calls", "account_age", "messages"], "with copies": list(X.columns)}
fig, axes = plt.subplots(1, 2, sharex=True)
for ax, (label, columns) in zip(axes, cases.items(), strict=True):
    forest = RandomForestClassifier(random_state=0).fit(numbers[columns], y)
    ax.barh(columns, forest.feature_importances_, color="#0072b2")
    ax.set(title=label, xlabel="importance in a random forest")
    ax.invert_yaxis()
    print({name: round(float(share), 2) for name, share in zip(columns, forest.feature_importances_, strict=True)})
