"""Check that the same rows in every format give the same selection, bit for bit.

    python benchmarks/scale/formats.py [--rows 20000] [--json]

Formats with text get payments with columns of mixed types, formats without only the numeric columns. Formats whose
package is not installed are skipped.
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

RATE = 0.05  # share of frauds: as many in 20,000 rows as in a million
N_COLUMNS = 12


def write_csv(table: pa.Table, path: Path) -> Path:
    plain = [pa.string() if pa.types.is_dictionary(field.type) else field.type for field in table.schema]
    compression = "gzip" if path.suffix == ".gz" else None
    with pa.output_stream(str(path), compression=compression) as file:
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


def convert(frame: pd.DataFrame, folder: Path) -> dict[str, Any]:
    """Return the frame in every format that can represent it: in memory, in files and as batches."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    formats = {"pandas": frame, "Arrow": table}
    if all(dtype.kind in "iuf" for dtype in frame.dtypes):
        formats["numpy"] = frame.to_numpy()
    if importlib.util.find_spec("polars"):
        import polars

        formats |= {"polars": polars.from_arrow(table), "polars, lazy": polars.from_arrow(table).lazy()}
    formats |= {name: open_source(write(table, folder / file)) for name, (file, write) in FILES.items()}
    formats["Arrow dataset"] = dataset.dataset(folder / FILES["Parquet"][0])
    formats["generator of batches"] = (batch for batch in table.to_batches(max_chunksize=1000))
    return formats


def select(X: Any, y: Any) -> dict[str, Any]:
    """Return the selection without its duration, settings and date."""
    selection = MinervaSelector(random_state=0, device="cpu").fit(X, y).selection_
    return {**json.loads(selection.to_json()), "seconds": None, "settings": None, "provenance": None}


def compare(frame: pd.DataFrame, y: Any) -> dict[str, Any]:
    """Return the formats, those with a different answer than pandas, and the selected columns."""
    with tempfile.TemporaryDirectory() as folder:
        answers = {name: select(X, y) for name, X in convert(frame, Path(folder)).items()}
    first = answers["pandas"]
    return {
        "formats": list(answers),
        "differing": [name for name, answer in answers.items() if answer != first],
        "selected": [result["feature"] for result in first["features"] if result["selected"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    options = parser.parse_args()
    problem = card_fraud(options.rows, N_COLUMNS, rate=RATE)
    # CSV is read as float64: a float32 would change in its last digits
    X = problem.X.astype({name: "float64" for name, dtype in problem.X.dtypes.items() if dtype == "float32"})
    numeric = X.select_dtypes("number")
    numeric.columns = [f"x{k}" for k in range(numeric.shape[1])]  # the names of array columns
    tables = {"mixed types": compare(X, problem.y), "numeric only": compare(numeric, problem.y)}
    differing = [f"{name} ({table})" for table, compared in tables.items() for name in compared["differing"]]
    figures = {"n_rows": options.rows, "n_columns": N_COLUMNS, "tables": tables, "differing": differing}
    print(json.dumps(figures, indent=None if options.json else 1))


if __name__ == "__main__":
    main()
