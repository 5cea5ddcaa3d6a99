"""Coverage-guided mutation of inputs: an input that reaches a new line or a new outcome is mutated further.

Used if atheris is not installed. Only Python lines are traced, so a new outcome also counts as new coverage: the
message of a native reader shows how far it got.
"""

import random
import sys
import time
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

MAX_BYTES = 1 << 16
_EDGE_VALUES = (
    0,
    1,
    -1,
    2,
    127,
    128,
    255,
    256,
    2**15,
    2**16 - 1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**40,
    2**62,
    2**63 - 1,
    2**63,
)


class LineCoverage:
    """The lines of one package that calls have executed."""

    def __init__(self, package: str) -> None:
        self._folder = f"/{package}/"
        self._traced: dict[CodeType, bool] = {}
        self.seen: set[tuple[CodeType, int]] = set()

    def trace(self, call: Callable[[], str]) -> tuple[str, bool]:
        """Return the result of the call, and whether it executed a new line."""
        before = len(self.seen)
        sys.settrace(self._enter)
        try:
            outcome = call()
        finally:
            sys.settrace(None)
        return outcome, len(self.seen) > before

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if code not in self._traced:
            self._traced[code] = self._folder in code.co_filename
        return self._line if self._traced[code] else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        self.seen.add((frame.f_code, frame.f_lineno))
        return self._line


def mutate(data: bytes, others: Sequence[bytes], tokens: Sequence[bytes], rng: random.Random) -> bytes:
    """Change an input in one or a few positions."""
    changed = bytearray(data)
    for _ in range(1 << min(rng.getrandbits(2), rng.getrandbits(2))):
        place = rng.randrange(len(changed) + 1)
        end = min(len(changed), place + 1 + int(rng.expovariate(1 / 8)))
        kind = rng.randrange(9)
        if kind == 0 and place < len(changed):
            changed[place] ^= 1 << rng.randrange(8)
        elif kind == 1 and place < len(changed):
            changed[place] = rng.randrange(256)
        elif kind == 2:
            del changed[place:end]
        elif kind == 3:
            changed[place:place] = changed[place:end] * (1 << rng.randrange(8))
        elif kind == 4:
            width = rng.choice((2, 4, 8))
            number = (rng.choice(_EDGE_VALUES) + rng.choice((0, 0, 0, 1, -1))) % (1 << 8 * width)
            changed[place : place + width] = number.to_bytes(width, rng.choice(("little", "little", "big")))
        elif kind == 5:
            token = rng.choice(tokens) if tokens else rng.randbytes(4)
            changed[place : place + rng.choice((0, len(token)))] = token
        elif kind == 6:
            other = rng.choice(others)
            start = rng.randrange(len(other) + 1)
            changed[place : place + rng.choice((0, 64))] = other[start : start + rng.choice((8, 64, 512))]
        elif kind == 7:
            digits = [k for k, byte in enumerate(changed) if 48 <= byte <= 57]
            if digits:
                changed[rng.choice(digits)] = 48 + rng.randrange(10)
        elif rng.random() < 0.2:
            del changed[place:]
    return bytes(changed[:MAX_BYTES])


def explore(
    run: Callable[[bytes], str], seeds: Sequence[bytes], tokens: Sequence[bytes], seconds: float, seed: int
) -> None:
    """Run mutations of the seeds until the time is over."""
    rng, coverage = random.Random(seed), LineCoverage("minerva_select")
    corpus: list[bytes] = []
    outcomes: set[str] = set()
    end = time.monotonic() + seconds
    waiting = list(seeds)
    while time.monotonic() < end:
        if waiting:
            data = waiting.pop()
        else:
            # Half of the time a recent input, which is less explored
            parent = corpus[-1 - int(rng.expovariate(0.1)) % len(corpus)] if rng.random() < 0.5 else rng.choice(corpus)
            data = mutate(parent, corpus, tokens, rng)
        outcome, is_new = coverage.trace(lambda data=data: run(data))  # type: ignore[misc]
        if is_new or outcome not in outcomes or len(corpus) < len(seeds):
            outcomes.add(outcome)
            corpus.append(data)
