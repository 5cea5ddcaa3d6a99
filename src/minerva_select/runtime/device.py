"""Device, threads and matrix precision of a fit; torch's global settings are restored afterwards."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator

import torch

from minerva_select.errors import InputError

MAX_THREADS = 64  # more threads are no faster, whatever the table


def find_device(name: str) -> torch.device:
    """Device to compute on; "auto" prefers CUDA, then MPS, then the CPU."""
    if torch.cuda._is_in_bad_fork():  # fails on the CPU too: the fork has no autograd threads
        raise InputError(
            "torch cannot train in a fork of a process that has used a GPU; start the process with joblib's loky "
            "or multiprocessing's spawn."
        )
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()  # "meta" creates tensors but cannot copy them back
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"The device {name!r} cannot be used here ({reason}); use 'auto' or 'cpu'.") from None
    return device


class _ThreadState(threading.local):
    has_limit = False


class _SharedSettings:
    """Settings of torch and of linear algebra libraries that fits in several threads change and restore."""

    def __init__(self) -> None:
        self.n_threads: list[int] = []  # number before any limit, one entry per thread that has a limit
        self.has_blas_limit = False
        self.precisions: list[str] = []  # precision before any change, one entry per block that changed it
        self.is_forked = False
        self.lock = threading.Lock()

    def after_fork(self) -> None:
        """Replace a lock that a thread of the parent may have held."""
        self.is_forked, self.lock = True, threading.Lock()


_THREAD, _SHARED = _ThreadState(), _SharedSettings()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_SHARED.after_fork)


def available_threads() -> int:
    """Threads that this process may use, whatever the limits of the current fits."""
    if _SHARED.is_forked:
        return 1
    with _SHARED.lock:
        return _SHARED.n_threads[0] if _SHARED.n_threads else torch.get_num_threads()


@contextlib.contextmanager
def limit_threads(max_threads: int = MAX_THREADS) -> Iterator[None]:
    """Limit torch's threads within a block, correctly also when several fits begin and end in any order.

    Small products do not benefit from a second thread, and two simultaneous fits that both use all cores mostly wait
    for each other. The products of NumPy and SciPy get one thread: on a busy machine, two took seven times the
    processor time. A forked process uses one thread: it has none of the threads that OpenMP started in its parent, and
    would wait for them forever.
    """
    is_outermost = not _THREAD.has_limit
    with _SHARED.lock:  # in a thread new to torch, get_num_threads returns the limit of another thread
        before = _SHARED.n_threads[0] if is_outermost and _SHARED.n_threads else torch.get_num_threads()
        if is_outermost:
            restore_blas = _limit_blas()
            _SHARED.n_threads.append(before)
        torch.set_num_threads(1 if _SHARED.is_forked else min(before, max_threads))
    _THREAD.has_limit = True
    try:
        yield
    finally:
        with _SHARED.lock:
            if is_outermost:
                _SHARED.n_threads.pop()
                restore_blas()
            torch.set_num_threads(before)
        _THREAD.has_limit = not is_outermost


def _limit_blas() -> Callable[[], None]:
    """Limit the products of NumPy and SciPy to one thread; returns a function that restores the number.

    Only the thread that has set a limit can restore the number. While it has one, the others set none.
    """
    import scipy.linalg  # noqa: F401, PLC0415 - loads the library that is to be limited
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    if _SHARED.has_blas_limit:
        return lambda: None
    limits = threadpool_limits(1, user_api="blas")
    _SHARED.has_blas_limit = True

    def restore() -> None:
        limits.restore_original_limits()
        _SHARED.has_blas_limit = False

    return restore


@contextlib.contextmanager
def allow_tf32() -> Iterator[None]:
    """Multiply matrices in TensorFloat-32 on a GPU; the last block to end restores the precision.

    For gradient steps, which are noisy anyway. Evaluation uses full precision, unless another thread takes a gradient
    step on a GPU at the same moment.
    """
    with _SHARED.lock:
        _SHARED.precisions.append(_SHARED.precisions[0] if _SHARED.precisions else torch.get_float32_matmul_precision())
        torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        with _SHARED.lock:
            before = _SHARED.precisions.pop()
            if not _SHARED.precisions:
                torch.set_float32_matmul_precision(before)
