"""The tables of the attack, and what an uninterrupted run says of each."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from processes import LossError, Victim, scene
from result import Result

FORMATS = {".parquet": "Parquet", ".csv": "CSV", ".feather": "Feather"}
STREAMED = ("--memory", "2MiB")  # less than any of these tables takes


@dataclass(frozen=True)
class Known:
    """A table, the arguments of its runs, and how the run ended that nobody attacked."""

    table: Path
    more: tuple[str, ...]
    launched: dict[str, Any]
    answer: dict[str, Any]
    seconds: float

    @property
    def format(self) -> str:
        return FORMATS[self.table.suffix]

    def victim(self, folder: Path, out: Path | None = None) -> Victim:
        return Victim(folder, self.table, self.more, out, **self.launched)


def know(table: Path, more: tuple[str, ...] = STREAMED, **launched: Any) -> Known:
    """Run the command once, undisturbed."""
    with scene() as folder:
        victim = Victim(folder, table, more, **launched)
        ended = victim.run()
        ended.expect(0)
        answer = victim.answer() or {}
        victim.expect(answer)
        return Known(table, more, launched, answer, ended.seconds)


def equal_columns(path: Path, n_rows: int = 40_000, n_columns: int = 12) -> Path:
    """A table in which two columns say all about y, together alone; in the format that its name tells."""
    import pyarrow as pa
    from pyarrow import csv, feather, parquet

    from minerva_select.problems import equality

    problem = equality(n_rows, n_columns, n_levels=3, relevant=(1, 4), random_state=0)
    table = pa.Table.from_pandas(problem.X.assign(y=problem.y.to_numpy()), preserve_index=False)
    if path.suffix == ".csv":
        csv.write_csv(table, path)
    elif path.suffix == ".feather":
        feather.write_feather(table, path, compression="uncompressed")
    else:
        parquet.write_table(table, path, row_group_size=n_rows // 10)
    return path


@dataclass
class Tally:
    """Trials of one kind, counted; a loss ends its trial and not the others."""

    what: str
    n_tried: int = 0
    losses: list[str] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)

    def attempt(self, trial: Callable[..., int | None], *arguments: Any) -> None:
        """Run a trial; it says how many attacks it counts for, one unless told."""
        try:
            n_attacks = trial(*arguments)
            self.n_tried += 1 if n_attacks is None else n_attacks
        except LossError as loss:
            self.n_tried += 1
            self.losses.append(str(loss))

    def result(self, note: str = "") -> Result:
        told = f"{self.losses[0]}; otherwise {note}" if self.losses else note
        return Result(self.what, self.n_tried, len(self.losses), time.monotonic() - self.since, told)
