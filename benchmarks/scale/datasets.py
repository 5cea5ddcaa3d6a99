"""Write problems with known answers as Parquet files, one chunk of rows at a time.

    python benchmarks/scale/datasets.py card_fraud 3000000 214 0.001 FILE

The benchmark runs this script in its own process, so that generating a table does not count as memory of a fit.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

TARGETS = {"card_fraud": "is_fraud", "equality": "y"}
CHUNK_ROWS = 100_000  # per row group: 53 MB of card_fraud
EQUAL_COLUMNS = (1, 4)


@dataclass(frozen=True)
class Dataset:
    """The problem and size of a table."""

    problem: str
    n_rows: int
    n_columns: int
    rate: float = 0.001  # share of frauds

    @property
    def name(self) -> str:
        rate = f"-{self.rate:g}" if self.problem == "card_fraud" else ""
        return f"{self.problem}-{self.n_rows}x{self.n_columns}{rate}"

    @property
    def target(self) -> str:
        return TARGETS[self.problem]

    @cached_property
    def answer(self) -> "KnownAnswer":
        return KnownAnswer.of(next(self.chunks(n_rows=1)))

    def chunks(self, n_rows: int | None = None) -> Iterator[Any]:
        """Draw the problem, one chunk of rows at a time."""
        from minerva_select.problems import equality
        from minerva_select.problems._card_fraud import PaymentGenerator

        n_rows = n_rows or self.n_rows
        if self.problem == "card_fraud":
            payments = PaymentGenerator.create(self.n_columns, self.rate, random_state=0)
            for start in range(0, n_rows, CHUNK_ROWS):
                yield payments.draw(range(start, min(start + CHUNK_ROWS, n_rows)))
        else:
            yield equality(n_rows, self.n_columns, relevant=EQUAL_COLUMNS, random_state=0)

    def file(self, folder: Path) -> Path:
        """Return the Parquet file of the table; write it if it is missing."""
        path = folder / f"{self.name}.parquet"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            print(f"Writing {path} ...", flush=True)
            arguments = [self.problem, str(self.n_rows), str(self.n_columns), str(self.rate), str(path)]
            subprocess.run([sys.executable, __file__, *arguments], check=True)
        return path


@dataclass(frozen=True)
class KnownAnswer:
    """The relevant columns by the pattern that they form, and the proxies of each."""

    patterns: Mapping[str, tuple[str, ...]]
    proxies: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, problem: Any) -> "KnownAnswer":
        from minerva_select.problems._card_fraud_patterns import PATTERNS

        patterns = PATTERNS if problem.name == "card_fraud" else {"equality": problem.relevant}
        return cls(dict(patterns), dict(problem.proxies))

    def score(self, selected: list[str]) -> dict[str, Any]:
        """Return which patterns were missed, which columns were replaced by a proxy, and which noise was kept."""
        missed, by_proxy = [], {}
        for pattern, columns in self.patterns.items():
            kept = {column: self._kept_as(column, selected) for column in columns}
            by_proxy |= {column: other for column, other in kept.items() if other not in (None, column)}
            if not all(kept.values()):
                missed.append(pattern)
        informative = {name for columns in self.patterns.values() for name in columns}
        informative |= {name for names in self.proxies.values() for name in names}
        return {
            "n_patterns": len(self.patterns),
            "missed": missed,
            "by_proxy": by_proxy,
            "noise": [name for name in selected if name not in informative],
        }

    def _kept_as(self, column: str, selected: list[str]) -> str | None:
        candidates = (column, *self.proxies.get(column, ()))
        return next((name for name in candidates if name in selected), None)


def write(dataset: Dataset, path: Path) -> None:
    """Write a table, under a temporary name until it is complete, and its size in memory as JSON next to it."""
    import pyarrow as pa
    from pyarrow import parquet

    unfinished, writer, n_bytes, n_positive = path.with_suffix(".unfinished"), None, 0, 0
    for chunk in dataset.chunks():
        rows = pa.Table.from_pandas(chunk.X.assign(**{dataset.target: chunk.y.to_numpy()}), preserve_index=False)
        if writer is None:
            # Dictionaries of numeric columns cost time and save nothing
            categorical = [field.name for field in rows.schema if pa.types.is_dictionary(field.type)]
            writer = parquet.ParquetWriter(unfinished, rows.schema, use_dictionary=categorical)
        writer.write_table(rows)
        n_bytes += rows.nbytes
        n_positive += int(chunk.y.sum())
    writer.close()
    path.with_suffix(".json").write_text(json.dumps({"arrow_bytes": n_bytes, "n_positive": n_positive}))
    unfinished.replace(path)


def main() -> None:
    problem, n_rows, n_columns, rate, path = sys.argv[1:]
    write(Dataset(problem, int(n_rows), int(n_columns), float(rate)), Path(path))


if __name__ == "__main__":
    main()
