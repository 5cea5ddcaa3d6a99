"""
Can my table have text, dates and missing values?
=================================================

Yes. Nothing has to be encoded, scaled or imputed: columns are read by their type, and missing values are values of
their own.
"""

# %%
# Orders in a polars frame, with text, dates, booleans and gaps. A delivery is late if it goes abroad in December, or if
# the weight is not known.

from datetime import date, timedelta

import numpy as np
import polars as pl

from minerva_select import MinervaSelector

rng = np.random.default_rng(0)
n_rows = 2_500
day = rng.integers(0, 365, n_rows)
country = rng.choice(["NL", "BE", "DE", "PL", "IT"], n_rows)
weight = np.where(rng.random(n_rows) < 0.15, None, rng.gamma(2, 3, n_rows).round(2))
orders = pl.DataFrame(
    {
        "ordered": [date(2026, 1, 1) + timedelta(days=int(d)) for d in day],
        "country": country,
        "weight": weight.tolist(),
        "gift": rng.random(n_rows) < 0.2,
        "comment": [f"order number {k}" for k in range(n_rows)],
        "shop": rng.choice(["a", "b", "c", None], n_rows).tolist(),
    }
)
risk = 0.05 + 0.6 * ((country != "NL") & (day >= 334)) + 0.4 * orders["weight"].is_null().to_numpy()
late = pl.Series("late", rng.random(n_rows) < risk)
orders.head(3)

# %%

selector = MinervaSelector(random_state=0).fit(orders, late)
print(selector.selection_)

# %%
# The output of ``transform`` can be a polars frame too.

print(selector.set_output(transform="polars").transform(orders).columns)

# %%
# Every column has a reason: free text identifies its rows, and says nothing about other rows.

for result in selector.selection_.features:
    print(f"{result.feature:>8}: {result.reason.code:<12} {result.reason}")

# %%
# What each kept column adds to the others, with its 95% interval.

import matplotlib.pyplot as plt

kept = [result for result in selector.selection_.features if result.selected]
fig, ax = plt.subplots(figsize=(7.2, 2.4))
for row, result in enumerate(kept):
    ax.barh(row, result.contribution_nats, color="#0072b2", height=0.5)
    ax.plot([result.contribution_low, result.contribution_high], [row, row], color="black")
ax.set(yticks=range(len(kept)), yticklabels=[result.feature for result in kept], xlabel="contribution, nats")
ax.invert_yaxis()

# %%
# :doc:`/columns` describes all types. To read a column of numbers as categories, or the other way round, use
# ``categorical_features={"zip": True, "rating": False}``.
