"""Where rows come from: frames, arrays and files as plain columns, and how rows are divided."""

from minerva.data.files import read_table
from minerva.data.frames import as_table, as_target
from minerva.data.splits import assign_folds, split_rows

__all__ = ["as_table", "as_target", "assign_folds", "read_table", "split_rows"]
