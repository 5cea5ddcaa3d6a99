"""Run ``minerva select`` on a file as a user would, and measure time, memory and the selection."""

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commands import measure
from datasets import Dataset

HERE = Path(__file__).parent
Figures = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """Options of the command and of its processes."""

    max_memory: str | None = None
    device: str = "cpu"
    n_processes: int = 1
    threads: int | None = None  # per process; None: one per core

    @property
    def environment(self) -> dict[str, str]:
        return {} if self.threads is None else {"OMP_NUM_THREADS": str(self.threads)}

    def arguments(self) -> list[str]:
        return ["--device", self.device, *(["--memory", self.max_memory] if self.max_memory else [])]


def select(file: Path, target: str, options: Options) -> Figures:
    """Run the command on a file; its output and cache are removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="scale-", dir=file.parent if _is_generated(file) else None) as scratch:
        cache, out, times = Path(scratch) / "cache", Path(scratch) / "out", Path(scratch) / "times.json"
        arguments = ["--target", target, *options.arguments()]
        command = [*_program(options, times), "select", str(file), *arguments]
        measured = measure([*command, "--cache", str(cache), "--out", str(out)], options.environment)
        selection = json.loads((out / "selection.json").read_text())
        stages = json.loads(times.read_text()) if times.exists() else {}
        cache_bytes = sum(path.stat().st_size for path in cache.glob("rows*/*"))
    encode_start, encode_end = stages.get("encode", (0.0, 0.0))
    return {
        "command": " ".join([*_shown_program(options), "select", file.name, *arguments]),
        "seconds": measured.seconds,
        "fit_seconds": selection["seconds"],
        "loading_seconds": encode_end or None,  # until the last row is encoded; None: fitted in memory
        "encode_seconds": (encode_end - encode_start) or None,
        "after_loading_seconds": measured.seconds - encode_end if encode_end else None,
        "stages": stages,
        "peak_bytes": measured.peak_bytes,
        "cache_bytes": cache_bytes,
        "n_rows": selection["n_rows"],
        "n_columns": len(selection["features"]),
        "selected": [result["feature"] for result in selection["features"] if result["selected"]],
        "warnings": selection["warnings"],
        "threads": options.threads,
    }


def select_dataset(dataset: Dataset, folder: Path, options: Options) -> Figures:
    """Run the command on a table with a known answer, and score the selection."""
    file = dataset.file(folder)
    figures = select(file, dataset.target, options)
    return {**figures, **dataset.answer.score(figures["selected"]), **json.loads(file.with_suffix(".json").read_text())}


def _is_generated(file: Path) -> bool:
    """Whether the benchmark wrote the file; its disk then has room for temporary files."""
    return file.with_suffix(".json").exists()


def _program(options: Options, times: Path) -> Sequence[str]:
    if options.n_processes == 1:
        return [sys.executable, str(HERE / "stage_times.py"), str(times)]
    return [sys.executable, *_torchrun(options), "-m", "minerva_select"]


def _shown_program(options: Options) -> Sequence[str]:
    """The command as a user would type it."""
    return ["minerva"] if options.n_processes == 1 else ["python", *_torchrun(options), "-m", "minerva_select"]


def _torchrun(options: Options) -> list[str]:
    return ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(options.n_processes)]
