"""
How much do these columns tell, given those?
============================================

Would it pay to buy a data source, to measure one more quantity, to ask one more question? The answer is the information
that the new columns add to those that are there: the conditional mutual information.
"""

# %%
# First a case with a known answer: x follows z, and y follows both. All three are normal, so the truth follows from
# correlations: x has log 2 nats about y, but only half of them if z is known.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from minerva_select import mutual_information

rng = np.random.default_rng(0)
z = rng.standard_normal((2_000, 1))
x = z + rng.standard_normal((2_000, 1))
y = (x + z + rng.standard_normal((2_000, 1)))[:, 0]
print(f"x alone: truth {np.log(2):.3f}, estimate {mutual_information(x, y, random_state=0)}")
print(f"given z: truth {np.log(2) / 2:.3f}, estimate {mutual_information(x, y, given=z, random_state=0)}")

# %%
# Now diabetes patients of scikit-learn: ten measurements, and the progression of the disease one year later.

X, y = load_diabetes(return_X_y=True, as_frame=True)
print(X.columns.tolist())

# %%
# What do the blood values (``s1`` to ``s6``) say about the progression, alone?

blood = [name for name in X if name.startswith("s") and name != "sex"]
body = ["age", "sex", "bmi", "bp"]
alone = mutual_information(X[blood], y, random_state=0)
print(alone)

# %%
# And if age, sex, body mass index and blood pressure are known already?

added = mutual_information(X[blood], y, given=X[body], random_state=0)
print(added)

# %%
# Both directions, and all columns together. By the chain rule, what is known from the body and what the blood adds give
# the total; the estimates are separate, so they agree within their intervals.

estimates = {
    "body": mutual_information(X[body], y, random_state=0),
    "blood": alone,
    "blood, given body": added,
    "body, given blood": mutual_information(X[body], y, given=X[blood], random_state=0),
    "both": mutual_information(X[body + blood], y, random_state=0),
}
fig, ax = plt.subplots()
for row, estimate in enumerate(estimates.values()):
    ax.barh(row, estimate.nats, color="#0072b2", height=0.5)
    ax.plot([estimate.low, estimate.high], [row, row], color="black")
ax.set(yticks=range(len(estimates)), yticklabels=list(estimates), xlabel="information about the progression, nats")
ax.invert_yaxis()

# %%

for name, estimate in estimates.items():
    print(f"{name:>18}: {estimate}")
