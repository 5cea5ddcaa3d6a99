"""
What is Experiment A of the paper?
==================================

Thirty categorical columns, and a target that is 1 where two of them are equal. Neither column says anything alone,
because every level is equal to another level equally often.
"""

# %%
# The information is known in closed form (the paper's lemma).

from minerva_select import MinervaSelector
from minerva_select.problems import equality

problem = equality(n_samples=20_000, random_state=0)
print(problem.X.shape, problem.relevant, f"{problem.mutual_information:.4f} nats")

# %%
# The levels of the two columns against each other: the rows and columns of this table are nearly constant, the diagonal
# is not.

import matplotlib.pyplot as plt

first, second = problem.relevant
shares = problem.y.groupby([problem.X[first], problem.X[second]]).mean().unstack()
fig, axes = plt.subplots(1, 2, figsize=(7.2, 3.2))
axes[0].imshow(shares, cmap="Blues")
axes[0].set(xlabel=second, ylabel=first, title="share of y = 1")
axes[0].grid(visible=False)
for name, style in ((first, "o-"), (second, "s--")):
    axes[1].plot(problem.y.groupby(problem.X[name]).mean().to_numpy(), style, label=name)
axes[1].set(ylim=(0, 1), xlabel="level", title="by one column")
axes[1].legend()

# %%
# MINERVA, with its defaults:

selector = MinervaSelector(random_state=0).fit(problem.X, problem.y)
print(selector.selection_)

# %%
# What each column adds to the other, and what it says alone:

selector.selection_.plot("contributions")

# %%
# Algorithm 1 as published is :class:`minerva_select.selectors.PaperSelector`; it takes minutes for 30 columns.
# ``minerva reproduce a`` runs it and all other methods of the paper on this experiment; :doc:`/paper` has the results.
