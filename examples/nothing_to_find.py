"""
What does it say if there is nothing to find?
=============================================

Most methods return the best of what they are given, even if it is noise. MINERVA returns nothing then.
"""

# %%
# Thirty columns that are independent of the target.

from lightgbm import LGBMClassifier

from minerva_select import MinervaSelector
from minerva_select.problems import independent

problem = independent(n_samples=1_000, n_features=30, random_state=0)
selector = MinervaSelector(random_state=0).fit(problem.X, problem.y)
print(selector.selection_)

# %%
# ``get_feature_names_out`` and ``transform`` work as usual; there are no columns.

print(selector.get_feature_names_out())

# %%
# The gain of boosted trees has no zero. It is spread over the columns, and those above the mean look like a selection.

coded = problem.X.apply(lambda column: column if column.dtype.kind in "iuf" else column.astype("category").cat.codes)
gain = LGBMClassifier(importance_type="gain", n_jobs=1, verbose=-1, random_state=0).fit(coded, problem.y)
importances = gain.feature_importances_
print((importances > importances.mean()).sum(), "of 30 columns are above the mean")

# %%

import matplotlib.pyplot as plt
import numpy as np

order = np.argsort(importances)[::-1]
fig, ax = plt.subplots(figsize=(7.2, 3))
ax.bar(range(30), importances[order], color="#999999")
ax.axhline(importances.mean(), color="#d55e00", label="mean")
ax.set(xlabel="column, by gain", ylabel="gain of LightGBM", title="Columns of noise")
ax.legend()

# %%
# With a number of features, MINERVA gives that number, and says that they are not proven.

forced = MinervaSelector(2, random_state=0).fit(problem.X, problem.y)
for result in forced.selection_.features:
    if result.selected:
        print(result.feature, result.reason.code, "-", result.reason)
