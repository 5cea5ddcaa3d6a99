"""A file that changes while it is read is refused, even during its last rows."""

from __future__ import annotations

import os
import re

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from minerva_select import open_source
from minerva_select.data.file_discovery import StoredFile
from minerva_select.data.loading import read_table
from minerva_select.errors import InputError

WRITE = {".csv": csv.write_csv, ".feather": feather.write_feather, ".parquet": parquet.write_table}


@pytest.fixture(params=WRITE)
def table(request, tmp_path):
    path = tmp_path / f"table{request.param}"
    WRITE[request.param](pa.Table.from_pandas(pd.DataFrame({"a": range(100)})), path)
    return path


@pytest.fixture
def changes_while_read(table, monkeypatch):
    """Change the file after it was opened for the last time, before a row is read."""
    opened = {name: getattr(StoredFile, name) for name in ("open_stream", "open_file")}

    def change_after(open_it):
        def change(file):
            found = open_it(file)
            os.utime(table, ns=(0, 0))
            return found

        return change

    def install():
        for name, open_it in opened.items():
            monkeypatch.setattr(StoredFile, name, change_after(open_it))

    return install


def test_a_file_that_changes_while_it_is_read_whole_is_refused(table, changes_while_read):
    changes_while_read()
    with pytest.raises(InputError, match=re.escape(f"{table.name}' was replaced while it was being read")):
        read_table(table)


def test_a_file_that_changes_while_it_is_read_in_one_block_is_refused(table, changes_while_read, tmp_path):
    source = open_source(table, tmp_path / "copies") if table.suffix != ".csv" else None
    changes_while_read()
    with pytest.raises(InputError, match=re.escape(f"{table.name}' was replaced while it was being read")):
        next((source or open_source(table, tmp_path / "copies")).blocks(1000))
