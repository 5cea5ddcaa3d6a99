"""The same rows in every format: whether the selections are the same, bit for bit.

    python benchmarks/scale/formats.py [--rows 20000] [--json]

Payments of all kinds of columns in what can hold text, and their numbers alone in what cannot. Formats whose package is
not installed are left out.
"""

import argparse
import importlib.util
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import csv, dataset, feather, parquet

from minerva_select import MinervaSelector, open_source
from minerva_select.problems import card_fraud

RATE = 0.05  # of frauds: as many positives in 20,000 rows as in a million
N_COLUMNS = 12


def write_csv(table: pa.Table, path: Path) -> Path:
    plain = [pa.string() if pa.types.is_dictionary(field.type) else field.type for field in table.schema]
    packing = "gzip" if path.suffix == ".gz" else None
    with pa.output_stream(str(path), compression=packing) as file:
        csv.write_csv(table.cast(pa.schema(zip(table.column_names, plain, strict=True))), file)
    return path


def write_parquet(table: pa.Table, path: Path) -> Path:
    parquet.write_table(table, path, row_group_size=4096)
    return path


def write_feather(table: pa.Table, path: Path) -> Path:
    feather.write_feather(table, str(path))
    return path


FILES: dict[str, tuple[str, Callable[[pa.Table, Path], Path]]] = {
    "CSV": ("rows.csv", write_csv),
    "CSV.gz": ("rows.csv.gz", write_csv),
    "Parquet": ("rows.parquet", write_parquet),
    "Feather": ("rows.feather", write_feather),
}


def forms(frame: pd.DataFrame, folder: Path) -> dict[str, Any]:
    """The frame in every form that can hold it: in memory, in files, and in pieces."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    found = {"pandas": frame, "Arrow": table}
    if all(dtype.kind in "iuf" for dtype in frame.dtypes):
        found["numpy"] = frame.to_numpy()
    if importlib.util.find_spec("polars"):
        import polars

        found |= {"polars": polars.from_arrow(table), "polars, lazy": polars.from_arrow(table).lazy()}
    found |= {name: open_source(write(table, folder / file)) for name, (file, write) in FILES.items()}
    found["Arrow dataset"] = dataset.dataset(folder / FILES["Parquet"][0])
    found["generator of batches"] = (batch for batch in table.to_batches(max_chunksize=1000))
    return found


def answer(X: Any, y: Any) -> dict[str, Any]:
    """All that a selection says, but for how long it took."""
    selection = MinervaSelector(random_state=0, device="cpu").fit(X, y).selection_
    return {**json.loads(selection.to_json()), "seconds": None, "settings": None}


def compare(frame: pd.DataFrame, y: Any) -> dict[str, Any]:
    """The forms, those whose answer is not that of the first, and the answer."""
    with tempfile.TemporaryDirectory() as folder:
        answers = {name: answer(X, y) for name, X in forms(frame, Path(folder)).items()}
    first = answers["pandas"]
    return {
        "forms": list(answers),
        "differing": [name for name, found in answers.items() if found != first],
        "selected": [result["feature"] for result in first["features"] if result["selected"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    options = parser.parse_args()
    problem = card_fraud(options.rows, N_COLUMNS, rate=RATE)
    # In text a number is a float64: one of 32 bits would come back as its neighbour
    X = problem.X.astype({name: "float64" for name, dtype in problem.X.dtypes.items() if dtype == "float32"})
    numbers = X.select_dtypes("number")
    numbers.columns = [f"x{k}" for k in range(numbers.shape[1])]  # as those of an array are called
    tables = {"all kinds of columns": compare(X, problem.y), "numbers alone": compare(numbers, problem.y)}
    differing = [f"{name} ({what})" for what, found in tables.items() for name in found["differing"]]
    figures = {"n_rows": options.rows, "n_columns": N_COLUMNS, "tables": tables, "differing": differing}
    print(json.dumps(figures, indent=None if options.json else 1))


if __name__ == "__main__":
    main()
