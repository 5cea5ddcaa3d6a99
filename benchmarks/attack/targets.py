"""The tables under attack, with the answer of an uninterrupted run, and counts of trials."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from processes import GuaranteeError, SelectRun, temporary_folder
from result import Result

FORMATS = {".parquet": "Parquet", ".csv": "CSV", ".feather": "Feather"}
STREAMED = ("--memory", "2MiB")  # less than any of these tables needs


@dataclass(frozen=True)
class Target:
    """A table, the options of its runs, and the answer and duration of an uninterrupted run."""

    table: Path
    options: tuple[str, ...]
    launch: dict[str, Any]  # further fields of SelectRun
    answer: dict[str, Any]
    seconds: float

    @property
    def format(self) -> str:
        return FORMATS[self.table.suffix]

    def new_run(self, folder: Path, out: Path | None = None) -> SelectRun:
        return SelectRun(folder, self.table, self.options, out, **self.launch)


def run_uninterrupted(table: Path, options: tuple[str, ...] = STREAMED, **launch: Any) -> Target:
    """Run the command once without an attack."""
    with temporary_folder() as folder:
        run = SelectRun(folder, table, options, **launch)
        finished = run.run()
        finished.expect(0)
        answer = run.answer() or {}
        run.expect_answer(answer)
        return Target(table, options, launch, answer, finished.seconds)


def write_equality(path: Path, n_rows: int = 40_000, n_columns: int = 12) -> Path:
    """Write the equality problem in the format of the file name."""
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
class Trials:
    """Counts the trials of one kind of attack; a failure does not stop the others."""

    attack: str
    n_trials: int = 0
    failures: list[str] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)

    def run(self, trial: Callable[..., int | None], *arguments: Any) -> None:
        """Run a trial, which may return the number of attacks that it counts for; one by default."""
        try:
            n_attacks = trial(*arguments)
            self.n_trials += 1 if n_attacks is None else n_attacks
        except GuaranteeError as failure:
            self.n_trials += 1
            self.failures.append(str(failure))

    def result(self, note: str = "") -> Result:
        note = f"{self.failures[0]}; otherwise {note}" if self.failures else note
        return Result(self.attack, self.n_trials, len(self.failures), time.monotonic() - self.since, note)
