"""Run the command line with ``python -m minerva_select``."""

from __future__ import annotations

import signal


def main() -> None:
    """Import and run the command line; Ctrl-C during the import ends the process without a traceback."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from minerva_select.cli import main as run_command  # noqa: PLC0415 - takes 0.2 s

    signal.signal(signal.SIGINT, handler)
    try:
        run_command()
    finally:  # the results are written: a signal while torch shuts down would only change the exit code
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
