"""Log lines of a command: shown with ``--verbose``."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterator

from minerva_select.errors import InputError

logger = logging.getLogger("minerva_select")


class _StderrHandler(logging.Handler):
    """Write to the current ``sys.stderr``: a progress bar replaces it so that log lines appear above the bar."""

    def emit(self, record: logging.LogRecord) -> None:
        from minerva_select.text.formatting import printable

        try:
            sys.stderr.write(f"{printable(self.format(record))}\n")
        except Exception:  # logging must not end the program
            self.handleError(record)


@contextlib.contextmanager
def log_to_stderr(*, verbose: bool, quiet: bool, without_terminal: bool = False) -> Iterator[None]:
    """Show the library's log lines with ``--verbose``, and if asked wherever no progress bar can be drawn."""
    if verbose and quiet:
        raise InputError("--verbose and --quiet contradict each other; give one of them.")
    if not verbose and (quiet or not without_terminal or sys.stderr.isatty()):
        yield
        return
    handler, level = _StderrHandler(), logger.level
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", datefmt="%H:%M:%S"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
