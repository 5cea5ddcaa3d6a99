"""Runs of the real ``minerva select``, each in a folder of its own, that attacks kill, starve and rob."""

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

RESULTS = ("selection.json", "report.html")
ALONE = ("-m", "minerva_select")
LIMIT = 600  # seconds after which a run counts as one that hangs
POLL = 0.005
_CHANGING = ("seconds", "provenance")  # what two runs of the same may differ in
_OF_THE_RUN = ("cache", "resume")  # and of its settings

Process = subprocess.Popen[bytes]


class LossError(AssertionError):
    """Something that an attack must not be able to take; says what."""


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit code (below 0: by a signal), what it printed, and its seconds."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    def expect(self, *codes: int) -> None:
        """Refuse any other exit code, a traceback, and a failure that is not one sentence."""
        told = [line for line in self.stderr.splitlines() if line.startswith("minerva: ")]
        last = (self.stderr.strip().splitlines() or ["nothing"])[-1][:200]
        if "Traceback" in self.stderr or "Exception ignored" in self.stderr:
            raise LossError(f"a traceback that ends in: {last}")
        if self.code not in codes:
            raise LossError(f"exit code {self.code} instead of {' or '.join(map(str, codes))}: {last}")
        if self.code == 2 and not (len(told) == 1 and told[0].endswith(".")):
            raise LossError(f"not one sentence: {' / '.join(told) or last}")


@dataclass(frozen=True)
class Victim:
    """A run in a folder: results go to ``out`` in it, temporary files to ``tmp``.

    Attributes
    ----------
    more : tuple of str
        Further arguments of ``minerva select``.
    out : Path or None
        Where the results go instead, as to a small disk.
    cached : bool
        Whether the work goes to a cache that outlives the run, rather than beside the results.
    """

    folder: Path
    table: Path
    more: tuple[str, ...] = ()
    out: Path | None = None
    cached: bool = False
    launcher: tuple[str, ...] = ALONE
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
        """Start the command; ``prepare`` is called in its process."""

        def begin() -> None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a job in the background would ignore it
            prepare()

        self.temporary.mkdir(parents=True, exist_ok=True)
        arguments = ["select", str(self.table), "--target", "y", "--out", str(self.results), *self.more, *more]
        arguments += ["--cache", str(self.work)] if self.cached else []
        with (self.folder / "stdout").open("w") as stdout, (self.folder / "stderr").open("w") as stderr:
            return subprocess.Popen(
                [sys.executable, *self.launcher, *arguments],
                stdout=stdout,
                stderr=stderr,
                env={**os.environ, "TMPDIR": str(self.temporary), **self.environment},
                start_new_session=True,  # so that all of it can be killed
                preexec_fn=begin,  # noqa: PLW1509 - nobody else runs in this process
            )

    def finish(self, process: Process, since: float | None = None) -> Ended:
        """Wait for the end of a run; what it has left running is killed, and a loss."""
        since = time.monotonic() if since is None else since
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LIMIT)
        seconds, hung = time.monotonic() - since, process.poll() is None
        left = kill_all(process)
        if hung or left:
            raise LossError(f"still running after {seconds:.0f} s" if hung else "it left a process behind")
        told = [(self.folder / name).read_text(errors="replace") for name in ("stdout", "stderr")]
        return Ended(process.returncode, *told, seconds)

    def run(self, *more: str, prepare: Callable[[], None] = lambda: None) -> Ended:
        """Run the command to its end."""
        since = time.monotonic()
        return self.finish(self.start(*more, prepare=prepare), since)

    def answer(self) -> dict[str, Any] | None:
        """The selection without what differs from run to run; None where there is none."""
        try:
            text = (self.results / RESULTS[0]).read_text()
        except FileNotFoundError:
            return None
        return answer_in(text)

    def expect(self, answer: dict[str, Any]) -> None:
        """Refuse another answer than this one, a page that is not whole, and whatever is left of the work."""
        if self.answer() != answer:
            raise LossError("another answer" if self.answer() else "no answer")
        self.expect_whole()
        left = [path for path in self.results.rglob("*") if path.name not in RESULTS]
        self.expect_no_strays([*left, *self.work.rglob(".*")])

    def expect_whole(self) -> None:
        """Refuse results that are there in part."""
        page = self.results / RESULTS[1]
        try:
            self.answer()
        except ValueError as error:
            raise LossError(f"half a selection ({error})") from None
        if page.exists() and not page.read_text().rstrip().endswith("</html>"):
            raise LossError("half a page")
        unfinished = [path for path in self.results.glob(".*") if path != self.work] if self.results.is_dir() else []
        self.expect_no_strays(unfinished)

    def expect_no_strays(self, found: list[Path]) -> None:
        """Refuse these files, and any temporary one; torchrun never removes its own."""
        found = [*found, *(path for path in self.temporary.rglob("*") if "torchelastic_" not in str(path))]
        if found:
            raise LossError(f"files left behind: {', '.join(sorted(str(path) for path in found)[:4])}")


def answer_in(text: str) -> dict[str, Any]:
    """A selection's JSON without what differs from run to run."""
    fields = json.loads(text)
    settings = {name: value for name, value in fields["settings"].items() if name not in _OF_THE_RUN}
    return {name: value for name, value in fields.items() if name not in _CHANGING} | {"settings": settings}


def kill_all(process: Process) -> bool:
    """Kill a run and all that it has started; whether anything was left when it had ended."""
    ended = process.poll() is not None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    finally:
        process.wait()
    return ended


def until(condition: Callable[[], bool], process: Process) -> bool:
    """Wait until something is so; False if the run ends before."""
    while not condition():
        if process.poll() is not None:
            return False
        time.sleep(POLL)
    return True


def wait(process: Process, seconds: float) -> bool:
    """Let a run go on for so long; False if it ends before."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return True
    return False


@contextlib.contextmanager
def scene() -> Iterator[Path]:
    """A folder for one trial."""
    with TemporaryDirectory(prefix="minerva-attack-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
