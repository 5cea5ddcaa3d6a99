"""Where the time of a fit goes: seconds of each stage without the stages inside it."""

import contextlib
import functools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from speed.patching import replace_function

OTHER = "other"
READING, REPORT = "reading", "report"

# In the order of a fit. Each stage is entered through these functions, "module:function" or "module:Class.method".
STAGES: dict[str, tuple[str, ...]] = {
    READING: ("data.frames:as_table", "selectors.base:TableSelector._read", "selectors.out_of_core:open_stream"),
    "columns": (
        "selectors.usable_columns:find_usable_columns",
        "selectors.usable_columns:find_copied_rows",
        "selectors.usable_columns:merge_equivalents",
    ),
    "encoding": (
        "selectors.fold_splits:encode",
        "selectors.out_of_core:Stream.encode",
        "selectors.fold_splits:make_folds",
    ),
    "screen": ("solvers.screen:screen_fold", "solvers.screen:add_pair_tables"),
    "networks: search": ("solvers.candidate_search:search_candidates",),
    "vet": ("solvers.permutation:held_out_importances",),
    "networks: refits": (
        "solvers.refits:Refits._fit_neural",
        "solvers.refits:Refits.fit_nested",
        "solvers.masked_critics:MaskedCritics.__init__",
    ),
    "trees": ("mi.families:boost",),
    "additive models": ("mi.families:fit_additive",),
    "explanation": (
        "solvers.attribution:attribute_columns",
        "solvers.interactions:estimate_interactions",
        "selectors.effects:measure_effects",
    ),
    REPORT: ("report.page:render",),
}


@dataclass
class StageTimes:
    """Seconds of each stage."""

    wall: Counter[str] = field(default_factory=Counter)
    cpu: Counter[str] = field(default_factory=Counter)  # of all threads


class _Clock:
    """Charges time to the innermost stage that the main thread is in."""

    def __init__(self) -> None:
        self.times, self.running = StageTimes(), [OTHER]
        self.last = time.perf_counter(), time.process_time()
        self.thread = threading.get_ident()

    def charge(self) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self.times.wall[self.running[-1]] += wall - self.last[0]
        self.times.cpu[self.running[-1]] += cpu - self.last[1]
        self.last = wall, cpu

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        if threading.get_ident() != self.thread:  # belongs to the stage that waits for it
            yield
            return
        self.charge()
        self.running.append(name)
        try:
            yield
        finally:
            self.charge()
            self.running.pop()

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self.stage(name):
                return function(*args, **kwargs)

        return call


@contextlib.contextmanager
def measure_stages() -> Iterator[StageTimes]:
    """Measure everything that happens inside the block."""
    with contextlib.ExitStack() as undo:
        clock = _Clock()
        for stage, names in STAGES.items():
            for name in names:
                replace_function(name, functools.partial(clock.timed, stage), undo)
        clock.last = time.perf_counter(), time.process_time()
        try:
            yield clock.times
        finally:
            clock.charge()
