"""Saved states as files: tensors in safetensors, other values in JSON, each written atomically."""

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
    """State of a training: tensors, and other values that JSON can hold."""

    tensors: Mapping[str, Tensor]
    metadata: Mapping[str, Any] = field(default_factory=dict)


def write_state(path: Path, state: State, start: str) -> None:
    """Save a state with the fingerprint of what it was computed from."""
    text = json.dumps(state.metadata)
    tensors = {  # safetensors accepts neither views nor tensors that share memory
        name: value.detach().cpu().clone(memory_format=torch.contiguous_format) for name, value in state.tensors.items()
    }
    content = save(tensors, {"start": start, "metadata": text, "checksum": fingerprint(text, tensors)})
    atomic_write(path, content, private=True)


def read_state(path: Path, start: str) -> State | None:
    """Read a state computed from the same start; None if the file is missing, damaged or of another start."""
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            if header.get("start") != start:
                return None
            tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118 - not a mapping
    except (OSError, SafetensorError):
        return None
    text = header.get("metadata", "")
    if header.get("checksum") != fingerprint(text, tensors):
        return None
    try:
        metadata = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return State(tensors, metadata) if isinstance(metadata, dict) else None


def fingerprint(text: str, tensors: Mapping[str, Tensor]) -> str:
    """Hash a text and tensors, bit for bit."""
    digest = hashlib.sha256(text.encode())
    for name, value in sorted(tensors.items()):
        digest.update(f"\n{name} {value.dtype} {tuple(value.shape)}\n".encode())
        digest.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()
