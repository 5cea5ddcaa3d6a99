"""Finished work, one JSON line each: what is recorded is not run again."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from minerva_select.io.atomic import append_lines
from minerva_select.results.provenance import versions

Record = dict[str, Any]

PACKAGES = ("numpy", "pandas", "scikit-learn", "torch", "lightgbm", "Boruta", "imbalanced-learn", "FLAML", "catboost")


class Records:
    """An append-only file of records, each one line of JSON.

    A line is on the disk when :meth:`append` returns. A line cut short by a kill or a full disk is as if it had never
    been written, and the next record starts on a line of its own.

    Parameters
    ----------
    path : path
        The file; it and its folder are made with the first record.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     records = Records(Path(folder) / "records.jsonl")
    ...     _ = records.append({"method": "ksg", "seed": 0, "selected": ("a", "b")})
    ...     Records(records.path).find({"method": "ksg", "seed": 0})
    {'method': 'ksg', 'seed': 0, 'selected': ['a', 'b']}
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._records = list(_read(self.path))

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def find(self, key: Mapping[str, Any]) -> Record | None:
        """Return the latest record that has all these entries, or None."""
        wanted = _plain(key)
        for record in reversed(self._records):
            if all(name in record and record[name] == value for name, value in wanted.items()):
                return record
        return None

    def append(self, *records: Mapping[str, Any]) -> Record:
        """Write records to the disk, all in one go, and return the last as it will be read: with lists for tuples."""
        lines = [json.dumps(record, allow_nan=False) for record in records]
        text = "".join(f"{line}\n" for line in lines).encode()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        append_lines(self.path, text)
        self._records += [json.loads(line) for line in lines]
        return self._records[-1]


def provenance() -> Record:
    """What a record tells about its making: versions, machine, and time.

    Examples
    --------
    >>> sorted(provenance())
    ['machine', 'made', 'versions']
    """
    return {
        "versions": versions(PACKAGES),
        "machine": {"cpus": os.cpu_count(), "threads": os.environ.get("OMP_NUM_THREADS"), "system": platform.system()},
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _read(path: Path) -> Iterator[Record]:
    """Yield the records of a file, none where there is no file; a line that was cut short is left out."""
    if not path.exists():
        return
    for line in path.read_bytes().splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _plain(key: Mapping[str, Any]) -> Record:
    plain: Record = json.loads(json.dumps(key, allow_nan=False))
    return plain
