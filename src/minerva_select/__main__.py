"""Run the command line with ``python -m minerva_select``."""

from __future__ import annotations

import signal


def main() -> None:
    """Load the command line and run it; Ctrl-C while it loads, when nothing has begun, ends it without a traceback."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from minerva_select.cli import main as run_command  # noqa: PLC0415 - a fifth of a second

    signal.signal(signal.SIGINT, before)
    try:
        run_command()
    finally:  # all is done and told: to be ended while torch unloads would change the exit code alone
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
