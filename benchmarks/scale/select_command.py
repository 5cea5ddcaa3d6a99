"""``minerva select`` on a file, as a user runs it, with what it took and what it found."""

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commands import measure
from datasets import Input

HERE = Path(__file__).parent
Figures = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """How to run it."""

    memory: str | None = None
    device: str = "cpu"
    n_processes: int = 1
    threads: int | None = None  # of each process; None: as many as there are cores

    @property
    def environment(self) -> dict[str, str]:
        return {} if self.threads is None else {"OMP_NUM_THREADS": str(self.threads)}

    def arguments(self) -> list[str]:
        return ["--device", self.device, *(["--memory", self.memory] if self.memory else [])]


def select(file: Path, target: str, options: Options) -> Figures:
    """Run the command on a file; its results and its cache are looked at and removed."""
    with tempfile.TemporaryDirectory(prefix="scale-", dir=file.parent if _is_ours(file) else None) as scratch:
        cache, out, times = Path(scratch) / "cache", Path(scratch) / "out", Path(scratch) / "times.json"
        told = ["--target", target, *options.arguments()]
        command = [*_program(options, times), "select", str(file), *told, "--cache", str(cache), "--out", str(out)]
        taken = measure(command, options.environment)
        selection = json.loads((out / "selection.json").read_text())
        stages = json.loads(times.read_text()) if times.exists() else {}
        cache_bytes = sum(path.stat().st_size for path in cache.glob("rows*/*"))
    begun, loaded = stages.get("encode", (0.0, 0.0))
    return {
        "command": " ".join([*_spelled(options), "select", file.name, *told]),
        "seconds": taken.seconds,
        "fit_seconds": selection["seconds"],
        "loading_seconds": loaded or None,  # until the last row is encoded; None: it was read whole
        "encode_seconds": (loaded - begun) or None,
        "after_loading_seconds": taken.seconds - loaded if loaded else None,
        "stages": stages,
        "peak_bytes": taken.peak_bytes,
        "cache_bytes": cache_bytes,
        "n_rows": selection["n_rows"],
        "n_columns": len(selection["features"]),
        "selected": [result["feature"] for result in selection["features"] if result["selected"]],
        "warnings": selection["warnings"],
        "threads": options.threads,
    }


def select_input(table: Input, folder: Path, options: Options) -> Figures:
    """The same on a table of which the truth is known."""
    file = table.file(folder)
    figures = select(file, table.target, options)
    return {**figures, **table.truth.judge(figures["selected"]), **json.loads(file.with_suffix(".json").read_text())}


def _is_ours(file: Path) -> bool:
    """Whether the file was made by the benchmark: its disk is then the one that has room."""
    return file.with_suffix(".json").exists()


def _program(options: Options, times: Path) -> Sequence[str]:
    if options.n_processes == 1:
        return [sys.executable, str(HERE / "stage_times.py"), str(times)]
    return [sys.executable, *_torchrun(options), "-m", "minerva_select"]


def _spelled(options: Options) -> Sequence[str]:
    """What a user would type."""
    return ["minerva"] if options.n_processes == 1 else ["python", *_torchrun(options), "-m", "minerva_select"]


def _torchrun(options: Options) -> list[str]:
    return ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(options.n_processes)]
