"""Hashes of columns, whose sums identify rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.schema import Column

_STEP = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio
_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # of the finalizer of SplitMix64
_SHIFTS = (30, 27)
_LAST_SHIFT = 31
_BLOCK_ROWS = 16_384  # stay in the cache of a core: twice as fast as whole columns


def hash_column(column: Column, seed: int) -> NDArray[np.uint64]:
    """Hash of every value; equal values, and all missing ones, have equal hashes."""
    hashes = np.zeros(len(column.values), dtype=np.uint64)
    add_column(hashes, column, seed)
    return hashes


def add_column(hashes: NDArray[np.uint64], column: Column, seed: int) -> None:
    """Add the hash of every value to the hashes of the rows."""
    if column.is_numeric and column.dictionary is not None:
        hash_of_index = hash_integers(_float_bits(np.append(np.nan, column.dictionary.values)), seed)
        hashes += hash_of_index.take(column.dictionary.indices)
        return
    values = column.values if column.levels is None else _unique_codes(column.values, column.levels)
    for start in range(0, len(values), _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        hashes[block] += hash_integers(_float_bits(values[block]) if column.is_numeric else values[block], seed)


def hash_integers(values: NDArray[Any], seed: int) -> NDArray[np.uint64]:
    """Hash of every integer; ``seed`` gives every column hashes of its own."""
    mixed = values.astype(np.int64).view(np.uint64)  # a copy, changed in place
    mixed += np.uint64((seed + 1) * _STEP % 2**64)
    for shift, factor in zip(_SHIFTS, _FACTORS, strict=True):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(_LAST_SHIFT)
    return mixed


def _float_bits(values: NDArray[Any]) -> NDArray[np.int64]:
    floats = values.astype(np.float64)
    floats += 0.0  # makes -0.0 equal 0.0
    missing = np.isnan(floats)
    if missing.any():
        floats[missing] = np.nan  # NaN has many bit patterns
    return floats.view(np.int64)


def _unique_codes(codes: NDArray[Any], levels: NDArray[Any]) -> NDArray[Any]:
    """Codes that are equal for equal levels: a list of levels may contain one twice."""
    number = {level: k for k, level in enumerate(levels)}
    if len(number) == len(levels):
        return codes
    first = np.array([*(number[level] for level in levels), -1])
    return np.asarray(first[np.maximum(codes, -1)])
