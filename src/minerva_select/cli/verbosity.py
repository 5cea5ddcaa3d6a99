"""How much a command tells while it works: log lines with ``--verbose``, nothing with ``--quiet``."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterator

from minerva_select.errors import InputError

logger = logging.getLogger("minerva_select")


class _OnStderr(logging.Handler):
    """Writes to what stderr is at the moment: while a progress bar is drawn, that is above the bar."""

    def emit(self, record: logging.LogRecord) -> None:
        from minerva_select.text.formatting import printable

        try:
            sys.stderr.write(f"{printable(self.format(record))}\n")
        except Exception:  # logging never ends what it tells of
            self.handleError(record)


@contextlib.contextmanager
def logged(*, verbose: bool, quiet: bool) -> Iterator[None]:
    """Show the library's log lines during the block, where they are asked for.

    Examples
    --------
    >>> with logged(verbose=True, quiet=True):
    ...     pass
    Traceback (most recent call last):
        ...
    minerva_select.errors.InputError: --verbose and --quiet contradict each other; give one of them.
    """
    if verbose and quiet:
        raise InputError("--verbose and --quiet contradict each other; give one of them.")
    if not verbose:
        yield
        return
    handler, before = _OnStderr(), logger.level
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", datefmt="%H:%M:%S"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
