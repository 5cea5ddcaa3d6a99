"""Files of hostile bytes: every reader gives a right answer or one sentence, in time and memory that the file warrants.

    python benchmarks/attack/fuzz.py --seconds 60 [--target csv|parquet|arrow|selection|store|state] [--out FOLDER]
    python benchmarks/attack/fuzz.py --replay FILE --target csv

Each target runs in a child process, so that a crash of native code is a finding and not the end. Inputs are chosen by
what they cover: by atheris where it is installed (``pip install atheris``, which has wheels for Python 3.11 on Linux),
else by mutation.py. A finding is any exception but a MinervaError, a warning, a wrong answer, more than 5 s of
computing, more memory than 64 MB and 50 times the input, or a process that dies; the shortest input of each kind is
kept as OUT/TARGET-NUMBER.bin, and what it does beside it in a .txt.
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
    "store": "encoded rows of a cache",
    "state": "states of trainings",
}
HANG_SECONDS = 5.0  # of computing
SLEEP_SECONDS = 90.0  # beyond its time, before a process that computes nothing is ended
FREE_BYTES, BYTES_PER_BYTE = 64 << 20, 50
ADDRESS_BYTES = 12 << 30  # above it an allocation fails rather than takes the machine down


class Monitor:
    """Runs inputs of one target; count, input and outcomes are in a folder, to be found there when the process dies."""

    def __init__(self, name: str, folder: Path) -> None:
        from fuzz_targets import TARGETS

        self.target = TARGETS[name]
        self.folder = folder
        self.outcomes = set(_lines(folder / "outcomes"))
        counts = (folder / "count").open("r+b")
        self._count = mmap.mmap(counts.fileno(), 8)
        self._work = Path(tempfile.mkdtemp())

    def prepare(self) -> list[bytes]:
        """The seeds; the first is run without a clock, as it loads what is loaded once."""
        with warnings.catch_warnings(action="ignore"):
            seeds = self.target.seeds()
            self.target.run(seeds[0], self._work)
        warnings.simplefilter("error")
        _forget_peak()
        return seeds

    def run(self, data: bytes) -> str:
        """Outcome of an input, the same for inputs that fail alike."""
        (self.folder / "current").write_bytes(data)
        signal.setitimer(signal.ITIMER_PROF, HANG_SECONDS)  # of this process, however busy the machine
        before = _peak_bytes()
        try:
            outcome = _shape(self.target.run(data, self._work))
            taken = _peak_bytes() - before
            if taken > FREE_BYTES + BYTES_PER_BYTE * len(data):
                outcome = f"{taken >> 24 << 4} MB taken for few bytes: {outcome}"
                keep(self.folder, outcome, data)
        except Exception as error:
            outcome = signature(error)
            keep(self.folder, outcome, data, traceback.format_exc())
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            if _peak_bytes() - before > FREE_BYTES // 8:  # not always: it takes a millisecond
                _forget_peak()
        self._count[:] = (int.from_bytes(self._count, "little") + 1).to_bytes(8, "little")
        if outcome not in self.outcomes:
            self.outcomes.add(outcome)
            with (self.folder / "outcomes").open("a") as file:
                file.write(outcome + "\n")
        return outcome


def keep(folder: Path, what: str, data: bytes, trace: str = "") -> None:
    """Keep the shortest input of a kind of finding, with what it does."""
    path = folder / "findings" / hashlib.sha256(what.encode()).hexdigest()[:12]
    if not path.with_suffix(".bin").exists() or path.with_suffix(".bin").stat().st_size > len(data):
        path.with_suffix(".bin").write_bytes(data)
        path.with_suffix(".txt").write_text(f"{what}\n{trace}")


def signature(error: BaseException) -> str:
    """An exception with the last line of ours that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/minerva_select/" in frame.filename] or frames
    return f"{type(error).__name__} in {Path(ours[-1].filename).name}:{ours[-1].lineno}: {_shape(str(error))[:100]}"


def _shape(text: str) -> str:
    """A message without the names and numbers in it."""
    short = re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", text.replace("\n", " "))
    return re.sub(r"\b[\d,.#]+\b|0x\w+", "#", short)[:200].encode(errors="backslashreplace").decode()


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _forget_peak() -> None:
    with contextlib.suppress(OSError):  # only Linux forgets
        Path("/proc/self/clear_refs").write_text("5")


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def explore(name: str, folder: Path, seconds: float, seed: int) -> None:
    """The child: run inputs until the time is over, or this process dies."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)  # tells where, then ends the process
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
    """Fuzz one target for so long, in as many processes as die of it; findings go to ``out``."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="minerva-fuzz-") as place:
        folder = Path(place)
        (folder / "findings").mkdir()
        (folder / "count").write_bytes(bytes(8))
        _run_children(name, start + seconds, folder, seed)
        n_tried = int.from_bytes((folder / "count").read_bytes(), "little")
        findings = _hand_over(folder / "findings", out, name)
        who = "atheris" if _has_atheris() else "mutation.py"
        note = f"{len(set(_lines(folder / 'outcomes')))} distinct outcomes of inputs by {who}"
    return Result(
        f"hostile bytes as {NAMES[name]}",
        n_tried,
        len(findings),
        time.monotonic() - start,
        "; ".join([*findings, note]),
    )


def _run_children(name: str, end: float, folder: Path, seed: int) -> None:
    memory = Path("/dev/shm")  # a disk that others use is a clock that stands still
    while (left := end - time.monotonic()) > 1:
        command = [sys.executable, __file__, "--child", "--target", name, "--out", str(folder)]
        command += ["--seconds", str(left), "--seed", str(seed)]
        with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as work:
            child = _run_child(command, os.environ | {"TMPDIR": work}, left + SLEEP_SECONDS)
        if child.returncode:
            seed += 1  # or the next would die of the same
            if not (folder / "current").exists():
                raise RuntimeError(f"The process that fuzzes {name} did not begin: {child.stderr[-2000:]}")
            keep(folder, _death(child), (folder / "current").read_bytes(), child.stderr[-4000:])


def _hand_over(findings: Path, out: Path, name: str) -> list[str]:
    """Keep the inputs that were found; what each does, with its file."""
    told = []
    for path in sorted(findings.glob("*.txt")):
        out.mkdir(parents=True, exist_ok=True)
        kept = out / f"{name}-{path.stem}.bin"
        shutil.copy(path, kept.with_suffix(".txt"))
        shutil.copy(path.with_suffix(".bin"), kept)
        told.append(f"{path.read_text().splitlines()[0]} (kept as {kept.parent.name}/{kept.name})")
    return told


def _run_child(command: list[str], env: dict[str, str], seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, env=env, timeout=seconds, capture_output=True, text=True, errors="replace", check=False
        )
    except subprocess.TimeoutExpired:  # it waits for something: a process that computes ends itself
        return subprocess.CompletedProcess(command, -signal.SIGKILL, "", "")


def _death(child: subprocess.CompletedProcess[str]) -> str:
    hung = child.returncode == -signal.SIGPROF
    end = signal.Signals(-child.returncode).name if child.returncode < 0 else f"exit code {child.returncode}"
    where = re.findall(r'File ".*?([^/"]+\.(?:py|pxi|pyx))", line (\d+)', child.stderr)
    at = next((f"{file}:{line}" for file, line in where if "fuzz" not in file), "?")
    return f"{'no answer within 5 s' if hung else end} at {at}"


def fuzz_all(seconds: float, out: Path, names: Iterable[str] = NAMES) -> Iterator[Result]:
    """Fuzz all targets, each for its share of the time."""
    names = tuple(names)
    for name in names:
        yield fuzz(name, seconds / len(names), out, seed=int(time.time()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--target", choices=NAMES)
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "minerva-fuzz")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--replay", type=Path, help="an input to run once, of --target")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        explore(given.target, given.out, given.seconds, given.seed)
    elif given.replay:
        from fuzz_targets import TARGETS

        with tempfile.TemporaryDirectory() as folder:
            print(TARGETS[given.target].run(given.replay.read_bytes(), Path(folder)))
    else:
        lost = 0
        for row in fuzz_all(given.seconds, given.out, (given.target,) if given.target else NAMES):
            print(json.dumps(vars(row)), flush=True)
            lost += row.lost
        sys.exit(bool(lost))


if __name__ == "__main__":
    main()
