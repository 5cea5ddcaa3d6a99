"""The folder of encoded rows and checkpoints that a later run can resume."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Generator

from minerva_select.results.provenance import versions
from minerva_select.runtime.checkpoint import NO_CHECKPOINT, Checkpoint
from minerva_select.runtime.distributed import ProcessGroup
from minerva_select.schema import Table

_PROBE_ROWS = 4096
_IRRELEVANT_SETTINGS = ("max_memory", "cache_dir", "resume", "time_limit", "verbose", "callbacks")


@dataclass(frozen=True)
class RunDirectory:
    """A folder that survives a killed run; without one, nothing is kept."""

    folder: Path | None = None
    resume: bool = False
    key: str = ""  # hash of data, settings and seed

    def checkpoint(self, generator: Generator, device: torch.device, ranks: ProcessGroup) -> Checkpoint:
        """Open the checkpoint of this run, or continue that of an earlier run with the same key."""
        if self.folder is None:
            return NO_CHECKPOINT
        folder = self.folder / f"rank-{ranks.rank}"
        key = f"{self.key} {device.type} {torch.get_num_threads()} {ranks.size}"
        checkpoint = Checkpoint(
            folder, key, generator, device=device, min_over_ranks=lambda number: min(ranks.gather(number))
        )
        return checkpoint.open(resume=self.resume)


def run_key(
    data: str, target: Table, weights: np.ndarray[Any, Any], rng: np.random.Generator, settings: Mapping[str, Any]
) -> str:
    """Hash of everything that a result depends on: runs with the same key give the same result."""
    relevant = {name: value for name, value in settings.items() if name not in _IRRELEVANT_SETTINGS}
    state = rng.bit_generator.state
    text = json.dumps([data, relevant, state, versions()], default=str, sort_keys=True)
    hasher = hashlib.blake2b(text.encode(), digest_size=16)
    for values in (*(column.values for column in target.columns), weights):
        hasher.update(np.ascontiguousarray(values).data)
    return hasher.hexdigest()


def table_fingerprint(table: Table) -> str:
    """Hash of the shape, the names and a sample of the rows of a table in memory."""
    step = max(1, table.n_rows // _PROBE_ROWS)
    hasher = hashlib.blake2b(json.dumps([table.n_rows, table.names]).encode(), digest_size=16)
    for column in table.columns:
        hasher.update(np.ascontiguousarray(column.values[::step]).data)
        hasher.update("\0".join(() if column.levels is None else column.levels).encode(errors="surrogatepass"))
    return hasher.hexdigest()
