"""Table of a command: opened, with the columns that its options name, and prepared as they say."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from minerva_select.cli.columns import (
    ROW_OPTIONS,
    check_rows,
    parse_select_options,
    select_columns,
    split_table,
)
from minerva_select.cli.preparation import ColumnReading, ReadingOptions

if TYPE_CHECKING:
    from minerva_select.data.file_discovery import TableFiles
    from minerva_select.data.memory_budget import MemoryBudget


@dataclass(frozen=True)
class OpenedTable:
    """A prepared source, the columns named by each option, and how columns are read."""

    source: Any
    named: Mapping[str, tuple[str, ...]]
    reading: ColumnReading

    @classmethod
    def open(
        cls,
        files: TableFiles,
        typed: Mapping[str, Sequence[str] | None],
        of_rows: Mapping[str, str | None],
        reading_options: ReadingOptions,
        budget: MemoryBudget,
        folder: str | os.PathLike[str] | None = None,
    ) -> OpenedTable:
        """Open and prepare a table; raise if options name unknown columns or contradict each other."""
        from minerva_select.data.loading import open_within  # imports pyarrow, which takes half a second
        from minerva_select.data.preparation import prepare_source

        source = open_within(files, budget, folder)
        types = {"--categorical": reading_options.categorical, "--numeric": reading_options.numeric}
        named = parse_select_options({**typed, **types}, of_rows, source.names)
        check_rows(source.n_rows)
        reading = reading_options.parse(source.names, named["--target"])
        return cls(prepare_source(source, reading.preparation, budget, folder), named, reading)

    def split(self) -> tuple[Any, Any]:
        """Features and target, as sources."""
        excluded = [name for option in ("--ignore", *ROW_OPTIONS) for name in self.named.get(option, ())]
        return split_table(self.source, self.named["--target"], excluded)

    def row_values(self, option: str) -> Any:
        """Column that an option such as ``--group-column`` names, as an Arrow table; None if it names none."""
        return select_columns(self.source, self.named[option]).read() if self.named.get(option) else None

    def type_parameters(self, features: Sequence[str]) -> dict[str, Any]:
        """Parameters ``categorical_features`` and ``target_type``."""
        return self.reading.type_parameters(features, self.named["--target"])
