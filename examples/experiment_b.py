"""
What is Experiment B of the paper?
==================================

Two categorical columns decide whether a target follows one set of four numeric columns or another. Without the two,
both sets look weak.
"""

# %%
# Forty columns: ten categorical ones, of which two are the switch, and thirty numeric ones, of which four enter by
# their sines and four by their cosines.

# sphinx_gallery_thumbnail_path = "pictures/card-fraud-pairs.png"
from minerva_select import MinervaSelector
from minerva_select.evaluation import score_selection
from minerva_select.problems import switching

problem = switching(n_samples=20_000, random_state=0)
print(problem.X.shape, problem.relevant)

# %%

selector = MinervaSelector(random_state=0).fit(problem.X, problem.y)
print(selector.selection_)
score = score_selection(selector.selection_.selected, problem.relevant)
print(score.outcome, "missing:", score.false_negatives, "too many:", score.false_positives)

# %%
# Interactions of the kept columns, strongest first, in nats with their intervals.

for pair in selector.selection_.pairs[:6]:
    print(f"{pair.first} and {pair.second}: {pair.nats:+.3f} ({pair.low:+.3f} to {pair.high:+.3f})")

# %%

selector.selection_.plot("pairs")

# %%
# What each column adds, and what it says alone:

selector.selection_.plot("contributions")

# %%
# ``minerva reproduce b`` runs all methods of the paper on this experiment; :doc:`/paper` has the results.
