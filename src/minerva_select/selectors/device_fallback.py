"""Repeat on the CPU what a device could not compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import torch

from minerva_select.codes import WarningCode
from minerva_select.errors import MinervaError, first_line
from minerva_select.results import SelectionWarning

T = TypeVar("T")

_MAX_LENGTH = 120  # of a reason; messages of CUDA continue with advice for programmers


def compute_or_fall_back(
    compute: Callable[[torch.device], T], device: torch.device, *, allowed: bool = True
) -> tuple[T, SelectionWarning | None]:
    """Compute on a device. If it runs out of memory, is gone or lacks an operation, compute on the CPU, and warn.

    Without ``allowed``, errors are raised: processes of a distributed run cannot change their device one by one.
    """
    if device.type == "cpu" or not allowed:
        return compute(device), None
    try:
        return compute(device), None
    except MinervaError:
        raise
    except (RuntimeError, TypeError) as error:  # torch raises TypeError for types that a device lacks
        reason = "out of memory" if isinstance(error, torch.OutOfMemoryError) else first_line(error)[:_MAX_LENGTH]
    # Outside of the handler, whose traceback would keep the tensors of the failed attempt
    values = {"device": str(device), "reason": reason.rstrip(".")}
    return compute(torch.device("cpu")), SelectionWarning(WarningCode.DEVICE_FAILED, values=values)
