"""
When should I not believe an estimate of mutual information?
============================================================

Every estimator of mutual information fails somewhere. An estimate is worth something if it says when.
"""

# %%
# A case with a closed form: two normal variables with correlation 0.8.

import matplotlib.pyplot as plt
import numpy as np

from minerva_select import mutual_information

rng = np.random.default_rng(0)
x = rng.standard_normal((1_000, 1))
y = 0.8 * x[:, 0] + 0.6 * rng.standard_normal(1_000)
truth = -0.5 * np.log(1 - 0.8**2)
print(f"truth {truth:.3f}")
print(mutual_information(x, y, random_state=0))

# %%
# **The target is determined.** If x determines a continuous y, the information is infinite. No number of rows can show
# that; the estimate says so.

print(mutual_information(x, x[:, 0] ** 3, random_state=0))

# %%
# **Few rows.** Twenty rows can hardly say anything.

few = mutual_information(x[:20], y[:20], random_state=0)
print(few)
print("reliable:", few.reliable)

# %%
# **Heavy tails and many columns.** Nearest neighbors (KSG) are good in two dimensions and lose much in ten. Nine
# columns of noise leave the truth as it is.

noise = rng.standard_normal((1_000, 9))
wide = np.hstack([x, noise])
for name in ("auto", "ksg", "cca"):
    print(f"{name:>5}: {mutual_information(wide, y, estimator=name, random_state=0)}")

# %%
# **A shape that the method assumes away.** Canonical correlations (CCA) are exact for normal columns and blind to a
# parabola.

parabola = x[:, 0] ** 2 + 0.3 * rng.standard_normal(1_000)
found = {name: mutual_information(x, parabola, estimator=name, random_state=0) for name in ("auto", "ksg", "cca")}
for name, estimate in found.items():
    print(f"{name:>5}: {estimate}")

# %%
# The intervals do not show it: the interval of CCA is the narrowest.

fig, ax = plt.subplots(figsize=(7.2, 2.6))
for row, estimate in enumerate(found.values()):
    ax.plot([estimate.low, estimate.high], [row, row], color="black")
    ax.plot(estimate.nats, row, "o", color="#0072b2")
ax.set(yticks=range(3), yticklabels=list(found), xlabel="information about the parabola, nats", xlim=(-0.05, None))
ax.invert_yaxis()

# %%
# ``estimate.doubt`` is None if all checks passed, and else a code. Test it in programs.

for label, columns, target in (("normal", x, y), ("determined", x, x[:, 0]), ("20 rows", x[:20], y[:20])):
    print(f"{label:>10}: doubt = {mutual_information(columns, target, random_state=0).doubt}")
