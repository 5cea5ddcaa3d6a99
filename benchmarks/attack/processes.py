"""Run ``minerva select`` in its own process and folder, and check its exit code, output and files."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

RESULT_FILES = ("selection.json", "report.html")
SINGLE_PROCESS = ("-m", "minerva_select")
TIMEOUT = 600  # seconds
POLL_SECONDS = 0.005
_VARYING_FIELDS = ("seconds", "provenance")  # of a selection, between identical runs
_VARYING_SETTINGS = ("cache_dir", "resume")

Process = subprocess.Popen[bytes]


class GuaranteeError(AssertionError):
    """A guarantee was broken; the message says which."""


@dataclass(frozen=True)
class FinishedRun:
    """Exit code (negative: the signal that ended it), output and duration of a run."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    def expect(self, *codes: int) -> None:
        """Raise on any other exit code, on a traceback, and on an error that is not one sentence."""
        errors = [line for line in self.stderr.splitlines() if line.startswith("minerva: ")]
        last_line = (self.stderr.strip().splitlines() or ["nothing"])[-1][:200]
        if "Traceback" in self.stderr or "Exception ignored" in self.stderr:
            raise GuaranteeError(f"traceback that ends with: {last_line}")
        if self.code not in codes:
            raise GuaranteeError(f"exit code {self.code} instead of {' or '.join(map(str, codes))}: {last_line}")
        if self.code == 2 and not (len(errors) == 1 and errors[0].endswith(".")):
            raise GuaranteeError(f"not a one-sentence error: {' / '.join(errors) or last_line}")


@dataclass(frozen=True)
class SelectRun:
    """A run of the command in a folder, with results in ``out`` and temporary files in ``tmp``.

    Attributes
    ----------
    options : tuple of str
        Further options of ``minerva select``.
    out : Path or None
        Another folder for the results, for example on a small disk.
    cached : bool
        Whether working files go to a persistent cache instead of the results folder.
    """

    folder: Path
    table: Path
    options: tuple[str, ...] = ()
    out: Path | None = None
    cached: bool = False
    launcher: tuple[str, ...] = SINGLE_PROCESS
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def results(self) -> Path:
        return self.out or self.folder / "out"

    @property
    def work(self) -> Path:
        return self.folder / "cache" if self.cached else self.results / ".minerva"

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    def start(self, *more: str, prepare: Callable[[], None] = lambda: None) -> Process:
        """Start the command; ``prepare`` is called in the child process."""

        def initialize() -> None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # background jobs ignore it by default
            prepare()

        self.temporary.mkdir(parents=True, exist_ok=True)
        arguments = ["select", str(self.table), "--target", "y", "--out", str(self.results), *self.options, *more]
        arguments += ["--cache", str(self.work)] if self.cached else []
        with (self.folder / "stdout").open("w") as stdout, (self.folder / "stderr").open("w") as stderr:
            return subprocess.Popen(
                [sys.executable, *self.launcher, *arguments],
                stdout=stdout,
                stderr=stderr,
                env={**os.environ, "TMPDIR": str(self.temporary), **self.environment},
                start_new_session=True,  # a process group that can be killed as a whole
                preexec_fn=initialize,  # noqa: PLW1509 - this process has one thread
            )

    def finish(self, process: Process, since: float | None = None) -> FinishedRun:
        """Wait for the end of a run; raise if it hangs or leaves processes running."""
        since = time.monotonic() if since is None else since
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(TIMEOUT)
        seconds, hung = time.monotonic() - since, process.poll() is None
        left_running = kill_group(process)
        if hung or left_running:
            raise GuaranteeError(f"still running after {seconds:.0f} s" if hung else "left a process running")
        output = [(self.folder / name).read_text(errors="replace") for name in ("stdout", "stderr")]
        return FinishedRun(process.returncode, *output, seconds)

    def run(self, *more: str, prepare: Callable[[], None] = lambda: None) -> FinishedRun:
        """Start the command and wait for its end."""
        since = time.monotonic()
        return self.finish(self.start(*more, prepare=prepare), since)

    def answer(self) -> dict[str, Any] | None:
        """Return the selection without the fields that vary between runs; None if there is no file."""
        try:
            text = (self.results / RESULT_FILES[0]).read_text()
        except FileNotFoundError:
            return None
        return parse_answer(text)

    def expect_answer(self, answer: dict[str, Any]) -> None:
        """Raise on a different answer, an incomplete report or leftover working files."""
        if self.answer() != answer:
            raise GuaranteeError("different answer" if self.answer() else "no answer")
        self.expect_complete_results()
        leftover = [path for path in self.results.rglob("*") if path.name not in RESULT_FILES]
        self.expect_no_leftovers([*leftover, *self.work.rglob(".*")])

    def expect_complete_results(self) -> None:
        """Raise if a result file is incomplete; it may be absent."""
        report = self.results / RESULT_FILES[1]
        try:
            self.answer()
        except ValueError as error:
            raise GuaranteeError(f"incomplete selection ({error})") from None
        if report.exists() and not report.read_text().rstrip().endswith("</html>"):
            raise GuaranteeError("incomplete report")
        unfinished = [path for path in self.results.glob(".*") if path != self.work] if self.results.is_dir() else []
        self.expect_no_leftovers(unfinished)

    def expect_no_leftovers(self, paths: list[Path]) -> None:
        """Raise if there are any of these files or temporary ones; torchrun never removes its own."""
        leftover = [*paths, *(path for path in self.temporary.rglob("*") if "torchelastic_" not in str(path))]
        if leftover:
            raise GuaranteeError(f"files left behind: {', '.join(sorted(str(path) for path in leftover)[:4])}")


def parse_answer(text: str) -> dict[str, Any]:
    """Parse a selection without the fields that vary between runs."""
    fields = json.loads(text)
    settings = {name: value for name, value in fields["settings"].items() if name not in _VARYING_SETTINGS}
    return {name: value for name, value in fields.items() if name not in _VARYING_FIELDS} | {"settings": settings}


def kill_group(process: Process) -> bool:
    """Kill a run with all its processes; return whether any were left although it had ended."""
    ended = process.poll() is not None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    finally:
        process.wait()
    return ended


def wait_until(condition: Callable[[], bool], process: Process) -> bool:
    """Wait for a condition; return False if the run ends first."""
    while not condition():
        if process.poll() is not None:
            return False
        time.sleep(POLL_SECONDS)
    return True


def keeps_running(process: Process, seconds: float) -> bool:
    """Wait that long; return False if the run ends first."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return True
    return False


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="minerva-attack-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
