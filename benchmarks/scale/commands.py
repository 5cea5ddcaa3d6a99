"""A command and what it took: seconds, and the memory of the process with all its children at its peak."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

POLL = 0.02  # seconds
LIBRARIES = "import torch, pandas, pyarrow, sklearn, time; time.sleep(1)"  # what any fit has loaded


class CommandError(RuntimeError):
    """A command that failed, with the last it said."""


@dataclass(frozen=True)
class Taken:
    """What a command took, and what it printed."""

    seconds: float
    peak_bytes: int
    output: str


def measure(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Taken:
    """Run a command to its end.

    The peak is the sum of every process's own: exact for one process, an upper bound for several. It is the kernel's
    count, looked at until the process ends; what ``getrusage`` tells of a child begins with the memory of its parent.
    """
    start, peaks = time.monotonic(), {}
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, env={**os.environ, **(environment or {})}, stdout=output, stderr=errors)
        try:
            while process.poll() is None:
                for pid in _with_children(process.pid):
                    peaks[pid] = max(_peak(pid), peaks.get(pid, 0))
                time.sleep(POLL)
        except BaseException:
            process.terminate()
            process.wait()
            raise
        seconds = time.monotonic() - start
        if process.returncode:
            errors.seek(0)
            raise CommandError(f"exit code {process.returncode}: {' '.join(errors.read().split()[-60:])}")
        output.seek(0)
        return Taken(seconds, sum(peaks.values()), output.read())


def libraries_peak() -> int:
    """Memory of a process that has done nothing but load the libraries."""
    return measure([sys.executable, "-c", LIBRARIES]).peak_bytes


def _with_children(pid: int) -> Iterator[int]:
    yield pid
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from _with_children(int(child))
    except OSError:  # it has ended, or the system does not tell
        return


def _peak(pid: int) -> int:
    """The most memory that a process has held so far, in bytes; what it holds now where the system tells no more."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE) or re.search(
        r"^VmRSS:\s+(\d+) kB", status, re.MULTILINE
    )
    return 1024 * int(found[1]) if found else 0
