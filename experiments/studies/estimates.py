"""Compare estimates of mutual information with closed forms, and measure the coverage of their 95% intervals.

python experiments/studies/estimates.py [--runs 20]
"""

import argparse
import time

from minerva_select import mutual_information
from minerva_select.problems import equality, gaussian, parity


def compare_with_truth():
    print("| problem | rows x columns | truth | estimate | 95% interval | error | s |")
    print("|---|---|---|---|---|---|---|")
    problems = [(f"gaussian, correlation {rho}", gaussian(10_000, correlation=rho)) for rho in (0.0, 0.3, 0.6, 0.9)]
    problems += [(f"equality, {m} levels", equality(20_000, 2, n_levels=m, relevant=(0, 1))) for m in (3, 5, 9, 19)]
    problems += [(f"equality, {m} levels", equality(50_000, 30, n_levels=m)) for m in (3, 5, 9, 19)]
    for name, problem in problems:
        start = time.perf_counter()
        estimate = mutual_information(problem.X, problem.y, random_state=0)
        seconds = time.perf_counter() - start
        shape = " x ".join(f"{size:,}" for size in problem.X.shape)
        interval = f"{estimate.low:.3f} to {estimate.high:.3f}"
        error = estimate.nats - problem.mutual_information
        print(
            f"| {name} | {shape} | {problem.mutual_information:.4f} | {estimate.nats:.4f} | {interval} | {error:+.4f} "
            f"| {seconds:.1f} |",
            flush=True,
        )


def measure_coverage(n_runs):
    print("\n| problem | rows | runs | mean estimate | truth | intervals that cover |")
    print("|---|---|---|---|---|---|")
    problems_by_name = {
        "gaussian, correlation 0.6": lambda seed: gaussian(2_000, correlation=0.6, random_state=seed),
        "equality, 3 levels": lambda seed: equality(2_000, 2, n_levels=3, relevant=(0, 1), random_state=seed),
        "parity of 2 bits, a tenth flipped": lambda seed: parity(2_000, 2, n_bits=2, noise=0.1, random_state=seed),
        "parity of 2 bits, a tenth flipped, 500 rows": lambda seed: parity(
            500, 2, n_bits=2, noise=0.1, random_state=seed
        ),
    }
    for name, draw in problems_by_name.items():
        problems = [draw(seed) for seed in range(n_runs)]
        truth = problems[0].mutual_information
        estimates = [mutual_information(p.X, p.y, random_state=seed) for seed, p in enumerate(problems)]
        covered = sum(estimate.low <= truth <= estimate.high for estimate in estimates)
        mean = sum(estimate.nats for estimate in estimates) / n_runs
        print(f"| {name} | {len(problems[0].X):,} | {n_runs} | {mean:.4f} | {truth:.4f} | {covered} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    compare_with_truth()
    measure_coverage(options.runs)


if __name__ == "__main__":
    main()
