"""Test whether columns kept outside the published Markov blankets of child3 depend on the target.

For every target of the study "truth" with such columns: the G-test of their joint independence of the target, given the
whole blanket. In a Bayesian network all other columns are independent given the blanket; in filtered rows (here without
duplicates) they may not be.

python experiments/studies/blankets.py [--data FOLDER]      or MINERVA_DATA
"""

import argparse
import json
import math
import os
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import chi2

RESULTS = Path(__file__).parent.parent / "truth" / "results"


def g_test(table, target, column, given):
    """Return log10 of the p-value, with degrees of freedom from the levels that occur in each cell of ``given``."""

    def nlogn(columns):
        counts = table.groupby(columns, observed=True).size().to_numpy() if columns else np.array([len(table)])
        return float((counts * np.log(counts)).sum())

    statistic = 2 * (
        nlogn([*given, target, column]) - nlogn([*given, target]) - nlogn([*given, column]) + nlogn(list(given))
    )
    cells = [cell for _, cell in table.groupby(list(given), observed=True)] if given else [table]
    freedom = sum((cell[target].nunique() - 1) * (cell[column].nunique() - 1) for cell in cells)
    return chi2.logsf(statistic, freedom) / math.log(10) if freedom else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("MINERVA_DATA"))
    options = parser.parse_args()
    if options.data is None or not (Path(options.data) / "truth" / "child3.parquet").exists():
        parser.error("truth/child3.parquet not found; pass --data or set MINERVA_DATA")
    table = pd.read_parquet(Path(options.data) / "truth" / "child3.parquet")
    print(f"{len(table):,} rows, {table.duplicated().sum()} of them duplicates\n")
    print("| target | blanket | kept outside it | log10 p given the blanket |")
    print("|---|---|---|---|")
    lines = [line for path in sorted(RESULTS.glob("*.jsonl")) for line in path.read_text().splitlines()]
    for record in map(json.loads, lines):
        if record["case"] == "child3" and record["method"] == "minerva":
            target, blanket = f"v{record['seed']}", record["relevant"]
            outside = sorted({*record["selected"]} - {*blanket})
            if outside:
                joined = table.assign(kept=table.groupby(outside, observed=True).ngroup())
                log_p = g_test(joined, target, "kept", blanket)
                print(f"| {target} | {', '.join(blanket)} | {', '.join(outside)} | {log_p:.1f} |")


if __name__ == "__main__":
    main()
