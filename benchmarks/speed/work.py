"""How much work a fit does, in numbers that do not depend on the machine."""

import contextlib
import functools
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from speed.patching import replace_function

STEPS = "training steps"
SCORED = "cells scored by networks"  # rows times columns of all members, in training and in evaluation
TREES = "boosted trees fitted"  # models, each of one fold and set of columns
ADDITIVE = "additive models fitted"
READ = "rows read from files"

Amount = Callable[..., int]

# What counts as work: the function that does it, and how much one call is, from its arguments
COUNTED: dict[str, tuple[str, Amount]] = {
    STEPS: ("mi.training_state:TrainingState.take_step", lambda state: 1),
    SCORED: ("mi.cross_fit:CrossFitCritics.scores", lambda critics, rows, *rest: rows.numel() * len(critics.features)),
    TREES: ("mi.families:boost", lambda *arguments, **options: 1),
    ADDITIVE: ("mi.families:fit_additive", lambda *arguments: 1),
    READ: ("data.parquet_files:ParquetChunk.read", lambda chunk, schema, start, stop, n_rows: stop - start),
}


@contextlib.contextmanager
def count_work() -> Iterator[Counter[str]]:
    """Count the work that is done inside the block, in all threads."""
    counts, lock = Counter[str](dict.fromkeys(COUNTED, 0)), threading.Lock()

    def counting(what: str, amount: Amount, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with lock:
                counts[what] += amount(*args, **kwargs)
            return function(*args, **kwargs)

        return call

    with contextlib.ExitStack() as undo:
        for what, (name, amount) in COUNTED.items():
            replace_function(name, functools.partial(counting, what, amount), undo)
        yield counts
