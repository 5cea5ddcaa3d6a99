"""Finished work as JSON lines, so that an interrupted run can continue."""

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
    """An append-only file of records, one JSON object per line.

    A record is on disk when :meth:`append` returns. A line that was cut by a kill or a full disk is ignored, and the
    next record starts on a new line.
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
        wanted = json.loads(json.dumps(key, allow_nan=False))
        for record in reversed(self._records):
            if all(name in record and record[name] == value for name, value in wanted.items()):
                return record
        return None

    def append(self, *records: Mapping[str, Any]) -> Record:
        """Write records to disk together, and return the last one as it will be read: with lists for tuples."""
        lines = [json.dumps(record, allow_nan=False) for record in records]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        append_lines(self.path, "".join(f"{line}\n" for line in lines).encode())
        self._records += [json.loads(line) for line in lines]
        return self._records[-1]


def provenance() -> Record:
    """Return versions, machine and time, to be stored with a record."""
    return {
        "versions": versions(PACKAGES),
        "machine": {"cpus": os.cpu_count(), "threads": os.environ.get("OMP_NUM_THREADS"), "system": platform.system()},
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _read(path: Path) -> Iterator[Record]:
    if not path.exists():
        return
    for line in path.read_bytes().splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue  # cut by a kill or a full disk
        if isinstance(record, dict):
            yield record
