"""Algorithm 1 on Experiment A: the authors' data where it is at hand, and fresh seeds.

    python experiments/studies/paper_solver.py [--data FOLDER] [--seeds 5] [--sparsity 0.05 0.2 1]

FOLDER (or MINERVA_DATA) holds paper/experiment_a.parquet; without it that row is left out.
"""

import argparse
import math
import os
import time
from pathlib import Path

import pandas as pd

from minerva_select import MinervaSelector
from minerva_select.evaluation import score_selection
from minerva_select.problems import equality


def authors_data(folder):
    path = Path(folder or "") / "paper" / "experiment_a.parquet"
    if folder is None or not path.exists():
        print(f"<!-- The authors' data is not at hand ({path}); its row is left out. -->")
        return []
    frame = pd.read_parquet(path)
    share = frame["y"].mean()  # the two columns determine y, so they carry all of its entropy
    entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
    return [("authors' data, 9 levels", frame.drop(columns="y"), frame["y"], ("f3", "f8"), entropy)]


def fresh_data(n_seeds):
    for seed in range(n_seeds):
        problem = equality(n_levels=(5, 9)[seed % 2], random_state=seed)
        name = f"fresh seed {seed}, {(5, 9)[seed % 2]} levels"
        yield name, problem.X, problem.y, problem.relevant, problem.mutual_information


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("MINERVA_DATA"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sparsity", type=float, nargs="+", default=[None], help="c1; the default of the solver")
    options = parser.parse_args()
    print("| data | c1 | selected | verdict | weights | zeros | held-out bound | truth | steps | s |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for sparsity in options.sparsity:
        for name, X, y, relevant, truth in [*authors_data(options.data), *fresh_data(options.seeds)]:
            start = time.perf_counter()
            selector = MinervaSelector(solver="paper", sparsity=sparsity, random_state=0).fit(X, y)
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
