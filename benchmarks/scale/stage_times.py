"""``minerva`` with a clock: the same command line, and in a file when each stage of it began and ended.

python benchmarks/scale/stage_times.py TIMES.json select DATA --target Y
"""

import time

START = time.monotonic()

import json  # noqa: E402 - what is imported from here on is part of the time
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

from minerva_select.cli import main  # noqa: E402
from minerva_select.cli.progress import ProgressBar  # noqa: E402

if __name__ == "__main__":
    path, times = Path(sys.argv.pop(1)), {}
    show = ProgressBar.__call__

    def note(bar, progress):
        now = time.monotonic() - START
        times.setdefault(progress.stage, [now, now])[1] = now
        show(bar, progress)

    ProgressBar.__call__ = note
    try:
        main()
    finally:
        path.write_text(json.dumps(times))
