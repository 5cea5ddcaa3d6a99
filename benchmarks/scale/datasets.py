"""The tables of the benchmark: problems with known answers as Parquet files, drawn a chunk at a time.

    python benchmarks/scale/datasets.py card_fraud 3000000 214 0.001 FILE

makes one; the benchmark calls it in a process of its own, so that what the drawing takes is nobody else's memory.
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
CHUNK = 100_000  # rows of a row group: 53 MB of card_fraud
EQUAL_COLUMNS = (1, 4)


@dataclass(frozen=True)
class Input:
    """A table, known by what it is drawn from."""

    problem: str
    n_rows: int
    n_columns: int
    rate: float = 0.001  # of frauds

    @property
    def name(self) -> str:
        rate = f"-{self.rate:g}" if self.problem == "card_fraud" else ""
        return f"{self.problem}-{self.n_rows}x{self.n_columns}{rate}"

    @property
    def target(self) -> str:
        return TARGETS[self.problem]

    @cached_property
    def truth(self) -> "Truth":
        return Truth.of(next(self.chunks(n_rows=1)), self.problem)

    def chunks(self, n_rows: int | None = None) -> Iterator[Any]:
        """The problem, so many rows at a time."""
        from minerva_select.problems import card_fraud_chunks, equality

        n_rows = n_rows or self.n_rows
        if self.problem == "card_fraud":
            yield from card_fraud_chunks(n_rows, self.n_columns, rate=self.rate, chunk_size=CHUNK)
        else:
            yield equality(n_rows, self.n_columns, relevant=EQUAL_COLUMNS, random_state=0)

    def file(self, folder: Path) -> Path:
        """The table's file, made if it is not there."""
        path = folder / f"{self.name}.parquet"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            print(f"Making {path} ...", flush=True)
            what = [self.problem, str(self.n_rows), str(self.n_columns), str(self.rate), str(path)]
            subprocess.run([sys.executable, __file__, *what], check=True)
        return path


@dataclass(frozen=True)
class Truth:
    """The columns that matter, by the sign that they make up together, and what may stand in for each."""

    signs: Mapping[str, tuple[str, ...]]
    stand_ins: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, problem: Any, name: str) -> "Truth":
        from minerva_select.problems import CARD_FRAUD_MECHANISMS

        signs = CARD_FRAUD_MECHANISMS if name == "card_fraud" else {"the columns that are equal": problem.relevant}
        return cls(dict(signs), dict(problem.stand_ins))

    def judge(self, selected: list[str]) -> dict[str, Any]:
        """Which signs were found, which columns through a stand-in, and what else was kept."""
        found, instead = [], {}
        for sign, columns in self.signs.items():
            known = {column: self._found_as(column, selected) for column in columns}
            instead |= {column: other for column, other in known.items() if other not in (None, column)}
            if all(known.values()):
                found.append(sign)
        meaningful = {name for columns in self.signs.values() for name in columns}
        meaningful |= {name for names in self.stand_ins.values() for name in names}
        return {
            "n_signs": len(self.signs),
            "missed": [sign for sign in self.signs if sign not in found],
            "by_stand_in": instead,
            "noise": [name for name in selected if name not in meaningful],
        }

    def _found_as(self, column: str, selected: list[str]) -> str | None:
        candidates = (column, *self.stand_ins.get(column, ()))
        return next((name for name in candidates if name in selected), None)


def make(table: Input, path: Path) -> None:
    """Write a table, under another name until it is whole, and beside it how large it is in memory."""
    import pyarrow as pa
    from pyarrow import parquet

    unfinished, writer, n_bytes, n_positive = path.with_suffix(".unfinished"), None, 0, 0
    for chunk in table.chunks():
        rows = pa.Table.from_pandas(chunk.X.assign(**{table.target: chunk.y.to_numpy()}), preserve_index=False)
        if writer is None:
            names = [field.name for field in rows.schema if pa.types.is_dictionary(field.type)]
            writer = parquet.ParquetWriter(unfinished, rows.schema, use_dictionary=names)  # of numbers it only costs
        writer.write_table(rows)
        n_bytes += rows.nbytes
        n_positive += int(chunk.y.sum())
    writer.close()
    path.with_suffix(".json").write_text(json.dumps({"arrow_bytes": n_bytes, "n_positive": n_positive}))
    unfinished.replace(path)


def main() -> None:
    problem, n_rows, n_columns, rate, path = sys.argv[1:]
    make(Input(problem, int(n_rows), int(n_columns), float(rate)), Path(path))


if __name__ == "__main__":
    main()
