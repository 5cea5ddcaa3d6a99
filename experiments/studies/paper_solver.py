"""Run Algorithm 1 on Experiment A: on the authors' data if available, and on other seeds.

    python experiments/studies/paper_solver.py [--data FOLDER] [--seeds 20] [--first-seed 6000] [--sparsity 0.05 1]

FOLDER (or MINERVA_DATA) contains paper/experiment_a.parquet; without it the authors' data are skipped.
"""

import argparse
import math
import os
import time
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

from minerva_select.evaluation import score_selection
from minerva_select.problems import equality
from minerva_select.selectors import PaperSelector


def load_authors_data(folder):
    path = Path(folder or "") / "paper" / "experiment_a.parquet"
    if folder is None or not path.exists():
        print(f"<!-- The authors' data are skipped: {path} not found. -->")
        return []
    frame = pd.read_parquet(path)
    share = frame["y"].mean()  # the two columns determine y, so they carry all of its entropy
    entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
    return [(0, "authors' data, 9 levels", frame.drop(columns="y"), frame["y"], ("f3", "f8"), entropy)]


def draw_data(seeds):
    """Draw 3 to 19 levels, and two relevant columns at random."""
    for seed in seeds:
        n_levels = 3 + seed % 17
        relevant = np.random.default_rng(seed).choice(30, 2, replace=False).tolist()
        problem = equality(n_levels=n_levels, relevant=sorted(relevant), random_state=seed)
        name = f"seed {seed}, {n_levels} levels"
        yield seed, name, problem.X, problem.y, problem.relevant, problem.mutual_information


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("MINERVA_DATA"))
    parser.add_argument("--seeds", type=int, default=20, help="number of generated tables")
    parser.add_argument("--first-seed", type=int, default=6000)
    parser.add_argument("--sparsity", type=float, nargs="+", default=[None], help="c1; by default that of the solver")
    options = parser.parse_args()
    print("| data | c1 | selected | outcome | weights | zeros | held-out bound | truth | steps | s |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for sparsity in options.sparsity:
        drawn = draw_data(range(options.first_seed, options.first_seed + options.seeds))
        for seed, name, X, y, relevant, truth in chain(load_authors_data(options.data), drawn):
            start = time.perf_counter()
            parameters = {} if sparsity is None else {"sparsity": sparsity}
            selector = PaperSelector(**parameters, random_state=seed).fit(X, y)
            seconds = time.perf_counter() - start
            selection, weights = selector.selection_, selector.weights_
            steps = sum(max(r.step for r in selector.history_ if r.stage == s) for s in ("learn", "sparsify"))
            kept = ", ".join(f"{weight:.2f}" for weight in weights[weights > 0])
            cells = [
                name, sparsity if sparsity is not None else "default", ", ".join(selection.selected),
                score_selection(selection.selected, relevant).outcome, kept, int((weights == 0).sum()),
                f"{selection.mutual_information.nats:.3f}", f"{truth:.3f}", steps, f"{seconds:.0f}",
            ]  # fmt: skip
            print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
