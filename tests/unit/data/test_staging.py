"""Staged copies of tables are private and complete."""

from __future__ import annotations

import errno
import stat

import pytest

from minerva_select.data.staging import StagingDirectory
from minerva_select.errors import InputError


def fill(path):
    path.write_text("rows")


def test_a_partial_copy_of_a_killed_run_is_removed(tmp_path):
    (tmp_path / ".rows.parquet.1a2b3c4d.part").write_text("ro")
    StagingDirectory(tmp_path).write("rows", fill)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"rows.parquet": "rows"}


def test_a_copy_is_private_even_in_a_shared_folder(tmp_path):
    tmp_path.chmod(0o755)
    path = StagingDirectory(tmp_path).write("rows", fill)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.ENOSPC, r"full"),
        (errno.EFBIG, r"full"),
        (errno.ENOENT, r"cannot be written"),
    ],
)
def test_a_disk_error_is_an_input_error_and_leaves_no_files(tmp_path, number, message):
    def fail(path):
        path.write_text("ro")
        raise OSError(number, "gone")

    with pytest.raises(InputError, match=message):
        StagingDirectory(tmp_path).write("rows", fail)
    assert [*tmp_path.iterdir()] == []
