"""Run a command and measure its duration and the peak memory of its processes."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

POLL_SECONDS = 0.02
IMPORT_LIBRARIES = "import torch, pandas, pyarrow, sklearn, time; time.sleep(1)"  # those of every fit


class CommandError(RuntimeError):
    """A command failed; the message has the end of its error output."""


@dataclass(frozen=True)
class Measured:
    """Duration, peak memory and output of a command."""

    seconds: float
    peak_bytes: int
    output: str


def measure(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Measured:
    """Run a command until it ends.

    The peak is the sum of the peaks of all processes: exact for one process, an upper bound for several. It is read
    from the kernel while the process runs, since ``getrusage`` of a child starts with the memory of its parent.
    """
    start, peaks = time.monotonic(), {}
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, env={**os.environ, **(environment or {})}, stdout=output, stderr=errors)
        try:
            while process.poll() is None:
                for pid in _with_children(process.pid):
                    peaks[pid] = max(_peak(pid), peaks.get(pid, 0))
                time.sleep(POLL_SECONDS)
        except BaseException:
            process.terminate()
            process.wait()
            raise
        seconds = time.monotonic() - start
        if process.returncode:
            errors.seek(0)
            raise CommandError(f"exit code {process.returncode}: {' '.join(errors.read().split()[-60:])}")
        output.seek(0)
        return Measured(seconds, sum(peaks.values()), output.read())


def libraries_peak() -> int:
    """Peak memory of a process that only imports the libraries."""
    return measure([sys.executable, "-c", IMPORT_LIBRARIES]).peak_bytes


def _with_children(pid: int) -> Iterator[int]:
    yield pid
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from _with_children(int(child))
    except OSError:  # it ended, or this system does not list children
        return


def _peak(pid: int) -> int:
    """Peak memory of a process so far in bytes; its current memory if the system has no peak."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE) or re.search(
        r"^VmRSS:\s+(\d+) kB", status, re.MULTILINE
    )
    return 1024 * int(found[1]) if found else 0
