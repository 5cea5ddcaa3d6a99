"""Claim: within a block, freed memory is used again; at its end the system gets it back."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
import torch

from minerva_select.runtime import allocator
from minerva_select.runtime.allocator import reuse_freed_memory

needs_glibc = pytest.mark.skipif(allocator._glibc() is None, reason="needs glibc")

# In a process of its own: what was allocated before changes what glibc does
MEASURE = """
import resource, sys, torch
from minerva_select.runtime.allocator import reuse_freed_memory

N_CELLS = 12 << 20  # 48 MB, above the largest threshold that glibc chooses

def resident():
    lines = open("/proc/self/status").read().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))

def faults_of_ten():
    for _ in range(20):  # alignment leaves gaps between tensors, so it takes a few until one fits
        torch.ones(N_CELLS)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        torch.ones(N_CELLS)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

outside, before = faults_of_ten(), resident()
with reuse_freed_memory():
    inside, kept = faults_of_ten(), resident()
print(outside, inside, kept - before, resident() - before)
"""


@needs_glibc
def test_pages_of_freed_tensors_are_used_again_and_returned_at_the_end():
    printed = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True).stdout
    outside, inside, kept, after = map(int, printed.split())
    assert inside < outside / 5
    assert kept > 40e6
    assert after < 10e6


def test_blocks_may_be_nested_and_end_in_any_order():
    with reuse_freed_memory(), reuse_freed_memory():
        assert allocator._SHARED.n_running in (0, 2)  # 0: another C library
    first, second = reuse_freed_memory(), reuse_freed_memory()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    torch.ones(1 << 20)
    second.__exit__(None, None, None)
    assert allocator._SHARED.n_running == 0


def test_a_disabled_block_changes_nothing():
    with reuse_freed_memory(enabled=False):
        assert allocator._SHARED.n_running == 0


def test_an_error_in_the_block_ends_it():
    with pytest.raises(ZeroDivisionError), reuse_freed_memory():
        1 / 0  # noqa: B018
    assert allocator._SHARED.n_running == 0


def test_another_c_library_is_left_alone(monkeypatch):
    monkeypatch.setattr(allocator.ctypes, "CDLL", lambda name: object())
    with reuse_freed_memory():
        assert allocator._SHARED.n_running == 0


def test_the_lock_is_new_in_a_fork():
    held = threading.Lock()
    held.acquire()
    state = allocator._SharedState()
    state.lock = held
    state.after_fork()
    assert not state.lock.locked()
