"""
How does the target go with each feature?
=========================================

That a feature carries information does not say which way: whether the target rises or falls with it, or both. The
effects of a selection do.
"""

# %%
# Hours of a bicycle rental: busy in mild weather, quiet in the cold and in the heat, and in wind. Rain matters only on
# days off, when nobody has to go out.

# sphinx_gallery_thumbnail_path = "pictures/card-fraud-effects.png"
import numpy as np
import pandas as pd

from minerva_select import MinervaSelector

rng = np.random.default_rng(0)
n_rows = 3_000
X = pd.DataFrame(
    {
        "temperature": rng.normal(15, 9, n_rows).round(1),
        "wind": rng.gamma(2, 6, n_rows).round(),
        "rain": rng.random(n_rows) < 0.3,
        "day_off": rng.random(n_rows) < 0.3,
        "humidity": rng.integers(30, 100, n_rows),
    }
)
mild = np.exp(-(((X["temperature"] - 21) / 9) ** 2))
level = -2.2 + 3 * mild - 0.05 * X["wind"] + 0.8 * X["day_off"] - 3 * (X["rain"] & X["day_off"])
busy = pd.Series(np.where(rng.random(n_rows) < 1 / (1 + np.exp(-level)), "busy", "quiet"), name="hour")
selection = MinervaSelector(random_state=0).fit(X, busy).selection_
print(selection)

# %%
# One small chart per kept feature: the share of this class, as observed and given the other kept features.

print(selection.effects.outcomes)

selection.plot("effects")

# %%
# The shape is a code: ``increasing`` or ``decreasing`` only if the intervals are certain of it.

for effect in selection.effects.features:
    print(f"{effect.feature:>12}: {effect.curves[0].shape}")

# %%
# The pair with the strongest interaction, as a map:

selection.plot("pair_map")

# %%
# These are associations in the table. Whether more bicycles would be rented if the wind fell is another question, which
# no table alone can answer.
