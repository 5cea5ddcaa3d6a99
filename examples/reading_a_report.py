"""
What is in a selection and its report?
======================================

A selection is data first: codes, numbers and intervals that a program can use. The report, the terminal and the
notebook show the same data.
"""

# %%
# Physical and chemical properties of wines, and which of three cultivars each is made of.

# sphinx_gallery_thumbnail_path = "pictures/report.png"
import tempfile
from pathlib import Path

from sklearn.datasets import load_wine

from minerva_select import MinervaSelector, Selection

X, y = load_wine(return_X_y=True, as_frame=True)
X = X[["alcohol", "malic_acid", "ash", "magnesium", "flavanoids", "color_intensity", "proline"]]
selection = MinervaSelector(random_state=0).fit(X, y.rename("cultivar")).selection_

# %%
# In sentences:

print(selection)

# %%
# In a notebook, end a cell with the selection. This is what it shows:

selection

# %%
# The figures that the sentences are made of. Intervals are 95% intervals on held-out rows.

print("entropy of the cultivar:", round(selection.target_entropy, 3), "nats")
print("kept columns:", selection.mutual_information)
print("all columns:", selection.total_information)
print("left behind:", selection.left_behind)
print("proven:", selection.proven, "supporting:", selection.supporting)

# %%
# One row per column. The reason is a code with columns, so that a program never has to parse a sentence.

selection.to_frame()[
    ["feature", "selected", "reason_code", "contribution_nats", "contribution_low", "marginal_nats"]
].round(3)

# %%
# The same as figures: contributions, the best sets of every size, and interactions.

selection.plot("contributions")

# %%

selection.plot("path")

# %%
# The report is one HTML file that opens offline. A saved selection gives the same report later; it is JSON, so
# nothing in it can run code. :doc:`/report` explains every part of the page.

with tempfile.TemporaryDirectory() as folder:
    selection.report(Path(folder) / "report.html")
    selection.save(Path(folder) / "selection.json")
    print({path.name: f"{path.stat().st_size / 1e6:.2f} MB" for path in sorted(Path(folder).iterdir())})
    print(Selection.load(Path(folder) / "selection.json") == selection)
