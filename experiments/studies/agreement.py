"""Compare the figures of a selection with ``mutual_information`` of the same columns, on tables with a numeric target.

    python experiments/studies/agreement.py [--tables diabetes friedman] [--rows 1500] [--seed 0] [--out FILE]

Houses and CPU activity are left out unless FOLDER (--data FOLDER or MINERVA_DATA) contains real/537_houses.parquet and
real/197_cpu_act.parquet. Appends every comparison to FILE as a JSON line and skips tables that are there; prints a
table of all figures and how often they agree.
"""

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.datasets import load_diabetes, make_friedman1

from minerva_select import MinervaSelector, mutual_information

N_OUTER, N_INNER = 20_000, 2_000  # draws for the truth of tables without a closed form: accurate to about 0.01 nats
KINDS = ("kept columns", "all columns", "left behind", "alone", "contribution")


class NormalTruth:
    """Information in jointly normal columns, by their covariance."""

    def __init__(self, covariance, names, target="y"):
        self.covariance, self.names, self.target = covariance, list(names), target

    def __call__(self, columns, given=()):
        known = [self.names.index(name) for name in given]
        both = known + [self.names.index(name) for name in columns]
        return 0.5 * np.log(self._variance(known) / self._variance(both))

    def _variance(self, known):
        """Variance of the target, the last column, given others."""
        own, cross = self.covariance[-1, -1], self.covariance[-1, known]
        return own - cross @ np.linalg.solve(self.covariance[np.ix_(known, known)], cross) if known else own


class NoiseTruth:
    """Information in independent columns for y = mean(x) + scale(x) * normal noise, by Monte Carlo."""

    def __init__(self, draw, mean, scale, reads):
        self.draw, self.mean, self.scale, self.reads = draw, mean, scale, set(reads)

    def __call__(self, columns, given=()):
        rng = np.random.default_rng(0)
        x = self.draw(N_OUTER, rng)
        y = self.mean(x) + self.scale(x) * rng.standard_normal(N_OUTER)
        more = self._log_density(y, x, {*columns, *given}, rng)
        return float(np.mean(more - self._log_density(y, x, {*given}, rng)))

    def _log_density(self, y, x, known, rng):
        """Log density of y given the known columns: a mixture of normal densities over draws of the others."""
        if self.reads <= known:
            return norm.logpdf(y, self.mean(x), self.scale(x))
        found, inner = np.empty(len(y)), self.draw(N_INNER, rng)
        for k in range(len(y)):
            own = {name: np.full(N_INNER, x[name][k]) if name in known else inner[name] for name in inner}
            found[k] = np.log(np.mean(norm.pdf(y[k], self.mean(own), self.scale(own))))
        return found


def draw_normal_columns(n_rows, rng):
    """Eight columns with correlation 0.5 between neighbors; three of them in a sum with noise."""
    n_columns = 8
    covariance = 0.5 ** np.abs(np.subtract.outer(np.arange(n_columns), np.arange(n_columns)))
    coefficients = np.array([1.0, 0, 0, 0.7, 0, 0, 0.4, 0])
    x = rng.multivariate_normal(np.zeros(n_columns), covariance, n_rows)
    y = x @ coefficients + rng.standard_normal(n_rows)
    cross = covariance @ coefficients
    joint = np.block([[covariance, cross[:, None]], [cross[None], np.array([[coefficients @ cross + 1.0]])]])
    names = [f"x{k}" for k in range(n_columns)]
    return pd.DataFrame(x, columns=names), y, NormalTruth(joint, names)


def draw_friedman(n_rows, rng):
    """Friedman's first function of five of ten columns, with normal noise."""
    x, y = make_friedman1(n_rows, noise=1.0, random_state=int(rng.integers(2**31)))
    names = [f"x{k}" for k in range(10)]

    def mean(c):
        return (
            10 * np.sin(np.pi * c["x0"] * c["x1"]) + 20 * (c["x2"] - 0.5) ** 2 + 10 * c["x3"] + 5 * c["x4"]
        )  # fmt: skip

    def draw(n, own_rng):
        return {name: own_rng.random(n) for name in names}

    return pd.DataFrame(x, columns=names), y, NoiseTruth(draw, mean, lambda c: 1.0 + 0 * c["x0"], names[:5])


def draw_scale(n_rows, rng):
    """One column changes the mean, another one the scale of the noise; four are noise."""
    names = [f"x{k}" for k in range(6)]

    def draw(n, own_rng):
        return {name: own_rng.standard_normal(n) for name in names}

    def mean(c):
        return 1.5 * c["x0"]

    def scale(c):
        return np.exp(0.7 * c["x1"])

    x = draw(n_rows, rng)
    y = mean(x) + scale(x) * rng.standard_normal(n_rows)
    return pd.DataFrame(x), y, NoiseTruth(draw, mean, scale, names[:2])


def draw_exponential_noise(n_rows, rng):
    """A sum of two columns and noise with a sharp edge; the truth is not computed."""
    x = rng.standard_normal((n_rows, 6))
    y = x[:, 0] + 0.5 * x[:, 1] ** 2 + rng.exponential(size=n_rows)
    return pd.DataFrame(x, columns=[f"x{k}" for k in range(6)]), y, None


def draw_groups(n_rows, rng):
    """Levels of a category with their own mean and slope, next to numbers."""
    group = rng.integers(0, 5, n_rows)
    x = rng.standard_normal((n_rows, 4))
    y = (
        np.array([-1.0, 0, 0, 1, 2])[group]
        + np.array([0, 1, -1, 0.5, 0])[group] * x[:, 0]
        + rng.standard_normal(n_rows)
    )
    table = pd.DataFrame(x, columns=[f"x{k}" for k in range(4)])
    return table.assign(group=np.array(list("abcde"))[group]), y, None


def draw_diabetes(n_rows, rng):
    """All rows of scikit-learn's diabetes table."""
    found = load_diabetes(as_frame=True, scaled=False)
    return found.data, found.target.to_numpy(), None


def draw_file(path):
    """Random rows of a table whose last column is the target."""

    def draw(n_rows, rng):
        table = pd.read_parquet(path)
        table = table.iloc[rng.choice(len(table), n_rows, replace=False)].reset_index(drop=True)
        return table.drop(columns="target"), table["target"].to_numpy(dtype=float), None

    return draw


def find_tables(data):
    """All tables by name."""
    tables = {
        "diabetes": draw_diabetes, "normal": draw_normal_columns, "friedman": draw_friedman, "scale": draw_scale,
        "exponential": draw_exponential_noise, "groups": draw_groups,
    }  # fmt: skip
    for name, file in (("houses", "537_houses"), ("cpu", "197_cpu_act")):
        path = Path(data or "") / "real" / f"{file}.parquet"
        if data and path.exists():
            tables[name] = draw_file(path)
    return tables


def compare(name, draw, n_rows, seed):
    """Yield one record per figure of the selection."""
    X, y, truth = draw(n_rows, np.random.default_rng(seed))
    start = time.process_time()
    selection = MinervaSelector(random_state=seed).fit(X, y).selection_
    seconds = time.process_time() - start
    kept, dropped = list(selection.selected), [c for c in X.columns if c not in selection.selected]

    def as_triple(estimate):
        return estimate.nats, estimate.low, estimate.high

    figures = [
        ("kept columns", kept, [], as_triple(selection.mutual_information)),
        ("all columns", list(X.columns), [], as_triple(selection.total_information)),
    ]
    if dropped and selection.left_behind is not None:
        figures.append(("left behind", dropped, kept, as_triple(selection.left_behind)))
    for one in selection.features:
        if one.marginal_low is not None:
            alone = one.marginal_nats, one.marginal_low, one.marginal_high
            figures.append(("alone", [one.feature], [], alone))
        if one.selected and one.contribution_low is not None and len(kept) > 1:
            contribution = one.contribution_nats, one.contribution_low, one.contribution_high
            figures.append(("contribution", [one.feature], [c for c in kept if c != one.feature], contribution))
    for what, columns, given, own in figures:
        found = mutual_information(X[columns], y, given=X[given] if given else None, random_state=seed)
        yield {
            "table": name, "n_rows": len(X), "seed": seed, "what": what, "columns": columns, "kept": len(kept),
            "selection": own, "function": as_triple(found), "seconds": seconds,
            "truth": None if truth is None else float(truth(columns, given)),
        }  # fmt: skip


def agrees(record):
    """Whether the intervals overlap."""
    (_, low, high), (_, other_low, other_high) = record["selection"], record["function"]
    return low <= other_high and other_low <= high


def covers(record, which):
    """Whether an interval includes the truth, give or take the error of the truth."""
    _, low, high = record[which]
    return low - 0.01 <= record["truth"] <= high + 0.01


def summarize(records):
    """Count how often the figures agree, in Markdown."""
    lines = [
        "| figure | compared | intervals overlap | mean difference | largest difference "
        "| selection: error, cover | function: error, cover |",
        "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for what in KINDS:
        own = [record for record in records if record["what"] == what]
        if not own:
            continue
        differences = np.array([record["selection"][0] - record["function"][0] for record in own])
        known = [record for record in own if record["truth"] is not None]
        cells = [what, len(own), sum(map(agrees, own)), f"{differences.mean():+.3f}"]
        cells.append(f"{differences[np.abs(differences).argmax()]:+.3f}")
        for which in ("selection", "function"):
            error = np.mean([abs(max(0.0, one[which][0]) - one["truth"]) for one in known]) if known else np.nan
            cells.append(f"{error:.3f}, {sum(covers(one, which) for one in known)} of {len(known)}")
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def describe(records):
    """All figures, in Markdown."""

    def show(triple):
        return "{:.3f} ({:.3f} to {:.3f})".format(*triple)

    lines = ["| table | figure | columns | selection | mutual_information | truth | overlap |", "|" + "---|" * 7]
    for one in records:
        columns = ", ".join(one["columns"]) if len(one["columns"]) <= 3 else f"{len(one['columns'])} columns"
        truth = "" if one["truth"] is None else f"{one['truth']:.3f}"
        overlap = "yes" if agrees(one) else "no"
        cells = [one["table"], one["what"], columns, show(one["selection"]), show(one["function"]), truth, overlap]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("MINERVA_DATA"))
    parser.add_argument("--tables", nargs="+")
    parser.add_argument("--rows", type=int, default=1_500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("agreement.jsonl"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = options.out.read_text().splitlines() if options.out.exists() else []
    records = [json.loads(line) for line in lines]
    done = {record["table"] for record in records}
    for name, draw in find_tables(options.data).items():
        if name in done or (options.tables and name not in options.tables):
            continue
        found = list(compare(name, draw, options.rows, options.seed))
        with options.out.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in found)
        records += found
    print(describe(records), "\n")
    print(summarize(records))


if __name__ == "__main__":
    main()
