"""
What if rows belong to customers, or to an order in time?
=========================================================

Rows of one customer resemble each other, and rows of today differ from those of last year. If such rows are split at
random, a column that only recognizes the customer or the season looks informative.
"""

# %%
# **Groups.** 300 customers with ten visits each. Whether a customer buys is mostly a matter of the customer. The shelf
# number of a customer's parcels says nothing about buying, but it recognizes the customer.

import numpy as np
import pandas as pd

from minerva_select import MinervaSelector

rng = np.random.default_rng(0)
customer = np.repeat(np.arange(300), 10)
taste = rng.normal(size=300)
discount = rng.random(3_000)
X = pd.DataFrame(
    {
        "discount": discount,
        "shelf": rng.integers(0, 100, 300).astype(str)[customer],
        "hour": rng.integers(8, 20, 3_000),
    }
)
y = pd.Series(rng.random(3_000) < 1 / (1 + np.exp(-2 * taste[customer] - 3 * (discount - 0.5))), name="buys")

for name, groups in {"rows split at random": None, "groups=customer": customer}.items():
    selection = MinervaSelector(random_state=0).fit(X, y, groups=groups).selection_
    print(f"{name}: {selection.selected}, {selection.mutual_information}")

# %%
# With ``groups``, all rows of a customer are either in the training rows or in the held-out rows, and intervals count
# customers instead of rows.

# %%
# **Time.** A campaign worked in the first months and then no longer. Held-out rows from all months find it useful;
# the last months, which are closer to the rows that the model will see, do not.

day = np.sort(rng.integers(0, 365, 3_000))
campaign = rng.random(3_000) < 0.5
price = rng.normal(size=3_000)
effect = np.where(day < 180, 2.5, 0.0)
X = pd.DataFrame({"campaign": campaign, "price": price, "hour": rng.integers(8, 20, 3_000)})
y = pd.Series(rng.random(3_000) < 1 / (1 + np.exp(-effect * (campaign - 0.5) + price)), name="buys")
times = pd.Timestamp("2026-01-01") + pd.to_timedelta(day, unit="D")

for name, given in {"rows split at random": None, "times=day": times}.items():
    selection = MinervaSelector(random_state=0).fit(X, y, times=given).selection_
    print(f"{name}: {selection.selected}, {selection.mutual_information}")

# %%
# The share of buyers by month shows why.

import matplotlib.pyplot as plt

month = pd.DatetimeIndex(times).month
fig, ax = plt.subplots()
for value, color in ((True, "#d55e00"), (False, "#0072b2")):
    chosen = campaign == value
    ax.plot(y[chosen].groupby(month[chosen]).mean(), marker="o", color=color, label=f"campaign: {value}")
ax.set(xlabel="month", ylabel="share of buyers", ylim=(0, 1))
ax.legend()

# %%
# On the command line, these are ``--group-column customer`` and ``--time-column day``.
