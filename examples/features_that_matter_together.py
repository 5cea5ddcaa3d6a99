"""
Which features matter only together?
====================================

Three columns of twenty decide the target, and none of them says anything about it alone. Scores of single columns
cannot find them.
"""

# %%
# The target is the parity of three bits: whether an odd number of them is 1.

# sphinx_gallery_thumbnail_path = "pictures/experiment-a-pair_map.png"
from sklearn.feature_selection import mutual_info_classif

from minerva_select import MinervaSelector
from minerva_select.problems import parity

problem = parity(n_samples=5_000, random_state=0)
print(problem.relevant)

# %%
# The information of each column alone, as :func:`sklearn.feature_selection.mutual_info_classif` estimates it. The
# relevant columns are not ahead.

alone = mutual_info_classif(problem.X, problem.y, discrete_features=True, random_state=0)
for score, name in sorted(zip(alone, problem.X.columns, strict=True), reverse=True)[:6]:
    print(f"{name:>4} {score:.4f}")

# %%
# MINERVA trains critics on all columns at once, so it sees what they say together.

selector = MinervaSelector(random_state=0).fit(problem.X, problem.y)
print(selector.selection_)

# %%
# The same as a figure: the bar is what is lost without the feature, the ring is what the feature says alone.

selector.selection_.plot("contributions")
