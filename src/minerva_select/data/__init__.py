"""Where rows come from: frames, arrays and files as plain columns, and how rows are divided."""

from minerva_select.data.files import read_table, read_within
from minerva_select.data.frames import as_column, as_table, as_target
from minerva_select.data.source import Source, open_source
from minerva_select.data.splits import assign_folds, split_by_time, split_rows

__all__ = [
    "Source",
    "as_column",
    "as_table",
    "as_target",
    "assign_folds",
    "open_source",
    "read_table",
    "read_within",
    "split_by_time",
    "split_rows",
]
