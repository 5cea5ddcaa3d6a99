"""
How do I follow a fit, or end it early?
=======================================

A callback is any callable that takes a :class:`~minerva_select.results.Progress`. If it returns True, the fit ends soon
with the best selection so far.
"""

# %%
# A callback that records the bound on held-out rows by stage.

import warnings

import matplotlib.pyplot as plt

from minerva_select import MinervaSelector
from minerva_select.callbacks import Callback
from minerva_select.errors import MinervaWarning
from minerva_select.problems import additive


class Bounds(Callback):
    """Record when each stage reached which bound."""

    def on_begin(self, settings):
        self.records = []

    def __call__(self, progress):
        self.records.append((progress.fraction, progress.stage, progress.bound, progress.n_features))

    def on_end(self, selection):
        print("failed" if selection is None else selection.headline)


problem = additive(n_samples=800, n_features=8, random_state=0)
bounds = Bounds()
selector = MinervaSelector(random_state=0, callbacks=[bounds]).fit(problem.X, problem.y)

# %%
# The fraction is an estimate of how much of the fit is done.

fig, ax = plt.subplots()
for stage in dict.fromkeys(record[1] for record in bounds.records):
    points = [(fraction, bound) for fraction, name, bound, _ in bounds.records if name == stage and bound is not None]
    if points:
        ax.plot(*zip(*points, strict=True), marker=".", linestyle="", label=str(stage))
ax.set(xlabel="fraction of the fit", ylabel="bound on held-out rows, nats")
ax.legend(fontsize=8)

# %%
# End a fit as soon as there is enough information, whatever is still to come. The selection says that it is not final.


def enough(progress):
    return progress.bound is not None and progress.bound > 0.5


with warnings.catch_warnings():
    warnings.simplefilter("ignore", MinervaWarning)  # that it did not converge
    early = MinervaSelector(random_state=0, callbacks=[enough]).fit(problem.X, problem.y)
print(early.selection_.selected)
print("converged:", early.selection_.converged, [str(warning.code) for warning in early.selection_.warnings])
print(f"{early.selection_.seconds:.0f} s instead of {selector.selection_.seconds:.0f} s")

# %%
# A time limit is simpler: ``MinervaSelector(time_limit=60)``. :doc:`/tracking` has a progress bar, TensorBoard and
# MLflow.
