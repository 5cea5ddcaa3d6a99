"""Reuse of freed memory within a fit."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Iterator

# Parameters of mallopt, from glibc's malloc.h
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _MMAP_MAX = -1, -3, -4
_DEFAULT_MMAP_MAX = 65536
_LARGEST_MMAP_THRESHOLD = 32 << 20  # where glibc's own adjustment of the threshold ends
_NEVER_TRIM = 2**31 - 1


class _SharedState:
    """Fits in several threads that reuse memory at the moment."""

    def __init__(self) -> None:
        self.n_running = 0
        self.lock = threading.Lock()

    def after_fork(self) -> None:
        """Replace a lock that a thread of the parent may have held."""
        self.lock = threading.Lock()


_SHARED = _SharedState()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_SHARED.after_fork)


@contextlib.contextmanager
def reuse_freed_memory(enabled: bool = True) -> Iterator[None]:
    """Keep memory that is freed within the block for later tensors, and return it to the system at the end.

    By default, glibc maps every tensor above some megabytes afresh and unmaps it when it is freed. The system then
    clears its pages one by one, which takes up to two fifths of the time of a fit of many columns. The price is up to
    half more memory for tensors, so streamed tables do without it. Other C libraries are left alone.
    """
    libc = _glibc() if enabled else None
    if libc is None:
        yield
        return
    with _SHARED.lock:
        _SHARED.n_running += 1
        if _SHARED.n_running == 1:
            libc.mallopt(_MMAP_MAX, 0)
            libc.mallopt(_TRIM_THRESHOLD, _NEVER_TRIM)
    try:
        yield
    finally:
        with _SHARED.lock:
            _SHARED.n_running -= 1
            if _SHARED.n_running == 0:
                libc.mallopt(_MMAP_MAX, _DEFAULT_MMAP_MAX)
                # Having been set, neither threshold is adjusted any longer; these are the values that it ends at
                libc.mallopt(_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD)
                libc.mallopt(_TRIM_THRESHOLD, 2 * _LARGEST_MMAP_THRESHOLD)
                libc.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    try:
        libc = ctypes.CDLL(None)
        libc.gnu_get_libc_version, libc.mallopt, libc.malloc_trim  # noqa: B018 - raises if it is another library
    except (OSError, AttributeError, TypeError):  # TypeError: on Windows
        return None
    return libc
