"""Fuzz every file reader: it must give a correct answer or a one-sentence error within time and memory limits.

    python benchmarks/attack/fuzz.py --seconds 60 [--target csv|parquet|arrow|selection|store|checkpoint] [--out FOLDER]
    python benchmarks/attack/fuzz.py --replay FILE --target csv

Each target runs in a child process, so that a crash in native code is a finding and does not stop the fuzzer. Inputs
are guided by coverage: from atheris if it is installed (``pip install atheris``, with wheels for Python 3.11 on Linux),
else from mutation.py. A finding is any exception other than a MinervaError, a warning, a wrong answer, more than 5 s of
CPU time, more memory than 64 MB plus 50 times the input, or a crash. The shortest input of each kind is kept as
OUT/TARGET-NUMBER.bin, with its traceback in a .txt file next to it.
"""

import argparse
import contextlib
import faulthandler
import hashlib
import importlib.util
import json
import mmap
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from result import Result

NAMES = {
    "csv": "CSV tables",
    "parquet": "Parquet tables",
    "arrow": "Arrow and Feather tables",
    "selection": "saved selections",
    "store": "encoded rows in a cache",
    "checkpoint": "checkpoints",
}
MAX_CPU_SECONDS = 5.0  # per input
EXTRA_SECONDS = 90.0  # before a child that waits without computing is killed
MAX_BYTES, MAX_BYTES_PER_INPUT_BYTE = 64 << 20, 50
ADDRESS_SPACE_BYTES = 12 << 30  # larger allocations fail instead of exhausting the machine


class Monitor:
    """Runs inputs of one target; count, current input and outcomes are kept in files that survive a crash."""

    def __init__(self, name: str, folder: Path) -> None:
        from fuzz_targets import TARGETS

        self.target = TARGETS[name]
        self.folder = folder
        self.outcomes = set(_lines(folder / "outcomes"))
        counts = (folder / "count").open("r+b")
        self._count = mmap.mmap(counts.fileno(), 8)
        self._work = Path(tempfile.mkdtemp())

    def prepare(self) -> list[bytes]:
        """Return the seeds; run the first without limits, since it loads the libraries."""
        with warnings.catch_warnings(action="ignore"):
            seeds = self.target.seeds()
            self.target.run(seeds[0], self._work)
        warnings.simplefilter("error")
        _reset_peak()
        return seeds

    def run(self, data: bytes) -> str:
        """Run an input and return its outcome, the same for inputs that fail in the same way."""
        (self.folder / "current").write_bytes(data)
        signal.setitimer(signal.ITIMER_PROF, MAX_CPU_SECONDS)  # CPU time, so that a busy machine does not matter
        before = _peak_bytes()
        try:
            outcome = _shape(self.target.run(data, self._work))
            used = _peak_bytes() - before
            if used > MAX_BYTES + MAX_BYTES_PER_INPUT_BYTE * len(data):
                outcome = f"{used >> 24 << 4} MB of memory for a small input: {outcome}"
                keep(self.folder, outcome, data)
        except Exception as error:
            outcome = signature(error)
            keep(self.folder, outcome, data, traceback.format_exc())
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            if _peak_bytes() - before > MAX_BYTES // 8:  # takes a millisecond
                _reset_peak()
        self._count[:] = (int.from_bytes(self._count, "little") + 1).to_bytes(8, "little")
        if outcome not in self.outcomes:
            self.outcomes.add(outcome)
            with (self.folder / "outcomes").open("a") as file:
                file.write(outcome + "\n")
        return outcome


def keep(folder: Path, finding: str, data: bytes, trace: str = "") -> None:
    """Keep the shortest input of each finding, with its traceback."""
    path = folder / "findings" / hashlib.sha256(finding.encode()).hexdigest()[:12]
    if not path.with_suffix(".bin").exists() or path.with_suffix(".bin").stat().st_size > len(data):
        path.with_suffix(".bin").write_bytes(data)
        path.with_suffix(".txt").write_text(f"{finding}\n{trace}")


def signature(error: BaseException) -> str:
    """Describe an exception by its type, its last frame in this package, and its message."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/minerva_select/" in frame.filename] or frames
    return f"{type(error).__name__} in {Path(ours[-1].filename).name}:{ours[-1].lineno}: {_shape(str(error))[:100]}"


def _shape(text: str) -> str:
    """Replace the names and numbers in a message."""
    short = re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", text.replace("\n", " "))
    return re.sub(r"\b[\d,.#]+\b|0x\w+", "#", short)[:200].encode(errors="backslashreplace").decode()


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _reset_peak() -> None:
    with contextlib.suppress(OSError):  # Linux only
        Path("/proc/self/clear_refs").write_text("5")


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def explore(name: str, folder: Path, seconds: float, seed: int) -> None:
    """Run inputs in this child process until the time is over."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)  # print the stack, then end the process
    if _has_atheris():
        _explore_by_atheris(name, folder, seconds, seed)
        return
    from mutation import explore as explore_by_mutation

    monitor = Monitor(name, folder)
    seeds = monitor.prepare()
    explore_by_mutation(monitor.run, seeds, monitor.target.tokens, seconds, seed)


def _has_atheris() -> bool:
    return importlib.util.find_spec("atheris") is not None


def _explore_by_atheris(name: str, folder: Path, seconds: float, seed: int) -> None:
    import atheris

    with atheris.instrument_imports(include=["minerva_select", "json", "gzip"]):
        import fuzz_targets  # noqa: F401
    monitor = Monitor(name, folder)
    corpus = folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for k, data in enumerate(monitor.prepare()):
        (corpus / f"seed-{k}").write_bytes(data)
    quoted = ("".join(f"\\x{byte:02x}" for byte in token) for token in monitor.target.tokens)
    (folder / "tokens").write_text("".join(f'"{token}"\n' for token in quoted))
    options = {"max_total_time": int(seconds), "seed": seed, "max_len": 1 << 16, "timeout": 600, "rss_limit_mb": 0}
    options |= dict.fromkeys(("handle_segv", "handle_bus", "handle_abrt", "handle_fpe", "handle_ill"), 0)
    flags = [f"-{option}={value}" for option, value in options.items()]
    flags += [f"-dict={folder / 'tokens'}", f"-artifact_prefix={folder}/", "-verbosity=0"]
    atheris.Setup([sys.argv[0], str(corpus), *flags], lambda data: monitor.run(data) and None)
    atheris.Fuzz()


def fuzz(name: str, seconds: float, out: Path, seed: int = 0) -> Result:
    """Fuzz one target for that long, with a new process after each crash; findings go to ``out``."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="minerva-fuzz-") as place:
        folder = Path(place)
        (folder / "findings").mkdir()
        (folder / "count").write_bytes(bytes(8))
        _run_children(name, start + seconds, folder, seed)
        n_tried = int.from_bytes((folder / "count").read_bytes(), "little")
        findings = _copy_findings(folder / "findings", out, name)
        fuzzer = "atheris" if _has_atheris() else "mutation.py"
        note = f"{len(set(_lines(folder / 'outcomes')))} distinct outcomes, inputs from {fuzzer}"
    return Result(
        f"fuzzed {NAMES[name]}",
        n_tried,
        len(findings),
        time.monotonic() - start,
        "; ".join([*findings, note]),
    )


def _run_children(name: str, end: float, folder: Path, seed: int) -> None:
    memory = Path("/dev/shm")  # other users of a disk would slow down the fuzzer
    while (left := end - time.monotonic()) > 1:
        command = [sys.executable, __file__, "--child", "--target", name, "--out", str(folder)]
        command += ["--seconds", str(left), "--seed", str(seed)]
        with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as work:
            child = _run_child(command, os.environ | {"TMPDIR": work}, left + EXTRA_SECONDS)
        if child.returncode:
            seed += 1  # the same seed would crash again
            if not (folder / "current").exists():
                raise RuntimeError(f"The fuzzer of {name} did not start: {child.stderr[-2000:]}")
            keep(folder, _describe_crash(child), (folder / "current").read_bytes(), child.stderr[-4000:])


def _copy_findings(findings: Path, out: Path, name: str) -> list[str]:
    """Copy the inputs to ``out``; return a description of each, with its file."""
    described = []
    for path in sorted(findings.glob("*.txt")):
        out.mkdir(parents=True, exist_ok=True)
        kept = out / f"{name}-{path.stem}.bin"
        shutil.copy(path, kept.with_suffix(".txt"))
        shutil.copy(path.with_suffix(".bin"), kept)
        described.append(f"{path.read_text().splitlines()[0]} (kept as {kept.parent.name}/{kept.name})")
    return described


def _run_child(command: list[str], env: dict[str, str], seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, env=env, timeout=seconds, capture_output=True, text=True, errors="replace", check=False
        )
    except subprocess.TimeoutExpired:  # it was waiting: a busy process ends itself by SIGPROF
        return subprocess.CompletedProcess(command, -signal.SIGKILL, "", "")


def _describe_crash(child: subprocess.CompletedProcess[str]) -> str:
    hung = child.returncode == -signal.SIGPROF
    end = signal.Signals(-child.returncode).name if child.returncode < 0 else f"exit code {child.returncode}"
    where = re.findall(r'File ".*?([^/"]+\.(?:py|pxi|pyx))", line (\d+)', child.stderr)
    at = next((f"{file}:{line}" for file, line in where if "fuzz" not in file), "?")
    return f"{'more than 5 s of CPU time' if hung else end} at {at}"


def fuzz_all(seconds: float, out: Path, names: Iterable[str] = NAMES) -> Iterator[Result]:
    """Fuzz all targets, with an equal share of the time each."""
    names = tuple(names)
    for name in names:
        yield fuzz(name, seconds / len(names), out, seed=int(time.time()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--target", choices=NAMES)
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "minerva-fuzz")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--replay", type=Path, help="file to run once, with --target")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        explore(options.target, options.out, options.seconds, options.seed)
    elif options.replay:
        from fuzz_targets import TARGETS

        with tempfile.TemporaryDirectory() as folder:
            print(TARGETS[options.target].run(options.replay.read_bytes(), Path(folder)))
    else:
        n_failures = 0
        for row in fuzz_all(options.seconds, options.out, (options.target,) if options.target else NAMES):
            print(json.dumps(vars(row)), flush=True)
            n_failures += row.n_failures
        sys.exit(bool(n_failures))


if __name__ == "__main__":
    main()
