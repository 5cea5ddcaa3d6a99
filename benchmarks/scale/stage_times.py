"""Run ``minerva`` and write the start and end time of each stage to a file.

python benchmarks/scale/stage_times.py TIMES.json select DATA --target Y
"""

import time

START = time.monotonic()

import json  # noqa: E402 - the imports below are part of the measured time
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

from minerva_select.callbacks import ProgressBar  # noqa: E402
from minerva_select.cli import main  # noqa: E402

if __name__ == "__main__":
    path, times = Path(sys.argv.pop(1)), {}
    original_call = ProgressBar.__call__

    def record_stage(bar, progress):
        now = time.monotonic() - START
        times.setdefault(progress.stage, [now, now])[1] = now
        original_call(bar, progress)

    ProgressBar.__call__ = record_stage
    try:
        main()
    finally:
        path.write_text(json.dumps(times))
