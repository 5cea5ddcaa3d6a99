"""States of a computation as files: tensors in safetensors, the rest in JSON; each whole or not there at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from minerva_select.io.atomic import atomic_write


@dataclass(frozen=True, eq=False)
class State:
    """Tensors, and what else there is to know, as plain JSON values."""

    tensors: Mapping[str, Tensor]
    facts: Mapping[str, Any] = field(default_factory=dict)


def write_state(path: Path, state: State, start: str) -> None:
    """Save a state with the fingerprint of what it was computed from."""
    text = json.dumps(state.facts)
    own = {  # safetensors takes neither views nor tensors that share memory
        name: value.detach().cpu().clone(memory_format=torch.contiguous_format) for name, value in state.tensors.items()
    }
    atomic_write(path, save(own, {"start": start, "facts": text, "sum": fingerprint(text, own)}), private=True)


def read_state(path: Path, start: str) -> State | None:
    """A state that was saved whole and computed from the same; None for anything else."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            if metadata.get("start") != start:  # foreign: not worth the memory of its tensors
                return None
            tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118 - not a mapping
    except (OSError, SafetensorError):
        return None
    text = metadata.get("facts", "")
    if metadata.get("sum") != fingerprint(text, tensors):
        return None
    facts = _facts(text)
    return None if facts is None else State(tensors, facts)


def _facts(text: str) -> dict[str, Any] | None:
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None


def fingerprint(text: str, tensors: Mapping[str, Tensor]) -> str:
    """A text that is the same only for the same text and the same tensors, bit for bit.

    Examples
    --------
    >>> fingerprint("learn", {"x": torch.zeros(2)}) == fingerprint("learn", {"x": torch.zeros(2)})
    True
    >>> fingerprint("learn", {"x": torch.zeros(2)}) == fingerprint("learn", {"x": -torch.zeros(2)})
    False
    """
    digest = hashlib.sha256(text.encode())
    for name, value in sorted(tensors.items()):
        digest.update(f"\n{name} {value.dtype} {tuple(value.shape)}\n".encode())
        digest.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()
