"""
How do I use several processes?
===============================

A fit uses several threads on its own. Processes pay off for many fits: other seeds, other parts of the rows, other
methods. They show how stable a selection is.
"""

# %%
# Would the same columns come out if some of the rows had not been there? Four fits, each on 80% of the rows, two at a
# time.

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from minerva_select import MinervaSelector
from minerva_select.evaluation import repeat_fits, with_frequencies

X, y = load_diabetes(return_X_y=True, as_frame=True)
X = X[["age", "bmi", "bp", "s3", "s5", "s6"]]
selections = repeat_fits(MinervaSelector(), X, y, n_repeats=4, subsample=0.8, random_state=0, n_jobs=2)
for selection in selections:
    print(selection.selected)

# %%
# The shares belong in the selection of all rows: with them, its report has a section on stability.

selection = with_frequencies(MinervaSelector(random_state=0).fit(X, y).selection_, selections, subsample=0.8)
print(selection.repeats)
frame = selection.to_frame().sort_values("frequency", ascending=False)
frame[["feature", "selected", "reason_code", "frequency"]]

# %%

fig, ax = plt.subplots()
ax.barh(frame["feature"], frame["frequency"], color=["#0072b2" if kept else "#999999" for kept in frame["selected"]])
ax.set(xlabel="share of the fits that select the column", xlim=(0, 1), title="blue: selected from all rows")
ax.invert_yaxis()

# %%
# Columns near 100% do not depend on these rows. In between, a column is weak, or another one can replace it: for a
# decision that must not change with the next delivery of data, prefer the first.

# %%
# Within ``joblib.parallel_config(backend="dask")``, the fits run on a cluster. A single fit of a table that is too
# large for one machine is run with ``torchrun``; :doc:`/scale` describes both.
