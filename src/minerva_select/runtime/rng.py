"""Random number generators of a fit, separate from torch's global ones."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextvars import ContextVar

import torch
from torch import Generator, Tensor

_GENERATORS: ContextVar[Mapping[str, Generator]] = ContextVar("generators", default={})  # noqa: B039 - never changed


@contextlib.contextmanager
def seeded_rng(seed: int, device: torch.device) -> Iterator[Generator]:
    """Seed the generators of a fit; other fits, nested or in other threads, do not affect them.

    Yields the generator for batches. It is on the CPU, so that every device sees the same batches. Networks draw
    initial values and dropout from :func:`network_generator`.
    """
    kinds = {"cpu", device.type}
    token = _GENERATORS.set({kind: Generator(device if kind == device.type else kind) for kind in kinds})
    try:
        for generator in (batches := Generator(), *_GENERATORS.get().values()):
            generator.manual_seed(seed)
        yield batches
    finally:
        _GENERATORS.reset(token)


def network_generator(device: torch.device | str = "cpu") -> Generator | None:
    """Generator that networks of the current fit draw from on a device; outside of a fit None, torch's default."""
    return _GENERATORS.get().get(torch.device(device).type)


def get_rng_state(batches: Generator | None, device: torch.device) -> dict[str, Tensor]:
    """State of all generators of a fit: for batches, and for networks on the CPU and on the device."""
    return {name: generator.get_state() for name, generator in _generators(batches, device).items()}


def set_rng_state(state: Mapping[str, Tensor], batches: Generator | None, device: torch.device) -> None:
    """Restore what :func:`get_rng_state` returned."""
    for name, generator in _generators(batches, device).items():
        generator.set_state(state[name])


def is_rng_state(state: Mapping[str, Tensor], batches: Generator | None, device: torch.device) -> bool:
    """Whether :func:`set_rng_state` accepts a state, such as one read from a file."""
    generators = _generators(batches, device)
    try:
        for name, generator in generators.items():
            Generator(generator.device).set_state(state[name])
    except (KeyError, RuntimeError, TypeError):
        return False
    return state.keys() == generators.keys()


def _generators(batches: Generator | None, device: torch.device) -> dict[str, Generator]:
    found = {} if batches is None else {"generator": batches}
    return found | {kind: network_generator(kind) or _default_generator(kind) for kind in sorted({"cpu", device.type})}


def _default_generator(kind: str) -> Generator:
    if kind == "cuda":
        return torch.cuda.default_generators[torch.cuda.current_device()]
    return torch.default_generator if kind == "cpu" else torch.mps._get_default_mps_generator()
