"""Small fits whose work is recorded in limits.json: training steps, refits and passes over the data.

Compare with the record, or write it again after a change that is meant to do more or less:
``PYTHONPATH=benchmarks OMP_NUM_THREADS=1 python -m speed.limits [--update]``.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from minerva_select import MinervaSelector, open_source
from speed import generators
from speed.work import count_work

RECORD = Path(__file__).with_name("limits.json")
TOLERANCE = 1.25  # other machines round differently, and a training may then stop a few evaluations later
STREAMED_SIZE = 1_200, 30


def fit_mixed() -> Any:
    """Weak effects of mixed columns."""
    return MinervaSelector(random_state=0).fit(*generators.credit(300, 6))


def fit_noise() -> Any:
    """Nothing to find."""
    return MinervaSelector(random_state=0).fit(*generators.noise(200, 8))


def fit_numeric_target() -> Any:
    """Three of six columns."""
    return MinervaSelector(random_state=0).fit(*generators.additive_numeric(300, 6))


def fit_wide() -> Any:
    """An interaction among many columns."""
    return MinervaSelector(random_state=0).fit(*generators.wide_categorical(90, 400))


def fit_streamed() -> Any:
    """A file that does not fit in the allowed memory."""
    X, y = generators.additive_numeric(*STREAMED_SIZE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        X.to_parquet(path)
        with open_source(path) as source:
            return MinervaSelector(random_state=0, max_memory="1MiB").fit(source, y)


FITS: dict[str, Callable[[], Any]] = {
    name.removeprefix("fit_"): fit for name, fit in list(globals().items()) if name.startswith("fit_")
}


def work_of(name: str) -> dict[str, int]:
    """Count the work of one of the fits."""
    with warnings.catch_warnings(), count_work() as work:
        warnings.simplefilter("ignore")
        FITS[name]()
    return dict(work)


def exceeded(recorded: Mapping[str, int], found: Mapping[str, int]) -> list[str]:
    """Kinds of work of which there is more than recorded, beyond the tolerance."""
    return [
        f"{what}: {found[what]:,}, recorded {amount:,}"
        for what, amount in recorded.items()
        if found[what] > TOLERANCE * amount
    ]


def main() -> None:
    found = {name: work_of(name) for name in FITS}
    if "--update" in sys.argv:
        RECORD.write_text(json.dumps(found, indent=1) + "\n")
        return
    recorded = json.loads(RECORD.read_text())
    lines = [f"{name}: {line}" for name, work in found.items() for line in exceeded(recorded[name], work)]
    print("\n".join([json.dumps(found, indent=1), *lines, f"{len(lines)} limits exceeded"]))
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
